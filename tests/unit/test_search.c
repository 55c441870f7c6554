/* Every technique of the registry on landscapes with a known optimum. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "tuner/search.h"
#include "tuner/search/search_seen.h"
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_POINTS = 20000 };

/* The time of a point; negative: it fails. */
typedef double landscape(const struct lift_space *space, const int *point);

struct world {
    struct lift_arena *arena;
    struct lift_nats *nats;
    struct lift_space *space;
    struct lift_joint *joint; /* of one or more expressions with this space */
    int share, shares;        /* of 'joint' */
    int groups;               /* of expressions, by number; 0: one group */
};

/* 2^bits expressions: their features are the bits of their numbers, and those are near
 * that differ in one bit. */
static void make_joint(struct world *w, int bits)
{
    static const char *const names[] = {"f0", "f1", "f2", "f3", "f4", "f5"};
    struct lift_joint_expr exprs[1 << 6];
    double features[1 << 6][6];
    int near[1 << 6][6];

    for (int e = 0; e < 1 << bits; e++) {
        for (int b = 0; b < bits; b++) {
            features[e][b] = e >> b & 1;
            near[e][b] = e ^ 1 << b;
        }
        exprs[e] = (struct lift_joint_expr){w->space,    features[e],
                                            near[e],     bits,
                                            (uint64_t)e, w->groups ? e % w->groups : 0};
    }
    w->joint = lift_joint_create(
        w->arena, &(struct lift_joint_parts){exprs, 1 << bits, names, bits, NULL, NULL,
                                             w->share, w->shares});
}

/* 'count' parameters a, b, ... of the values 1..values; the product of the first two is
 * at most 'product' (0: no constraint). */
static void begin(struct world *w, int count, int values, int product)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
    struct lift_param params[8];
    struct lift_constraint constraint = {.kind = LIFT_CONSTRAINT_LE, .why = "product"};
    int64_t list[64];

    for (int i = 0; i < values; i++)
        list[i] = i + 1;
    for (int i = 0; i < count; i++)
        params[i] = (struct lift_param){names[i], list, values};
    w->share = w->shares = w->groups = 0;
    w->arena = lift_arena_create();
    w->nats = lift_nats_create(w->arena);
    if (product) {
        constraint.a =
            lift_nat_mul(lift_nat_var(w->nats, "a", LIFT_VAR_TUNABLE, 1, values),
                         lift_nat_var(w->nats, "b", LIFT_VAR_TUNABLE, 1, values));
        constraint.b = lift_nat_const(w->nats, product);
    }
    w->space = lift_space_create(w->arena, params, count, &constraint, product ? 1 : 0);
    make_joint(w, 0);
}

static void end(struct world *w)
{
    lift_nats_fini(w->nats);
    lift_arena_destroy(w->arena);
}

/* Landscapes. */

/* Slopes down to one point from everywhere, parameters independent. */
static double bowl(const struct lift_space *space, const int *point)
{
    double t = 1;

    for (int i = 0; i < lift_space_param_count(space); i++)
        t += pow(point[i] - (2 + i % 3), 2) * (1 + i);
    return t;
}

/* A narrow valley on the diagonal: parameters must move together. */
static double valley(const struct lift_space *space, const int *point)
{
    double t = 1;

    for (int i = 0; i < lift_space_param_count(space); i++)
        t += 0.5 * fabs(point[i] - 4.0) + (i ? 3 * abs(point[i] - point[i - 1]) : 0);
    return t;
}

/* The bowl with a third of its points failing, but not its lowest. */
static double holes(const struct lift_space *space, const int *point)
{
    double t = bowl(space, point);
    int sum = 0;

    for (int i = 0; i < lift_space_param_count(space); i++)
        sum += point[i] * (7 + i);
    return t > 1.5 && sum % 3 == 0 ? -1 : t;
}

/* Many local minima. */
static double ripples(const struct lift_space *space, const int *point)
{
    double t = bowl(space, point);

    for (int i = 0; i < lift_space_param_count(space); i++)
        t += point[i] % 2 ? 6 : 0;
    return t;
}

static double all_fail(const struct lift_space *space, const int *point)
{
    (void)space;
    (void)point;
    return -1;
}

