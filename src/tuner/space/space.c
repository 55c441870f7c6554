#include "base/bug.h"
#include "tuner/space/space_core.h"
#include <string.h>

bool space_holds(const struct constraint *c, const int64_t *values)
{
    int64_t a, b;

    if (!tuner_eval(&c->a, values, &a) || !tuner_eval(&c->b, values, &b))
        return false;
    if (c->kind == LIFT_CONSTRAINT_LE)
        return a <= b;
    return a >= 1 && b % a == 0;
}

bool space_bind(const struct lift_space *s, struct prefix *p, int at, int index)
{
    p->index[at] = index;
    p->value[at] = s->params[at].values[index];
    for (int i = s->first[at + 1]; i < s->first[at + 2]; i++)
        if (!space_holds(&s->constraints[i], p->value))
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
        s->params[i].former =
            params[i].former ? lift_arena_strdup(s->arena, params[i].former) : NULL;
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

/* Sorts the constraints by the parameter that binds their last variable. */
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
        s->possible = s->possible && space_holds(&s->constraints[i], NULL);
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

/* Enumeration. */

/* Completes a prefix of 'at' values to its first point in lexicographic order. */
static bool complete(const struct lift_space *s, struct prefix *p, int at)
{
    if (at == s->param_count)
        return true;
    for (int i = 0; i < s->params[at].count; i++)
        if (space_bind(s, p, at, i) && space_promising(s, p, at + 1) &&
            complete(s, p, at + 1))
            return true;
    return false;
}

/* Moves to the first point after 'p': keeps a longest possible prefix and raises the
 * next value. */
static bool advance(const struct lift_space *s, struct prefix *p)
{
    for (int at = s->param_count - 1; at >= 0; at--)
        for (int i = p->index[at] + 1; i < s->params[at].count; i++)
            if (space_bind(s, p, at, i) && space_promising(s, p, at + 1) &&
                complete(s, p, at + 1))
                return true;
    return false;
}

void space_load(const struct lift_space *s, struct prefix *p, const int *point)
{
    for (int i = 0; i < s->param_count; i++) {
        LIFT_ASSERT(point[i] >= 0 && point[i] < s->params[i].count);
        p->index[i] = point[i];
        p->value[i] = s->params[i].values[point[i]];
    }
}

void space_store(const struct lift_space *s, const struct prefix *p, int *point)
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
    space_counted(space);
    if (first) {
        found = complete(space, &p, 0);
    } else {
        space_load(space, &p, point);
        found = advance(space, &p);
    }
    if (found)
        space_store(space, &p, point);
    return found;
}

/* Returns true if there is a first point. 'steps' is below 0 if the search gave up. */
static bool seek(const struct lift_space *s, struct prefix *p, int at, int *steps)
{
    if (at == s->param_count)
        return true;
    for (int i = 0; i < s->params[at].count && *steps >= 0; i++, --*steps)
        if (space_bind(s, p, at, i) && space_promising(s, p, at + 1) &&
            seek(s, p, at + 1, steps))
            return true;
    return false;
}

bool lift_space_empty(const struct lift_space *space)
{
    enum { MOST_STEPS = 2000 };
    struct prefix p;
    int steps = MOST_STEPS;

    if (!space->possible)
        return true;
    if (seek(space, &p, 0, &steps))
        return false;
    return steps >= 0 || lift_space_size(space, 1) == 0;
}

int64_t lift_space_size(const struct lift_space *space, int64_t limit)
{
    struct prefix p;
    int64_t n = 0;

    if (!space->possible || limit <= 0)
        return 0;
    if (space_counted(space)) {
        n = space_completions(space, &p, 0);
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
    if (space->rows)
        return space_rows(space, point, space->param_count, NULL) > 0;
    space_load(space, &p, point);
    for (int i = space->first[1]; i < space->first[space->param_count + 1]; i++)
        if (!space_holds(&space->constraints[i], p.value))
            return false;
    return true;
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
