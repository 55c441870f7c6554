/* The kernel families of programs in the order of their estimates, for several numbers of
 * time steps a launch. Nothing is compiled or timed, so the device may be absent:
 *
 *     bench/bench_families [-d DEVICE] [-u UNITS] [-s A..B] [-n ROWS] [-k CONFIGURATION]
 *                          [-f TEXT] [-t] [-r POINTS] FILE.lift[:SIZES[:PRECISION]] ...
 *
 * Each number of steps has one line: GPts/s of the best estimate with every step counted,
 * expressions, and seconds of processor time of the derivation, of the spaces and of the
 * estimates. ROWS families with the best estimates follow, two lines each.
 * -k adds a configuration, such as "register_strips,copy=tma", to the families. -f omits
 * families without this text in their options, -t those without temporal blocking, as
 * explorations do for two and more steps. With -r the code of POINTS random
 * configurations of each family is generated instead. One line has the numbers of
 * rejected configurations and of those that estimates exclude; the ROWS most frequent
 * reasons and families follow. UNITS is the number of multiprocessors of an absent device
 * (132). */
#include "base/bug.h"
#include "base/seconds.h"
#include "bench.h"
#include "explore/candidate.h"
#include "explore/candidate/joint_space.h"
#include "explore/candidate/model_climb.h"
#include "explore/configurations.h"
#include "explore/explore.h"
#include "explore/reason_counts.h"
#include "ir/sizes.h"
#include "list.h"
#include <ctype.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    const char *device, *configuration, *wanted;
    int units, first, last, rows, points;
    bool temporal;
    struct lift_rules *rules;
    struct lift_explore_device probed;
};

/* A candidate space with its best configuration. */
struct family {
    int candidates;
    struct climbed_configuration best;
    double seconds; /* processor time of its estimates */
};

struct lister {
    const struct settings *settings;
    struct explore_problem *problem;
    struct derivation *derivation;
    struct candidate_space *spaces;
    int *leaves;
    int count;
    struct explore_estimator *estimator;
    const struct lift_joint *joint;
    struct family *families;
    double derived, spaced, estimated; /* processor seconds */
};

static _Noreturn void stop(const char *what, const char *why)
{
    fprintf(stderr, "bench_families: %s: %s\n", what, why);
    exit(2);
}

/* ---- making */

static struct explore_problem *load(const struct bench_item *item, int steps)
{
    struct lift_arena *arena = lift_arena_create();
    const struct lift_size_setting *sizes = NULL;
    struct lift_error errors = {0};
    struct lift_source source = {0};
    struct explore_problem *p = NULL;
    enum lift_scalar scalar;
    int count = 0;

    if (item->precision && !lift_precision_parse(item->precision, &scalar))
        stop(item->precision, "expected single or double");
    if (lift_source_load(item->program, &source, &errors) &&
        (!item->precision || lift_source_precision(&source, scalar, &errors)) &&
        (steps == 1 || lift_source_steps(&source, steps, &errors)) &&
        (!item->sizes || lift_sizes_parse(arena, item->sizes, &sizes, &count, &errors)))
        p = explore_problem_load(&source, sizes, count, &errors);
    lift_error_print(&errors, stderr);
    if (!p)
        exit(2);
    lift_error_fini(&errors);
    lift_source_free(&source);
    lift_arena_destroy(arena);
    return p;
}

static void derive(struct lister *l)
{
    const struct settings *s = l->settings;
    const struct lift_device_info *info = &s->probed.info;
    struct derivation *d = derive_create(l->problem, s->rules, info->dialect);
    struct lift_str why = {0};

    l->derivation = d;
    d->device = explore_option_device(info);
    if (s->temporal)
        configurations_add_temporal(d);
    else
        configurations_add_families(d, 0);
    if (s->configuration) {
        struct lift_configuration configuration = {{0}};

        if (!lift_configuration_read(s->rules, s->configuration, &configuration, &why))
            stop(s->configuration, lift_str_get(&why));
        configurations_add(d, &configuration);
    }
    lift_str_fini(&why);
}

static void make_spaces(struct lister *l)
{
    struct configurations_spaces from = {l->derivation, &l->settings->probed.info, NULL,
                                         0};
    struct lift_str why = {0}, text = {0};

    l->spaces = calloc((size_t)l->derivation->leaf_count + 1, sizeof *l->spaces);
    l->leaves = calloc((size_t)l->derivation->leaf_count + 1, sizeof *l->leaves);
    LIFT_ASSERT(l->spaces && l->leaves);
    for (int i = 0; i < l->derivation->leaf_count; i++) {
        const struct derive_leaf *leaf = &l->derivation->leaves[i];

        lift_str_clear(&text);
        lift_configuration_print(l->settings->rules, &leaf->configuration, &text);
        if ((!l->settings->wanted || strstr(lift_str_get(&text), l->settings->wanted)) &&
            configurations_space(&from, leaf, &l->spaces[l->count], &why))
            l->leaves[l->count++] = i;
    }
    lift_str_fini(&text);
    lift_str_fini(&why);
}

