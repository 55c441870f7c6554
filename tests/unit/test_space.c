/* Spaces against brute force: every point of the product of the values, checked by nat's
 * own evaluator, against the space's count, list, samples and neighbours. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "tuner/space.h"
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_CONSTRAINTS = 8, MAX_RAW = 4096 };

struct fixture {
    struct lift_arena *arena;
    struct lift_nats *nats;
    struct lift_param params[LIFT_SPACE_PARAMS];
    int param_count;
    struct lift_constraint constraints[MAX_CONSTRAINTS];
    int constraint_count;
    struct lift_space *space;
};

static void begin(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    f->arena = lift_arena_create();
    f->nats = lift_nats_create(f->arena);
}

static void end(struct fixture *f)
{
    lift_nats_fini(f->nats);
    lift_arena_destroy(f->arena);
}

static lift_nat param(struct fixture *f, const char *name, int count,
                      const int64_t *values)
{
    char *own = lift_arena_strdup(f->arena, name);

    f->params[f->param_count++] = (struct lift_param){
        own, lift_arena_copy(f->arena, values, (size_t)count * sizeof *values), count};
    return lift_nat_var(f->nats, own, LIFT_VAR_TUNABLE, count ? values[0] : 0,
                        count ? values[count - 1] : 0);
}

/* 1, 2, ..., count. */
static lift_nat param_to(struct fixture *f, const char *name, int count)
{
    int64_t values[64];

    for (int i = 0; i < count; i++)
        values[i] = i + 1;
    return param(f, name, count, values);
}

static void constrain(struct fixture *f, enum lift_constraint_kind kind, lift_nat a,
                      lift_nat b)
{
    f->constraints[f->constraint_count++] = (struct lift_constraint){kind, a, b, "test"};
}

static void create(struct fixture *f)
{
    f->space = lift_space_create(f->arena, f->params, f->param_count, f->constraints,
                                 f->constraint_count);
}

/* The reference. */

struct assignment {
    const struct fixture *f;
    const int *point;
};

static bool value_of(void *user, const char *name, int64_t *value)
{
    const struct assignment *a = user;

    for (int i = 0; i < a->f->param_count; i++)
        if (!strcmp(a->f->params[i].name, name)) {
            *value = a->f->params[i].values[a->point[i]];
            return true;
        }
    return false;
}

static bool reference_valid(const struct fixture *f, const int *point)
{
    struct assignment where = {f, point};

    for (int i = 0; i < f->constraint_count; i++) {
        const struct lift_constraint *c = &f->constraints[i];
        int64_t a, b;

        if (!lift_nat_eval(c->a, value_of, &where, &a) ||
            !lift_nat_eval(c->b, value_of, &where, &b))
            return false;
        if (c->kind == LIFT_CONSTRAINT_LE ? a > b : a < 1 || b % a != 0)
            return false;
    }
    return true;
}

/* All valid points in lexicographic order. */
struct points {
    int point[MAX_RAW][LIFT_SPACE_PARAMS];
    int count;
};

static void reference_points(const struct fixture *f, struct points *out)
{
    int point[LIFT_SPACE_PARAMS] = {0};
    int at;

    out->count = 0;
    for (int i = 0; i < f->param_count; i++)
        if (!f->params[i].count)
            return;
    do {
        if (reference_valid(f, point)) {
            assert_true(out->count < MAX_RAW);
            memcpy(out->point[out->count++], point, sizeof point);
        }
        for (at = f->param_count - 1; at >= 0; at--) {
            if (++point[at] < f->params[at].count)
                break;
            point[at] = 0;
        }
    } while (at >= 0);
}

static int find(const struct fixture *f, const struct points *points, const int *point)
{
    for (int i = 0; i < points->count; i++)
        if (!memcmp(points->point[i], point, (size_t)f->param_count * sizeof *point))
            return i;
    return -1;
}

/* Checks. */