/* The best expression is number 5; each other bit makes all its points slower. */
static double seconds_of(const struct lift_joint *joint, landscape *land,
                         const struct lift_choice *point)
{
    int wrong = __builtin_popcount((unsigned)point->expr ^ 5u);
    double t = land(lift_joint_space(joint, point->expr), point->values);

    return lift_joint_exprs(joint) > 1 ? t * (1 + 0.6 * wrong) : t;
}

/* The driver. */

struct run {
    struct lift_search *search;
    double best;
    int asked; /* points proposed */
    struct lift_choice trace[MAX_POINTS];
};

static struct run the_run, the_other;

static void start(struct run *r, const struct lift_technique *technique,
                  const struct lift_joint *joint, uint64_t seed)
{
    memset(r, 0, sizeof *r);
    r->best = INFINITY;
    r->search = lift_search_create(joint, technique, seed);
}

static void stop(struct run *r)
{
    lift_search_destroy(r->search);
}

static void tell(struct run *r, const struct lift_joint *joint, landscape *land,
                 const struct lift_choice *point)
{
    double t = seconds_of(joint, land, point);

    lift_search_tell(r->search, point, (struct lift_outcome){t >= 0, t >= 0 ? t : 0});
    if (t >= 0 && t < r->best)
        r->best = t;
}

/* Asks for one point; false at the end. */
static bool ask(struct run *r, const struct lift_joint *joint)
{
    struct lift_choice *point = &r->trace[r->asked];

    assert_true(r->asked < MAX_POINTS);
    if (!lift_search_next(r->search, point))
        return false;
    assert_true(lift_joint_valid(joint, point));
    r->asked++;
    return true;
}

static void run(struct run *r, const struct lift_technique *technique,
                const struct lift_joint *joint, landscape *land, uint64_t seed,
                int budget)
{
    start(r, technique, joint, seed);
    while (r->asked < budget && ask(r, joint))
        tell(r, joint, land, &r->trace[r->asked - 1]);
    stop(r);
}

static int by_point(const void *a, const void *b)
{
    return memcmp(a, b, sizeof the_run.trace[0]);
}

static void check_distinct(struct run *r)
{
    qsort(r->trace, (size_t)r->asked, sizeof r->trace[0], by_point);
    for (int i = 1; i < r->asked; i++)
        assert_int_not_equal(by_point(&r->trace[i - 1], &r->trace[i]), 0);
}

static double optimum(const struct lift_joint *joint, landscape *land)
{
    struct lift_choice point;
    double best = INFINITY;

    for (bool more = lift_joint_next(joint, &point, true); more;
         more = lift_joint_next(joint, &point, false)) {
        double t = seconds_of(joint, land, &point);

        if (t >= 0 && t < best)
            best = t;
    }
    return best;
}

/* Tests. */

static landscape *const landscapes[] = {bowl, valley, holes, ripples, all_fail};

enum { LANDSCAPES = sizeof landscapes / sizeof landscapes[0] };

/* With a budget beyond the space: each point once, the optimum found, then the end. */
static void check_exhaustion(const struct lift_technique *technique, int bits, int values,
                             int product, landscape *land)
{
    struct world w;

    begin(&w, 3, values, product);
    make_joint(&w, bits);
    run(&the_run, technique, w.joint, land, 1, MAX_POINTS);
    assert_int_equal(the_run.asked, lift_joint_valid_size(w.joint, NULL));
    assert_true(the_run.best == optimum(w.joint, land));
    check_distinct(&the_run);
    end(&w);
}

/* The seconds of models grow with the square of the grid points: 32 on each landscape,
 * and 36 of four expressions. One landscape has 102, and 128 of four expressions: more
 * than the 60 trials up to which each grows a forest. */
static void test_exhaustion(void **state)
{
    (void)state;
    for (int i = 0; lift_techniques[i]; i++) {
        for (int l = 0; l < LANDSCAPES; l++) {
            check_exhaustion(lift_techniques[i], 0, 4, 5, landscapes[l]);
            check_exhaustion(lift_techniques[i], 2, 3, 2, landscapes[l]);
        }
        check_exhaustion(lift_techniques[i], 0, 6, 9, holes);
        check_exhaustion(lift_techniques[i], 2, 4, 4, holes);
    }
}

