/* Nats against a naive evaluator, on random expressions in random environments. */
#include "nat_tree.h"
#include <stdio.h>

/* ---- random expressions ---- */

/* Bounds on the size of values and coefficients keep 64 bits from overflowing. */
struct gen {
    struct lift_arena *arena;
    struct lift_rng *rng;
};

struct sized {
    struct tree *tree;
    double size;
    int degree;
};

static struct sized random_leaf(struct gen *g)
{
    int64_t c = lift_rng_range(g->rng, -9, 16);
    int v = (int)lift_rng_below(g->rng, COUNT(vars));

    if (lift_rng_below(g->rng, 5) < 2)
        return (struct sized){leaf(g->arena, 'c', c), (double)(c < 0 ? -c : c) + 1, 0};
    return (struct sized){leaf(g->arena, 'v', v), 1000, 1};
}

static struct sized random_tree(struct gen *g, int depth);

/* Most divisors are typical of programs. */
static struct sized random_divisor(struct gen *g, int depth)
{
    static const int64_t common[] = {1, 2, 3, 4, 6, 8, 12, 16};
    static const char *names[] = {"k", "m", "n"};
    int64_t c = common[lift_rng_below(g->rng, COUNT(common))];

    switch (lift_rng_below(g->rng, 8)) {
    case 0:
        return random_tree(g, depth < 2 ? depth : 2);
    case 1:
    case 2:
        return (struct sized){
            leaf(g->arena, 'v', var_index(names[lift_rng_below(g->rng, COUNT(names))])),
            1000, 1};
    default:
        return (struct sized){leaf(g->arena, 'c', c), (double)c, 0};
    }
}

static struct sized random_tree(struct gen *g, int depth)
{
    static const char ops[] = "++++---****//%%C<<>>";
    char op = ops[lift_rng_below(g->rng, sizeof ops - 1)];
    struct sized a, b;
    double size;

    if (depth == 0 || lift_rng_below(g->rng, 8) == 0)
        return random_leaf(g);
    a = random_tree(g, depth - 1);
    b = strchr("/%C", op) ? random_divisor(g, depth - 1) : random_tree(g, depth - 1);
    if (op == '*' && (a.degree + b.degree > 3 || a.size * b.size > 1e7))
        op = '+';
    size = op == '*'   ? a.size * b.size
           : op == '%' ? 2 * a.size + b.size
                       : a.size + b.size;
    return (struct sized){pair(g->arena, op, a.tree, b.tree), size,
                          op == '*'             ? a.degree + b.degree
                          : a.degree > b.degree ? a.degree
                                                : b.degree};
}

enum { ROUNDS = 400, TREES = 500, ENVS = 3 };

static void check_value(lift_nat n, const struct tree *t, const struct env *env)
{
    int64_t expected, value;

    if (!tree_eval(t, env, &expected))
        return;
    assert_true(lift_nat_eval(n, env_lookup, (void *)env, &value));
    assert_int_equal(value, expected);
    assert_true(lift_nat_lo(n) <= value && value <= lift_nat_hi(n));
}

/* No environment may refute a proof. */
static void check_proofs(lift_nat a, lift_nat b, const struct tree *ta,
                         const struct tree *tb, struct lift_rng *rng)
{
    bool le = lift_nat_proves_le(a, b), lt = lift_nat_proves_lt(a, b);
    bool ge0 = lift_nat_proves_ge0(a, NULL, 0), divides = lift_nat_proves_divides(a, b);

    for (int e = 0; (le || lt || ge0 || divides) && e < 2 * ENVS; e++) {
        struct env env = random_env(rng);
        int64_t x, y;

        if (!tree_eval(ta, &env, &x) || !tree_eval(tb, &env, &y))
            continue;
        assert_true(!le || x <= y);
        assert_true(!lt || x < y);
        assert_true(!ge0 || x >= 0);
        assert_true(!divides || x <= 0 || y % x == 0);
    }
}

static const struct tree *random_inside(struct gen *g, const struct tree *t,
                                        const char *ops)
{
    while (t->a && !(strchr(ops, t->op) && lift_rng_below(g->rng, 2)))
        t = lift_rng_below(g->rng, 2) ? t->a : t->b;
    return t->a ? t : NULL;
}

/* Facts that hold in 'env': about the operands of a division or minimum, or anything. */
static lift_nat random_fact(struct gen *g, struct lift_nats *nats, const struct tree *t,
                            const struct env *env)
{
    const struct tree *in = random_inside(g, t, "/%C<>");
    struct tree *f = in ? pair(g->arena, '-', in->a, in->b) : random_tree(g, 2).tree;
    int64_t value;

    if (!tree_eval(f, env, &value))
        return lift_nat_const(nats, 0);
    if (value < 0)
        f = pair(g->arena, '-', leaf(g->arena, 'c', in ? -1 : value), f);
    else if (!in)
        f = pair(g->arena, '-', f, leaf(g->arena, 'c', value));
    if (in && lift_rng_below(g->rng, 2) && tree_eval(in->a, env, &value) && value >= 0)
        f = in->a;
    return tree_build(nats, f);
}

