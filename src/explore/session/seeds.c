/* Seeds: trials of the best kernels of other sizes and devices first. */
#include "base/file.h"
#include "base/memory.h"
#include "explore/configurations.h"
#include "explore/session/session.h"
#include "tuner/db_seeds.h"
#include "tuner/db_tools.h"
#include <stdlib.h>
#include <string.h>

/* Trials for each seed; a share of a small budget remains for the search. */
enum { TRIALS_A_SEED = 3 };
/* Most stored expressions searched by their options, and most good kernels kept until the
 * usable ones are known. */
enum { MOST_RENAMED = 8, MOST_OF_DEPTH = 2 * FRONTIER_SEEDS, MOST_GOOD = 128 };
/* Most expressions of earlier sessions added to the space. */
enum { MOST_RECALLED = 1024 };

struct planter {
    struct device_session *l;
    int depth; /* whose kernels are read */
    struct lift_db *db;
    bool ships; /* the database contains the kernels shipped with lift */
    struct good {
        int candidates;
        char *tunables;
        int rank; /* among the seeds of its depth */
    } good[MOST_GOOD];
    int count;
    int ranks[LIFT_MAX_STEPS]; /* seeds of each depth */
    int renamed;               /* number of searches by options so far */
    bool failed;
};

/* ---- the candidate space of a stored expression */

/* Finds the space of a configuration, and adds it if the space may grow. -1: none. */
static int space_of_point(struct device_session *l, int depth,
                          const struct lift_configuration *point)
{
    struct derivation *d = l->depths[depth].derivation;
    LIFT_SCOPED(lift_str) why = {0};
    struct derived made;
    int candidates = -1;

    if (configurations_make(d, point, &made, &why)) {
        candidates = device_session_space_of(l, d->nodes[made.node].term->hash);
        if (candidates < 0 && session_may_grow(l->session->options) &&
            derive_add_leaf(d, &made, point) &&
            device_session_add_space(l, depth, d->leaf_count - 1))
            candidates = l->space_count - 1;
    }
    return candidates;
}

/* Searches by the stored options, since another version's hash may differ. */
int device_session_stored_space(struct device_session *l, int depth, struct lift_db *db,
                                struct lift_hash expr, bool *failed)
{
    LIFT_SCOPED(lift_str) text = {0}, why = {0};
    struct lift_configuration point = {{0}};
    bool known;
    int candidates = device_session_space_of(l, expr);

    if (candidates >= 0)
        return candidates;
    if (!lift_db_configuration_of(db, expr, &text, &known))
        *failed = true;
    else if (known && lift_configuration_read(l->session->options->rules,
                                              lift_str_get(&text), &point, &why))
        candidates = space_of_point(l, depth, &point);
    return candidates;
}

/* ---- the best kernels */

/* Returns false if the list is full. */
static bool keep(struct planter *p, int candidates, const char *tunables)
{
    int *rank = &p->ranks[p->depth];

    if (candidates >= 0 && p->count < MOST_GOOD && *rank < MOST_OF_DEPTH)
        p->good[p->count++] = (struct good){candidates, lift_strdup(tunables), (*rank)++};
    return !p->failed && p->count < MOST_GOOD && *rank < MOST_OF_DEPTH;
}

static bool plant(void *user, const struct lift_db_seed *seed)
{
    struct planter *p = user;
    int candidates =
        device_session_stored_space(p->l, p->depth, p->db, seed->expr, &p->failed);

    if (candidates < 0 && !p->ships &&
        seed->kind != LIFT_DB_SEED_CONSENSUS) /* consensus seeds stem from any device */
        p->l->result->unknown_seeds++;
    return keep(p, candidates, seed->tunables);
}

/* Adds kernels of this problem and device whose hashes changed with the rules. Kernels
 * with current hashes are already known. */
