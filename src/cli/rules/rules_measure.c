/* Two explorations of a program that differ in the rules alone, and one final for both
 * best kernels: turns of one run are compared, not runs. */
#include "cli/rules/rules_measure.h"
#include "base/memory.h"
#include "cli/explore/interrupt.h"
#include "cli/explore/progress.h"
#include "tuner/db_tools.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {"without", "with", "both"};

struct measurement {
    const struct measure_options *o;
    const struct lift_source *source;
    struct measured *out;
    struct lift_str points[2]; /* of the best kernels, as lift_point_read takes them */
    int status;
};

void measure_path(const char *folder, const char *program, uint64_t seed, int which,
                  struct lift_str *path)
{
    lift_str_addf(path, "%s/%s.%llu.%s.db", folder, program, (unsigned long long)seed,
                  names[which]);
}

/* ---- explorations */

static bool take_end(struct measurement *m, const struct lift_explore_result *result,
                     struct lift_error *errors)
{
    if (cli_interrupted)
        m->status = 128 + SIGINT;
    else if (result->end == LIFT_EXPLORE_BAD_PROGRAM)
        m->status = cli_malformed(errors);
    else if (result->end == LIFT_EXPLORE_FAILED)
        m->status = cli_fail(CLI_FAILED, "%s", lift_str_get(&result->error));
    else
        return true;
    return false;
}

/* The result is the caller's to release. */
static struct lift_explore_result hold(const struct measurement *m,
                                       struct lift_explore_options *o,
                                       struct lift_error *errors)
{
    struct lift_explore_result result;
    struct cli_progress progress;

    cli_progress_init(&progress, m->o->quiet);
    o->source = m->source;
    o->seed = m->out->seed;
    o->interrupted = &cli_interrupted;
    o->report = cli_progress_report;
    o->user = &progress;
    result = lift_explore(o, errors);
    cli_progress_end(&progress);
    return result;
}

static bool explore(struct measurement *m, int side, const char *db)
{
    struct lift_explore_options o = m->o->explore;
    struct lift_explore_result result;
    LIFT_SCOPED(lift_error) errors = {0};
    bool good;

    if (!m->o->quiet)
        fprintf(stderr, "%s, %s the rules, seed %llu\n", m->out->program, names[side],
                (unsigned long long)m->out->seed);
    o.rules = m->o->rules[side];
    o.db = db;
    result = hold(m, &o, &errors);
    good = take_end(m, &result, &errors);
    m->out->sides[side].tries = result.progress.tries;
    if (good && !m->out->sizes) {
        m->out->sizes = lift_strdup(result.sizes);
        m->out->dtype = lift_strdup(result.dtype);
    }
    lift_explore_result_fini(&result);
    return good;
}

/* ---- the best of each */

static bool take_best(void *user, const struct lift_db_best *row)
{
    struct measured_side *side = user;

    side->expr = row->expr;
    side->gpts = row->gpts;
    side->seconds = row->seconds;
    side->tunables = lift_strdup(row->tunables);
    return false;
}

/* Adds it to the database of the final. */
static bool choose(struct measurement *m, int side, const char *path, struct lift_db *all)
{
    LIFT_SCOPED(lift_str) why = {0};
    struct lift_db *db = lift_db_open(path, LIFT_DB_READ, &why);
    bool good = db && lift_db_best(db, &(struct lift_db_filter){.program = NULL},
                                   take_best, &m->out->sides[side]);

    if (!good)
        m->status =
            cli_fail(CLI_FAILED, "%s", db ? lift_db_error(db) : lift_str_get(&why));
    else if (!lift_db_merge_best(all, db, 1)) {
        m->status = cli_fail(CLI_FAILED, "%s", lift_db_error(all));
        good = false;
    }
    lift_db_close(db);
    return good;
}

/* ---- how they were made */

static void note_rule(struct measured *out, const struct lift_rules *before,
                      const struct lift_rules *now, const char *name)
{
    const struct lift_rule *rule = lift_rules_find(now, name);

    if (!rule || lift_rules_find(before, name) || out->rule_count == MEASURE_RULES)
        return;
    for (int i = 0; i < out->rule_count; i++)
        if (!strcmp(out->rules[i], name))
            return;
    out->rules[out->rule_count++] = rule->name;
}