static void check_enumeration(const struct fixture *f, const struct points *expected)
{
    int point[LIFT_SPACE_PARAMS] = {0};
    int n = 0;

    for (bool more = lift_space_next(f->space, point, true); more;
         more = lift_space_next(f->space, point, false)) {
        assert_true(n < expected->count);
        assert_memory_equal(point, expected->point[n],
                            (size_t)f->param_count * sizeof *point);
        n++;
    }
    assert_int_equal(n, expected->count);
    assert_int_equal(lift_space_size(f->space, MAX_RAW), expected->count);
    assert_int_equal(lift_space_empty(f->space), expected->count == 0);
    if (expected->count > 3)
        assert_int_equal(lift_space_size(f->space, 3), 3);
}

static void check_sampling(const struct fixture *f, const struct points *expected,
                           struct lift_rng *rng)
{
    int point[LIFT_SPACE_PARAMS];

    for (int i = 0; i < 50; i++) {
        assert_int_equal(lift_space_sample(f->space, rng, point), expected->count > 0);
        if (!expected->count)
            return;
        assert_true(find(f, expected, point) >= 0);
        assert_true(lift_space_valid(f->space, point));
    }
}

struct neighbours {
    const struct fixture *f;
    const struct points *all;
    const int *origin;
    bool far;
    bool hit[MAX_RAW];
};

static void note(void *user, const int *point)
{
    struct neighbours *n = user;
    int i = find(n->f, n->all, point);

    assert_true(i >= 0);
    assert_true(n->far || !n->hit[i]);
    n->hit[i] = true;
}

/* Steps of all parameters but one (-1: of all). */
static int steps_of_others(const struct fixture *f, const int *a, const int *b, int at)
{
    int sum = 0;

    for (int i = 0; i < f->param_count; i++)
        sum += i == at ? 0 : abs(a[i] - b[i]);
    return sum;
}

/* A far neighbour has one parameter at another value, and the others as near as any point
 * with that value. */
static void check_far(const struct neighbours *n, int at, int value)
{
    int least = abs(value - n->origin[at]) + 3, hits = 0;

    for (int i = 0; i < n->all->count; i++)
        if (n->all->point[i][at] == value)
            least =
                (int)fmin(least, steps_of_others(n->f, n->origin, n->all->point[i], at));
    for (int i = 0; i < n->all->count; i++)
        hits += n->hit[i] && n->all->point[i][at] == value &&
                steps_of_others(n->f, n->origin, n->all->point[i], at) == least;
    assert_true(hits > 0 || least == abs(value - n->origin[at]) + 3);
}

static void check_neighbours(const struct fixture *f, const struct points *all,
                             int origin, bool far)
{
    static struct neighbours n;

    memset(&n, 0, sizeof n);
    n.f = f;
    n.all = all;
    n.origin = all->point[origin];
    n.far = far;
    lift_space_neighbours(f->space, n.origin, far, note, &n);
    for (int i = 0; !far && i < all->count; i++)
        assert_int_equal(n.hit[i], steps_of_others(f, n.origin, all->point[i], -1) == 1);
    assert_false(n.hit[origin]);
    for (int at = 0; far && at < f->param_count; at++)
        for (int value = 0; value < f->params[at].count; value++)
            if (value != n.origin[at])
                check_far(&n, at, value);
}

/* Numbers and points belong to each other. */
static void check_numbers(const struct lift_space *space, const struct fixture *f,
                          const struct points *expected)
{
    int point[LIFT_SPACE_PARAMS] = {0};

    assert_true(lift_space_counted(space));
    assert_true(lift_space_estimate(space) == expected->count);
    for (int i = 0; i < expected->count; i++) {
        assert_true(lift_space_at(space, i, point));
        assert_memory_equal(point, expected->point[i],
                            (size_t)f->param_count * sizeof *point);
        assert_int_equal(lift_space_index(space, point), i);
    }
    assert_false(lift_space_at(space, -1, point));
    assert_false(lift_space_at(space, expected->count, point));
}

static double off_by(const struct fixture *f, const struct lift_space_wish *wishes,
                     const int *point)
{
    double sum = 0;

    for (int i = 0; i < f->param_count; i++)
        sum += wishes[i].weight * abs(wishes[i].index - point[i]);
    return sum;
}