static bool plant_renamed(void *user, const struct lift_db_ranked *row)
{
    struct planter *p = user;
    int candidates;

    if (device_session_space_of(p->l, row->expr) >= 0)
        return true;
    candidates =
        device_session_stored_space(p->l, p->depth, p->db, row->expr, &p->failed);
    if (candidates < 0)
        p->l->result->unknown_seeds++;
    return keep(p, candidates, row->tunables) && ++p->renamed < MOST_RENAMED;
}

/* Adds seeds from a database that this session reads at its start: its own or the job's.
 */
static bool plant_known(struct planter *p, struct lift_db *db)
{
    p->db = db;
    for (p->depth = 0; p->depth < p->l->session->depth_count; p->depth++) {
        const struct recorder *r = &p->l->depths[p->depth].recorder;

        if (!lift_db_ranked(db, r->problem_id, r->device_id, plant_renamed, p) ||
            !lift_db_seeds(db, r->problem_id, r->device_id, plant, p) || p->failed)
            return false;
    }
    return true;
}

static bool plant_own(struct planter *p)
{
    struct session *s = p->l->session;

    return (plant_known(p, s->db) || session_db_fail(s)) &&
           (!s->base || plant_known(p, s->base) ||
            session_fail(s, "%s", lift_db_error(s->base)));
}

/* ---- shipped kernels */

static bool plant_same(void *user, const struct lift_db_ranked *row)
{
    return plant(user,
                 &(struct lift_db_seed){LIFT_DB_SEED_DEVICE, row->expr, row->tunables});
}

/* Adds kernels of this problem on this device, and of the program elsewhere. */
static bool plant_from(struct planter *p, struct lift_db *db)
{
    p->db = db;
    p->ships = true;
    for (p->depth = 0; p->depth < p->l->session->depth_count; p->depth++) {
        struct recorder r = p->l->depths[p->depth].recorder;

        r.db = db;
        r.stored = false;
        if (!record_problem(&r) ||
            !lift_db_ranked(db, r.problem_id, r.device_id, plant_same, p) ||
            !lift_db_seeds(db, r.problem_id, r.device_id, plant, p) || p->failed)
            return false;
    }
    return true;
}

/* Importing takes a tenth of a second. The import reports errors of the folder. */
static bool may_ship(const struct session *s)
{
    LIFT_SCOPED(lift_str) path = {0}, text = {0}, why = {0};
    bool ships = false;

    lift_str_addf(&path, "%s/program.csv", s->options->tuned);
    if (!lift_file_read(lift_str_get(&path), LIFT_FILE_TABLE, &text, &why))
        return true;
    for (int i = 0; i < s->depth_count && !ships; i++) {
        char id[LIFT_HASH_HEX];

        ships = strstr(lift_str_get(&text),
                       lift_hash_hex(lift_program_id(s->depths[i].problem->program), id));
    }
    return ships;
}

static bool plant_shipped(struct planter *p)
{
    struct session *s = p->l->session;
    LIFT_SCOPED(lift_error) error = {0};
    LIFT_OWNED(lift_db) *db = lift_db_open(":memory:", LIFT_DB_WRITE, &error);
    struct lift_db_gain gain;

    return (db && lift_db_import(db, s->options->tuned, &gain) && plant_from(p, db)) ||
           session_fail(s, "kernels to begin with, '%s': %s", s->options->tuned,
                        db ? lift_db_error(db) : lift_error_text(&error));
}

static int by_rank(const void *a, const void *b)
{
    const struct good *x = a, *y = b;

    return x->rank != y->rank ? x->rank - y->rank : x->candidates - y->candidates;
}

/* Adds at most 'most' seeds to the frontier: the first of each depth, then the second. */
static void give(struct planter *p, int64_t most)
{
    struct device_session *l = p->l;
    struct lift_choice choice;

    qsort(p->good, (size_t)p->count, sizeof *p->good, by_rank);
    for (int i = 0; i < p->count; i++) {
        if (l->result->seeds < most &&
            lift_joint_carry_json(l->joint, p->good[i].tunables, p->good[i].candidates,
                                  &choice))
            l->result->seeds +=
                frontier_add(l->frontier, &(struct frontier_item){choice, FRONTIER_SEED});
        free(p->good[i].tunables);
    }
}