struct way {
    struct measurement *m;
    int side;
    const char *last; /* option that was noted */
};

/* The steps of an option follow each other. */
static void note_option(struct way *w, const char *name)
{
    const struct lift_rule *rule = lift_rules_find(w->m->o->rules[w->side], name);
    struct lift_str *point = &w->m->points[w->side];

    if (!rule || !rule->option || rule->name == w->last)
        return;
    w->last = rule->name;
    lift_str_addf(point, "%s%s", point->len ? "," : "", name);
}

static bool take_step(void *user, const struct lift_db_step *step)
{
    struct way *w = user;
    const struct lift_rules *const *rules = w->m->o->rules;

    for (int i = 0; i < step->macro_count; i++) {
        note_option(w, step->macros[i].macro);
        if (w->side == MEASURE_WITH)
            note_rule(w->m->out, rules[0], rules[1], step->macros[i].macro);
    }
    if (w->side == MEASURE_WITH)
        note_rule(w->m->out, rules[0], rules[1], step->rule);
    return true;
}

static bool find_way(struct measurement *m, int side, const char *path)
{
    LIFT_SCOPED(lift_str) why = {0};
    LIFT_OWNED(lift_db) *db = lift_db_open(path, LIFT_DB_READ, &why);
    struct way way = {m, side, NULL};
    bool good = db && lift_db_derivation(db, m->out->sides[side].expr, take_step, &way);

    if (!good)
        m->status =
            cli_fail(CLI_FAILED, "%s", db ? lift_db_error(db) : lift_str_get(&why));
    return good;
}

/* ---- the final */

struct places {
    struct lift_db *db;
    const struct lift_explore_result *result;
    struct measured *out;
    struct lift_db_finalist row;
};

static bool same_kernel(const struct measured_side *side, const struct lift_db_tried *row)
{
    return lift_hash_equal(side->expr, row->expr) && side->tunables &&
           !strcmp(side->tunables, row->tunables);
}

static bool take_time(void *user, const struct lift_db_tried *row)
{
    struct places *p = user;

    for (int i = 0; i < 2 && lift_hash_equal(row->try, p->row.try); i++)
        if (same_kernel(&p->out->sides[i], row)) {
            struct measured_side *side = &p->out->sides[i];

            side->gpts *= side->seconds / p->row.seconds;
            side->seconds = p->row.seconds;
            side->low = p->row.low;
            side->high = p->row.high;
        }
    return true;
}

static bool take_place(void *user, const struct lift_db_finalist *row)
{
    struct places *p = user;

    p->row = *row;
    return lift_db_tried(p->db, p->result->problem, p->result->parts[0].device, take_time,
                         p);
}

static bool read_final(struct measurement *m, const char *path,
                       const struct lift_explore_result *result)
{
    LIFT_SCOPED(lift_str) why = {0};
    struct places p = {
        .db = lift_db_open(path, LIFT_DB_READ, &why), .result = result, .out = m->out};
    bool good = p.db && lift_db_finalists(p.db, result->problem, result->parts[0].device,
                                          take_place, &p);

    if (!good)
        m->status =
            cli_fail(CLI_FAILED, "%s", p.db ? lift_db_error(p.db) : lift_str_get(&why));
    lift_db_close(p.db);
    return good;
}