/* True if the nearest point is as near as any. */
static bool check_nearest(const struct fixture *f, const struct points *expected,
                          struct lift_rng *rng)
{
    struct lift_space_wish wishes[LIFT_SPACE_PARAMS] = {{0, 0}};
    int point[LIFT_SPACE_PARAMS] = {0}, again[LIFT_SPACE_PARAMS] = {0};
    double least = INFINITY;

    for (int i = 0; i < f->param_count; i++)
        wishes[i] = (struct lift_space_wish){
            (int)lift_rng_below(rng, (uint64_t)f->params[i].count),
            0.25 * (double)lift_rng_range(rng, 1, 4)};
    assert_int_equal(lift_space_nearest(f->space, wishes, point), expected->count > 0);
    if (!expected->count)
        return true;
    assert_true(find(f, expected, point) >= 0);
    assert_true(lift_space_nearest(f->space, wishes, again));
    assert_memory_equal(point, again, sizeof point);
    for (int i = 0; i < expected->count; i++)
        if (off_by(f, wishes, expected->point[i]) < least)
            least = off_by(f, wishes, expected->point[i]);
    assert_true(off_by(f, wishes, point) >= least);
    return off_by(f, wishes, point) == least;
}

/* The list of valid points, unordered and with duplicates, makes the same space. */
static void check_table(struct fixture *f, const struct points *expected,
                        struct lift_rng *rng)
{
    static int rows[2 * MAX_RAW * LIFT_SPACE_PARAMS];
    const struct lift_space *space = f->space;
    size_t width = (size_t)f->param_count;
    size_t count = 0;

    for (int i = expected->count; i-- > 0;)
        for (uint64_t again = lift_rng_below(rng, 2) + 1; again > 0; again--)
            memcpy(rows + count++ * width, expected->point[i], width * sizeof *rows);
    f->space = lift_space_create_table(f->arena, f->params, f->param_count, rows,
                                       (int64_t)count);
    check_enumeration(f, expected);
    check_sampling(f, expected, rng);
    check_numbers(f->space, f, expected);
    if (expected->count)
        check_neighbours(f, expected, (int)lift_rng_below(rng, (uint64_t)expected->count),
                         true);
    check_nearest(f, expected, rng);
    f->space = (struct lift_space *)space;
}

/* A random nat over some of the parameters. */
static lift_nat random_nat(struct fixture *f, lift_nat *vars, struct lift_rng *rng,
                           int depth)
{
    uint64_t pick = lift_rng_below(rng, depth ? 7 : 2);
    lift_nat a, b;

    if (pick == 0)
        return lift_nat_const(f->nats, lift_rng_range(rng, 1, 12));
    if (pick == 1)
        return vars[lift_rng_below(rng, (uint64_t)f->param_count)];
    a = random_nat(f, vars, rng, depth - 1);
    b = random_nat(f, vars, rng, depth - 1);
    switch (pick) {
    case 2:
        return lift_nat_add(a, b);
    case 3:
        return lift_nat_mul(a, b);
    case 4:
        return lift_nat_div(a, lift_nat_max(b, lift_nat_const(f->nats, 1)));
    case 5:
        return lift_nat_min(a, b);
    default:
        return lift_nat_max(a, b);
    }
}

static void random_space(struct fixture *f, struct lift_rng *rng)
{
    int count = (int)lift_rng_range(rng, 1, 5);
    int constraints = (int)lift_rng_range(rng, 0, 2);
    lift_nat vars[LIFT_SPACE_PARAMS];

    begin(f);
    for (int i = 0; i < count; i++) {
        char name[16];
        int64_t values[5], v = 0;
        int n = (int)lift_rng_range(rng, 1, 5);

        snprintf(name, sizeof name, "p%d", i);
        for (int k = 0; k < n; k++)
            values[k] = v += lift_rng_range(rng, 1, 4);
        vars[i] = param(f, name, n, values);
    }
    for (int i = 0; i < constraints; i++)
        constrain(f,
                  lift_rng_below(rng, 2) ? LIFT_CONSTRAINT_LE : LIFT_CONSTRAINT_DIVIDES,
                  random_nat(f, vars, rng, 2), random_nat(f, vars, rng, 2));
    create(f);
}

