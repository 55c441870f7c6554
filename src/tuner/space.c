#include "lift/space.h"
#include "lift/bug.h"
#include "tuner/space_eval.h"
#include <string.h>

/* Counting gives up beyond this many remembered prefixes, or steps of work. */
enum { MEMO_STATES = 1 << 16, COUNT_WORK = 1 << 20 };

#define COUNT_MAX (INT64_C(1) << 62)

struct constraint {
    enum lift_constraint_kind kind;
    struct tuner_code a, b;
    int last; /* the parameter that binds the last variable; -1: there is none */
};

/* The number of completions of a prefix depends only on the values that a later
 * constraint still looks at: they make the key, and so many prefixes share one entry. */
struct memo_entry {
    uint64_t key; /* 0: free */
    int64_t count;
};

struct memo {
    struct memo_entry *entries;
    size_t count, cap;
    int64_t work;
    bool done, failed; /* counted; given up */
};

struct lift_space {
    struct lift_arena *arena;
    struct lift_param *params;
    int param_count;
    struct constraint *constraints; /* by 'last' */
    int *first;     /* [param_count + 2]; of the constraints ending at -1, 0, ... */
    uint32_t *live; /* [param_count + 1]; values that matter from there on */
    struct memo *memo;
    bool possible; /* the constraints without parameters hold */
};

/* A point being built: bound values, by parameter. */
struct prefix {
    int index[LIFT_SPACE_PARAMS];
    int64_t value[LIFT_SPACE_PARAMS];
};

static bool holds(const struct constraint *c, const int64_t *values)
{
    int64_t a, b;

    if (!tuner_eval(&c->a, values, &a) || !tuner_eval(&c->b, values, &b))
        return false;
    if (c->kind == LIFT_CONSTRAINT_LE)
        return a <= b;
    return a >= 1 && b % a == 0;
}

/* Binds parameter 'at'; false if a constraint that this completes does not hold. */
static bool bind(const struct lift_space *s, struct prefix *p, int at, int index)
{
    p->index[at] = index;
    p->value[at] = s->params[at].values[index];
    for (int i = s->first[at + 1]; i < s->first[at + 2]; i++)
        if (!holds(&s->constraints[i], p->value))
            return false;
    return true;
}

/* Construction. */

static void copy_params(struct lift_space *s, const struct lift_param *params)
{
    s->params = LIFT_NEW_ARRAY(s->arena, struct lift_param, s->param_count);
    for (int i = 0; i < s->param_count; i++) {
        for (int j = 0; j < i; j++)
            LIFT_ASSERT(strcmp(params[i].name, params[j].name) != 0);
        for (int k = 1; k < params[i].count; k++)
            LIFT_ASSERT(params[i].values[k - 1] < params[i].values[k]);
        s->params[i] = params[i];
        s->params[i].name = lift_arena_strdup(s->arena, params[i].name);
        s->params[i].values =
            lift_arena_copy(s->arena, params[i].values,
                            (size_t)params[i].count * sizeof *params[i].values);
    }
}

static struct constraint compile(const struct lift_space *s,
                                 const struct lift_constraint *c)
{
    struct constraint out = {.kind = c->kind, .last = -1};
    uint32_t used;

    out.a = tuner_compile(s->arena, c->a, s->params, s->param_count);
    out.b = tuner_compile(s->arena, c->b, s->params, s->param_count);
    used = out.a.params | out.b.params;
    if (used)
        out.last = 31 - __builtin_clz(used);
    return out;
}

/* Sorts the constraints by the parameter that completes them. */
static void attach(struct lift_space *s, const struct lift_constraint *constraints,
                   int count)
{
    struct constraint *all = LIFT_NEW_ARRAY(s->arena, struct constraint, count);
    int n = 0;

    s->constraints = LIFT_NEW_ARRAY(s->arena, struct constraint, count);
    s->first = LIFT_NEW_ARRAY(s->arena, int, s->param_count + 2);
    s->live = LIFT_NEW_ARRAY(s->arena, uint32_t, s->param_count + 1);
    for (int i = 0; i < count; i++)
        all[i] = compile(s, &constraints[i]);
    for (int at = -1; at < s->param_count; at++) {
        s->first[at + 1] = n;
        for (int i = 0; i < count; i++)
            if (all[i].last == at)
                s->constraints[n++] = all[i];
    }
    s->first[s->param_count + 1] = n;
    for (int at = 0; at <= s->param_count; at++)
        for (int i = 0; i < count; i++)
            if (all[i].last >= at)
                s->live[at] |= (all[i].a.params | all[i].b.params) &
                               (uint32_t)((UINT64_C(1) << at) - 1);
}