/* What cannot be held leaves the times of two finals. */
static bool compete(struct measurement *m, const char *path)
{
    struct lift_explore_options o = m->o->explore;
    struct lift_explore_result result;
    LIFT_SCOPED(lift_error) errors = {0};
    char ids[2][LIFT_HASH_HEX];
    const char *exprs[] = {ids[0], ids[1]};
    const char *points[] = {lift_str_get(&m->points[0]), lift_str_get(&m->points[1])};
    bool held, good;

    for (int i = 0; i < 2; i++)
        lift_hash_hex(m->out->sides[i].expr, ids[i]);
    o.rules = m->o->rules[MEASURE_WITH];
    o.db = path;
    o.exprs = exprs;
    o.points = points;
    o.expr_count = o.point_count = strcmp(ids[0], ids[1]) != 0 ? 2 : 1;
    o.only_final = true;
    o.seconds = 0;
    o.tries = 0;
    result = hold(m, &o, &errors);
    held = result.end != LIFT_EXPLORE_FAILED;
    if (!held)
        cli_fail(CLI_FAILED, "'%s', not timed side by side: %s", m->out->program,
                 lift_str_get(&result.error));
    good = !held || (take_end(m, &result, &errors) && read_final(m, path, &result));
    lift_explore_result_fini(&result);
    m->out->apart = !held || m->out->sides[0].low <= 0 || m->out->sides[1].low <= 0;
    return good;
}

/* ---- all of it */

static bool has_kernels(struct measured *out)
{
    for (int i = 0; i < 2; i++)
        if (!out->sides[i].tunables) {
            snprintf(out->failure, sizeof out->failure, "no verified kernel %s the rules",
                     names[i]);
            return false;
        }
    return true;
}

static bool compare(struct measurement *m, struct lift_str *paths, struct lift_str *last)
{
    const char *path = lift_str_get(last);
    LIFT_SCOPED(lift_str) why = {0};
    struct lift_db *all = lift_db_open(path, LIFT_DB_WRITE, &why);
    struct measured *out = m->out;
    bool good = all != NULL;

    if (!good)
        m->status = cli_fail(CLI_FAILED, "%s", lift_str_get(&why));
    for (int i = 0; i < 2 && good; i++)
        good = choose(m, i, lift_str_get(&paths[i]), all);
    lift_db_close(all);
    if (!good || !has_kernels(out))
        return good;
    out->same = lift_hash_equal(out->sides[0].expr, out->sides[1].expr) &&
                !strcmp(out->sides[0].tunables, out->sides[1].tunables);
    for (int i = 0; i < 2 && good; i++)
        good = find_way(m, i, lift_str_get(&paths[i]));
    return good && (out->same || compete(m, path));
}

/* One database cannot be taken for an earlier one's continuation. */
static bool is_new(struct measurement *m, const char *path)
{
    if (access(path, F_OK) != 0)
        return true;
    m->status = cli_fail(CLI_USAGE, "'%s' is there already: choose another folder", path);
    return false;
}

bool measure_rules(const struct measure_options *o, const struct lift_source *source,
                   uint64_t seed, struct measured *out, int *status)
{
    struct measurement m = {.o = o, .source = source, .out = out, .status = CLI_DONE};
    struct lift_str paths[MEASURE_DATABASES] = {{0}};
    bool good = true;

    out->seed = seed;
    for (int i = 0; i < MEASURE_DATABASES; i++)
        measure_path(o->folder, out->program, seed, i, &paths[i]);
    for (int i = 0; i < MEASURE_DATABASES && good; i++)
        good = is_new(&m, lift_str_get(&paths[i]));
    for (int i = 0; i < 2 && good; i++)
        good = explore(&m, i, lift_str_get(&paths[i]));
    good = good && compare(&m, paths, &paths[MEASURE_BOTH]);
    for (int i = 0; i < MEASURE_DATABASES; i++)
        lift_str_fini(&paths[i]);
    for (int i = 0; i < 2; i++)
        lift_str_fini(&m.points[i]);
    *status = m.status;
    return good;
}

void measured_fini(struct measured *m)
{
    for (int i = 0; i < 2; i++)
        free(m->sides[i].tunables);
    free(m->program);
    free(m->sizes);
    free(m->dtype);
}

struct measured_ratio measured_ratio(const struct measured *m)
{
    const struct measured_side *a = &m->sides[0], *b = &m->sides[1];

    if (*m->failure)
        return (struct measured_ratio){0};
    if (m->same)
        return (struct measured_ratio){1, 1, 1};
    if (m->apart)
        return (struct measured_ratio){.ratio = a->seconds / b->seconds};
    return (struct measured_ratio){a->seconds / b->seconds, a->low / b->high,
                                   a->high / b->low};
}