static int by_guess(const void *a, const void *b)
{
    const struct family *x = a, *y = b;

    return (x->best.guessed > y->best.guessed) - (x->best.guessed < y->best.guessed);
}

/* Climbs in the order of the estimates of default values, as explorations do. */
static void climb(struct lister *l)
{
    double worth = INFINITY;
    struct explore_joint_expr *exprs;

    exprs = calloc((size_t)l->count + 1, sizeof *exprs);
    LIFT_ASSERT(exprs);
    for (int i = 0; i < l->count; i++)
        exprs[i] = (struct explore_joint_expr){
            &l->spaces[i], &l->derivation->leaves[l->leaves[i]].configuration,
            l->estimator, l->problem->program->steps};
    l->joint = explore_joint_make(
        lift_ir_arena(l->problem->ir),
        &(struct explore_joint_parts){l->settings->rules, exprs, l->count, 0, 0});
    free(exprs);
    l->families = calloc((size_t)l->count + 1, sizeof *l->families);
    LIFT_ASSERT(l->families);
    for (int i = 0; i < l->count; i++) {
        struct lift_choice choice;

        l->families[i] = (struct family){.candidates = i, .best.guessed = INFINITY};
        if (lift_joint_start(l->joint, i, &choice))
            l->families[i].best.guessed = lift_joint_guessed(l->joint, &choice);
    }
    qsort(l->families, (size_t)l->count, sizeof *l->families, by_guess);
    for (int i = 0; i < l->count; i++) {
        struct family *f = &l->families[i];
        double start = bench_processor_seconds();
        struct lift_rng rng;

        lift_rng_seed(&rng, (uint64_t)f->candidates);
        model_climb_find(l->joint, f->candidates, INFINITY, worth, &rng, &f->best);
        worth = fmin(worth, f->best.guessed);
        f->seconds = bench_processor_seconds() - start;
    }
}

/* ---- printing */

/* 'seconds': of a time step. */
static double gpts(const struct lister *l, double seconds)
{
    return 1e-9 * (double)l->problem->points / l->problem->program->steps / seconds;
}

static void print_family(struct lister *l, const struct family *f)
{
    const struct candidate_space *space = &l->spaces[f->candidates];
    const struct derive_leaf *leaf = &l->derivation->leaves[l->leaves[f->candidates]];
    double points = (double)l->problem->points;
    char *tunables = lift_space_json(space->space, f->best.choice.values);
    struct lift_str text = {0};
    struct explore_estimate e;

    explore_estimate(l->estimator, space, f->best.choice.values, &e);
    lift_configuration_print(l->settings->rules, &leaf->configuration, &text);
    printf("    %7.1f %s %s\n            estimated in %.1f ms; seconds %.3g: compute "
           "%.2g, levels %.2g %.2g "
           "%.2g, bytes a point and step %.1f %.1f %.1f, overhead %.2g, code %.0f, "
           "parallel %g, contiguous %.2f, private %g, local %g, resident %g\n",
           gpts(l, f->best.guessed), lift_str_get(&text), tunables, 1e3 * f->seconds,
           e.seconds, e.compute, e.levels[0], e.levels[1], e.levels[2],
           e.bytes[0] / points, e.bytes[1] / points, e.bytes[2] / points, e.overhead,
           e.code, e.parallel, e.contiguous, e.private_bytes, e.local_bytes, e.resident);
    lift_str_fini(&text);
    free(tunables);
}

static void print(struct lister *l, const struct bench_item *item)
{
    const struct settings *s = l->settings;

    qsort(l->families, (size_t)l->count, sizeof *l->families, by_guess);
    printf("%s %s %s, %d steps: %.1f GPts/s; %d expressions, %d spaces; derivation %.2f "
           "s, spaces %.2f s, estimates %.2f s\n",
           item->program, l->problem->sizes_json, l->problem->dtype,
           l->problem->program->steps,
           l->count ? gpts(l, l->families[0].best.guessed) : 0, l->derivation->leaf_count,
           l->count, l->derived, l->spaced, l->estimated);
    for (int i = 0; i < l->count && i < s->rows; i++)
        print_family(l, &l->families[i]);
    fflush(stdout);
}

/* ---- rejections */

/* Appends a reason without its numbers. */
static void add_kind(struct lift_str *out, const char *reason)
{
    for (const char *c = reason; *c; c++)
        if (!isdigit((unsigned char)*c))
            lift_str_addn(out, c, 1);
        else if (c == reason || !isdigit((unsigned char)c[-1]))
            lift_str_add(out, "#");
}

static bool is_rejected(struct lister *l, int family, const int *point,
                        struct lift_str *why)
{
    const struct explore_bench bench = {.problem = l->problem,
                                        .device = l->settings->device,
                                        .info = &l->settings->probed.info,
                                        .spaces = l->spaces};
    struct trial_request asked = {.candidates = family};
    struct candidate c = {0};
    struct trial_outcome t;
    bool good;

    trial_start(&t);
    memcpy(asked.point, point, sizeof asked.point);
    good = candidate_make(&bench, &asked, &c, &t);
    if (!good)
        add_kind(why, t.reply.reason);
    lift_str_fini(&t.log);
    candidate_fini(NULL, &c);
    return !good;
}

