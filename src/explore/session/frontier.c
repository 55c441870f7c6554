#include "explore/session/frontier.h"
#include "base/memory.h"
#include <stdlib.h>

struct frontier {
    struct lift_search *search;
    struct waiting {
        struct frontier_item item;
        int64_t turn; /* number among the candidates of its source */
    } * waiting;
    int waiting_count, waiting_cap;
    int64_t turns[FRONTIER_SOURCES], given[FRONTIER_SOURCES];
};

struct frontier *frontier_create(const struct lift_joint *joint,
                                 const struct lift_technique *technique, uint64_t seed)
{
    struct frontier *f = lift_alloc(1, sizeof *f);

    f->search = lift_search_create(joint, technique, seed);
    return f;
}

void frontier_destroy(struct frontier *f)
{
    if (!f)
        return;
    lift_search_destroy(f->search);
    free(f->waiting);
    free(f);
}

struct lift_search *frontier_search(struct frontier *f)
{
    return f->search;
}

static bool is_of(const struct waiting *w, const void *owner)
{
    return !w->item.owner || w->item.owner == owner;
}

bool frontier_add(struct frontier *f, const struct frontier_item *item)
{
    enum frontier_source source = item->source;
    int count = 0,
        most = source == FRONTIER_DELAYED ? FRONTIER_DELAYS : FRONTIER_OPENINGS;

    for (int i = 0; i < f->waiting_count; i++)
        count += f->waiting[i].item.source == source;
    if (count >= most || (source != FRONTIER_FIRST && source != FRONTIER_DELAYED &&
                          !lift_search_claim(f->search, &item->choice)))
        return false;
    LIFT_ROOM(f->waiting, f->waiting_count, f->waiting_cap);
    f->waiting[f->waiting_count++] = (struct waiting){*item, f->turns[source]++};
    return true;
}

static bool precedes(const struct frontier *f, const struct waiting *a,
                     const struct waiting *b)
{
    enum frontier_source x = a->item.source, y = b->item.source;
    bool in_turns = x >= FRONTIER_WANTED && x <= FRONTIER_TEMPORAL &&
                    y >= FRONTIER_WANTED && y <= FRONTIER_TEMPORAL;

    if (x == FRONTIER_TEMPORAL && x == y && a->item.guessed != b->item.guessed)
        return a->item.guessed < b->item.guessed;
    if (x == y)
        return a->turn < b->turn;
    return in_turns && f->given[x] != f->given[y] ? f->given[x] < f->given[y] : x < y;
}

/* The first candidate of the sources 'from' to 'to'; -1: none. */
static int first_waiting(const struct frontier *f, const void *owner,
                         enum frontier_source from, enum frontier_source to)
{
    int first = -1;

    for (int i = 0; i < f->waiting_count; i++) {
        const struct waiting *w = &f->waiting[i];

        if (w->item.source >= from && w->item.source <= to && is_of(w, owner) &&
            (first < 0 || precedes(f, w, &f->waiting[first])))
            first = i;
    }
    return first;
}

static bool take_waiting(struct frontier *f, int at, struct frontier_item *out)
{
    if (at < 0)
        return false;
    *out = f->waiting[at].item;
    f->given[out->source]++;
    f->waiting[at] = f->waiting[--f->waiting_count];
    return true;
}

bool frontier_next(struct frontier *f, const void *owner, struct frontier_item *out)
{
    if (take_waiting(f, first_waiting(f, owner, FRONTIER_FIRST, FRONTIER_TEMPORAL), out))
        return true;
    *out = (struct frontier_item){.source = FRONTIER_PROPOSED};
    return lift_search_next(f->search, &out->choice);
}

bool frontier_next_delayed(struct frontier *f, const void *owner,
                           struct frontier_item *out)
{
    return take_waiting(f, first_waiting(f, owner, FRONTIER_DELAYED, FRONTIER_DELAYED),
                        out);
}

bool frontier_has_delayed(const struct frontier *f, const void *owner)
{
    return first_waiting(f, owner, FRONTIER_DELAYED, FRONTIER_DELAYED) >= 0;
}