static void test_random_spaces(void **state)
{
    static struct points expected;
    struct lift_rng rng;
    int empty = 0, tight = 0, nearest = 0;

    (void)state;
    lift_rng_seed(&rng, 1);
    for (int i = 0; i < 1000; i++) {
        struct fixture f;

        random_space(&f, &rng);
        reference_points(&f, &expected);
        check_enumeration(&f, &expected);
        check_sampling(&f, &expected, &rng);
        if (expected.count) {
            int origin = (int)lift_rng_below(&rng, (uint64_t)expected.count);

            check_neighbours(&f, &expected, origin, false);
            check_neighbours(&f, &expected, origin, true);
        }
        check_numbers(f.space, &f, &expected);
        nearest += check_nearest(&f, &expected, &rng);
        check_table(&f, &expected, &rng);
        empty += expected.count == 0;
        tight += expected.count > 0 && expected.count < lift_space_raw_size(f.space);
        end(&f);
    }
    print_message("%d empty, %d tight, %d nearest\n", empty, tight, nearest);
    assert_true(nearest >= 990);
    /* The random spaces are of all sorts. */
    assert_true(empty > 5);
    assert_true(tight > 100);
}

/* Tiles of a 1000 x 1000 x 1000 grid: the constraints of a work-group and local memory.
 */
static void tile_space(struct fixture *f)
{
    lift_nat x, y, z, lx, ly;

    begin(f);
    x = param_to(f, "tx", 64);
    y = param_to(f, "ty", 64);
    z = param_to(f, "tz", 64);
    lx = param_to(f, "lx", 64);
    ly = param_to(f, "ly", 64);
    constrain(f, LIFT_CONSTRAINT_DIVIDES, x, lift_nat_const(f->nats, 1000));
    constrain(f, LIFT_CONSTRAINT_DIVIDES, y, lift_nat_const(f->nats, 1000));
    constrain(f, LIFT_CONSTRAINT_DIVIDES, lx, x);
    constrain(f, LIFT_CONSTRAINT_DIVIDES, ly, y);
    constrain(f, LIFT_CONSTRAINT_LE, lift_nat_mul(lx, ly), lift_nat_const(f->nats, 256));
    constrain(
        f, LIFT_CONSTRAINT_LE,
        lift_nat_mul(lift_nat_add_const(x, 2),
                     lift_nat_mul(lift_nat_add_const(y, 2), lift_nat_add_const(z, 2))),
        lift_nat_const(f->nats, 12288));
    create(f);
}

static int64_t tile_count(void)
{
    int64_t n = 0;

    for (int x = 1; x <= 64; x++)
        for (int y = 1; y <= 64; y++)
            for (int z = 1; z <= 64; z++)
                for (int lx = 1; lx <= 64 && 1000 % x == 0 && 1000 % y == 0; lx++)
                    for (int ly = 1; ly <= 64 && x % lx == 0; ly++)
                        n += y % ly == 0 && lx * ly <= 256 &&
                             (x + 2) * (y + 2) * (z + 2) <= 12288;
    return n;
}

/* 2^30 combinations, of which few are valid. */
static void test_constrained_space(void **state)
{
    struct fixture f;
    struct lift_rng rng;
    int point[LIFT_SPACE_PARAMS];
    int64_t expected = tile_count();

    (void)state;
    tile_space(&f);
    lift_rng_seed(&rng, 5);
    assert_true(lift_space_raw_size(f.space) == 0x1p30);
    assert_int_equal(lift_space_size(f.space, INT64_MAX), expected);
    assert_true(expected > 1000 && expected < 100000);
    for (int i = 0; i < 20000; i++) {
        assert_true(lift_space_sample(f.space, &rng, point));
        assert_true(lift_space_valid(f.space, point));
    }
    for (int i = 0; i < 1000; i++) {
        assert_true(lift_space_draw(f.space, &rng, point));
        assert_true(lift_space_valid(f.space, point));
    }
    end(&f);
}

/* Every point of a lopsided space is drawn about equally often: 1 + 2 + ... + 10 points.
 */
