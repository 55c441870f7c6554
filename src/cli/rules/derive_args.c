#include "cli/rules/derive_args.h"
#include "cli/cli.h"
#include "codegen/kernel.h"
#include "device/device.h"
#include <stdlib.h>
#include <string.h>

enum {
    MAX_POINTS = 100000,
    KEY_DUMP = 256,
    KEY_FAMILY,
    KEY_DECIDE,
};

static const struct cli_option options[] = {
    {"apply", 'a', "WHAT", 0,
     "A rule or a macro where it applies first, NAME@PLACE, or a strategy; may be "
     "repeated",
     1},
    {"family", KEY_FAMILY, "NAME", 0,
     "A kernel family: a configuration that has a name; may be repeated", 1},
    {"decide", KEY_DECIDE, "NAME=OPTION,...", 0,
     "A configuration, all others by their defaults: FAMILY,DECISION=OPTION,... "
     "begins with a family; after --family, what is different from it",
     1},
    {"random", 0, "N", 0,
     "With --verify or --build-only: N random configurations, each a kernel of "
     "its own for one device; fewer if 1000 draws find no other; one that has no code, "
     "for a reason, is no failure",
     1, CLI_NUMBER(struct derive_args, random, 1, DERIVE_MOST_APPLIED)},
    {"trace", 0, NULL, 0, "Show every rule that a macro applies", 1,
     CLI_FLAG(struct derive_args, trace)},
    {"size", 's', "NAME=N,...", 0, "Sizes as numbers; they are symbols otherwise", 1,
     CLI_WORD(struct derive_args, size)},
    CLI_PRECISION_OPTION(1, CLI_WORD(struct derive_args, precision)),
    CLI_STEPS_OPTION(1, struct derive_args),
    CLI_RULES_OPTION(1, struct derive_args, rules, rule_count),
    CLI_FORCE_OPTION(1, struct derive_args),
    {"emit", 0, "term|source", 0, "Print the final term or its kernel only", 2,
     CLI_WORD(struct derive_args, emit)},
    {"dump-after", KEY_DUMP, "PASS", 0,
     "With --emit source: the kernel as this pass of the code generator leaves it; "
     "'help' lists the passes",
     2},
    {"device", 'd', "NAME", 0, "What the kernel is for: host, opencl, cuda, hip (host)",
     2, CLI_WORD(struct derive_args, device)},
    {"set", 'S', "NAME=N,...", 0,
     "Tunables of the kernel, as local0=32,k0=8 or as 'lift best' prints them; the "
     "others "
     "are 4, or the first of a few values that make a kernel",
     2, CLI_WORD(struct derive_args, set)},
    {"verify", 0, NULL, 0,
     "Compile the kernel for the device, run it on random inputs and compare it with the "
     "program; tunables that are not set are chosen at random",
     3, CLI_FLAG(struct derive_args, verify)},
    {"build-only", 0, NULL, 0,
     "Compile the kernel likewise and print the registers and the memory that it takes; "
     "the device may be an architecture, like cuda:sm_90",
     3, CLI_FLAG(struct derive_args, build)},
    {"each", 0, NULL, 0,
     "With either: every --apply, --family or --decide begins with the program, and "
     "makes a separate kernel; one that cannot be derived is reported with the reason",
     3, CLI_FLAG(struct derive_args, each)},
    {"fixed", 0, NULL, 0, "With --verify: derive with sizes as numbers, not as symbols",
     3, CLI_FLAG(struct derive_args, fixed)},
    {"points", 0, "N", 0, "With either: N choices of the tunables (1)", 3,
     CLI_NUMBER(struct derive_args, points, 1, MAX_POINTS)},
    {"seed", 0, "N", 0, "With either: of choices and inputs (1)", 3,
     CLI_NUMBER(struct derive_args, seed, 0, INT64_MAX)},
    CLI_ONE(struct derive_args, file, "program"),
    CLI_NEEDED("which program?"),
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
        return cli_set(options, key, arg, state);
    }
}

const struct cli_argp cli_derive_argp = {options, parse, "FILE.lift", doc};

void cli_derive_args(int argc, char **argv, struct derive_args *out)
{
    *out = (struct derive_args){.device = "host", .points = 1, .seed = 1};
    cli_parse(&cli_derive_argp, argc, argv, out);
}
