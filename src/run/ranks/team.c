#include "run/ranks/team.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/scope.h"
#include <stdlib.h>
#include <string.h>

/* The data of one process in a barrier. */
struct team_word {
    int64_t end;
    char bytes[TEAM_WORD];
};

struct team team_of(struct lift_communicator to, const char *name)
{
    return (struct team){.to = to,
                         .name = name,
                         .words = lift_alloc((size_t)to.size, sizeof(struct team_word)),
                         .failed = -1};
}

void team_fini(struct team *t)
{
    free(t->words);
    t->words = NULL;
}

bool team_exchange(const struct team *t, const struct lift_message *messages, int count,
                   struct lift_error *error)
{
    LIFT_SCOPED(lift_error) own = {0};

    return t->to.exchange(t->to.user, messages, count, &own) ||
           lift_fail(error, LIFT_ERROR_RUN,
                     "the exchange with other processes failed%s%s", own.code ? ": " : "",
                     lift_error_text(&own));
}

/* Gathers the words of all ranks, in rank order, beginning with this process. Each round
 * doubles the number of words of a process. */
static bool gather(struct team *t, struct lift_error *error)
{
    const int size = t->to.size, rank = t->to.rank;

    for (int have = 1, round = 0; have < size; have *= 2, round++) {
        size_t bytes = (size_t)lift_min(have, size - have) * sizeof *t->words;
        const struct lift_message both[] = {
            {t->words, bytes, (rank + size - have) % size, round, true},
            {t->words + have, bytes, (rank + have) % size, round, false}};

        if (!team_exchange(t, both, 2, error))
            return false;
    }
    return true;
}

static const struct team_word *word_of(const struct team *t, int rank)
{
    return &t->words[(rank - t->to.rank + t->to.size) % t->to.size];
}

int team_end(const struct team *t, int rank)
{
    return (int)word_of(t, rank)->end;
}

const void *team_word(const struct team *t, int rank)
{
    return word_of(t, rank)->bytes;
}

bool team_meet(struct team *t, int end, const void *mine, size_t bytes,
               struct lift_error *error)
{
    LIFT_SCOPED(lift_error) own = {0};

    if (t->over)
        return false;
    t->words[0] = (struct team_word){.end = end};
    if (bytes)
        memcpy(t->words[0].bytes, mine, bytes);
    t->over = true;
    if (!gather(t, end ? &own : error))
        return false;
    for (int i = 0; i < t->to.size; i++)
        if (team_end(t, i)) {
            t->failed = i;
            return !end && lift_fail(error, LIFT_ERROR_RUN,
                                     "process %d of %d failed: its error says why", i,
                                     t->to.size);
        }
    t->over = false;
    return true;
}