static void test_uniform(void **state)
{
    struct fixture f;
    struct lift_rng rng;
    int hits[10][10] = {{0}}, point[2];
    double chi2 = 0;
    const int draws = 55000;

    (void)state;
    begin(&f);
    {
        lift_nat a = param_to(&f, "a", 10), b = param_to(&f, "b", 10);

        constrain(&f, LIFT_CONSTRAINT_LE, b, a);
    }
    create(&f);
    assert_int_equal(lift_space_size(f.space, 1000), 55);
    lift_rng_seed(&rng, 3);
    for (int i = 0; i < draws; i++) {
        assert_true(lift_space_sample(f.space, &rng, point));
        hits[point[0]][point[1]]++;
    }
    for (int a = 0; a < 10; a++)
        for (int b = 0; b < 10; b++) {
            double expected = b <= a ? draws / 55.0 : 0;

            if (b <= a)
                chi2 += (hits[a][b] - expected) * (hits[a][b] - expected) / expected;
            else
                assert_int_equal(hits[a][b], 0);
        }
    /* 54 degrees of freedom: beyond 100 once in 7000 seeds. */
    assert_true(chi2 < 100);
    end(&f);
}

/* Too many states to count: the last constraint has all 20 parameters. The sum must be
 * close to its largest value, so most prefixes are dead ends late. */
static void test_uncountable(void **state)
{
    struct fixture f;
    struct lift_rng rng;
    int point[LIFT_SPACE_PARAMS];
    lift_nat sum;

    (void)state;
    begin(&f);
    sum = lift_nat_const(f.nats, 0);
    for (int i = 0; i < 20; i++) {
        int64_t values[64];
        char name[16];

        for (int k = 0; k < 50; k++)
            values[k] = (k + 1) * (k + i + 1);
        snprintf(name, sizeof name, "q%d", i);
        sum = lift_nat_add(sum, param(&f, name, 50, values));
    }
    constrain(&f, LIFT_CONSTRAINT_LE, sum, lift_nat_const(f.nats, 20000));
    create(&f);
    lift_rng_seed(&rng, 9);
    assert_false(lift_space_empty(f.space));
    assert_int_equal(lift_space_size(f.space, 100000), 100000);
    for (int i = 0; i < 200; i++) {
        assert_true(lift_space_sample(f.space, &rng, point));
        assert_true(reference_valid(&f, point));
        assert_true(lift_space_valid(f.space, point));
    }
    assert_true(lift_space_next(f.space, point, true));
    for (int i = 0; i < 20; i++)
        assert_int_equal(point[i], 0);
    end(&f);
}

/* 1 + 2 + ... + 10 combinations of the first two parameters, each with the same number of
 * points. A last constraint of all parameters makes the points too many to count. A
 * descent with uniform probabilities would be off by 90. */
/* Points that chance does not find: the sum of the parameters, each times a number of its
 * own, is a multiple of a large number, which ranges do not show. */
static void test_hard_to_find(void **state)
{
    static const int64_t values[] = {0, 1, 2, 3, 4, 5, 6, 7};
    int point[LIFT_SPACE_PARAMS] = {0};
    struct lift_rng rng;
    struct fixture f;
    lift_nat sum;

    (void)state;
    begin(&f);
    sum = lift_nat_const(f.nats, 0);
    for (int i = 0; i < 14; i++) {
        char name[8];

        snprintf(name, sizeof name, "p%d", i);
        sum = lift_nat_add(
            sum, lift_nat_mul_const(param(&f, name, 8, values), 999983 + 7919 * i * i));
    }
    constrain(&f, LIFT_CONSTRAINT_DIVIDES, lift_nat_const(f.nats, 1000000007), sum);
    create(&f);
    assert_true(lift_space_estimate(f.space) >= 1);
    lift_rng_seed(&rng, 1);
    for (int i = 0; i < 3; i++) {
        assert_true(lift_space_sample(f.space, &rng, point));
        assert_true(lift_space_valid(f.space, point));
    }
    end(&f);
}

/* A wish whose first value occurs in no point, which only the last parameter shows: the
 * search near the wish fails. */
