#include "explore/session/frontier.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>

struct frontier {
    struct lift_search *search;
    struct waiting {
        struct frontier_item item;
        int64_t turn; /* number among the candidates of its source */
    } * waiting;
    int waiting_count, waiting_cap;
    int64_t turns[FRONTIER_SOURCES];
    int64_t passes[FRONTIER_SOURCES]; /* sum of the strides of given candidates */
    int opened;                       /* promising and temporal candidates given */
    double best[FRONTIER_SOURCES];    /* seconds of the fastest result; 0: none */
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

static double ranked_guess(const struct frontier_item *item)
{
    static const double growth = 0.05;

    return item->guessed * (1 + growth * item->rank);
}

/* The order of two candidates of one source, or of sources that do not take turns. */
static bool precedes(const struct waiting *a, const struct waiting *b)
{
    enum frontier_source x = a->item.source, y = b->item.source;

    if (x == FRONTIER_TEMPORAL && x == y) {
        double p = ranked_guess(&a->item), q = ranked_guess(&b->item);

        if (p != q)
            return p < q;
    }
    return x == y ? a->turn < b->turn : x < y;
}

/* The first candidate of the sources 'from' to 'to'; -1: none. */
static int first_waiting(const struct frontier *f, const void *owner,
                         enum frontier_source from, enum frontier_source to)
{
    int first = -1;

    for (int i = 0; i < f->waiting_count; i++) {
        const struct waiting *w = &f->waiting[i];

        if (w->item.source >= from && w->item.source <= to && is_of(w, owner) &&
            (first < 0 || precedes(w, &f->waiting[first])))
            first = i;
    }
    return first;
}

/* ---- turns */

enum { STRIDE = 60, LEAST_OPENED = 16 };

/* The source with the smallest sum of strides is next. A single sweep and temporal
 * blocking differ clearly for most programs, so the faster one has a smaller stride: it
 * gets three times the turns, or more if it is twice as fast or faster. */
static int64_t stride(const struct frontier *f, enum frontier_source source)
{
    static const double clearly = 1.1, least_turns = 3, most_turns = 10;
    enum { PROPOSALS = STRIDE / 2 };
    double own = f->best[source],
           other = f->best[source == FRONTIER_TEMPORAL ? FRONTIER_PROMISING
                                                       : FRONTIER_TEMPORAL];

    if (source == FRONTIER_PROPOSED)
        return PROPOSALS;
    if (source == FRONTIER_WANTED || own <= 0 || other <= 0)
        return STRIDE;
    if (other <= clearly * own)
        return STRIDE;
    return (int64_t)(STRIDE /
                     fmin(fmax(least_turns, other * other / (own * own)), most_turns));
}

/* The technique takes turns when it has some results. It then starts level with the
 * source whose turn it was. */
static void count(struct frontier *f, enum frontier_source source)
{
    int64_t *proposed = &f->passes[FRONTIER_PROPOSED];

    f->passes[source] += stride(f, source);
    if (source != FRONTIER_PROMISING && source != FRONTIER_TEMPORAL)
        return;
    f->opened++;
    if (f->opened == LEAST_OPENED && *proposed < f->passes[source])
        *proposed = f->passes[source];
}

static bool take_waiting(struct frontier *f, int at, struct frontier_item *out)
{
    if (at < 0)
        return false;
    *out = f->waiting[at].item;
    count(f, out->source);
    f->waiting[at] = f->waiting[--f->waiting_count];
    return true;
}

/* The next candidate among the sources that take turns; -1: none waits, or the technique
 * is next. */
static int next_in_turn(const struct frontier *f, const void *owner)
{
    int64_t least = INT64_MAX;
    int next = -1;

    for (int i = FRONTIER_WANTED; i <= FRONTIER_PROPOSED; i++) {
        enum frontier_source source = (enum frontier_source)i;
        int first = first_waiting(f, owner, source, source);

        if (f->passes[source] >= least ||
            (source == FRONTIER_PROPOSED ? f->opened < LEAST_OPENED : first < 0))
            continue;
        least = f->passes[source];
        next = first;
    }
    return next;
}

static bool propose(struct frontier *f, struct frontier_item *out)
{
    *out = (struct frontier_item){.source = FRONTIER_PROPOSED};
    count(f, FRONTIER_PROPOSED);
    return lift_search_next(f->search, &out->choice);
}

bool frontier_next(struct frontier *f, const void *owner, struct frontier_item *out)
{
    int last = FRONTIER_TEMPORAL;

    return take_waiting(f, first_waiting(f, owner, FRONTIER_FIRST, FRONTIER_SEED), out) ||
           take_waiting(f, next_in_turn(f, owner), out) || propose(f, out) ||
           take_waiting(f, first_waiting(f, owner, FRONTIER_WANTED, last), out);
}

void frontier_note(struct frontier *f, enum frontier_source source, double seconds)
{
    if (f->best[source] <= 0 || seconds < f->best[source])
        f->best[source] = seconds;
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