static void check_facts(struct gen *g, lift_nat n, const struct tree *t,
                        const struct env *env)
{
    lift_nat facts[2], m;
    int64_t expected, value;

    for (int i = 0; i < 2; i++) {
        facts[i] = random_fact(g, lift_nat_pool(n), t, env);
        if (!lift_nat_eval(facts[i], env_lookup, (void *)env, &value) || value < 0)
            facts[i] = lift_nat_const(lift_nat_pool(n), 0);
    }
    if (!tree_eval(t, env, &expected))
        return;
    m = lift_nat_assume(n, facts, 2);
    assert_true(lift_nat_eval(m, env_lookup, (void *)env, &value));
    assert_int_equal(value, expected);
    if (lift_nat_proves_ge0(n, facts, 2))
        assert_true(expected >= 0);
    assert_true(lift_nat_eval(lift_nat_tight(n), env_lookup, (void *)env, &value));
    assert_int_equal(value >= 0, expected >= 0);
    assert_true(lift_nat_eval(lift_nat_least(n), env_lookup, (void *)env, &value));
    assert_int_equal(value >= 0, expected >= 0);
}

struct swap {
    int at;
    lift_nat by;
};

static lift_nat swap_lookup(void *user, lift_nat v)
{
    const struct swap *s = user;

    return var_index(lift_nat_is_var(v, NULL)) == s->at ? s->by : NULL;
}

/* Substitution of one variable by an expression with values in the variable's range. */
static void check_subst(struct gen *g, lift_nat n, const struct tree *t,
                        const struct env *env)
{
    struct swap s = {(int)lift_rng_below(g->rng, COUNT(vars)), NULL};
    struct tree *by = random_tree(g, 2).tree;
    struct env changed = *env;
    int64_t value, expected;

    if (!tree_eval(by, env, &changed.value[s.at]) ||
        changed.value[s.at] < vars[s.at].lo || changed.value[s.at] > vars[s.at].hi ||
        !tree_eval(t, &changed, &expected))
        return;
    s.by = tree_build(lift_nat_pool(n), by);
    n = lift_nat_subst(lift_nat_pool(n), n, swap_lookup, &s);
    assert_true(lift_nat_eval(n, env_lookup, (void *)env, &value));
    assert_int_equal(value, expected);
}

/* Text, rebuilding in place and rebuilding in a separate pool lead to the same nat. */
static void check_form(struct gen *g, lift_nat n)
{
    struct world other = world_open();
    struct lift_str a = {0}, b = {0};
    lift_nat again = lift_nat_subst(other.nats, n, no_lookup, NULL);

    text_of(n, &a);
    text_of(again, &b);
    assert_string_equal(lift_str_get(&a), lift_str_get(&b));
    assert_true(lift_hash_equal(lift_nat_hash(n), lift_nat_hash(again)));
    assert_int_equal(lift_nat_compare(n, again), 0);
    assert_ptr_equal(tree_build(lift_nat_pool(n), parse(g->arena, lift_str_get(&a))), n);
    assert_ptr_equal(lift_nat_subst(lift_nat_pool(n), n, no_lookup, NULL), n);
    lift_str_fini(&a);
    lift_str_fini(&b);
    world_close(&other);
}

static void check_order(lift_nat a, lift_nat b)
{
    int ab = lift_nat_compare(a, b), ba = lift_nat_compare(b, a);

    assert_true(a == b ? ab == 0 && ba == 0 : (ab < 0 && ba > 0) || (ab > 0 && ba < 0));
    assert_true(lift_hash_equal(lift_nat_hash(a), lift_nat_hash(b)) == (a == b));
}

static void random_round(struct lift_rng *rng)
{
    struct world w = world_open();
    struct gen g = {w.arena, rng};
    const struct tree *last = leaf(w.arena, 'c', 0);
    lift_nat before = lift_nat_const(w.nats, 0);

    for (int i = 0; i < TREES; i++) {
        const struct tree *t = random_tree(&g, 1 + i % 6).tree;
        lift_nat n = tree_build(w.nats, t);

        for (int e = 0; e < ENVS; e++) {
            struct env env = random_env(rng);

            check_value(n, t, &env);
            if (e == 0 && i % 32 == 0)
                check_facts(&g, n, t, &env);
            if (e == 0 && i % 4 == 1)
                check_subst(&g, n, t, &env);
        }
        if (i % 8 == 0)
            check_form(&g, n);
        check_proofs(n, before, t, last, rng);
        check_order(n, before);
        before = n;
        last = t;
    }
    world_close(&w);
}

static void test_random(void **state)
{
    struct lift_rng rng;

    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        lift_rng_seed(&rng, (uint64_t)round + 1);
        random_round(&rng);
    }
}

/* ---- polynomials: equal values, equal pointers ---- */

static struct tree *random_poly(struct gen *g, int depth)
{
    static const char ops[] = "+-*";
    struct tree *a, *b;