static bool is_excluded(struct lister *l, int family, const int *point)
{
    struct explore_estimate e;

    explore_estimate(l->estimator, &l->spaces[family], point, &e);
    return e.exceeds;
}

static int by_count(const void *a, const void *b)
{
    const struct reason_count *x = a, *y = b;

    return (x->count < y->count) - (x->count > y->count);
}

static void print_counts(struct reason_counts *counts, int rows, const char *what)
{
    if (counts->count)
        qsort(counts->rows, (size_t)counts->count, sizeof *counts->rows, by_count);
    for (int i = 0; i < counts->count && i < rows; i++)
        printf("    %6lld %s: %s\n", (long long)counts->rows[i].count, what,
               counts->rows[i].reason);
}

static void print_rejections(struct lister *l, const struct bench_item *item)
{
    const struct settings *s = l->settings;
    struct reason_counts reasons = {0}, families = {0};
    struct lift_str why = {0};
    int rejected = 0, drawn = 0, excluded = 0, point[LIFT_SPACE_PARAMS];

    for (int i = 0; i < l->count; i++) {
        const struct derive_leaf *leaf = &l->derivation->leaves[l->leaves[i]];
        struct lift_rng rng;

        lift_rng_seed(&rng, (uint64_t)i);
        for (int k = 0;
             k < s->points && lift_space_sample(l->spaces[i].space, &rng, point); k++) {
            lift_str_clear(&why);
            drawn++;
            if (is_excluded(l, i, point)) {
                excluded++;
                continue;
            }
            if (!is_rejected(l, i, point, &why))
                continue;
            rejected++;
            reason_counts_add(&reasons, lift_str_get(&why), 1);
            lift_str_clear(&why);
            lift_configuration_print(s->rules, &leaf->configuration, &why);
            reason_counts_add(&families, lift_str_get(&why), 1);
        }
    }
    printf("%s %s %s, %d steps: %d of %d configurations of %d families rejected (%.1f "
           "%%), %d excluded by estimates\n",
           item->program, l->problem->sizes_json, l->problem->dtype,
           l->problem->program->steps, rejected, drawn - excluded, l->count,
           100.0 * rejected / fmax(1, drawn - excluded), excluded);
    print_counts(&reasons, s->rows, "reason");
    print_counts(&families, s->rows, "family");
    fflush(stdout);
    reason_counts_fini(&reasons);
    reason_counts_fini(&families);
    lift_str_fini(&why);
}

static void list(const struct settings *s, const struct bench_item *item, int steps)
{
    struct lister l = {.settings = s, .problem = load(item, steps)};
    double start = bench_processor_seconds(), now;

    derive(&l);
    now = bench_processor_seconds();
    l.derived = now - start;
    make_spaces(&l);
    start = bench_processor_seconds();
    l.spaced = start - now;
    l.estimator = explore_estimator_create(l.problem, &s->probed.info);
    if (s->points) {
        print_rejections(&l, item);
    } else {
        climb(&l);
        l.estimated = bench_processor_seconds() - start;
        print(&l, item);
    }
    explore_estimator_destroy(l.estimator);
    derive_destroy(l.derivation);
    explore_problem_destroy(l.problem);
    free(l.families);
    free(l.spaces);
    free(l.leaves);
}

/* ---- command line */

static void read_steps(struct settings *s, const char *text)
{
    int count = sscanf(text, "%d..%d", &s->first, &s->last);

    if (count == 1)
        s->last = s->first;
    if (count < 1 || s->first < 1 || s->last < s->first || s->last > LIFT_MAX_STEPS)
        stop(text, "expected A or A..B");
}

int main(int argc, char **argv)
{
    struct settings s = {
        .device = "cuda:sm_90", .units = 132, .first = 1, .last = 8, .rows = 0};
    struct bench_list items;
    struct lift_str why = {0};
    int option;

    while ((option = getopt(argc, argv, "d:u:s:n:k:f:tr:")) >= 0)
        if (option == 'd')
            s.device = optarg;
        else if (option == 'u')
            s.units = atoi(optarg);
        else if (option == 's')
            read_steps(&s, optarg);
        else if (option == 'n')
            s.rows = atoi(optarg);
        else if (option == 'k')
            s.configuration = optarg;
        else if (option == 'f')
            s.wanted = optarg;
        else if (option == 't')
            s.temporal = true;
        else if (option == 'r')
            s.points = atoi(optarg);
        else
            return 2;
    bench_list_read(argv + optind, &items);
    if (!lift_explore_device(s.device, false, &s.probed, &why))
        stop(s.device, lift_str_get(&why));
    if (s.probed.info.builds_only)
        s.probed.info.compute_units = s.units;
    s.rules = lift_rules_shipped();
    for (int i = 0; i < items.count; i++)
        for (int steps = s.first; steps <= s.last; steps++)
            list(&s, &items.items[i], steps);
    lift_rules_destroy(s.rules);
    lift_explore_device_fini(&s.probed);
    bench_list_free(&items);
    return 0;
}
