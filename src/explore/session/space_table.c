/* Prints the recorded results of every configuration of the space, as a table for replay.
 */
#include "base/bug.h"
#include "base/file.h"
#include "explore/session/session.h"
#include "tuner/replay.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_POINTS = 1 << 22 };

struct known {
    bool known;
    struct lift_replay_answer answer;
};

struct table {
    struct device_session *l;
    struct known *points; /* the configurations, by number */
};

bool device_session_can_have_table(struct device_session *l)
{
    bool exact;
    double points = lift_joint_valid_size(l->joint, &exact);

    if (l->session->device_session_count > 1)
        return session_fail(l->session, "a table is of one device, but %d are explored",
                            l->session->device_session_count);
    return (exact && points <= MOST_POINTS) ||
           session_fail(l->session,
                        "the space has %s%.6g configurations, too many for a table (%d): "
                        "restrict it by --expr, --tunable or --max-exprs",
                        exact ? "" : "about ", points, (int)MOST_POINTS);
}

static const char *name_of(void *user, int expr)
{
    static char hex[LIFT_HASH_HEX];
    const struct table *t = user;

    return lift_hash_hex(t->l->spaces[expr].term->hash, hex);
}

static bool answer_of(void *user, const struct lift_choice *choice,
                      struct lift_replay_answer *answer)
{
    const struct table *t = user;
    const struct known *k = &t->points[lift_joint_index(t->l->joint, choice)];

    *answer = k->answer;
    return k->known;
}

/* The fastest of several trials of a configuration counts. */
static bool take_row(void *user, const struct lift_db_tried *row)
{
    struct table *t = user;
    struct lift_choice choice;
    struct lift_outcome outcome;
    struct known *k;

    if (row->status == LIFT_TRIAL_STARTED || row->phase == LIFT_TRIAL_PHASE_FINAL ||
        row->phase == LIFT_TRIAL_PHASE_RECHECK ||
        !device_session_find(t->l, row, &choice, &outcome))
        return true;
    k = &t->points[lift_joint_index(t->l->joint, &choice)];
    if (!k->known || (outcome.ok && (!k->answer.outcome.ok ||
                                     outcome.seconds < k->answer.outcome.seconds)))
        k->answer.outcome = outcome;
    if (!k->known)
        k->answer.cost = row->cost;
    k->known = true;
    return true;
}

static bool write_file(struct table *t, const char *path)
{
    const struct session *s = t->l->session;
    LIFT_SCOPED(lift_str) about = {0}, why = {0};
    struct lift_file_out out;
    bool good = lift_file_create(path, &out, &why);

    lift_str_addf(&about, "%s %s on %s", s->problem->name, s->problem->sizes_json,
                  t->l->device.info.name);
    if (good) {
        lift_replay_write(out.file,
                          &(struct lift_replay_source){lift_str_get(&about), t->l->joint,
                                                       name_of, answer_of, t});
        good = lift_file_finish(&out, false, &why);
    }
    return good ||
           session_fail(t->l->session, "cannot write '%s': %s", path, lift_str_get(&why));
}

bool device_session_write_table(struct device_session *l)
{
    const char *path = l->session->options->table;
    struct table t = {.l = l};
    bool good = true;

    t.points =
        calloc((size_t)lift_joint_valid_size(l->joint, NULL) + 1, sizeof *t.points);
    LIFT_ASSERT(t.points);
    for (int i = 0; i < l->session->depth_count && good; i++) {
        const struct recorder *r = &l->depths[i].recorder;

        good = lift_db_tried(r->db, r->problem_id, r->device_id, take_row, &t) ||
               session_db_fail(l->session);
    }
    good = good && write_file(&t, path);
    free(t.points);
    return good;
}
