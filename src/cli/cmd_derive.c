#include "cli/cli.h"
#include "cli/derivation.h"
#include "lift/device.h"
#include <stdlib.h>
#include <string.h>

enum {
    MAX_APPLIED = 256,
    MAX_RULE_FILES = 16,
    MAX_POINTS = 100000,
    KEY_EMIT = 256,
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
};

/* What is done to the program: a rule or strategy, or a point of decisions. */
struct applied {
    const char *what;            /* NULL: it is a point */
    const char *family, *decide; /* NULL: of none, all defaults */
};

struct derive_args {
    const char *file, *size, *precision, *emit, *device, *set;
    struct applied applied[MAX_APPLIED];
    const char *rules[MAX_RULE_FILES];
    int applied_count, rule_count;
    int64_t points, seed;
    bool steps, force, verify, build, each, fixed;
};

static const struct argp_option options[] = {
    {"apply", 'a', "WHAT", 0,
     "A rule or a macro where it applies first, NAME@PLACE, or a strategy; may be "
     "repeated",
     1},
    {"family", KEY_FAMILY, "NAME", 0,
     "A kernel family: a point of the decisions that has a name; may be repeated", 1},
    {"decide", KEY_DECIDE, "DECISION=OPTION,...", 0,
     "A point of the decisions, all others by their defaults; after --family, what is "
     "different from it",
     1},
    {"steps", KEY_STEPS, NULL, 0, "Show every rule that a macro applies", 1},
    {"size", 's', "NAME=N,...", 0, "Sizes as numbers; they are symbols otherwise", 1},
    {"precision", KEY_PRECISION, "WORD", 0, CLI_PRECISION, 1},
    {"rules", 'r', "FILE", 0, "Rules besides those that ship; may be repeated", 1},
    {"force-rules", KEY_FORCE, NULL, 0, "Take rules that the check refutes", 1},
    {"emit", KEY_EMIT, "term|source", 0, "Print the final term or its kernel only", 2},
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
     "With either: every --apply begins with the program, and makes a kernel of its own",
     3},
    {"fixed", KEY_FIXED, NULL, 0,
     "With --verify: derive with sizes as numbers, not as symbols", 3},
    {"points", KEY_POINTS, "N", 0, "With either: N choices of the tunables (1)", 3},
    {"seed", KEY_SEED, "N", 0, "With either: of choices and inputs (1)", 3},
    {0}};

static const char doc[] =
    "Apply rules by name, or take decisions, and show what becomes of a program."
    "\vPlaces are paths (0.1.0; '.' is the root) or descriptions: loop, loop(2), border, "
    "copy, the name of a primitive, nth(2, slide). Subterms that did not change are "
    "shown as '...'. --verify prints 'ok' and the largest error, or what is wrong with "
    "status 1; --device may be any that 'lift devices' lists.";

static void add_rules(struct argp_state *state, struct derive_args *a, const char *file)
{
    if (a->rule_count == MAX_RULE_FILES)
        argp_error(state, "more than %d rule files", MAX_RULE_FILES);
    a->rules[a->rule_count++] = file;
}

static void add_applied(struct argp_state *state, struct derive_args *a,
                        struct applied applied)
{
    struct applied *last = a->applied_count ? &a->applied[a->applied_count - 1] : NULL;

    if (applied.decide && last && last->family && !last->decide) {
        last->decide = applied.decide;
        return;
    }
    if (a->applied_count == MAX_APPLIED)
        argp_error(state, "more than %d applied", MAX_APPLIED);
    a->applied[a->applied_count++] = applied;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct derive_args *a = state->input;

