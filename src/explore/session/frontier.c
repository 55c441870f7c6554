#include "explore/session/frontier.h"
#include "base/memory.h"
#include "base/table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct frontier {
    const struct lift_technique *technique;
    const struct lift_joint *joint;
    void *state;
    struct lift_rng rng;
    struct lift_arena *arena;
    struct lift_table known; /* choices given or told of, in the arena */
    struct told {
        struct lift_choice choice;
        struct lift_outcome outcome;
    } * told; /* in this order */
    int told_count, told_cap;
    struct waiting {
        struct frontier_item item;
        int64_t turn; /* its number among those of the source */
    } * waiting;
    int waiting_count, waiting_cap;
    int64_t turns[FRONTIER_SOURCES];
};

struct frontier *frontier_create(const struct lift_joint *joint,
                                 const struct lift_technique *technique, uint64_t seed)
{
    struct frontier *f = lift_alloc(1, sizeof *f);

    f->technique = technique;
    f->joint = joint;
    f->state = lift_alloc(1, technique->state_size);
    f->arena = lift_arena_create();
    lift_rng_seed(&f->rng, seed);
    technique->init(f->state, joint, &f->rng);
    return f;
}

void frontier_destroy(struct frontier *f)
{
    if (!f)
        return;
    f->technique->fini(f->state);
    free(f->state);
    free(f->told);
    free(f->waiting);
    lift_table_fini(&f->known);
    lift_arena_destroy(f->arena);
    free(f);
}

static bool same_choice(const void *entry, const void *key)
{
    return lift_choice_equal(entry, key);
}

bool frontier_knows(const struct frontier *f, const struct lift_choice *choice)
{
    return lift_table_find(&f->known, lift_choice_hash(choice), choice, same_choice);
}

/* False if it was known. */
static bool make_known(struct frontier *f, const struct lift_choice *choice)
{
    if (frontier_knows(f, choice))
        return false;
    lift_table_insert(&f->known, lift_choice_hash(choice),
                      lift_arena_copy(f->arena, choice, sizeof *choice));
    return true;
}

bool frontier_claim(struct frontier *f, const struct lift_choice *choice)
{
    return lift_joint_is_ours(f->joint, choice) && make_known(f, choice);
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
                          !frontier_claim(f, &item->choice)))
        return false;
    LIFT_ROOM(f->waiting, f->waiting_count, f->waiting_cap);
    f->waiting[f->waiting_count++] = (struct waiting){*item, f->turns[source]++};
    return true;
}

static bool precedes(const struct waiting *a, const struct waiting *b)
{
    enum frontier_source x = a->item.source, y = b->item.source;
    bool in_turns = x >= FRONTIER_WANTED && x <= FRONTIER_PROMISING &&
                    y >= FRONTIER_WANTED && y <= FRONTIER_PROMISING;

    return x == y || (in_turns && a->turn != b->turn) ? a->turn < b->turn : x < y;
}

/* The first of those from one source up to another; -1: there is none. */
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

static bool take_waiting(struct frontier *f, int at, struct frontier_item *out)
{
    if (at < 0)
        return false;
    *out = f->waiting[at].item;
    f->waiting[at] = f->waiting[--f->waiting_count];
    return true;
}

bool frontier_next(struct frontier *f, const void *owner, struct frontier_item *out)
{
    if (take_waiting(f, first_waiting(f, owner, FRONTIER_FIRST, FRONTIER_PROMISING), out))
        return true;
    *out = (struct frontier_item){.source = FRONTIER_PROPOSED};
    while (f->technique->propose(f->state, &out->choice))
        if (frontier_claim(f, &out->choice))
            return true;
    return false;
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

/* ---- what is known */

void frontier_tell(struct frontier *f, const struct lift_choice *choice,
                   struct lift_outcome outcome)
{
    make_known(f, choice);
    f->technique->observe(f->state, choice, outcome);
    LIFT_ROOM(f->told, f->told_count, f->told_cap);
    f->told[f->told_count++] = (struct told){*choice, outcome};
}

int frontier_told(const struct frontier *f)
{
    return f->told_count;
}

/* A technique begins anew, and is told what was told before: as where an exploration goes
 * on with a database. */
void frontier_widen(struct frontier *f, const struct lift_joint *joint)
{
    f->joint = joint;
    f->technique->fini(f->state);
    memset(f->state, 0, f->technique->state_size);
    f->technique->init(f->state, joint, &f->rng);
    for (int i = 0; i < f->told_count; i++)
        f->technique->observe(f->state, &f->told[i].choice, f->told[i].outcome);
}

static bool is_listed(const struct lift_choice *list, int count, int expr)
{
    for (int i = 0; i < count; i++)
        if (list[i].expr == expr)
            return true;
    return false;
}

int frontier_fastest(const struct frontier *f, struct lift_choice *out, int most)
{
    int count = 0;

    while (count < most) {
        const struct told *best = NULL;

        for (int i = 0; i < f->told_count; i++) {
            const struct told *t = &f->told[i];

            if (t->outcome.ok && !is_listed(out, count, t->choice.expr) &&
                (!best || t->outcome.seconds < best->outcome.seconds))
                best = t;
        }
        if (!best)
            break;
        out[count++] = best->choice;
    }
    return count;
}

void frontier_least(const struct frontier *f, double *least, int exprs)
{
    for (int i = 0; i < exprs; i++)
        least[i] = INFINITY;
    for (int i = 0; i < f->told_count; i++) {
        const struct told *t = &f->told[i];

        if (t->outcome.ok && t->choice.expr >= 0 && t->choice.expr < exprs)
            least[t->choice.expr] = fmin(least[t->choice.expr], t->outcome.seconds);
    }
}