bool device_session_seed(struct device_session *l)
{
    struct planter p = {.l = l};
    int64_t trials = l->session->options->trials, most = FRONTIER_SEEDS;
    int before = l->space_count;
    bool good;

    if (trials > 0 && trials / TRIALS_A_SEED < most)
        most = trials / TRIALS_A_SEED;
    if (most == 0)
        return true;
    good = plant_own(&p) &&
           (!l->session->options->tuned || !may_ship(l->session) || plant_shipped(&p));
    if (l->space_count > before)
        device_session_grown(l);
    give(&p, most);
    return good;
}

/* ---- earlier sessions */

struct recall {
    struct device_session *l;
    int depth;
    struct lift_db *db;
    int count;  /* expressions added to the space */
    int looked; /* fastest kernels read so far */
};

static bool recall(void *user, const struct lift_db_configuration *row)
{
    struct recall *r = user;
    const struct recorder *at = &r->l->depths[r->depth].recorder;
    struct lift_configuration point = {{0}};
    LIFT_SCOPED(lift_str) text = {0}, why = {0};

    if (!lift_hash_equal(row->problem, at->problem_id) ||
        !lift_hash_equal(row->device_id, at->device_id) ||
        device_session_space_of(r->l, row->expr) >= 0)
        return true;
    for (int i = 0; i < row->option_count; i++)
        lift_str_addf(&text, "%s%s=%s", i ? "," : "", row->options[i].decision,
                      row->options[i].option);
    if (lift_configuration_read(r->l->session->options->rules, lift_str_get(&text),
                                &point, &why))
        r->count += space_of_point(r->l, r->depth, &point) >= 0;
    return r->count < MOST_RECALLED;
}

/* Recalls the fastest first, in case more kernels are stored than may be recalled. */
static bool recall_fastest(void *user, const struct lift_db_ranked *row)
{
    struct recall *r = user;
    bool failed = false, known = device_session_space_of(r->l, row->expr) >= 0;

    if (!known)
        r->count +=
            device_session_stored_space(r->l, r->depth, r->db, row->expr, &failed) >= 0;
    return !failed && ++r->looked < MOST_OF_DEPTH;
}

bool device_session_recall(struct device_session *l, struct lift_db *db)
{
    struct recall r = {.l = l, .db = db};

    for (; r.depth < l->session->depth_count && session_may_grow(l->session->options);
         r.depth++) {
        const struct recorder *at = &l->depths[r.depth].recorder;

        if (!lift_db_ranked(db, at->problem_id, at->device_id, recall_fastest, &r) ||
            !lift_db_configurations(db, recall, &r))
            return false;
    }
    if (r.count > 0)
        device_session_grown(l);
    return true;
}

/* ---- a user's own rules */

static bool is_own(const struct device_session *l, int candidates)
{
    const struct lift_rules *rules = l->session->options->rules;

    for (int i = 0; i < lift_decision_count(rules); i++) {
        const struct lift_option *o = lift_configuration_option(
            rules, &device_session_leaf(l, candidates)->configuration, i);

        if (o->rule && !o->rule->shipped)
            return true;
    }
    return false;
}

void device_session_open_own(struct device_session *l)
{
    int64_t trials = l->session->options->trials, most = FRONTIER_OPENINGS;
    struct lift_choice choice;

    if (trials > 0 && (3 * trials + 3) / 4 < most)
        most = (3 * trials + 3) / 4;
    for (int i = 0; i < l->space_count && most > 0; i++)
        if (is_own(l, i) && lift_joint_carry_json(l->joint, "{}", i, &choice)) {
            frontier_add(l->frontier, &(struct frontier_item){choice, FRONTIER_WANTED});
            most--;
        }
}
