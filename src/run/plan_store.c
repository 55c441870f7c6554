#include "run/plan_store.h"
#include "explore/configurations.h"
#include "explore/record.h"
#include <stdio.h>
#include <string.h>

static enum lift_trial_phase phase_of(enum lift_chosen_how how)
{
    switch (how) {
    case LIFT_CHOSEN_EXACT:
        return LIFT_TRIAL_PHASE_RECHECK;
    case LIFT_CHOSEN_SIZE:
    case LIFT_CHOSEN_ARCH:
        return LIFT_TRIAL_PHASE_SEED;
    case LIFT_CHOSEN_DEFAULT:
    case LIFT_CHOSEN_DRAWN:
        break;
    }
    return LIFT_TRIAL_PHASE_SEARCH;
}

/* The database already has the derivations of stored kernels. */
static bool put_derivation(struct recorder *r, lift_expr term)
{
    const struct derivation *d = r->derivation;

    for (int i = 0; i < d->leaf_count; i++)
        if (d->nodes[d->leaves[i].node].term == term)
            return record_leaf(r, &d->leaves[i]);
    return true;
}

static bool put(struct recorder *r, const struct plan_timed *t)
{
    const struct chosen_candidate *c = t->candidate;
    struct trial_reply build;
    struct lift_hash id;

    memcpy(&build, t->built.data, sizeof build);
    return put_derivation(r, c->candidates.term) &&
           record_start(r, &c->candidates, c->point, phase_of(c->how), &id) &&
           lift_db_trial_launch(r->db, id) &&
           record_finish(r, id, &t->end, &build, t->built.data + sizeof build);
}

static bool start(struct recorder *r, const struct plan_store *where, int count)
{
    char hex[LIFT_HASH_HEX], budget[32], versions[LIFT_HASH_HEX + 8];
    const struct lift_db_session session = {"lift_plan_create", 1, budget, versions};

    snprintf(budget, sizeof budget, "%d trials", count);
    snprintf(versions, sizeof versions, "rules %s",
             lift_hash_hex(lift_rules_hash(where->rules), hex));
    return record_problem(r) && record_env(r, where->device->settings) &&
           lift_db_session_start(r->db, &session, &r->session);
}

static bool put_all(struct recorder *r, const struct plan_store *where,
                    const struct plan_timed *list, int count, int right)
{
    if (!start(r, where, right))
        return false;
    for (int i = 0; i < count; i++)
        if (list[i].end.status == LIFT_TRIAL_OK && !put(r, &list[i]))
            return false;
    return lift_db_session_end(r->db, r->session, "budget");
}

void plan_store(const struct plan_store *where, const struct explore_problem *p,
                const struct plan_timed *list, int count, struct lift_str *why)
{
    struct recorder r = {.problem = p, .device = &where->device->info};
    LIFT_SCOPED(lift_error) error = {0};
    int right = 0;

    for (int i = 0; i < count; i++)
        right += list[i].end.status == LIFT_TRIAL_OK;
    if (!where->path || !right)
        return;
    r.derivation = derive_create(p, where->rules, r.device->dialect);
    configurations_add_standard(r.derivation);
    r.db = lift_db_open(where->path, LIFT_DB_WRITE, &error);
    if (r.db && lift_db_read_only(r.db))
        lift_fail(&error, LIFT_ERROR_DATABASE, "its schema is newer than this program");
    else if (r.db && !put_all(&r, where, list, count, right))
        lift_fail(&error, LIFT_ERROR_DATABASE, "%s", lift_db_error(r.db));
    if (error.code)
        lift_str_addf(why,
                      "the measurements are not kept in '%s': %s; name a writable "
                      "database, or the next plan measures again",
                      where->path, lift_error_text(&error));
    lift_db_close(r.db);
    derive_destroy(r.derivation);
}
