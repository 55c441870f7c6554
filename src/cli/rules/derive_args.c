#include "cli/rules/derive_args.h"
#include "cli/cli.h"
#include "lift/device.h"
#include "lift/kernel.h"
#include <stdlib.h>
#include <string.h>

enum {
    MAX_POINTS = 100000,
    KEY_EMIT = 256,
    KEY_DUMP,
    KEY_TRACE,
    KEY_STEPS,
    KEY_FORCE,
    KEY_VERIFY,
    KEY_BUILD,
    KEY_EACH,
    KEY_FIXED,
    KEY_POINTS,
    KEY_SEED,
    KEY_PRECISION,
    KEY_FAMILY,
    KEY_DECIDE,
    KEY_RANDOM,
};

static const struct argp_option options[] = {
    {"apply", 'a', "WHAT", 0,
     "A rule or a macro where it applies first, NAME@PLACE, or a strategy; may be "
     "repeated",
     1},
    {"family", KEY_FAMILY, "NAME", 0,
     "A kernel family: a point of the decisions that has a name; may be repeated", 1},
    {"decide", KEY_DECIDE, "DECISION=OPTION,...", 0,
     "A point of the decisions, all others by their defaults: FAMILY,DECISION=OPTION,... "
     "begins with a family; after --family, what is different from it",
     1},
    {"random", KEY_RANDOM, "N", 0,
     "With --verify or --build-only: N random points of the decisions, each a kernel of "
     "its own; one that has no code, for a reason, is no failure",
     1},
    {"trace", KEY_TRACE, NULL, 0, "Show every rule that a macro applies", 1},
    {"size", 's', "NAME=N,...", 0, "Sizes as numbers; they are symbols otherwise", 1},
    {"precision", KEY_PRECISION, "single|double", 0, CLI_PRECISION, 1},
    {"steps", KEY_STEPS, "N", 0, CLI_STEPS, 1},
    {"rules", 'r', "FILE", 0, "Rules besides those that ship; may be repeated", 1},
    {"force-rules", KEY_FORCE, NULL, 0, "Take rules that the check refutes", 1},
    {"emit", KEY_EMIT, "term|source", 0, "Print the final term or its kernel only", 2},
    {"dump-after", KEY_DUMP, "PASS", 0,
     "With --emit source: the kernel as this pass of the code generator leaves it; "
     "'help' lists the passes",
     2},
    {"device", 'd', "NAME", 0, "What the kernel is for: host, opencl, cuda, hip (host)",
     2},
    {"set", 'S', "NAME=N,...", 0,
     "Tunables of the kernel (4 each), and local0, local1, local2 of a work-group", 2},
    {"verify", KEY_VERIFY, NULL, 0,
     "Compile the kernel for the device, run it on random inputs and compare it with the "
     "program; tunables that are not set are chosen at random",
     3},
    {"build-only", KEY_BUILD, NULL, 0,
     "Compile the kernel likewise and print the registers and the memory that it takes; "
     "the device may be an architecture, like cuda:sm_90",
     3},
    {"each", KEY_EACH, NULL, 0,
     "With either: every --apply, --family or --decide begins with the program, and "
     "makes a kernel of its own",
     3},
    {"fixed", KEY_FIXED, NULL, 0,
     "With --verify: derive with sizes as numbers, not as symbols", 3},
    {"points", KEY_POINTS, "N", 0, "With either: N choices of the tunables (1)", 3},
    {"seed", KEY_SEED, "N", 0, "With either: of choices and inputs (1)", 3},
    {0}};

static const char doc[] =
    "Apply rules by name, or take decisions, and show what becomes of a program.\vPlaces "
    "are paths (0.1.0; '.' is the root) or descriptions: loop, loop(2), tile, point, "
    "border, copy, the name of a primitive, nth(2, slide). Subterms that did not change "
    "are shown as '...'. --verify prints 'ok' and the largest error, or what is wrong "
    "with status 1; --device may be any that 'lift devices' lists.";