    if (depth == 0 || lift_rng_below(g->rng, 6) == 0)
        return lift_rng_below(g->rng, 3)
                   ? leaf(g->arena, 'v', (int64_t)lift_rng_below(g->rng, 2))
                   : leaf(g->arena, 'c', lift_rng_range(g->rng, -1, 1));
    a = random_poly(g, depth - 1);
    b = random_poly(g, depth - 1);
    return pair(g->arena, ops[lift_rng_below(g->rng, 3)], a, b);
}

/* The same polynomial, written otherwise. */
static struct tree *rewritten(struct gen *g, struct tree *t)
{
    struct lift_arena *arena = g->arena;
    struct tree *a, *b;

    if (!t->a)
        return t;
    a = rewritten(g, t->a);
    b = rewritten(g, t->b);
    if (t->op == '-')
        return pair(arena, '+', pair(arena, '*', leaf(arena, 'c', -1), b), a);
    if (t->op == '*' && (a->op == '+' || a->op == '-'))
        return pair(arena, a->op, pair(arena, '*', a->a, b), pair(arena, '*', b, a->b));
    if (t->op == '+' && a->op == '+')
        return pair(arena, '+', a->b, pair(arena, '+', b, a->a));
    return pair(arena, t->op, b, a);
}

static bool same_values(const struct tree *a, const struct tree *b)
{
    for (int64_t i = -9; i <= 9; i++) {
        for (int64_t j = -9; j <= 9; j++) {
            struct env env = {{i, j}};
            int64_t x = 0, y = 0;

            assert_true(tree_eval(a, &env, &x) && tree_eval(b, &env, &y));
            if (x != y)
                return false;
        }
    }
    return true;
}

static void test_polynomials(void **state)
{
    struct lift_rng rng;
    int equal = 0;

    (void)state;
    lift_rng_seed(&rng, 7);
    for (int round = 0; round < 40; round++) {
        struct world w = world_open();
        struct gen g = {w.arena, &rng};

        for (int i = 0; i < 250; i++) {
            struct tree *a = random_poly(&g, 3), *b = random_poly(&g, 3);
            lift_nat x = tree_build(w.nats, a), y = tree_build(w.nats, b);

            assert_ptr_equal(tree_build(w.nats, rewritten(&g, a)), x);
            assert_int_equal(x == y, same_values(a, b));
            equal += x == y;
        }
        world_close(&w);
    }
    assert_true(equal > 100);
}

/* ---- numbers of mixed radix, from joins and splits of nested tiles ---- */

enum { MAX_DIGITS = 5 };

struct radix {
    lift_nat digit[MAX_DIGITS], weight[MAX_DIGITS], number;
    int count;
};

/* Digits d0 .. with 0 <= d < radix, the radix a number or a tunable that is at least so
 * large; the most significant digit has any range. */
static struct radix random_radix(struct lift_rng *rng, struct lift_nats *nats)
{
    struct radix r = {.count = (int)lift_rng_range(rng, 2, MAX_DIGITS)};
    lift_nat weight = lift_nat_const(nats, 1);
    char name[16];

    r.number = lift_nat_const(nats, 0);
    for (int i = 0; i < r.count; i++) {
        int64_t size = lift_rng_range(rng, 2, 12);
        bool last = i == r.count - 1;

        snprintf(name, sizeof name, "d%d", i);
        r.digit[i] = lift_nat_var(nats, name, LIFT_VAR_INDEX, last ? -1000 : 0,
                                  last ? 1000 : size - 1);
        r.weight[i] = weight;
        r.number = lift_nat_add(r.number, lift_nat_mul(weight, r.digit[i]));
        snprintf(name, sizeof name, "r%d", i);
        weight = lift_nat_mul(weight,
                              lift_rng_below(rng, 2)
                                  ? lift_nat_const(nats, size)
                                  : lift_nat_var(nats, name, LIFT_VAR_TUNABLE, size, 99));
    }
    return r;
}

/* Every digit comes back, and every group of digits. */
static void test_mixed_radix(void **state)
{
    struct lift_rng rng;

    (void)state;
    lift_rng_seed(&rng, 11);
    for (int round = 0; round < 2000; round++) {
        struct world w = world_open();
        struct radix r = random_radix(&rng, w.nats);

        for (int i = 0; i < r.count; i++) {
            lift_nat high = lift_nat_div(r.number, r.weight[i]),
                     sum = lift_nat_const(w.nats, 0);

            for (int k = i; k < r.count; k++)
                sum =
                    lift_nat_add(sum, lift_nat_mul(lift_nat_div(r.weight[k], r.weight[i]),
                                                   r.digit[k]));
            assert_ptr_equal(high, sum);
            if (i + 1 == r.count)
                continue;
            assert_ptr_equal(
                lift_nat_mod(high, lift_nat_div(r.weight[i + 1], r.weight[i])),
                r.digit[i]);
            assert_ptr_equal(
                lift_nat_div(high, lift_nat_div(r.weight[i + 1], r.weight[i])),
                lift_nat_div(r.number, r.weight[i + 1]));
            assert_true(lift_nat_proves_lt(lift_nat_mod(r.number, r.weight[i + 1]),
                                           r.weight[i + 1]));
        }
        world_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_polynomials),
        cmocka_unit_test(test_mixed_radix),
        cmocka_unit_test(test_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
