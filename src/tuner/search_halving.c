/* The budget moves to the expressions that win. They come in brackets, in the order in
 * which they are listed; of each bracket all get a try, the best quarter some more and
 * its best one more again; between the brackets, and after the last, the best of all are
 * climbed. The first point of an expression has the values of the best point so far,
 * carried over by name. */
#include "lift/bug.h"
#include "tuner/search_seen.h"
#include <math.h>
#include <stdlib.h>

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

/* An expression, with a climb of its own. */
struct arm {
    const struct lift_joint *joint; /* of this expression alone */
    struct lift_rng rng;
    void *climb;
    int tried;
    double best; /* seconds; infinite: no try was good */
    bool carried, exhausted;
};

struct halving_state {
    const struct lift_joint *joint;
    struct lift_rng *rng;
    struct lift_arena *arena;
    struct search_seen seen;
    struct arm *arms;
    int count;
    int *order; /* room for ranking */
    int bracket, climbs_left;
    bool any; /* there is a best point */
    struct lift_choice best;
};

static void *get_memory(size_t count, size_t size)
{
    void *memory = calloc(count ? count : 1, size);

    if (!memory)
        LIFT_BUG("out of memory");
    return memory;
}

static void start_arm(struct halving_state *s, int expr)
{
    struct arm *arm = &s->arms[expr];
    struct lift_joint_expr alone = {.space = lift_joint_space(s->joint, expr)};

    arm->best = INFINITY;
    arm->joint = lift_joint_create(
        s->arena, &(struct lift_joint_parts){.exprs = &alone, .count = 1});
    arm->climb = get_memory(1, search_climb.state_size);
    lift_rng_seed(&arm->rng, lift_rng_next(s->rng));
    search_climb.init(arm->climb, arm->joint, &arm->rng, 0);
}

static void halving_init(void *state, const struct lift_joint *joint,
                         struct lift_rng *rng, int64_t expected_tries)
{
    struct halving_state *s = state;

    (void)expected_tries;
    s->joint = joint;
    s->rng = rng;
    s->arena = lift_arena_create();
    search_seen_init(&s->seen, joint);
    s->count = lift_joint_exprs(joint);
    s->climbs_left = CLIMBS;
    s->arms = get_memory((size_t)s->count, sizeof *s->arms);
    s->order = get_memory((size_t)s->count, sizeof *s->order);
    for (int i = 0; i < s->count; i++)
        start_arm(s, i);
}

static void halving_fini(void *state)
{
    struct halving_state *s = state;

    for (int i = 0; i < s->count; i++) {
        search_climb.fini(s->arms[i].climb);
        free(s->arms[i].climb);
    }
    search_seen_fini(&s->seen);
    lift_arena_destroy(s->arena);
    free(s->arms);
    free(s->order);
}

/* Ranks expressions first .. first+count-1 into 'order', the best first; equal ones keep
 * their order. Small enough for insertion. */
static void rank(struct halving_state *s, int first, int count)
{
    for (int i = 0; i < count; i++) {
        int at = i;

        for (; at > 0 && s->arms[s->order[at - 1]].best > s->arms[first + i].best; at--)
            s->order[at] = s->order[at - 1];
        s->order[at] = first + i;
    }
}

/* An expression of the bracket that a rung owes a try; -1: none. */
static int owed(struct halving_state *s)
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
static int climbed(struct halving_state *s)
{
    int left = SPREAD, last = -1;

    rank(s, 0, s->count);
    for (int i = 0; i < s->count && left > 0; i++) {
        const struct arm *arm = &s->arms[s->order[i]];

        if (arm->exhausted || (isinf(arm->best) && last >= 0))
            continue;
        last = s->order[i];
        left--;
        if (lift_rng_below(s->rng, 2) == 0)
            break;
    }
    return last;
}

static int choose(struct halving_state *s)
{
    while (s->bracket * BRACKET < s->count) {
        int arm = owed(s);

        if (arm < 0 && s->climbs_left > 0 && s->any) {
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

/* The first point of an expression. */
static bool carry_over(struct halving_state *s, int expr, struct lift_choice *choice)
{
    struct arm *arm = &s->arms[expr];

    if (arm->tried > 0 || arm->carried)
        return false;
    arm->carried = true;
    return (s->any ? lift_joint_carry(s->joint, &s->best, expr, choice)
                   : lift_joint_start(s->joint, expr, choice)) &&
           !search_seen_has(&s->seen, choice);
}

static bool climb(struct halving_state *s, int expr, struct lift_choice *choice)
{
    while (search_climb.propose(s->arms[expr].climb, choice)) {
        choice->expr = expr;
        if (!search_seen_has(&s->seen, choice))
            return true;
    }
    s->arms[expr].exhausted = true;
    return false;
}

static bool halving_propose(void *state, struct lift_choice *choice)
{
    struct halving_state *s = state;

    for (;;) {
        int expr = choose(s);

        if (expr < 0)
            return false;
        if (carry_over(s, expr, choice) || climb(s, expr, choice)) {
            s->arms[expr].tried++;
            search_seen_add(&s->seen, choice);
            return true;
        }
    }
}

static void halving_observe(void *state, const struct lift_choice *choice,
                            struct lift_outcome outcome)
{
    struct halving_state *s = state;
    struct arm *arm = &s->arms[choice->expr];
    struct lift_choice alone = *choice;

    alone.expr = 0;
    if (!search_seen_has(&s->seen, choice))
        arm->tried++;
    search_seen_add(&s->seen, choice);
    search_climb.observe(arm->climb, &alone, outcome);
    if (!outcome.ok)
        return;
    if (!s->any || outcome.seconds < s->arms[s->best.expr].best) {
        s->any = true;
        s->best = *choice;
    }
    if (outcome.seconds < arm->best)
        arm->best = outcome.seconds;
}

const struct lift_technique search_halving = {
    .name = "halving",
    .doc = "successive halving over the expressions, the best ones climbed",
    .state_size = sizeof(struct halving_state),
    .init = halving_init,
    .propose = halving_propose,
    .observe = halving_observe,
    .fini = halving_fini,
};