static void add_applied(struct argp_state *state, struct derive_args *a,
                        struct derive_applied applied)
{
    struct derive_applied *last =
        a->applied_count ? &a->applied[a->applied_count - 1] : NULL;

    if (applied.decide && last && last->family && !last->decide) {
        last->decide = applied.decide;
        return;
    }
    if (a->applied_count == DERIVE_MOST_APPLIED)
        argp_error(state, "more than %d applied", DERIVE_MOST_APPLIED);
    a->applied[a->applied_count++] = applied;
}

static const struct cli_setting settings[] = {
    CLI_ONE(struct derive_args, file, "program"),
    CLI_NEEDED("which program?"),
    CLI_LIST('r', struct derive_args, rules, rule_count, "rule files"),
    CLI_WORD('s', struct derive_args, size),
    CLI_WORD('S', struct derive_args, set),
    CLI_WORD('d', struct derive_args, device),
    CLI_WORD(KEY_PRECISION, struct derive_args, precision),
    CLI_WORD(KEY_EMIT, struct derive_args, emit),
    CLI_FLAG(KEY_TRACE, struct derive_args, trace),
    CLI_STEPS_SETTING(KEY_STEPS, struct derive_args),
    CLI_FLAG(KEY_FORCE, struct derive_args, force),
    CLI_FLAG(KEY_VERIFY, struct derive_args, verify),
    CLI_FLAG(KEY_BUILD, struct derive_args, build),
    CLI_FLAG(KEY_EACH, struct derive_args, each),
    CLI_FLAG(KEY_FIXED, struct derive_args, fixed),
    CLI_NUMBER(KEY_POINTS, struct derive_args, points, "--points", 1, MAX_POINTS),
    CLI_NUMBER(KEY_RANDOM, struct derive_args, random, "--random", 1,
               DERIVE_MOST_APPLIED),
    CLI_NUMBER(KEY_SEED, struct derive_args, seed, "--seed", 0, INT64_MAX),
    {0}};

static void print_passes(void)
{
    for (int i = 0; lift_codegen_pass(i); i++) {
        LIFT_SCOPED(lift_str) on = {0};
        bool all = true;

        for (int d = 0; lift_runtimes[d]; d++) {
            bool has = lift_codegen_has_pass(lift_runtimes[d]->dialect, i);

            all &= has;
            if (has)
                lift_str_addf(&on, "%s%s", on.len ? "," : "", lift_runtimes[d]->name);
        }
        printf("%-9s %-15s %s\n", lift_codegen_pass(i)->name,
               all ? "all" : lift_str_get(&on), lift_codegen_pass(i)->doc);
    }
}

/* Exits with the list of passes, or with a message. */
static void read_pass(const char *name)
{
    enum { MOST_PASSES = 64 };
    const char *names[MOST_PASSES + 1] = {NULL};

    if (!strcmp(name, "help")) {
        print_passes();
        exit(CLI_DONE);
    }
    for (int i = 0; i < MOST_PASSES && lift_codegen_pass(i); i++) {
        names[i] = lift_codegen_pass(i)->name;
        if (!strcmp(name, names[i]))
            return;
    }
    exit(cli_no_such(name, names, "--dump-after '%s' is no pass", name));
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct derive_args *a = state->input;

    switch (key) {
    case 'a':
        add_applied(state, a, (struct derive_applied){.what = arg});
        return 0;
    case KEY_FAMILY:
        add_applied(state, a, (struct derive_applied){.family = arg});
        return 0;
    case KEY_DECIDE:
        add_applied(state, a, (struct derive_applied){.decide = arg});
        return 0;
    case KEY_DUMP:
        read_pass(arg);
        a->dump_after = arg;
        return 0;
    default:
        return cli_set(settings, key, arg, state);
    }
}

const struct argp cli_derive_argp = {options, parse, "FILE.lift", doc};

void cli_derive_args(int argc, char **argv, struct derive_args *out)
{
    *out = (struct derive_args){.device = "host", .points = 1, .seed = 1};
    cli_parse(&cli_derive_argp, argc, argv, out);
}