static void test_far_from_a_wish(void **state)
{
    static const int64_t first[] = {2, 3};
    struct lift_space_wish wishes[LIFT_SPACE_PARAMS] = {{1, 1}};
    int point[LIFT_SPACE_PARAMS] = {0}, again[LIFT_SPACE_PARAMS] = {0};
    struct fixture f;
    lift_nat sum;

    (void)state;
    begin(&f);
    sum = param(&f, "p0", 2, first);
    for (int i = 1; i < 16; i++) {
        char name[8];

        snprintf(name, sizeof name, "p%d", i);
        sum = lift_nat_add(
            sum, lift_nat_mul_const(param_to(&f, name, 8), 2 * (999983 + 7919 * i * i)));
        wishes[i] = (struct lift_space_wish){3, 1};
    }
    constrain(&f, LIFT_CONSTRAINT_DIVIDES, lift_nat_const(f.nats, 2), sum);
    create(&f);
    assert_false(lift_space_counted(f.space));
    assert_true(lift_space_nearest(f.space, wishes, point));
    assert_true(lift_space_valid(f.space, point));
    assert_int_equal(point[0], 0);
    for (int i = 1; i < 16; i++)
        assert_int_equal(point[i], 3);
    assert_true(lift_space_nearest(f.space, wishes, again));
    assert_memory_equal(point, again, sizeof point);
    end(&f);
}

static void test_uncountable_uniform(void **state)
{
    struct fixture f;
    struct lift_rng rng;
    int hits[10] = {0}, point[LIFT_SPACE_PARAMS];
    double chi2 = 0, exact = 55 * pow(40, 12);
    const int draws = 150;
    lift_nat a, b, sum;

    (void)state;
    begin(&f);
    a = param_to(&f, "a", 10);
    b = param_to(&f, "b", 10);
    sum = lift_nat_add(a, b);
    for (int i = 0; i < 12; i++) {
        char name[16];

        snprintf(name, sizeof name, "q%d", i);
        sum = lift_nat_add(sum, param_to(&f, name, 40));
    }
    constrain(&f, LIFT_CONSTRAINT_LE, b, a);
    constrain(&f, LIFT_CONSTRAINT_LE, sum, lift_nat_const(f.nats, 1000));
    create(&f);
    assert_false(lift_space_counted(f.space));
    assert_false(lift_space_at(f.space, 0, point));
    assert_in_range((int)(100 * lift_space_estimate(f.space) / exact), 80, 120);
    lift_rng_seed(&rng, 2);
    for (int i = 0; i < draws; i++) {
        assert_true(lift_space_sample(f.space, &rng, point));
        hits[point[0]]++;
    }
    for (int i = 0; i < 10; i++) {
        double expected = draws * (i + 1) / 55.0;

        chi2 += (hits[i] - expected) * (hits[i] - expected) / expected;
    }
    print_message("chi2 of 9 degrees of freedom: %.1f\n", chi2);
    assert_true(chi2 < 40);
    memset(hits, 0, sizeof hits);
    for (int i = 0; i < draws; i++) {
        assert_true(lift_space_draw(f.space, &rng, point));
        assert_true(lift_space_valid(f.space, point));
        hits[point[0]]++;
    }
    for (int i = 0; i < 10; i++)
        assert_true(hits[i] > draws / 20);
    end(&f);
}

static void test_edges(void **state)
{
    struct fixture f;
    struct lift_rng rng;
    int point[LIFT_SPACE_PARAMS] = {0};

    (void)state;
    lift_rng_seed(&rng, 1);
    /* Without parameters there is one point, the empty one. */
    begin(&f);
    create(&f);
    assert_int_equal(lift_space_size(f.space, 10), 1);
    assert_true(lift_space_sample(f.space, &rng, point));
    assert_true(lift_space_next(f.space, point, true));
    assert_false(lift_space_next(f.space, point, false));
    end(&f);
    /* A false constraint of constants leaves nothing. */
    begin(&f);
    param_to(&f, "a", 4);
    constrain(&f, LIFT_CONSTRAINT_LE, lift_nat_const(f.nats, 2),
              lift_nat_const(f.nats, 1));
    create(&f);
    assert_int_equal(lift_space_size(f.space, 10), 0);
    assert_true(lift_space_empty(f.space));
    assert_false(lift_space_sample(f.space, &rng, point));
    assert_false(lift_space_draw(f.space, &rng, point));
    assert_false(lift_space_next(f.space, point, true));
    assert_false(lift_space_valid(f.space, point));
    end(&f);
    /* A parameter without values neither. */
    begin(&f);
    param_to(&f, "a", 4);
    param(&f, "b", 0, NULL);
    create(&f);
    assert_true(lift_space_raw_size(f.space) == 0);
    assert_false(lift_space_sample(f.space, &rng, point));
    assert_false(lift_space_next(f.space, point, true));
    end(&f);
}

