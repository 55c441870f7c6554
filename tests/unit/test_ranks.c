/* Ranks that share a recorded space and read each other's fastest points: together they
 * find as good points as one rank with the trials of all. Deterministic, without a clock.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bench/replay.h"
#include "tuner/space/joint_core.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RANKS = 4, TRIALS = 100, FASTEST = 8, LOOKS = 20 };

struct rank {
    struct lift_replay *space;
    struct lift_search *search;
    struct tried {
        struct lift_choice choice;
        struct lift_outcome outcome;
    } tried[TRIALS];
    int count;
    struct lift_choice told[RANKS * LOOKS * FASTEST]; /* of others */
    int told_count;
};

static void begin(struct rank *r, const char *name, int share, int shares, uint64_t seed)
{
    LIFT_SCOPED(lift_str) path = {0}, why = {0};
    struct lift_joint *joint;

    lift_str_addf(&path, "%s/bench/spaces/%s.txt.gz", getenv("LIFT_SOURCE_DIR"), name);
    r->space = lift_replay_read(lift_str_get(&path), &why);
    assert_non_null(r->space);
    joint = (struct lift_joint *)lift_replay_joint(r->space);
    joint->share = share;
    joint->shares = shares;
    for (int i = 0; i < joint->count; i++)
        joint->exprs[i].key = (uint64_t)i * 0x9e3779b97f4a7c15;
    r->search = lift_search_create(joint, lift_techniques[0], seed);
}

static void end(struct rank *r)
{
    lift_search_destroy(r->search);
    lift_replay_destroy(r->space);
}

static void try_one(struct rank *r)
{
    struct tried *t = &r->tried[r->count];

    if (!lift_search_next(r->search, &t->choice))
        return;
    assert_true(lift_joint_is_ours(lift_replay_joint(r->space), &t->choice));
    t->outcome = lift_replay_answer(r->space, &t->choice).outcome;
    lift_search_tell(r->search, &t->choice, t->outcome);
    r->count++;
}

/* ---- winners */

static bool is_told(const struct rank *r, const struct lift_choice *choice)
{
    for (int i = 0; i < r->told_count; i++)
        if (lift_choice_equal(&r->told[i], choice))
            return true;
    return false;
}

static bool is_among(const struct tried *t, const struct rank *r)
{
    int faster = 0;

    for (int i = 0; i < r->count && t->outcome.ok; i++)
        faster +=
            r->tried[i].outcome.ok && r->tried[i].outcome.seconds < t->outcome.seconds;
    return t->outcome.ok && faster < FASTEST;
}

static void look_at(struct rank *r, const struct rank *other)
{
    for (int i = 0; i < other->count; i++) {
        const struct tried *t = &other->tried[i];

        if (!is_among(t, other) || is_told(r, &t->choice) ||
            r->told_count == RANKS * LOOKS * FASTEST)
            continue;
        r->told[r->told_count++] = t->choice;
        lift_search_tell(r->search, &t->choice, t->outcome);
    }
}

/* ---- all of them */

static double best_of(const struct rank *r)
{
    double best = INFINITY;

    for (int i = 0; i < r->count; i++)
        if (r->tried[i].outcome.ok)
            best = fmin(best, r->tried[i].outcome.seconds);
    return best;
}

static void check_distinct(const struct rank *a, const struct rank *b)
{
    for (int i = 0; i < a->count; i++)
        for (int k = 0; k < b->count; k++)
            assert_false(lift_choice_equal(&a->tried[i].choice, &b->tried[k].choice));
}

static void go(struct rank *ranks, int count)
{
    int every = TRIALS / count / LOOKS;

    for (int i = 0; i < TRIALS / count; i++) {
        for (int k = 0; k < count; k++)
            try_one(&ranks[k]);
        for (int k = 0; k < count * count && i % every == every - 1; k++)
            if (k / count != k % count)
                look_at(&ranks[k / count], &ranks[k % count]);
    }
}

/* Seconds of the best that so many ranks find. */
static double find(const char *name, int count, uint64_t seed)
{
    static struct rank ranks[RANKS];
    double best = INFINITY;

    memset(ranks, 0, sizeof ranks);
    for (int i = 0; i < count; i++)
        begin(&ranks[i], name, i, count, seed);
    go(ranks, count);
    for (int i = 0; i < count; i++) {
        best = fmin(best, best_of(&ranks[i]));
        for (int k = 0; k < i; k++)
            check_distinct(&ranks[i], &ranks[k]);
    }
    for (int i = 0; i < count; i++)
        end(&ranks[i]);
    return best;
}

/* Of acoustic, four ranks that do not look at each other find one that is 4 % slower. */
static void test_same_best(void **state)
{
    (void)state;
    assert_true(find("acoustic", RANKS, 1) <= 1.03 * find("acoustic", 1, 1));
    assert_true(find("jacobi2d5", 2, 1) <= 1.03 * find("jacobi2d5", 1, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_same_best)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
