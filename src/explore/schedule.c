#include "explore/schedule.h"
#include "lift/bug.h"
#include "lift/hash.h"
#include "lift/table.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BRACKET = 16, /* expressions that compete with each other first */
    RUNGS = 3,
    CLIMBS = 12, /* tries on the best of all after each bracket */
    SPREAD = 6,  /* of the best expressions are climbed in turn */
};

/* Of a bracket, 'keep' expressions get 'tries' each. */
static const struct rung {
    int keep, tries;
} rungs[RUNGS] = {{BRACKET, 1}, {BRACKET / 4, 4}, {1, 12}};

struct arm {
    const struct lift_space *space;
    struct lift_rng rng;
    void *state;
    struct lift_table told; /* points, in the arena of the schedule */
    int tried;
    double best; /* seconds; infinite: no try was good */
    bool carried, exhausted;
};

struct explore_schedule {
    const struct lift_technique *technique;
    struct lift_arena *arena;
    struct arm *arms;
    int count;
    int *order; /* room for ranking */
    struct lift_rng rng;
    int bracket, climbs_left;
    int best; /* the expression of the best point; -1: none */
    int best_point[LIFT_SPACE_PARAMS];
};

static void *get_memory(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size ? size : 1);

    if (!memory)
        LIFT_BUG("out of memory");
    return memory;
}

struct explore_schedule *explore_schedule_create(const struct lift_space *const *spaces,
                                                 int count,
                                                 const struct lift_technique *technique,
                                                 uint64_t seed)
{
    struct explore_schedule *s = get_memory(1, sizeof *s);

    s->arena = lift_arena_create();
    s->technique = technique;
    s->count = count;
    s->best = -1;
    s->climbs_left = CLIMBS;
    s->arms = get_memory((size_t)count, sizeof *s->arms);
    s->order = get_memory((size_t)count, sizeof *s->order);
    lift_rng_seed(&s->rng, seed);
    for (int i = 0; i < count; i++) {
        struct arm *arm = &s->arms[i];

        arm->space = spaces[i];
        arm->best = INFINITY;
        arm->state = get_memory(1, technique->state_size);
        lift_rng_seed(&arm->rng, lift_rng_next(&s->rng));
        technique->init(arm->state, arm->space, &arm->rng);
    }
    return s;
}

void explore_schedule_destroy(struct explore_schedule *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->count; i++) {
        s->technique->fini(s->arms[i].state);
        free(s->arms[i].state);
        lift_table_fini(&s->arms[i].told);
    }
    lift_arena_destroy(s->arena);
    free(s->arms);
    free(s->order);
    free(s);
}

/* ---- points that were told of: techniques may propose them again */

struct known_point {
    const int *point;
    size_t bytes;
};

static bool same_point(const void *entry, const void *key)
{
    const struct known_point *a = entry, *b = key;

    return a->bytes == b->bytes && (!a->bytes || !memcmp(a->point, b->point, a->bytes));
}

static struct known_point key_of(const struct arm *arm, const int *point, uint64_t *hash)
{
    struct known_point key = {point,
                              (size_t)lift_space_param_count(arm->space) * sizeof *point};

    *hash = lift_hash_bytes(point, key.bytes, 0).lo;
    return key;
}

static bool is_known(const struct arm *arm, const int *point)
{
    uint64_t hash;
    struct known_point key = key_of(arm, point, &hash);

    return lift_table_find(&arm->told, hash, &key, same_point) != NULL;
}

static void make_known(struct explore_schedule *s, struct arm *arm, const int *point)
{
    uint64_t hash;
    struct known_point key = key_of(arm, point, &hash);

    if (is_known(arm, point))
        return;
    key.point = lift_arena_copy(s->arena, point, key.bytes);
    lift_table_insert(&arm->told, hash, lift_arena_copy(s->arena, &key, sizeof key));
}

/* ---- */

/* Ranks expressions first .. first+count-1 into 'order', the best first; equal ones keep
 * their order. Small enough for insertion. */