static void test_json(void **state)
{
    struct fixture f;
    int point[LIFT_SPACE_PARAMS], back[LIFT_SPACE_PARAMS];
    char *json;
    bool found;

    (void)state;
    begin(&f);
    {
        int64_t powers[] = {1, 2, 4, 8, 16};
        lift_nat z = param(&f, "z", 5, powers), a = param(&f, "a", 5, powers);

        constrain(&f, LIFT_CONSTRAINT_LE, a, z);
    }
    create(&f);
    point[0] = 4;
    point[1] = 1;
    json = lift_space_json(f.space, point);
    assert_string_equal(json, "{\"a\":2,\"z\":16}");
    assert_true(lift_space_parse(f.space, json, back));
    assert_memory_equal(back, point, 2 * sizeof *point);
    free(json);
    assert_false(lift_space_parse(f.space, "{\"z\":16}", back));
    assert_false(lift_space_parse(f.space, "{\"a\":2,\"y\":1,\"z\":16}", back));
    assert_int_equal(lift_space_value(f.space, point, "z", &found), 16);
    assert_true(found);
    lift_space_value(f.space, point, "y", &found);
    assert_false(found);
    assert_false(lift_space_parse(f.space, "{\"a\":16,\"z\":2}", back));
    assert_false(lift_space_parse(f.space, "{\"a\":3,\"z\":16}", back));
    assert_false(lift_space_parse(f.space, "{\"a\":2}", back));
    assert_false(lift_space_parse(f.space, "{\"a\":2,\"b\":2}", back));
    assert_false(lift_space_parse(f.space, "{\"a\":2,\"z\":16,\"y\":1}", back));
    assert_false(lift_space_parse(f.space, "{\"a\":2.0,\"z\":16}", back));
    assert_false(lift_space_parse(f.space, "[2,16]", back));
    assert_false(lift_space_parse(f.space, "{\"a\":", back));
    assert_false(lift_space_parse(f.space, "", back));
    end(&f);
}

/* The default value of a parameter does not change the JSON of points. */
static void test_tacit_json(void **state)
{
    int64_t powers[] = {1, 2, 4}, few[] = {0, 1, 3};
    struct fixture f;
    int point[LIFT_SPACE_PARAMS] = {2, 0}, back[LIFT_SPACE_PARAMS];
    char *json;

    (void)state;
    begin(&f);
    param(&f, "a", 3, powers);
    param(&f, "b", 3, few);
    f.params[1].tacit = true;
    create(&f);
    json = lift_space_json(f.space, point);
    assert_string_equal(json, "{\"a\":4}");
    assert_true(lift_space_parse(f.space, json, back));
    assert_memory_equal(back, point, 2 * sizeof *point);
    free(json);
    point[1] = 2;
    json = lift_space_json(f.space, point);
    assert_string_equal(json, "{\"a\":4,\"b\":3}");
    assert_true(lift_space_parse(f.space, json, back));
    assert_memory_equal(back, point, 2 * sizeof *point);
    free(json);
    assert_true(lift_space_parse(f.space, "{\"a\":4,\"b\":0}", back));
    assert_int_equal(back[1], 0);
    assert_false(lift_space_parse(f.space, "{\"b\":3}", back));
    assert_false(lift_space_parse(f.space, "{\"a\":4,\"c\":0}", back));
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_spaces),
        cmocka_unit_test(test_constrained_space),
        cmocka_unit_test(test_uniform),
        cmocka_unit_test(test_uncountable),
        cmocka_unit_test(test_uncountable_uniform),
        cmocka_unit_test(test_hard_to_find),
        cmocka_unit_test(test_far_from_a_wish),
        cmocka_unit_test(test_edges),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_tacit_json),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
