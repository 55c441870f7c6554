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
     "Apply a rule or macro at the first place where it applies, or at NAME@PLACE; or "
     "apply a strategy. Repeatable",
     1},
    {"family", KEY_FAMILY, "NAME", 0,
     "Take the configuration of this kernel family. Repeatable", 1},
    {"decide", KEY_DECIDE, "NAME=OPTION,...", 0,
     "Take these options of schedule decisions, and the defaults of all other decisions. "
     "FAMILY,NAME=OPTION,... changes options of a family, as options after --family do",
     1},
    {"random", 0, "N", 0,
     "With --verify or --build-only: draw N random configurations and make a kernel of "
     "each; fewer if 1000 draws find no other. A configuration without code is reported "
     "with the reason, and is no failure",
     1, CLI_NUMBER(struct derive_args, random, 1, DERIVE_MOST_APPLIED)},
    {"trace", 0, NULL, 0, "Show every rule that a macro applies", 1,
     CLI_FLAG(struct derive_args, trace)},
    {"size", 's', "NAME=N,...", 0, "Set sizes to numbers; otherwise they are symbols", 1,
     CLI_WORD(struct derive_args, size)},
    CLI_PRECISION_OPTION(1, CLI_WORD(struct derive_args, precision)),
    CLI_STEPS_OPTION(1, struct derive_args),
    CLI_RULES_OPTION(1, struct derive_args, rules, rule_count),
    CLI_FORCE_OPTION(1, struct derive_args),
    {"emit", 0, "term|source", 0, "Print only the resulting term, or only its kernel", 2,
     CLI_WORD(struct derive_args, emit)},
    {"dump-after", KEY_DUMP, "PASS", 0,
     "With --emit source: print the kernel after this pass of the code generator; 'help' "
     "lists the passes",
     2},
    {"device", 'd', "NAME", 0, "Make the kernel for host, opencl, cuda or hip (host)", 2,
     CLI_WORD(struct derive_args, device)},
    {"set", 'S', "NAME=N,...", 0,
     "Set tunables of the kernel, as block_x=32,tile_y=8 or as 'lift best' prints them. "
     "Other tunables are 4, or the first of a few values that make a kernel. 'lift rules "
     "doc --tunables' says what each means",
     2, CLI_WORD(struct derive_args, set)},
    {"verify", 0, NULL, 0,
     "Compile the kernel for the device, run it on random inputs, and compare its "
     "results with the program. Tunables that are not set are drawn at random",
     3, CLI_FLAG(struct derive_args, verify)},
    {"build-only", 0, NULL, 0,
     "Compile the kernel, and print its registers and memory. The device may be an "
     "architecture, such as cuda:sm_90",
     3, CLI_FLAG(struct derive_args, build)},
    {"each", 0, NULL, 0,
     "With --verify or --build-only: make a separate kernel of each --apply, --family or "
     "--decide. One that cannot be derived is reported with the reason",
     3, CLI_FLAG(struct derive_args, each)},
    {"fixed-sizes", 0, NULL, 0,
     "With --verify: derive with sizes as numbers instead of symbols", 3,
     CLI_FLAG(struct derive_args, fixed)},
    {"draws", 0, "N", 0,
     "With --verify or --build-only: draw N sets of values of the tunables (1)", 3,
     CLI_NUMBER(struct derive_args, points, 1, MAX_POINTS)},
    {"seed", 0, "N", 0,
     "With --verify or --build-only: seed of the random draws and inputs (1)", 3,
     CLI_NUMBER(struct derive_args, seed, 0, INT64_MAX)},
    CLI_ONE(struct derive_args, file, "program"),
    CLI_NEEDED("which program?"),
    {0}};

static const char doc[] =
    "Apply rules or schedule options to a program, and show the resulting term.\vA "
    "PLACE is a path (0.1.0; '.' is the root) or a description: loop, loop(2), tile, "
    "point, border, copy, the name of a primitive, nth(2, slide). '...' stands for a "
    "subterm that did not change. --verify prints 'ok' and the largest error; if "
    "results are wrong, it prints the error and the exit status is 1. With --verify, "
    "--device may be any device that 'lift devices' lists.";

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

/* Exits with the list of passes, or with a message for an unknown pass. */
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
