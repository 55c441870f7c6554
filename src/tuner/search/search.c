/* A search: a technique, the points that it proposed or whose results it knows, and
 * its random numbers. */
#include "base/memory.h"
#include "tuner/search/search_seen.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct lift_search {
    const struct lift_technique *technique;
    struct search_seen seen;
    struct lift_rng rng;
    void *state;
};

struct lift_search *lift_search_create(const struct lift_joint *joint,
                                       const struct lift_technique *technique,
                                       uint64_t seed)
{
    struct lift_search *s = lift_alloc(1, sizeof *s);

    s->technique = technique;
    s->state = lift_alloc(1, technique->state_size);
    search_seen_init(&s->seen, joint);
    lift_rng_seed(&s->rng, seed);
    technique->init(s->state, &s->seen, &s->rng);
    return s;
}

void lift_search_destroy(struct lift_search *s)
{
    if (!s)
        return;
    if (s->technique->fini)
        s->technique->fini(s->state);
    search_seen_fini(&s->seen);
    free(s->state);
    free(s);
}

bool lift_search_claim(struct lift_search *s, const struct lift_choice *choice)
{
    if (search_seen_has(&s->seen, choice))
        return false;
    search_seen_add(&s->seen, choice);
    return true;
}

bool lift_search_next(struct lift_search *s, struct lift_choice *choice)
{
    while (s->technique->propose(s->state, choice))
        if (lift_search_claim(s, choice))
            return true;
    return false;
}

bool lift_search_knows(const struct lift_search *s, const struct lift_choice *choice)
{
    return search_seen_knows(&s->seen, choice);
}

static void observe(struct lift_search *s, const struct lift_choice *choice,
                    struct lift_outcome outcome)
{
    if (s->technique->observe)
        s->technique->observe(s->state, choice, outcome);
}

void lift_search_tell(struct lift_search *s, const struct lift_choice *choice,
                      struct lift_outcome outcome)
{
    search_seen_tell(&s->seen, choice, outcome);
    observe(s, choice, outcome);
}

int lift_search_told(const struct lift_search *s)
{
    return (int)s->seen.told;
}

static bool is_listed(const struct lift_choice *list, int count, int expr)
{
    for (int i = 0; i < count; i++)
        if (list[i].expr == expr)
            return true;
    return false;
}

int lift_search_fastest(const struct lift_search *s, struct lift_choice *out, int most)
{
    int count = 0;

    while (count < most) {
        const struct search_point *best = NULL;

        for (size_t i = 0; i < s->seen.count; i++) {
            const struct search_point *p = &s->seen.points[i];

            if (!isinf(p->seconds) && (!best || p->seconds < best->seconds) &&
                !is_listed(out, count, p->choice.expr))
                best = p;
        }
        if (!best)
            break;
        out[count++] = best->choice;
    }
    return count;
}

void lift_search_least(const struct lift_search *s, double *least, int exprs)
{
    for (int i = 0; i < exprs; i++)
        least[i] = INFINITY;
    for (size_t i = 0; i < s->seen.count; i++) {
        const struct search_point *p = &s->seen.points[i];

        if (p->choice.expr < exprs)
            least[p->choice.expr] = fmin(least[p->choice.expr], p->seconds);
    }
}

void lift_search_widen(struct lift_search *s, const struct lift_joint *joint)
{
    if (s->technique->fini)
        s->technique->fini(s->state);
    memset(s->state, 0, s->technique->state_size);
    s->seen.joint = joint;
    s->technique->init(s->state, &s->seen, &s->rng);
    for (size_t i = 0; i < s->seen.count; i++) {
        const struct search_point *p = &s->seen.points[i];

        if (p->told)
            observe(s, &p->choice, (struct lift_outcome){!isinf(p->seconds), p->seconds});
    }
}
