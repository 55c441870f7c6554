/* A simulation by several processes of a job: messages between the processes. */
#include "run/ranks/simulation_ranks.h"
#include <string.h>

/* Additional time limit of the preparation, when all ranks may run compilers. */
static const double prepare_seconds = 600;

/* ---- barriers */

static bool meet(struct sim *s, bool good, const void *mine, size_t bytes)
{
    struct team *t = &s->team;

    if (t->over)
        return good;
    if (team_meet(t, good ? 0 : (int)s->result.end, mine, bytes, &s->result.error))
        return true;
    if (t->failed >= 0)
        s->result.elsewhere = good || t->failed < t->to.rank;
    if (good)
        s->result.end =
            t->failed >= 0 ? (enum sim_end)team_end(t, t->failed) : SIM_FAILED;
    return false;
}

bool sim_meet(struct sim *s, bool good)
{
    return meet(s, good, NULL, 0);
}

bool sim_tell(struct sim *s, const void *mine, size_t bytes)
{
    return meet(s, true, mine, bytes);
}

void sim_is_prepared(struct sim *s)
{
    if (s->ranks)
        s->ranks->limit = s->options.exchange_seconds;
}

/* ---- before the first step */

/* Returns the word of 'devices' for this rank, such as "cuda:1=2". The local rank selects
 * the word. */
static const char *own_word(struct sim *s)
{
    char *word, *next;
    int number;

    word = lift_arena_strdup(s->arena, s->options.devices);
    number = s->options.job->local % parts_count(word);
    for (; number > 0; number--)
        word = strchr(word, ',') + 1;
    next = strchr(word, ',');
    if (next)
        *next = '\0';
    return word;
}

bool sim_join(struct sim *s, bool good)
{
    if (!s->options.job)
        return good;
    if (good && s->options.plan_seconds > 0)
        good =
            sim_fail(s, SIM_USAGE,
                     "--explore-seconds: ranks of a job do not explore; explore the size "
                     "of a part into the database first");
    s->options.devices = own_word(s);
    s->ranks = ranks_create(s->options.job, s->options.exchange_seconds + prepare_seconds,
                            &s->team, &s->result.error.text);
    return s->ranks ? good : good && sim_fail_as(s, SIM_FAILED, NULL);
}

/* ---- the time loop */

bool sim_turn(struct sim *s)
{
    struct sim_turn mine = {s->options.stop ? *s->options.stop : 0, sim_is_look_due(s),
                            s->launch_seconds};

    s->turn = mine;
    if (!sim_tell(s, &mine, sizeof mine))
        return false;
    for (int i = 0; i < s->team.to.size; i++) {
        struct sim_turn other;

        memcpy(&other, team_word(&s->team, i), sizeof other);
        if (other.stop && !s->turn.stop)
            s->turn.stop = other.stop;
        s->turn.look |= other.look;
        if (other.launch_seconds > s->turn.launch_seconds)
            s->turn.launch_seconds = other.launch_seconds;
    }
    s->launch_seconds = s->turn.launch_seconds;
    return true;
}

/* ---- the end */

void sim_leave(struct sim *s)
{
    bool failed = s->result.end == SIM_FAILED || s->result.end == SIM_USAGE;

    if (s->ranks && failed && s->team.failed < 0)
        s->ranks->lost = true;
    ranks_destroy(s->ranks);
    s->ranks = NULL;
    team_fini(&s->team);
}