struct lift_space *lift_space_create(struct lift_arena *arena,
                                     const struct lift_param *params, int param_count,
                                     const struct lift_constraint *constraints,
                                     int constraint_count)
{
    struct lift_space *s = LIFT_NEW(arena, struct lift_space);

    LIFT_ASSERT(param_count >= 0 && param_count <= LIFT_SPACE_PARAMS);
    s->arena = arena;
    s->param_count = param_count;
    s->memo = LIFT_NEW(arena, struct memo);
    copy_params(s, params);
    attach(s, constraints, constraint_count);
    s->possible = true;
    for (int i = 0; i < s->first[1]; i++)
        s->possible = s->possible && holds(&s->constraints[i], NULL);
    return s;
}

int lift_space_param_count(const struct lift_space *space)
{
    return space->param_count;
}

const struct lift_param *lift_space_param(const struct lift_space *space, int index)
{
    LIFT_ASSERT(index >= 0 && index < space->param_count);
    return &space->params[index];
}

double lift_space_raw_size(const struct lift_space *space)
{
    double size = 1;

    for (int i = 0; i < space->param_count; i++)
        size *= space->params[i].count;
    return size;
}

/* Counting. */

/* Exact, in mixed radix; false if 64 bits do not hold it. */
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

/* The number of completions of a valid prefix of 'at' values; -1 if that is too much
 * work. */
static int64_t completions(const struct lift_space *s, struct prefix *p, int at)
{
    int64_t total = 0;
    uint64_t key;

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
        if (!bind(s, p, at, i))
            continue;
        below = completions(s, p, at + 1);
        if (below < 0 || total + below > COUNT_MAX)
            return -1;
        total += below;
    }
    return memo_put(s, key, total) ? total : -1;
}

/* Counts the space at the first need. Afterwards 'completions' only looks things up. */
static bool counted(const struct lift_space *s)
{
    struct prefix p;

    if (s->memo->done || s->memo->failed)
        return s->memo->done;
    if (s->possible && completions(s, &p, 0) < 0)
        s->memo->failed = true;
    else
        s->memo->done = true;
    s->memo->work = 0;
    return s->memo->done;
}

/* Whether an unfinished constraint may still hold, given the ranges of what is not bound.
 */
static bool may_hold(const struct constraint *c, const struct tuner_range *ranges)
{
    struct tuner_range a, b;

    return c->kind != LIFT_CONSTRAINT_LE || !tuner_bounds(&c->a, ranges, &a) ||
           !tuner_bounds(&c->b, ranges, &b) || a.lo <= b.hi;
}

/* False if it is known that no point begins so. Without counts the ranges must tell: else
 * a search would learn only at the last parameter that the first were chosen too large.
 */
