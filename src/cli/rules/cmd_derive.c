#include "cli/cli.h"
#include "cli/rules/derivation.h"
#include "cli/rules/derive_args.h"
#include "device/device.h"
#include <string.h>

static int no_such_device(const char *device)
{
    enum { MOST = 16 };
    const char *names[MOST + 1] = {NULL};
    LIFT_SCOPED(lift_str) list = {0};

    for (int i = 0; i < MOST && lift_runtimes[i]; i++) {
        names[i] = lift_runtimes[i]->name;
        if (i > 0)
            lift_str_add(&list, lift_runtimes[i + 1] ? ", " : " or ");
        lift_str_add(&list, names[i]);
    }
    return cli_no_such(device, names, "--device '%s': %s", device, lift_str_get(&list));
}

static bool check_args(const struct derive_args *a)
{
    if (!!a->emit + a->verify + a->build > 1)
        return CLI_REFUSE("give only one of --emit, --verify and --build-only");
    if (a->each && (a->applied_count == 0 || !(a->verify || a->build))) {
        return CLI_REFUSE("--each needs --apply, --family or --decide, and --verify or "
                          "--build-only");
    }
    if (a->random && (a->applied_count || !(a->verify || a->build)))
        return CLI_REFUSE("--random needs --verify or --build-only, and excludes "
                          "--apply, --family and --decide");
    if (a->dump_after && (!a->emit || strcmp(a->emit, "source") != 0)) {
        return CLI_REFUSE("--dump-after needs --emit source");
    }
    return !a->emit || !strcmp(a->emit, "term") || !strcmp(a->emit, "source") ||
           CLI_REFUSE("--emit '%s' is neither term nor source", a->emit);
}

static void print_whole(lift_expr term)
{
    LIFT_SCOPED(lift_str) text = {0};

    lift_expr_print_indented(term, 0, &text);
    puts(lift_str_get(&text));
}

static void begin(struct cli_derivation *d)
{
    d->term = d->program->body;
    d->conditions = NULL;
    d->condition_count = d->steps = 0;
}

static const char *name_of(struct lift_arena *arena, const struct derive_applied *x)
{
    if (x->what)
        return x->what;
    if (x->family && x->decide)
        return lift_arena_printf(arena, "%s,%s", x->family, x->decide);
    return x->family ? x->family : x->decide;
}

static int apply_one(const struct derive_applied *x, struct cli_derivation *d,
                     enum lift_dialect dialect, struct lift_str *why)
{
    return x->what ? cli_derivation_apply(d, x->what, why)
                   : cli_derivation_decide(d, x->family, x->decide, dialect, why);
}

/* The requested kernels. */
struct kernels {
    struct lift_verify_term terms[DERIVE_MOST_APPLIED];
    const char *names[DERIVE_MOST_APPLIED];
    int count, lacking; /* 'lacking': number of terms that cannot be derived */
};

/* Derives one term by all rules, strategies and configurations together. */
static int apply_all(const struct derive_args *a, struct cli_derivation *d,
                     enum lift_dialect dialect, struct kernels *k)
{
    LIFT_SCOPED(lift_str) why = {0};
    int status = CLI_DONE;

    begin(d);
    for (int i = 0; i < a->applied_count && status == CLI_DONE; i++)
        status = apply_one(&a->applied[i], d, dialect, &why);
    if (status == CLI_FAILED)
        cli_fail(status, "%s", lift_str_get(&why));
    k->terms[k->count++] =
        (struct lift_verify_term){d->term, d->conditions, d->condition_count};
    return status;
}

/* Derives one term for each, and prints the reason for terms that cannot be derived. */
static int apply_each(const struct derive_args *a, struct cli_derivation *d,
                      enum lift_dialect dialect, struct kernels *k)
{
    int status = CLI_DONE;

    for (int i = 0; i < a->applied_count && status != CLI_USAGE; i++) {
        const char *name = name_of(lift_ir_arena(d->ir), &a->applied[i]);
        LIFT_SCOPED(lift_str) why = {0};

        begin(d);
        status = apply_one(&a->applied[i], d, dialect, &why);
        if (status == CLI_FAILED)
            printf("%s: not derived: %s\n", name, lift_str_get(&why));
        k->lacking += status == CLI_FAILED;
        if (status != CLI_DONE)
            continue;
        k->names[k->count] = name;
        k->terms[k->count++] =
            (struct lift_verify_term){d->term, d->conditions, d->condition_count};
    }
    return status == CLI_USAGE ? CLI_USAGE : CLI_DONE;
}