/* The points of a share that a technique proposes: its own, each once. How many. */
static int check_share(struct world *w, const struct lift_technique *technique)
{
    int own = 0;

    make_joint(w, 3);
    run(&the_run, technique, w->joint, bowl, 1, MAX_POINTS);
    check_distinct(&the_run);
    for (int i = 0; i < the_run.asked; i++)
        own += lift_joint_is_ours(w->joint, &the_run.trace[i]);
    assert_int_equal(own, the_run.asked);
    return own;
}

static void test_shares(void **state)
{
    (void)state;
    for (int i = 0; lift_techniques[i]; i++) {
        struct world w;
        int all = 0, size = 0;

        begin(&w, 3, 4, 6);
        w.shares = 3;
        for (w.share = 0; w.share < w.shares; w.share++) {
            int own = check_share(&w, lift_techniques[i]);

            size = (int)lift_joint_valid_size(w.joint, NULL);
            all += own;
            assert_in_range(own, size / 5, size / 2);
        }
        assert_int_equal(all, size);
        end(&w);
    }
}

static void test_end_stays(void **state)
{
    struct lift_choice point;

    (void)state;
    for (int i = 0; lift_techniques[i]; i++)
        for (int params = 0; params <= 2; params++) {
            struct world w;

            begin(&w, params, 2, 0);
            start(&the_run, lift_techniques[i], w.joint, 1);
            while (ask(&the_run, w.joint))
                tell(&the_run, w.joint, bowl, &the_run.trace[the_run.asked - 1]);
            assert_int_equal(the_run.asked, 1 << params);
            for (int again = 0; again < 3; again++)
                assert_false(lift_search_next(the_run.search, &point));
            stop(&the_run);
            end(&w);
        }
}

static void test_no_points(void **state)
{
    (void)state;
    for (int i = 0; lift_techniques[i]; i++) {
        struct world w;

        begin(&w, 2, 0, 0);
        run(&the_run, lift_techniques[i], w.joint, bowl, 1, 10);
        assert_int_equal(the_run.asked, 0);
        end(&w);
    }
}

static void test_same_seed(void **state)
{
    (void)state;
    for (int i = 0; lift_techniques[i]; i++)
        for (uint64_t seed = 1; seed <= 2; seed++) {
            struct world w;

            begin(&w, 5, 8, 20);
            make_joint(&w, seed % 2 ? 4 : 0);
            run(&the_run, lift_techniques[i], w.joint, holes, seed, 80);
            run(&the_other, lift_techniques[i], w.joint, holes, seed, 80);
            assert_int_equal(the_run.asked, 80);
            assert_memory_equal(the_run.trace, the_other.trace, sizeof the_run.trace);
            run(&the_other, lift_techniques[i], w.joint, holes, seed + 100, 10);
            if (strcmp(lift_techniques[i]->name, "exhaustive") != 0)
                assert_memory_not_equal(the_run.trace, the_other.trace,
                                        10 * sizeof the_run.trace[0]);
            end(&w);
        }
}

/* A driver that knows a third of the points in advance: it reports some, omits others,
 * and asks for four at a time. */
static void test_partial_answers(void **state)
{
    (void)state;
    for (int i = 0; lift_techniques[i]; i++) {
        struct world w;
        int size, told = 0;

        begin(&w, 3, 5, 12);
        make_joint(&w, 2);
        size = (int)lift_joint_valid_size(w.joint, NULL);
        start(&the_run, lift_techniques[i], w.joint, 7);
        for (;;) {
            int first = the_run.asked;

            while (the_run.asked < first + 4 && ask(&the_run, w.joint))
                ;
            if (the_run.asked == first)
                break;
            for (int k = first; k < the_run.asked; k++)
                if (k % 3) {
                    tell(&the_run, w.joint, holes, &the_run.trace[k]);
                    told++;
                }
        }
        stop(&the_run);
        assert_int_equal(the_run.asked, size);
        assert_int_equal(told, size - (size + 2) / 3);
        check_distinct(&the_run);
        end(&w);
    }
}

/* Points known from an earlier session are not proposed; a good one is built upon. */
static void test_told_beforehand(void **state)
{
    static const char *const names[] = {"climb", "forest"};
    struct lift_choice lowest = {
        0, {2, 3, 4, 3}}; /* one step from the optimum of the bowl */
    struct world w;

    (void)state;
    begin(&w, 4, 9, 0);
    for (int n = 0; n < 2; n++) {
        start(&the_run, lift_technique_find(names[n]), w.joint, 3);
        tell(&the_run, w.joint, bowl, &lowest);
        while (the_run.asked < 60 && ask(&the_run, w.joint)) {
            assert_false(lift_choice_equal(&the_run.trace[the_run.asked - 1], &lowest));
            tell(&the_run, w.joint, bowl, &the_run.trace[the_run.asked - 1]);
        }
        stop(&the_run);
        assert_true(the_run.best == 1);
    }
    end(&w);
}