static bool promising(const struct lift_space *s, struct prefix *p, int at)
{
    struct tuner_range ranges[LIFT_SPACE_PARAMS];

    if (s->memo->done)
        return completions(s, p, at) > 0;
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

/* Enumeration. */

/* Completes a prefix of 'at' values to its first point in lexicographic order. */
static bool complete(const struct lift_space *s, struct prefix *p, int at)
{
    if (at == s->param_count)
        return true;
    for (int i = 0; i < s->params[at].count; i++)
        if (bind(s, p, at, i) && promising(s, p, at + 1) && complete(s, p, at + 1))
            return true;
    return false;
}

/* The first point after 'p' that keeps its values before some parameter and raises that.
 */
static bool advance(const struct lift_space *s, struct prefix *p)
{
    for (int at = s->param_count - 1; at >= 0; at--)
        for (int i = p->index[at] + 1; i < s->params[at].count; i++)
            if (bind(s, p, at, i) && promising(s, p, at + 1) && complete(s, p, at + 1))
                return true;
    return false;
}

static void load(const struct lift_space *s, struct prefix *p, const int *point)
{
    for (int i = 0; i < s->param_count; i++) {
        LIFT_ASSERT(point[i] >= 0 && point[i] < s->params[i].count);
        p->index[i] = point[i];
        p->value[i] = s->params[i].values[point[i]];
    }
}

static void store(const struct lift_space *s, const struct prefix *p, int *point)
{
    if (s->param_count)
        memcpy(point, p->index, (size_t)s->param_count * sizeof *point);
}

bool lift_space_next(const struct lift_space *space, int *point, bool first)
{
    struct prefix p;
    bool found;

    if (!space->possible)
        return false;
    counted(space);
    if (first) {
        found = complete(space, &p, 0);
    } else {
        load(space, &p, point);
        found = advance(space, &p);
    }
    if (found)
        store(space, &p, point);
    return found;
}

int64_t lift_space_size(const struct lift_space *space, int64_t limit)
{
    struct prefix p;
    int64_t n = 0;

    if (!space->possible || limit <= 0)
        return 0;
    if (counted(space)) {
        n = completions(space, &p, 0);
        return n < limit ? n : limit;
    }
    for (bool more = complete(space, &p, 0); more && n < limit; more = advance(space, &p))
        n++;
    return n;
}

bool lift_space_valid(const struct lift_space *space, const int *point)
{
    struct prefix p;

    if (!space->possible)
        return false;
    load(space, &p, point);
    for (int i = space->first[1]; i < space->first[space->param_count + 1]; i++)
        if (!holds(&space->constraints[i], p.value))
            return false;
    return true;
}

/* Sampling. */

/* The point of rank 'rank' among the completions of a prefix. */
static void pick(const struct lift_space *s, struct prefix *p, int at, int64_t rank)
{
    if (at == s->param_count)
        return;
    for (int i = 0; i < s->params[at].count; i++) {
        int64_t n = bind(s, p, at, i) ? completions(s, p, at + 1) : 0;

        if (rank < n) {
            pick(s, p, at + 1, rank);
            return;
        }
        rank -= n;
    }
    LIFT_BUG("a counted space has fewer points than counted");
}

/* Depth first, the values of each parameter in random order. */
static bool wander(const struct lift_space *s, struct lift_rng *rng, struct prefix *p,
                   int at)
{
    int n = at < s->param_count ? s->params[at].count : 0;
    int order[n > 0 ? n : 1];

    if (at == s->param_count)
        return true;
    for (int i = 0; i < n; i++)
        order[i] = i;
    for (int left = n; left > 0; left--) {
        int j = (int)lift_rng_below(rng, (uint64_t)left);
        int value = order[j];

        order[j] = order[left - 1];
        if (bind(s, p, at, value) && promising(s, p, at + 1) && wander(s, rng, p, at + 1))
            return true;
    }
    return false;
}

bool lift_space_sample(const struct lift_space *space, struct lift_rng *rng, int *point)
{
    struct prefix p;

    if (!space->possible)
        return false;
    if (counted(space)) {
        int64_t n = completions(space, &p, 0);

        if (!n)
            return false;
        pick(space, &p, 0, (int64_t)lift_rng_below(rng, (uint64_t)n));
    } else if (!wander(space, rng, &p, 0)) {
        return false;
    }
    store(space, &p, point);
    return true;
}

/* Neighbours. */

static void visit_if_valid(const struct lift_space *space, const int *point,
                           lift_space_visit *visit, void *user)
{
    if (lift_space_valid(space, point))
        visit(user, point);
}

void lift_space_neighbours(const struct lift_space *space, const int *point, bool far,
                           lift_space_visit *visit, void *user)
{
    int moved[LIFT_SPACE_PARAMS];

    for (int i = 0; i < space->param_count; i++)
        moved[i] = point[i];
    for (int at = 0; at < space->param_count; at++) {
        int lo = far || point[at] == 0 ? 0 : point[at] - 1;
        int hi = far || point[at] + 1 == space->params[at].count
                     ? space->params[at].count - 1
                     : point[at] + 1;

        for (moved[at] = lo; moved[at] <= hi; moved[at]++)
            if (moved[at] != point[at])
                visit_if_valid(space, moved, visit, user);
        moved[at] = point[at];
    }
}

int64_t lift_space_value(const struct lift_space *space, const int *point,
                         const char *name, bool *found)
{
    for (int i = 0; i < space->param_count; i++)
        if (!strcmp(space->params[i].name, name)) {
            *found = true;
            return space->params[i].values[point[i]];
        }
    *found = false;
    return 0;
}