    switch (key) {
    case 'a':
        add_applied(state, a, (struct applied){.what = arg});
        return 0;
    case KEY_FAMILY:
        add_applied(state, a, (struct applied){.family = arg});
        return 0;
    case KEY_DECIDE:
        add_applied(state, a, (struct applied){.decide = arg});
        return 0;
    case 'r':
        add_rules(state, a, arg);
        return 0;
    case 's':
        a->size = arg;
        return 0;
    case 'S':
        a->set = arg;
        return 0;
    case 'd':
        a->device = arg;
        return 0;
    case KEY_PRECISION:
        a->precision = arg;
        return 0;
    case KEY_EMIT:
        a->emit = arg;
        return 0;
    case KEY_STEPS:
        a->steps = true;
        return 0;
    case KEY_FORCE:
        a->force = true;
        return 0;
    case KEY_VERIFY:
        a->verify = true;
        return 0;
    case KEY_BUILD:
        a->build = true;
        return 0;
    case KEY_EACH:
        a->each = true;
        return 0;
    case KEY_FIXED:
        a->fixed = true;
        return 0;
    case KEY_POINTS:
        if (!cli_integer("--points", arg, 1, MAX_POINTS, &a->points))
            exit(CLI_USAGE);
        return 0;
    case KEY_SEED:
        if (!cli_integer("--seed", arg, 0, INT64_MAX, &a->seed))
            exit(CLI_USAGE);
        return 0;
    case ARGP_KEY_ARG:
        if (a->file)
            argp_error(state, "one program at a time");
        a->file = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which program?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Of "cuda", "cuda:1" and "cuda:sm_90" alike. */
static bool read_dialect(const char *device, enum lift_dialect *out)
{
    static const char *const names[] = {"host", "opencl", "cuda", "hip", NULL};
    size_t len = strcspn(device, ":");

    for (int i = 0; lift_runtimes[i]; i++)
        if (strlen(lift_runtimes[i]->name) == len &&
            !strncmp(lift_runtimes[i]->name, device, len)) {
            *out = lift_runtimes[i]->dialect;
            return true;
        }
    cli_no_such(device, names, "--device '%s': host, opencl, cuda or hip", device);
    return false;
}

static bool check_args(const struct derive_args *a)
{
    if (!!a->emit + a->verify + a->build > 1) {
        cli_fail(CLI_USAGE, "either --emit, --verify or --build-only");
        return false;
    }
    if (a->each && (a->applied_count == 0 || !(a->verify || a->build))) {
        cli_fail(CLI_USAGE, "--each needs --apply, --family or --decide, and --verify or "
                            "--build-only");
        return false;
    }
    if (!a->emit || !strcmp(a->emit, "term") || !strcmp(a->emit, "source"))
        return true;
    cli_fail(CLI_USAGE, "--emit '%s' is neither term nor source", a->emit);
    return false;
}

static void print_whole(lift_expr term)
{
    struct lift_str text = {0};

    lift_expr_print_indented(term, 0, &text);
    puts(lift_str_get(&text));
    lift_str_fini(&text);
}

static void begin(struct cli_derivation *d)
{
    d->term = d->program->body;
    d->conditions = NULL;
    d->condition_count = d->steps = 0;
}

static bool apply_one(const struct applied *x, struct cli_derivation *d,
                      enum lift_dialect dialect, int *status)
{
    return x->what ? cli_derivation_apply(d, x->what, status)
                   : cli_derivation_decide(d, x->family, x->decide, dialect, status);
}

/* The term of all that is applied, or of each; false and the exit status. */
static bool apply(const struct derive_args *a, struct cli_derivation *d,
                  enum lift_dialect dialect, struct lift_verify_term terms[MAX_APPLIED],
                  int *status)
{
    begin(d);
    terms[0].term = d->term;
    for (int i = 0; i < a->applied_count; i++) {
        if (a->each)
            begin(d);
        if (!apply_one(&a->applied[i], d, dialect, status))
            return false;
        terms[a->each ? i : 0] =
            (struct lift_verify_term){d->term, d->conditions, d->condition_count};
    }
    return true;
}

static const char *name_of(const struct applied *x)
{
    return x->what ? x->what : x->decide ? x->decide : x->family;
}

static int verify(const struct derive_args *a, const struct cli_derivation *d,
                  const struct lift_verify_term *terms,
                  const struct lift_size_setting *set, int set_count)
{
    const char *names[MAX_APPLIED];

    for (int i = 0; i < a->applied_count; i++)
        names[i] = name_of(&a->applied[i]);
    return cli_derivation_verify(
        d, &(struct cli_verify){.terms = terms,
                                .names = a->each ? names : NULL,
                                .term_count = a->each ? a->applied_count : 1,
                                .device = a->device,
                                .build_only = a->build,
                                .set = set,
                                .set_count = set_count,
                                .points = (int)a->points,
                                .seed = (uint64_t)a->seed});
}

static int derive(const struct derive_args *a, struct cli_derivation *d,
                  struct lift_arena *arena)
{
    const struct lift_size_setting *numbers;
    enum lift_dialect dialect = LIFT_DIALECT_OPENMP;
    struct lift_verify_term terms[MAX_APPLIED] = {{NULL, NULL, 0}};
    int count, status = CLI_DONE;
    bool compiles = a->verify || a->build;

    if (!read_dialect(a->device, &dialect) || !cli_sizes(arena, a->set, &numbers, &count))
        return CLI_USAGE;
    d->all_steps = a->steps;
    d->quiet = (a->emit || compiles) && !a->steps;
    if (!d->quiet)
        print_whole(d->program->body);
    if (!apply(a, d, dialect, terms, &status))
        return status;
    if (compiles)
        return verify(a, d, terms, numbers, count);
    if (a->emit && !strcmp(a->emit, "source"))
        return cli_derivation_emit(d, dialect, numbers, count);
    if (a->emit)
        print_whole(d->term);
    return CLI_DONE;
}

/* Sizes are symbols unless they are given; the program remembers their values. */
static int load(const struct derive_args *a, struct lift_arena *arena)
{
    struct lift_program_options o = {.symbolic =
                                         a->verify || a->build ? !a->fixed : !a->size};
    struct cli_derivation d = {.ir = lift_ir_create()};
    struct lift_diags diags = {0};
    struct lift_source source = {0};
    struct lift_rules *rules = NULL;
    int status = CLI_USAGE;

    if (cli_sizes(arena, a->size, &o.sizes, &o.size_count)) {
        if (cli_source(a->file, a->precision, &source, &diags))
            d.program = o.symbolic ? lift_program_load_general(&d.ir, &source, &o, &diags)
                                   : lift_program_load(d.ir, &source, &o, &diags);
        if (!d.program)
            cli_malformed(&diags);
        else
            rules = cli_load_rules(a->rules, a->rule_count, a->force, &status);
    }
    d.rules = rules;
    d.source = &source;
    d.sizes = o.sizes;
    d.size_count = o.size_count;
    if (rules)
        status = derive(a, &d, arena);
    lift_rules_destroy(rules);
    lift_source_free(&source);
    lift_diags_fini(&diags);
    lift_ir_destroy(d.ir);
    return status;
}

static int run(int argc, char **argv)
{
    static const struct argp argp = {options, parse, "FILE.lift", doc, NULL, NULL, NULL};
    struct derive_args a = {.device = "host", .points = 1, .seed = 1};
    struct lift_arena *arena = lift_arena_create();
    int status = CLI_USAGE;

    cli_parse(&argp, argc, argv, &a);
    if (check_args(&a))
        status = load(&a, arena);
    lift_arena_destroy(arena);
    return status;
}

const struct cli_command cli_derive = {"derive", "apply rules by name, step by step",
                                       run};
