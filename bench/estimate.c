/* How good the static estimates are (src/explore/estimate.h): for every problem and
 * device of a database the estimates of its verified trials against their times.
 *
 *     bench/bench_estimate [--processor] [--rows] DATABASE
 *
 * --processor: devices of OpenCL are the processor, which a database does not say.
 * --rows: the parts of every trial's estimate, too. */
#include "explore/estimate.h"
#include "base/hash.h"
#include "base/table.h"
#include "bench.h"
#include "run/chosen.h"
#include "tuner/db_query.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 20000, LEAST = 10 };

struct pair {
    double estimated, measured;
    double rank[2];
};

struct judge {
    struct lift_db *db;
    bool processor, rows;
    struct lift_device_info device;
    struct explore_problem *problem;
    struct lift_rules *rules;
    struct chooser chooser;
    struct lift_hash known; /* the expression that 'candidates' is of */
    struct candidate_space candidates;
    bool usable;
    struct pair pairs[MOST];
    int count, without;
    struct explore_estimator *estimator;
    double spent;
};

/* ---- figures */

static int by_estimate(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;

    return (x->estimated > y->estimated) - (x->estimated < y->estimated);
}

static int by_time(const void *a, const void *b)
{
    const struct pair *x = a, *y = b;

    return (x->measured > y->measured) - (x->measured < y->measured);
}

static double value(const struct pair *p, int which)
{
    return which ? p->measured : p->estimated;
}

/* Equal values have the mean of their ranks. */
static void rank(struct pair *pairs, int count, int which)
{
    qsort(pairs, (size_t)count, sizeof *pairs, which ? by_time : by_estimate);
    for (int i = 0, n; i < count; i += n) {
        for (n = 1;
             i + n < count && value(&pairs[i + n], which) == value(&pairs[i], which);)
            n++;
        for (int k = 0; k < n; k++)
            pairs[i + k].rank[which] = i + (n - 1) / 2.0;
    }
}

/* Spearman's: of the ranks. */
static double correlation(struct pair *pairs, int count)
{
    double mean = (count - 1) / 2.0, xy = 0, xx = 0, yy = 0;

    rank(pairs, count, 0);
    rank(pairs, count, 1);
    for (int i = 0; i < count; i++) {
        double x = pairs[i].rank[0] - mean, y = pairs[i].rank[1] - mean;

        xy += x * y;
        xx += x * x;
        yy += y * y;
    }
    return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : 0;
}

/* Part of some trials that are within twice the best time. */
static double good_part(const struct pair *pairs, int count, double best)
{
    int good = 0;

    for (int i = 0; i < count; i++)
        good += pairs[i].measured <= 2 * best;
    return count ? (double)good / count : 0;
}

static void print(struct judge *j, const struct lift_db_explored *row)
{
    int part = j->count / 8 > 0 ? j->count / 8 : 1;
    double rho = correlation(j->pairs, j->count), best = j->pairs[0].measured;

    qsort(j->pairs, (size_t)j->count, sizeof *j->pairs, by_estimate);
    printf("%-12s %-7s %-28s %d steps %5d trials, %d without estimate: rank correlation "
           "%.2f; within 2x of the best: %.0f %% of all, %.0f %% of the eighth with the "
           "best estimates; %.0f us each\n",
           row->program, row->runtime, row->sizes, row->steps, j->count, j->without, rho,
           100 * good_part(j->pairs, j->count, best),
           100 * good_part(j->pairs, part, best), 1e6 * j->spent / j->count);
}

/* ---- trials */

static bool take_space(struct judge *j, struct lift_hash expr)
{
    struct lift_str why = {0};
    struct candidate_space_request request = {.problem = j->problem,
                                              .device = &j->device};

    if (lift_hash_equal(expr, j->known))
        return j->usable;
    j->known = expr;
    request.term = refit_derive(&j->chooser, expr, &request.conditions, NULL, &why);
    j->usable = request.term && candidate_space_make(&request, &j->candidates, &why);
    lift_str_fini(&why);
    return j->usable;
}

