/* Results that a rank reads from the other ranks of its job: ranks share only files. */
#include "base/memory.h"
#include "base/seconds.h"
#include "explore/session/session.h"
#include <stdlib.h>
#include <unistd.h>

/* Kernels read from another rank each time. */
enum { MOST_LEARNED = 8 };

void lift_explore_rank_db(const char *base, int rank, struct lift_str *out)
{
    lift_str_addf(out, "%s.rank%d.db", base, rank);
}

/* Returns NULL if the file is missing. Otherwise '*there' is set, and NULL means that the
 * file cannot be read. */
static struct lift_db *open_file(const char *path, bool *there, struct lift_error *error)
{
    *there = access(path, F_OK) == 0;
    return *there ? lift_db_open(path, LIFT_DB_READ, error) : NULL;
}

/* ---- the beginning */

/* Skips unreadable databases: another rank may be creating the file. */
static void learn_rank(struct device_session *l, int rank)
{
    LIFT_SCOPED(lift_str) path = {0};
    LIFT_SCOPED(lift_error) error = {0};
    struct lift_db *db;
    bool there;

    lift_explore_rank_db(l->session->options->share.base, rank, &path);
    db = open_file(lift_str_get(&path), &there, &error);
    if (db && device_session_recall(l, db))
        device_session_resume(l, db);
    lift_db_close(db);
}

static bool learn_base(struct device_session *l)
{
    struct session *s = l->session;
    LIFT_SCOPED(lift_error) error = {0};
    bool there;

    if (!s->base)
        s->base = open_file(s->options->share.base, &there, &error);
    else
        there = true;
    if (!s->base)
        return !there || session_fail(s, "%s", lift_error_text(&error));
    return (device_session_recall(l, s->base) && device_session_resume(l, s->base)) ||
           session_fail(s, "%s", lift_db_error(s->base));
}

/* Databases of ranks may exist from earlier jobs. */
bool device_session_learn_all(struct device_session *l)
{
    const struct lift_explore_share *share = &l->session->options->share;

    if (share->ranks == 0)
        return true;
    if (!learn_base(l))
        return false;
    for (int i = 0; i < share->ranks; i++)
        if (i != share->rank)
            learn_rank(l, i);
    return true;
}

/* ---- during the session */

struct learner {
    struct device_session *l;
    int depth;
    struct lift_db *db;
    struct learned {
        int candidates;
        char *tunables;
        double seconds;
    } rows[LIFT_MAX_STEPS * MOST_LEARNED];
    int count;
    bool failed;
};

static bool take(void *user, const struct lift_db_ranked *row)
{
    struct learner *x = user;
    int candidates =
        device_session_stored_space(x->l, x->depth, x->db, row->expr, &x->failed);

    if (candidates >= 0)
        x->rows[x->count++] =
            (struct learned){candidates, lift_strdup(row->tunables),
                             row->seconds / device_session_steps(x->l, candidates)};
    return !x->failed && x->count < (x->depth + 1) * MOST_LEARNED;
}

/* Returns false if the result was known. */
static bool tell(struct device_session *l, const struct learned *row)
{
    const struct lift_space *space = l->spaces[row->candidates].space;
    struct lift_choice choice = {.expr = row->candidates};

    if (!lift_space_parse(space, row->tunables, choice.values) ||
        lift_search_knows(frontier_search(l->frontier), &choice))
        return false;
    lift_search_tell(frontier_search(l->frontier), &choice,
                     (struct lift_outcome){true, row->seconds});
    return true;
}

static void learn_best(struct device_session *l, int rank, struct lift_db *db)
{
    struct learner x = {.l = l, .db = db};
    int before = l->space_count, told = 0;
    LIFT_SCOPED(lift_str) text = {0};

    for (; x.depth < l->session->depth_count; x.depth++)
        lift_db_ranked(db, l->depths[x.depth].recorder.problem_id,
                       l->depths[x.depth].recorder.device_id, take, &x);
    if (l->space_count > before)
        device_session_grown(l);
    for (int i = 0; i < x.count; i++) {
        told += tell(l, &x.rows[i]);
        free(x.rows[i].tunables);
    }
    l->result->learned += told;
    lift_str_addf(&text, "%d kernels were received from rank %d", told, rank);
    if (told)
        device_session_event(l, "rank", lift_str_get(&text));
}

/* Reads one rank at a time, so that hundreds of ranks do not delay the loop. */
void session_look_around(struct session *s)
{
    const struct lift_explore_share *share = &s->options->share;
    double now = lift_seconds();
    LIFT_SCOPED(lift_str) path = {0};
    LIFT_SCOPED(lift_error) error = {0};
    struct lift_db *db;
    bool there;

    if (share->ranks <= 1 || now < s->look_at)
        return;
    s->look_at = now + share->every / (share->ranks - 1);
    s->looked_at = (s->looked_at + 1) % share->ranks;
    if (s->looked_at == share->rank)
        s->looked_at = (s->looked_at + 1) % share->ranks;
    lift_explore_rank_db(share->base, s->looked_at, &path);
    db = open_file(lift_str_get(&path), &there, &error);
    for (int i = 0; i < s->device_session_count && db; i++)
        if (!s->device_sessions[i].twin)
            learn_best(&s->device_sessions[i], s->looked_at, db);
    lift_db_close(db);
}
