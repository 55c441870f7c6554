/* What was good elsewhere is tried first. */
#include "explore/session.h"
#include "explore/story.h"
#include "lift/bug.h"
#include "lift/chosen.h"
#include "lift/db_seeds.h"
#include "lift/db_tools.h"
#include "lift/file.h"
#include <stdlib.h>
#include <string.h>

/* So many tries for each seed: a share of a small budget stays for the search itself. */
enum { TRIES_A_SEED = 3 };
/* So many stored expressions are looked for by their derivations. */
enum { MOST_RENAMED = 8 };

struct planter {
    struct lane *l;
    struct lift_db *db;
    bool ships;     /* the database is the folder of kernels that ship */
    char **stories; /* of the arms; made at the first need */
    int64_t most;
    int renamed; /* looked for so far */
    bool failed;
};

static void tell_stories(struct planter *p)
{
    struct lift_str story = {0};

    p->stories = calloc((size_t)p->l->arm_count + 1, sizeof *p->stories);
    LIFT_ASSERT(p->stories);
    for (int i = 0; i < p->l->arm_count; i++) {
        lift_str_clear(&story);
        explore_story(p->l->derivation, p->l->leaves[i], &story);
        p->stories[i] = lift_str_take(&story);
    }
}

/* An arm that was derived in the same way; -1: none. */
static int arm_like(struct planter *p, struct lift_hash expr)
{
    struct lift_str story = {0};
    int arm = -1;

    if (!p->stories)
        tell_stories(p);
    if (!explore_story_stored(p->db, p->l->session->options->rules,
                              p->l->session->problem->root->hash, expr, &story))
        p->failed = true;
    for (int i = 0; i < p->l->arm_count && arm < 0 && story.len; i++)
        if (!strcmp(p->stories[i], lift_str_get(&story)))
            arm = i;
    lift_str_fini(&story);
    return arm;
}

/* False if there is no room for more. */
static bool plant_in(struct planter *p, int arm, const char *tunables)
{
    struct lane *l = p->l;
    struct lift_choice choice;

    if (explore_ask_seeds(l->ask) >= p->most)
        return false;
    if (arm >= 0 && lift_joint_carry_json(l->joint, tunables, arm, &choice))
        explore_ask_seed(l->ask, &choice);
    return !p->failed && explore_ask_seeds(l->ask) < p->most;
}

static bool plant(void *user, const struct lift_db_seed *seed)
{
    struct planter *p = user;
    int arm = lane_arm_of(p->l, seed->expr);

    if (arm < 0)
        arm = arm_like(p, seed->expr);
    if (arm < 0 && !p->ships && seed->kind != LIFT_DB_SEED_CONSENSUS) /* of any devices */
        p->l->result->unknown_seeds++;
    return plant_in(p, arm, seed->tunables);
}

/* What was good here under another hash: the rules have changed since. All others of this
 * problem and device are known as they are. */
static bool plant_renamed(void *user, const struct lift_db_ranked *row)
{
    struct planter *p = user;
    int arm;

    if (lane_arm_of(p->l, row->expr) >= 0)
        return true;
    arm = arm_like(p, row->expr);
    if (arm < 0)
        p->l->result->unknown_seeds++;
    return plant_in(p, arm, row->tunables) && ++p->renamed < MOST_RENAMED;
}

static bool plant_own(struct planter *p)
{
    const struct recorder *r = &p->l->recorder;

    p->db = r->db;
    return lift_db_ranked(p->db, r->problem_id, r->device_id, plant_renamed, p) &&
           lift_db_seeds(p->db, r->problem_id, r->device_id, plant, p) && !p->failed;
}

/* ---- kernels that ship */

static bool plant_same(void *user, const struct lift_db_ranked *row)
{
    return plant(user,
                 &(struct lift_db_seed){LIFT_DB_SEED_DEVICE, row->expr, row->tunables});
}

/* Of this problem on this device, and of the program elsewhere. */
static bool plant_from(struct planter *p, struct lift_db *db)
{
    struct recorder r = p->l->recorder;

    p->db = r.db = db;
    p->ships = true;
    return record_problem(&r) &&
           lift_db_ranked(db, r.problem_id, r.device_id, plant_same, p) &&
           lift_db_seeds(db, r.problem_id, r.device_id, plant, p) && !p->failed;
}

/* An import takes a tenth of a second. What is wrong with the folder, it tells. */
static bool may_ship(const struct session *s)
{
    struct lift_str path = {0}, text = {0}, why = {0};
    char id[LIFT_HASH_HEX];
    bool may;

    lift_hash_hex(lift_program_id(s->problem->program), id);
    lift_str_addf(&path, "%s/program.csv", s->options->tuned);
    may = !lift_file_read(lift_str_get(&path), LIFT_FILE_TABLE, &text, &why) ||
          strstr(lift_str_get(&text), id);
    lift_str_fini(&why);
    lift_str_fini(&text);
    lift_str_fini(&path);
    return may;
}

static bool plant_shipped(struct planter *p)
{
    struct session *s = p->l->session;
    struct lift_str why = {0};
    struct lift_db *db = lift_db_open(":memory:", LIFT_DB_WRITE, &why);
    struct lift_db_gain gain;
    bool good = db && lift_db_import(db, s->options->tuned, &gain) && plant_from(p, db);

    if (!good)
        session_fail(s, "kernels to begin with, '%s': %s", s->options->tuned,
                     db ? lift_db_error(db) : lift_str_get(&why));
    lift_db_close(db);
    lift_str_fini(&why);
    return good;
}

bool lane_seed(struct lane *l)
{
    struct planter p = {.l = l, .most = EXPLORE_SEEDS};
    int64_t tries = l->session->options->tries;
    bool good;

    if (tries > 0 && tries / TRIES_A_SEED < p.most)
        p.most = tries / TRIES_A_SEED;
    if (p.most == 0)
        return true;
    good = (plant_own(&p) || session_db_fail(l->session)) &&
           (!l->session->options->tuned || !may_ship(l->session) || plant_shipped(&p));
    l->result->seeds = explore_ask_seeds(l->ask);
    for (int i = 0; p.stories && i < l->arm_count; i++)
        free(p.stories[i]);
    free(p.stories);
    return good;
}

/* ---- a user's own rules */

/* True if a rule or macro that does not ship is on the way to the arm's expression. */
static bool is_own(const struct derivation *d, int leaf)
{
    const struct derive_edge *e;

    for (int node = d->leaves[leaf].node;; node = e->parent) {
        for (const struct derive_macro *m = d->nodes[node].macros; m; m = m->next)
            if (!m->macro->shipped)
                return true;
        for (e = d->nodes[node].edges; e && e->next;)
            e = e->next;
        if (!e)
            return false;
        if (!e->rule->shipped)
            return true;
    }
}

void lane_open_own(struct lane *l)
{
    int64_t tries = l->session->options->tries, most = EXPLORE_OPENINGS;
    struct lift_choice choice;

    if (tries > 0 && (3 * tries + 3) / 4 < most)
        most = (3 * tries + 3) / 4;
    for (int i = 0; i < l->arm_count && most > 0; i++)
        if (is_own(l->derivation, l->leaves[i]) &&
            lift_joint_carry_json(l->joint, "{}", i, &choice)) {
            explore_ask_open(l->ask, EXPLORE_WANTED, &choice);
            most--;
        }
}