static void rank(struct explore_schedule *s, int first, int count)
{
    for (int i = 0; i < count; i++) {
        int at = i;

        for (; at > 0 && s->arms[s->order[at - 1]].best > s->arms[first + i].best; at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = first + i;
    }
}

/* An expression of the bracket that a rung owes a try; -1: none. */
static int owed(struct explore_schedule *s)
{
    int first = s->bracket * BRACKET;
    int count = s->count - first < BRACKET ? s->count - first : BRACKET;

    rank(s, first, count);
    for (int r = 0; r < RUNGS; r++)
        for (int i = 0; i < count && i < rungs[r].keep; i++) {
            const struct arm *arm = &s->arms[s->order[i]];

            if (r > 0 && isinf(arm->best))
                break;
            if (!arm->exhausted && arm->tried < rungs[r].tries)
                return s->order[i];
        }
    return -1;
}

/* One of the best expressions of all: the i-th with probability 2^-i. Those of which no
 * try was good come last. */
static int climbed(struct explore_schedule *s)
{
    int left = SPREAD, last = -1;

    rank(s, 0, s->count);
    for (int i = 0; i < s->count && left > 0; i++) {
        const struct arm *arm = &s->arms[s->order[i]];

        if (arm->exhausted || (isinf(arm->best) && last >= 0))
            continue;
        last = s->order[i];
        left--;
        if (lift_rng_below(&s->rng, 2) == 0)
            break;
    }
    return last;
}

static int choose(struct explore_schedule *s)
{
    while (s->bracket * BRACKET < s->count) {
        int arm = owed(s);

        if (arm < 0 && s->climbs_left > 0 && s->best >= 0) {
            s->climbs_left--;
            arm = climbed(s);
        }
        if (arm >= 0)
            return arm;
        s->bracket++;
        s->climbs_left = CLIMBS;
    }
    return climbed(s);
}

/* The index of 'value' among the values of a parameter; -1: it is not one of them. */
static int find_value(const struct lift_param *param, int64_t value)
{
    for (int i = 0; i < param->count; i++)
        if (param->values[i] == value)
            return i;
    return -1;
}

/* What a parameter should start with: its value at the best point, else the one that it
 * names itself. An index; -1: there is none. */
static int wanted_value(const struct explore_schedule *s, const struct lift_param *param)
{
    bool found = s->best < 0 && param->start != 0;
    int64_t value = param->start;

    if (s->best >= 0)
        value =
            lift_space_value(s->arms[s->best].space, s->best_point, param->name, &found);
    return found ? find_value(param, value) : -1;
}

/* A random valid point with the wanted values, as far as that is valid. */
static bool carry_over(struct explore_schedule *s, struct arm *arm, int *point)
{
    bool carried = false;

    if (arm->tried > 0 || arm->carried)
        return false;
    arm->carried = true;
    if (!lift_space_sample(arm->space, &arm->rng, point))
        return false;
    for (int i = 0; i < lift_space_param_count(arm->space); i++) {
        int kept = point[i], value = wanted_value(s, lift_space_param(arm->space, i));

        if (value < 0)
            continue;
        point[i] = value;
        if (lift_space_valid(arm->space, point))
            carried = true;
        else
            point[i] = kept;
    }
    return carried;
}

bool explore_schedule_next(struct explore_schedule *s, int *expr, int *point)
{
    for (;;) {
        struct arm *arm;

        *expr = choose(s);
        if (*expr < 0)
            return false;
        arm = &s->arms[*expr];
        if (carry_over(s, arm, point))
            return true;
        while (s->technique->propose(arm->state, point))
            if (!is_known(arm, point))
                return true;
        arm->exhausted = true;
    }
}

void explore_schedule_tell(struct explore_schedule *s, int expr, const int *point,
                           struct lift_outcome outcome)
{
    struct arm *arm = &s->arms[expr];
    size_t bytes = (size_t)lift_space_param_count(arm->space) * sizeof *point;

    make_known(s, arm, point);
    s->technique->observe(arm->state, point, outcome);
    arm->tried++;
    if (!outcome.ok)
        return;
    if (s->best < 0 || outcome.seconds < s->arms[s->best].best) {
        s->best = expr;
        if (bytes)
            memcpy(s->best_point, point, bytes);
    }
    if (outcome.seconds < arm->best)
        arm->best = outcome.seconds;
}