static void print_row(const struct judge *j, const struct lift_db_tried *row,
                      const struct explore_estimate *e)
{
    double points = (double)j->problem->points;
    char hex[LIFT_HASH_HEX];

    printf(
        "  %.8s %10.3g measured %10.3g: compute %.2g, levels %.2g %.2g %.2g, bytes a "
        "point %.1f %.1f %.1f, overhead %.2g, parallel %g, contiguous %.2f, private %g, "
        "local %g %s\n",
        lift_hash_hex(row->expr, hex), e->seconds, row->seconds, e->compute, e->levels[0],
        e->levels[1], e->levels[2], e->bytes[0] / points, e->bytes[1] / points,
        e->bytes[2] / points, e->overhead, e->parallel, e->contiguous, e->private_bytes,
        e->local_bytes, row->tunables);
}

static bool each_trial(void *user, const struct lift_db_tried *row)
{
    struct judge *j = user;
    struct explore_estimate e;
    int point[LIFT_SPACE_PARAMS];
    double start;

    if ((row->status != LIFT_TRIAL_OK && row->status != LIFT_TRIAL_SLOW) ||
        row->seconds <= 0 || j->count == MOST || !take_space(j, row->expr) ||
        !candidate_space_nearest(&j->candidates, row->tunables, point))
        return true;
    start = bench_processor_seconds();
    if (!explore_estimate(j->estimator, &j->candidates, point, &e)) {
        j->without++;
        if (j->rows) {
            char hex[LIFT_HASH_HEX];

            printf("  %.8s without estimate\n", lift_hash_hex(row->expr, hex));
        }
        return true;
    }
    j->spent += bench_processor_seconds() - start;
    j->pairs[j->count++] = (struct pair){e.seconds, row->seconds, {0, 0}};
    if (j->rows)
        print_row(j, row, &e);
    return true;
}

static bool keep_device(void *user, const struct lift_device_info *row)
{
    struct judge *j = user;

    j->device = *row;
    j->device.arch = strdup(row->arch);
    j->device.is_cpu = !lift_dialect_has_groups(row->dialect) || j->processor;
    return true;
}

static struct explore_problem *load(struct judge *j, const struct lift_db_explored *row)
{
    struct lift_size_setting sizes[EXPLORE_MAX_SIZES];
    struct lift_error errors = {0};
    struct lift_str text = {0};
    json_t *list = json_loads(row->sizes, 0, NULL), *number;
    struct explore_problem *p = NULL;
    const char *name;
    int count = 0;

    json_object_foreach(list, name, number) if (count < EXPLORE_MAX_SIZES)
        sizes[count++] = (struct lift_size_setting){name, json_integer_value(number)};
    if (lift_db_program(j->db,
                        &(struct lift_db_filter){.program = row->program,
                                                 .dtype = row->dtype,
                                                 .steps = row->steps},
                        &text)) {
        struct lift_source source = {row->program, lift_str_get(&text), text.len};

        p = explore_problem_load(&source, sizes, count, &errors);
    }
    lift_error_print(&errors, stderr);
    lift_error_fini(&errors);
    lift_str_fini(&text);
    json_decref(list);
    return p;
}

static bool each_problem(void *user, const struct lift_db_explored *row)
{
    struct judge *j = user;

    j->count = j->without = 0;
    j->spent = 0;
    j->known = (struct lift_hash){0};
    j->device.runtime = NULL;
    j->problem = load(j, row);
    if (!j->problem || !lift_db_device(j->db, row->device_id, keep_device, j))
        return true;
    j->chooser = (struct chooser){
        .problem = j->problem, .device = &j->device, .rules = j->rules, .db = j->db};
    j->estimator = explore_estimator_create(j->problem, &j->device);
    lift_db_tried(j->db, row->problem, row->device_id, each_trial, j);
    if (j->count >= LEAST)
        print(j, row);
    explore_estimator_destroy(j->estimator);
    explore_problem_destroy(j->problem);
    return true;
}

int main(int argc, char **argv)
{
    static struct judge j;
    struct lift_error error = {0};
    struct lift_db_filter all = {0};
    int at = 1;

    for (; at < argc && argv[at][0] == '-'; at++) {
        j.processor |= !strcmp(argv[at], "--processor");
        j.rows |= !strcmp(argv[at], "--rows");
    }
    j.db = at < argc ? lift_db_open(argv[at], LIFT_DB_READ, &error) : NULL;
    if (!j.db) {
        fprintf(stderr, "bench_estimate: %s\n",
                at < argc ? lift_error_text(&error)
                          : "bench_estimate [--processor] [--rows] DATABASE");
        return 2;
    }
    j.rules = lift_rules_shipped();
    lift_db_explored(j.db, &all, each_problem, &j);
    lift_rules_destroy(j.rules);
    lift_db_close(j.db);
    return 0;
}
