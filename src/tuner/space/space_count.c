#include "tuner/space/space_core.h"

/* Counting gives up beyond this many stored prefixes, or steps of work. */
enum { MEMO_STATES = 1 << 16, COUNT_WORK = 1 << 17 };

#define COUNT_MAX (INT64_C(1) << 62)

/* Computes the exact key, in mixed radix; false if the key does not fit in 64 bits. */
static bool key_of(const struct lift_space *s, const struct prefix *p, int at,
                   uint64_t *key)
{
    uint64_t k = 1;

    for (int i = 0; i < at; i++)
        if (s->live[at] & UINT32_C(1) << i)
            if (__builtin_mul_overflow(k, (uint64_t)s->params[i].count, &k) ||
                __builtin_add_overflow(k, (uint64_t)p->index[i], &k))
                return false;
    if (__builtin_mul_overflow(k, (uint64_t)LIFT_SPACE_PARAMS + 1, &k))
        return false;
    return !__builtin_add_overflow(k, (uint64_t)at, key);
}

static struct memo_entry *slot(struct memo *m, uint64_t key)
{
    size_t i = (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (m->cap - 1);

    while (m->entries[i].key && m->entries[i].key != key)
        i = (i + 1) & (m->cap - 1);
    return &m->entries[i];
}

static void memo_grow(const struct lift_space *s)
{
    struct memo old = *s->memo;

    s->memo->cap = old.cap ? 2 * old.cap : 256;
    s->memo->entries = LIFT_NEW_ARRAY(s->arena, struct memo_entry, s->memo->cap);
    for (size_t i = 0; i < old.cap; i++)
        if (old.entries[i].key)
            *slot(s->memo, old.entries[i].key) = old.entries[i];
}

static bool memo_put(const struct lift_space *s, uint64_t key, int64_t count)
{
    if (s->memo->count == MEMO_STATES)
        return false;
    if (2 * s->memo->count >= s->memo->cap)
        memo_grow(s);
    *slot(s->memo, key) = (struct memo_entry){key, count};
    s->memo->count++;
    return true;
}

/* Returns the number of completions, or -1 if counting takes too much work. */
int64_t space_completions(const struct lift_space *s, struct prefix *p, int at)
{
    int64_t total = 0;
    uint64_t key;

    if (s->rows)
        return space_rows(s, p->index, at, NULL);
    if (at == s->param_count)
        return 1;
    if (!key_of(s, p, at, &key))
        return -1;
    if (s->memo->cap && slot(s->memo, key)->key)
        return slot(s->memo, key)->count;
    for (int i = 0; i < s->params[at].count; i++) {
        int64_t below;

        if (++s->memo->work > COUNT_WORK)
            return -1;
        if (!space_bind(s, p, at, i))
            continue;
        below = space_completions(s, p, at + 1);
        if (below < 0 || below > COUNT_MAX - total)
            return -1;
        total += below;
    }
    return memo_put(s, key, total) ? total : -1;
}

bool space_counted(const struct lift_space *s)
{
    struct prefix p;

    if (s->rows)
        return true;
    if (s->memo->done || s->memo->failed)
        return s->memo->done;
    if (s->possible && space_completions(s, &p, 0) < 0)
        s->memo->failed = true;
    else
        s->memo->done = true;
    s->memo->work = 0;
    return s->memo->done;
}

/* Returns true if a partly bound constraint may still hold, given the ranges of
 * unbound parameters. */
static bool may_hold(const struct constraint *c, const struct tuner_range *ranges)
{
    struct tuner_range a, b;

    return c->kind != LIFT_CONSTRAINT_LE || !tuner_bounds(&c->a, ranges, &a) ||
           !tuner_bounds(&c->b, ranges, &b) || a.lo <= b.hi;
}

/* Without counts, the ranges must exclude prefixes. Otherwise a search would find
 * only at the last parameter that the first values were too large. */
bool space_promising(const struct lift_space *s, struct prefix *p, int at)
{
    struct tuner_range ranges[LIFT_SPACE_PARAMS];

    if (s->rows || s->memo->done)
        return space_completions(s, p, at) > 0;
    for (int i = 0; i < s->param_count; i++) {
        const struct lift_param *q = &s->params[i];

        if (i >= at && !q->count)
            return false;
        ranges[i].lo = i < at ? p->value[i] : q->values[0];
        ranges[i].hi = i < at ? p->value[i] : q->values[q->count - 1];
    }
    for (int i = s->first[at + 1]; i < s->first[s->param_count + 1]; i++)
        if (!may_hold(&s->constraints[i], ranges))
            return false;
    return true;
}