/* Guarantees of techniques, in per cent of the runs. */
struct promise {
    const char *name;
    int bits; /* of the expressions' numbers */
    landscape *land;
    int budget;
    double wins;
    int optimal, seeds;
};

/* Wins over random search with equal seeds and budgets, ties counting half, and the runs
 * in which the optimum is found. */
struct contest {
    double wins;
    int optimal, random_optimal;
};

static struct contest compete(const struct promise *p, const struct lift_joint *joint,
                              double lowest)
{
    struct contest c = {0};

    for (uint64_t seed = 1; seed <= (uint64_t)p->seeds; seed++) {
        run(&the_run, lift_technique_find(p->name), joint, p->land, seed, p->budget);
        run(&the_other, lift_technique_find("random"), joint, p->land, seed, p->budget);
        c.wins += the_run.best < the_other.best    ? 1
                  : the_run.best == the_other.best ? 0.5
                                                   : 0;
        c.optimal += the_run.best == lowest;
        c.random_optimal += the_other.best == lowest;
    }
    return c;
}

static void check_promise(const struct promise *p)
{
    struct world w;
    struct contest c;
    double lowest;

    begin(&w, 5, 8, 40);
    lowest = optimum(w.joint, p->land); /* that of the best of several expressions, too */
    make_joint(&w, p->bits);
    c = compete(p, w.joint, lowest);
    print_message(
        "%s, %d expressions, %d trials: wins %.1f of %d, optimal %d; random %d\n",
        p->name, 1 << p->bits, p->budget, c.wins, p->seeds, c.optimal, c.random_optimal);
    assert_true(100 * c.wins >= p->wins * p->seeds);
    assert_true(100 * c.optimal >= p->optimal * p->seeds);
    end(&w);
}

static void test_better_than_random(void **state)
{
    static const struct promise promises[] = {
        {"climb", 0, bowl, 40, 90, 0, 100},      {"climb", 0, bowl, 150, 99, 95, 100},
        {"climb", 0, holes, 150, 95, 80, 100},   {"climb", 0, valley, 150, 90, 30, 100},
        {"climb", 0, ripples, 300, 95, 50, 100}, {"climb", 5, holes, 300, 90, 0, 40},
        {"forest", 0, ripples, 40, 90, 0, 10},   {"forest", 5, valley, 60, 90, 0, 10},
        {"forest", 6, ripples, 60, 90, 0, 10},   {"forest", 5, bowl, 40, 75, 0, 10},
    };

    (void)state;
    for (size_t i = 0; i < sizeof promises / sizeof promises[0]; i++)
        check_promise(&promises[i]);
}

/* If a point is reported several times, the fastest outcome counts; the fastest points
 * have different expressions. Claimed points are known, and neither reported nor
 * proposed. */
static void test_one_list(void **state)
{
    const struct lift_choice a = {0, {1, 1}}, b = {1, {0, 1}}, c = {0, {2, 1}},
                             claimed = {2, {0, 0}};
    struct lift_choice out[3];
    double least[4];
    struct lift_search *s;
    struct world w;

    (void)state;
    begin(&w, 2, 3, 0);
    make_joint(&w, 2);
    s = lift_search_create(w.joint, lift_technique_find("random"), 1);
    assert_true(lift_search_claim(s, &claimed));
    assert_false(lift_search_claim(s, &claimed));
    lift_search_tell(s, &a, (struct lift_outcome){true, 3});
    lift_search_tell(s, &b, (struct lift_outcome){true, 2});
    lift_search_tell(s, &c, (struct lift_outcome){true, 4});
    lift_search_tell(s, &a, (struct lift_outcome){false, 0});
    lift_search_tell(s, &a, (struct lift_outcome){true, 1});
    lift_search_tell(s, &c, (struct lift_outcome){true, 5});
    assert_true(lift_search_knows(s, &a) && lift_search_knows(s, &claimed));
    assert_int_equal(lift_search_told(s), 3);
    assert_int_equal(lift_search_fastest(s, out, 3), 2);
    assert_true(lift_choice_equal(&out[0], &a) && lift_choice_equal(&out[1], &b));
    lift_search_least(s, least, 4);
    assert_true(least[0] == 1 && least[1] == 2 && isinf(least[2]) && isinf(least[3]));
    for (int i = 0; i < 4 * 9 - 4; i++) {
        assert_true(lift_search_next(s, out));
        assert_false(lift_choice_equal(out, &claimed) || lift_choice_equal(out, &a));
    }
    assert_false(lift_search_next(s, out));
    lift_search_destroy(s);
    end(&w);
}