static int verify(const struct derive_args *a, const struct cli_derivation *d,
                  const struct kernels *k, const struct lift_size_setting *set,
                  int set_count)
{
    int status = CLI_DONE;

    if (k->count > 0)
        status = cli_derivation_verify(
            d, &(struct cli_verify){.terms = k->terms,
                                    .names = a->each ? k->names : NULL,
                                    .term_count = k->count,
                                    .device = a->device,
                                    .build_only = a->build,
                                    .may_refuse = a->random > 0,
                                    .set = set,
                                    .set_count = set_count,
                                    .points = (int)a->points,
                                    .seed = (uint64_t)a->seed});
    return status == CLI_DONE && k->lacking ? CLI_FAILED : status;
}

/* Draws random configurations as if the user had given each. Fewer than requested are
 * no error; zero are an error. */
static bool draw(struct derive_args *a, struct cli_derivation *d,
                 enum lift_dialect dialect, struct lift_arena *arena)
{
    LIFT_SCOPED(lift_str) point = {0};
    const char *points[DERIVE_MOST_APPLIED];
    struct cli_random_configurations known = {points, 0};
    struct lift_rng rng;
    int refused = 0;
    bool good = true;

    lift_rng_seed(&rng, (uint64_t)a->seed);
    while (known.count < a->random && good) {
        begin(d);
        good = cli_derivation_random(d, &rng, dialect, &known, &point, &refused);
        if (good)
            points[known.count++] = lift_arena_strdup(arena, lift_str_get(&point));
    }
    for (int i = 0; i < known.count; i++)
        a->applied[a->applied_count++] = (struct derive_applied){.decide = points[i]};
    a->each = true;
    printf("%d random configurations; %d more have no code\n", known.count, refused);
    if (!good && known.count > 0)
        printf("%lld were requested, but another %d draws found no further configuration "
               "that has code\n",
               (long long)a->random, CLI_RANDOM_DRAWS);
    return known.count > 0 ||
           CLI_REFUSE("none of %d random configurations of '%s' has code",
                      CLI_RANDOM_DRAWS, d->program->name);
}

static int derive(struct derive_args *a, struct cli_derivation *d,
                  struct lift_arena *arena)
{
    const struct lift_size_setting *numbers;
    const struct lift_runtime *runtime = lift_runtime_named(a->device);
    enum lift_dialect dialect = runtime ? runtime->dialect : LIFT_DIALECT_OPENMP;
    struct kernels kernels = {.count = 0};
    struct lift_side_conditions own;
    int count, status;
    bool compiles = a->verify || a->build;

    if (!compiles && !runtime)
        return no_such_device(a->device);
    if (!cli_sizes(arena, a->set, &numbers, &count))
        return CLI_USAGE;
    d->all_steps = a->trace;
    d->quiet = (a->emit || compiles) && !a->trace;
    if (!d->quiet)
        print_whole(d->program->body);
    if (a->random && !draw(a, d, dialect, arena))
        return CLI_FAILED;
    status = a->each ? apply_each(a, d, dialect, &kernels)
                     : apply_all(a, d, dialect, &kernels);
    if (status != CLI_DONE)
        return status;
    own = lift_expr_constraints(arena, d->term);
    cli_say_tunables(own.tunables, own.tunable_count, numbers, count);
    if (compiles)
        return verify(a, d, &kernels, numbers, count);
    if (a->emit && !strcmp(a->emit, "source"))
        return cli_derivation_emit(d, dialect, a->dump_after, numbers, count);
    if (a->emit)
        print_whole(d->term);
    return CLI_DONE;
}

/* Loads the program. Sizes are symbols unless the user gives values, which the
 * program keeps. */
static int load(struct derive_args *a, struct lift_arena *arena)
{
    struct lift_program_options o = {.symbolic =
                                         a->verify || a->build ? !a->fixed : !a->size};
    struct cli_derivation d = {.ir = lift_ir_create()};
    LIFT_SCOPED(lift_error) errors = {0};
    struct lift_source source = {0};
    struct lift_rules *rules = NULL;
    int status = CLI_USAGE;

    if (cli_sizes(arena, a->size, &o.sizes, &o.size_count)) {
        if (cli_source(a->file, a->precision, a->steps, &source, &errors))
            d.program = o.symbolic
                            ? lift_program_load_general(&d.ir, &source, &o, &errors)
                            : lift_program_load(d.ir, &source, &o, &errors);
        if (!d.program)
            cli_malformed(&errors);
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
    lift_ir_destroy(d.ir);
    return status;
}

static int run(int argc, char **argv)
{
    struct derive_args a;
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    int status = CLI_USAGE;

    cli_derive_args(argc, argv, &a);
    if (check_args(&a))
        status = load(&a, arena);
    return status;
}

const struct cli_command cli_derive = {"derive", "apply rules by name, step by step", run,
                                       &cli_derive_argp};