/* After the fastest points comes the fastest of each other group, if it is nearly as
 * fast. */
static void test_groups(void **state)
{
    struct search_seen seen;
    size_t around[SEARCH_AROUND];
    struct world w;

    (void)state;
    begin(&w, 2, 9, 0);
    w.groups = 4;
    make_joint(&w, 2);
    search_seen_init(&seen, w.joint);
    assert_int_equal(search_seen_around(&seen, around), 0);
    for (int i = 0; i < 9; i++) {
        double seconds = 1 + 0.01 * i;

        search_seen_tell(&seen, &(struct lift_choice){0, {i, 0}},
                         (struct lift_outcome){true, seconds});
        search_seen_tell(&seen, &(struct lift_choice){1, {i, 0}},
                         (struct lift_outcome){i != 0, seconds + 0.15});
        search_seen_tell(&seen, &(struct lift_choice){2, {i, 0}},
                         (struct lift_outcome){true, seconds + 0.5});
    }
    assert_int_equal(search_seen_around(&seen, around), SEARCH_BEST + 1);
    for (int i = 0; i < SEARCH_BEST; i++)
        assert_int_equal(seen.points[around[i]].choice.expr, 0);
    assert_true(lift_choice_equal(&seen.points[around[SEARCH_BEST]].choice,
                                  &(struct lift_choice){1, {1, 0}}));
    search_seen_fini(&seen);
    end(&w);
}

/* The first eight of a few hundred points, reported in any order, some of them twice. */
static void test_fastest(void **state)
{
    struct search_seen seen;
    struct lift_rng rng;
    struct world w;

    (void)state;
    begin(&w, 3, 7, 0);
    search_seen_init(&seen, w.joint);
    lift_rng_seed(&rng, 1);
    for (int i = 0; i < 600; i++) {
        struct lift_choice choice;

        assert_true(lift_joint_sample(w.joint, &rng, &choice));
        search_seen_tell(
            &seen, &choice,
            (struct lift_outcome){i % 9 > 0, (double)lift_rng_range(&rng, 1, 1000000)});
    }
    assert_int_equal(seen.best_count, SEARCH_BEST);
    for (size_t i = 0; i < seen.count; i++) {
        int at = 0;

        while (at < SEARCH_BEST && seen.best[at] != i)
            at++;
        if (at == SEARCH_BEST)
            assert_true(seen.points[i].seconds >=
                        seen.points[seen.best[SEARCH_BEST - 1]].seconds);
        else if (at > 0)
            assert_true(seen.points[i].seconds >= seen.points[seen.best[at - 1]].seconds);
    }
    search_seen_fini(&seen);
    end(&w);
}

static void test_registry(void **state)
{
    (void)state;
    for (int i = 0; lift_techniques[i]; i++) {
        assert_ptr_equal(lift_technique_find(lift_techniques[i]->name),
                         lift_techniques[i]);
        assert_true(strlen(lift_techniques[i]->doc) > 10);
    }
    assert_non_null(lift_technique_find("random"));
    assert_non_null(lift_technique_find("climb"));
    assert_non_null(lift_technique_find("exhaustive"));
    assert_null(lift_technique_find("luck"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exhaustion),
        cmocka_unit_test(test_end_stays),
        cmocka_unit_test(test_no_points),
        cmocka_unit_test(test_same_seed),
        cmocka_unit_test(test_partial_answers),
        cmocka_unit_test(test_told_beforehand),
        cmocka_unit_test(test_better_than_random),
        cmocka_unit_test(test_one_list),
        cmocka_unit_test(test_fastest),
        cmocka_unit_test(test_groups),
        cmocka_unit_test(test_registry),
        cmocka_unit_test(test_shares),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
