/* Nats: {text, expected text} tables; random expressions against a naive evaluator; the
 * normal form. A small tree stands for the expression before any simplification. */
#include "lift/arena.h"
#include "lift/hash.h"
#include "lift/nat.h"
#include "lift/rng.h"
#include "lift/str.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* ---- variables ---- */

static const struct {
    const char *name;
    enum lift_var_kind kind;
    int64_t lo, hi;
} vars[] = {
    {"i", LIFT_VAR_INDEX, 0, 99},
    {"j", LIFT_VAR_INDEX, 0, 7},
    {"t", LIFT_VAR_INDEX, 0, 3},
    {"k", LIFT_VAR_TUNABLE, 8, 64},
    {"m", LIFT_VAR_TUNABLE, 1, 10},
    {"n", LIFT_VAR_SIZE, 1, 1000},
    {"x", LIFT_VAR_INDEX, -50, 50},
    {"u", LIFT_VAR_META, LIFT_NAT_MIN, LIFT_NAT_MAX},
    {"v", LIFT_VAR_META, 0, LIFT_NAT_MAX},
};

struct env {
    int64_t value[COUNT(vars)];
};

static int var_index(const char *name)
{
    for (int i = 0; i < COUNT(vars); i++)
        if (!strcmp(vars[i].name, name))
            return i;
    return -1;
}

static lift_nat var(struct lift_nats *nats, int i)
{
    return lift_nat_var(nats, vars[i].name, vars[i].kind, vars[i].lo, vars[i].hi);
}

static bool env_lookup(void *user, const char *name, int64_t *value)
{
    const struct env *env = user;

    *value = env->value[var_index(name)];
    return true;
}

static struct env random_env(struct lift_rng *rng)
{
    struct env env;

    for (int i = 0; i < COUNT(vars); i++) {
        int64_t lo = vars[i].lo == LIFT_NAT_MIN ? -60 : vars[i].lo;
        int64_t hi = vars[i].hi == LIFT_NAT_MAX ? 60 : vars[i].hi;
        uint64_t edge = lift_rng_below(rng, 6);

        env.value[i] = edge == 0 ? lo : edge == 1 ? hi : lift_rng_range(rng, lo, hi);
    }
    return env;
}

/* ---- trees ---- */

struct tree {
    char op; /* 'c' constant, 'v' variable, '+' '-' '*' '/' '%', 'C' ceil, '<' min, '>'
                max */
    int64_t value;
    struct tree *a, *b;
};

static struct tree *leaf(struct lift_arena *arena, char op, int64_t value)
{
    struct tree *t = LIFT_NEW(arena, struct tree);

    *t = (struct tree){.op = op, .value = value};
    return t;
}

static struct tree *pair(struct lift_arena *arena, char op, struct tree *a,
                         struct tree *b)
{
    struct tree *t = LIFT_NEW(arena, struct tree);

    *t = (struct tree){.op = op, .a = a, .b = b};
    return t;
}

static int64_t floor_div(int64_t a, int64_t b)
{
    int64_t q = a / b;

    while (q * b > a)
        q--;
    return q;
}

static bool apply(char op, int64_t a, int64_t b, int64_t *out)
{
    if (strchr("/%C", op) && b < 1)
        return false;
    switch (op) {
    case '+':
        return !__builtin_add_overflow(a, b, out);
    case '-':
        return !__builtin_sub_overflow(a, b, out);
    case '*':
        return !__builtin_mul_overflow(a, b, out);
    case '/':
        *out = floor_div(a, b);
        return true;
    case '%':
        *out = a - b * floor_div(a, b);
        return true;
    case 'C':
        *out = -floor_div(-a, b);
        return true;
    case '<':
        *out = a < b ? a : b;
        return true;
    default:
        *out = a > b ? a : b;
        return true;
    }
}

/* The definition that everything is compared with; false if a divisor is below 1. */
static bool tree_eval(const struct tree *t, const struct env *env, int64_t *out)
{
    int64_t a, b;

    if (t->op == 'c' || t->op == 'v') {
        *out = t->op == 'c' ? t->value : env->value[t->value];
        return true;
    }
    return tree_eval(t->a, env, &a) && tree_eval(t->b, env, &b) &&
           apply(t->op, a, b, out);
}

static lift_nat combine(char op, lift_nat a, lift_nat b)
{
    switch (op) {
    case '+':
        return lift_nat_add(a, b);
    case '-':
        return lift_nat_sub(a, b);
    case '*':
        return lift_nat_mul(a, b);
    case '/':
        return lift_nat_div(a, b);
    case '%':
        return lift_nat_mod(a, b);
    case 'C':
        return lift_nat_ceil_div(a, b);
    case '<':
        return lift_nat_min(a, b);
    default:
        return lift_nat_max(a, b);
    }
}

static lift_nat tree_build(struct lift_nats *nats, const struct tree *t)
{
    if (t->op == 'c')
        return lift_nat_const(nats, t->value);
    if (t->op == 'v')
        return var(nats, (int)t->value);
    return combine(t->op, tree_build(nats, t->a), tree_build(nats, t->b));
}

/* ---- a parser with the precedence of C ---- */

struct parser {
    const char *at;
    struct lift_arena *arena;
};

static struct tree *parse_sum(struct parser *p);

static bool accept(struct parser *p, const char *text)
{
    while (*p->at == ' ')
        p->at++;
    if (strncmp(p->at, text, strlen(text)))
        return false;
    p->at += strlen(text);
    return true;
}

static struct tree *parse_call(struct parser *p, char op)
{
    struct tree *a = parse_sum(p), *b;

    assert_true(accept(p, ","));
    b = parse_sum(p);
    assert_true(accept(p, ")"));
    return pair(p->arena, op, a, b);
}

static struct tree *parse_operand(struct parser *p)
{
    char name[2] = {0}, *end;
    struct tree *t;

    if (accept(p, "-"))
        return pair(p->arena, '-', leaf(p->arena, 'c', 0), parse_operand(p));
    if (accept(p, "min("))
        return parse_call(p, '<');
    if (accept(p, "max("))
        return parse_call(p, '>');
    if (accept(p, "ceil("))
        return parse_call(p, 'C');
    if (accept(p, "(")) {
        t = parse_sum(p);
        assert_true(accept(p, ")"));
        return t;
    }
    if (*p->at >= '0' && *p->at <= '9') {
        t = leaf(p->arena, 'c', strtoll(p->at, &end, 10));
        p->at = end;
        return t;
    }
    name[0] = *p->at++;
    assert_true(var_index(name) >= 0);
    return leaf(p->arena, 'v', var_index(name));
}

static struct tree *parse_product(struct parser *p)
{
    struct tree *t = parse_operand(p);

    for (;;) {
        if (accept(p, "*"))
            t = pair(p->arena, '*', t, parse_operand(p));
        else if (accept(p, "/"))
            t = pair(p->arena, '/', t, parse_operand(p));
        else if (accept(p, "%"))
            t = pair(p->arena, '%', t, parse_operand(p));
        else
            return t;
    }
}

static struct tree *parse_sum(struct parser *p)
{
    struct tree *t = parse_product(p);

    for (;;) {
        if (accept(p, "+"))
            t = pair(p->arena, '+', t, parse_product(p));
        else if (accept(p, "-"))
            t = pair(p->arena, '-', t, parse_product(p));
        else
            return t;
    }
}

static struct tree *parse(struct lift_arena *arena, const char *text)
{
    struct parser p = {text, arena};
    struct tree *t = parse_sum(&p);

    assert_true(accept(&p, ""));
    assert_int_equal(*p.at, '\0');
    return t;
}

/* ---- fixture ---- */

struct world {
    struct lift_arena *arena;
    struct lift_nats *nats;
};

static struct world world_open(void)
{
    struct lift_arena *arena = lift_arena_create();

    return (struct world){arena, lift_nats_create(arena)};
}

static void world_close(struct world *w)
{
    lift_nats_fini(w->nats);
    lift_arena_destroy(w->arena);
}

static lift_nat read_nat(struct world *w, const char *text)
{
    return tree_build(w->nats, parse(w->arena, text));
}

static void text_of(lift_nat n, struct lift_str *out)
{
    lift_str_clear(out);
    lift_nat_print(n, 0, out);
}

static lift_nat no_lookup(void *user, lift_nat v)
{
    (void)user;
    (void)v;
    return NULL;
}

/* ---- tables ---- */

struct row {
    const char *text, *expected;
};

static void check_rows(const struct row *rows, int count)
{
    struct world w = world_open();
    struct lift_str s = {0};

    for (int r = 0; r < count; r++) {
        lift_nat n = read_nat(&w, rows[r].text);

        text_of(n, &s);
        assert_string_equal(lift_str_get(&s), rows[r].expected);
        assert_ptr_equal(read_nat(&w, rows[r].expected), n);
    }
    lift_str_fini(&s);
    world_close(&w);
}

static void test_sums(void **state)
{
    static const struct row rows[] = {
        {"0", "0"},
        {"2 + 3 * 4", "14"},
        {"i - i", "0"},
        {"i + j + i", "2*i + j"},
        {"1 + i", "i + 1"},
        {"(i + 1) * (i - 1)", "i*i - 1"},
        {"(n + j) * (n - j)", "n*n - j*j"},
        {"j * n * i", "i*j*n"},
        {"n - i", "n - i"},
        {"0 - i - 3", "-i - 3"},
        {"-7", "-7"},
        {"-(i * 2)", "-2*i"},
        {"(i + 1) * n - n", "i*n"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_divisions(void **state)
{
    static const struct row rows[] = {
        {"7 / 2", "3"},
        {"-7 / 2", "-4"},
        {"-7 % 2", "1"},
        {"ceil(7, 2)", "4"},
        {"ceil(-7, 2)", "-3"},
        {"n / 1", "n"},
        {"n % 1", "0"},
        {"n / 4", "n / 4"},
        {"n % 4", "n % 4"},
        {"2 * n % 4", "2*(n % 2)"},
        {"(n + 7) / 4", "(n + 3) / 4 + 1"},
        {"(n + 9) % 4", "(n + 1) % 4"},
        {"4 * (n / 4)", "4*(n / 4)"},
        {"n / 4 * 4 + n % 4", "n"},
        {"n - n / 4", "n - n / 4"},
        {"0 - n / 4", "-(n / 4)"},
        {"0 - n % 4", "-(n % 4)"},
        {"(n % 4) / 4", "0"},
        {"(n % 4) % 8", "n % 4"},
        {"(n % 8) % 4", "n % 4"},
        {"(4 * x + 2) / 6", "(2*x + 1) / 3"},
        {"(4 * x + 3) / 6", "(2*x + 1) / 3"},
        {"n / 4 / 3", "n / 12"},
        {"(n / 4 + i) / 3", "(4*i + n) / 12"},
        {"n / 4 % 3", "(n / 4) % 3"},
        {"(n / 4) % 3 * 5 + 1", "5*((n / 4) % 3) + 1"},
        {"j / 8", "0"},
        {"(j - 8) / 8", "-1"},
        {"(7 - j) / 8", "0"},
        {"(n + 7 - j) / 8", "(7*j + n + 7) / 8 - j"},
        {"(k * n + k) / k", "n + 1"},
        {"k * n % k", "0"},
        {"n % k", "n % k"},
        {"n % (k + 1)", "n % (k + 1)"},
        {"(k * n + n) / (k + 1)", "n"},
        {"ceil(n, k)", "(n - 1) / k + 1"},
        {"n / k / m", "n / (k*m)"},
        {"n / k % m", "(n / k) % m"},
        {"k * i / (k * m)", "i / m"},
        {"(n - 3 + 1) / 1", "n - 2"},
        {"(n - k + v) / v", "(n - k) / v + 1"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

/* What views make of split, join, slide and tiles. */
static void test_tiles(void **state)
{
    static const struct row rows[] = {
        {"(8 * i + j) / 8", "i"},
        {"(8 * i + j) % 8", "j"},
        {"(k * i + j) / k", "i"},
        {"(k * i + j) % k", "j"},
        {"(k * i + j) / k * k + (k * i + j) % k", "i*k + j"},
        {"(16 * i + 8 * t + j) / 16", "i + t / 2"},
        {"(32 * i + 8 * t + j) / 32", "i"},
        {"(32 * i + 8 * t + j) % 32", "j + 8*t"},
        {"(32 * i + 8 * t + j) / 8 % 4", "t"},
        {"(32 * i + 8 * t + j) / 8 / 4", "i"},
        {"(4 * i + t) / 8", "i / 2"},
        {"(4 * i + t) % 8", "4*(i % 2) + t"},
        {"(k * i + j) / (k * m)", "i / m"},
        {"(k * i + j) % (k * m)", "k*(i % m) + j"},
        {"(k * m * i + k * t + j) % k", "j"},
        {"(n * i + j) - n * i", "j"},
        {"(8 * (i / 8) + i % 8)", "i"},
        {"(n * k + j) / n - k", "j / n"},
        {"((n - 3 + 1) / 1 - 1) / 2", "(n + 1) / 2 - 2"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_minima(void **state)
{
    static const struct row rows[] = {
        {"min(i, i)", "i"},
        {"min(3, 5)", "3"},
        {"max(3, 5)", "5"},
        {"min(j, 9)", "j"},
        {"max(j, 9)", "9"},
        {"min(i + 1, n + 1)", "min(i, n) + 1"},
        {"min(n, i) - min(i, n)", "0"},
        {"min(min(i, n), n)", "min(i, n)"},
        {"min(n, min(x, i))", "min(i, min(n, x))"},
        {"min(min(n, x), i)", "min(i, min(n, x))"},
        {"min(i, max(i, n))", "i"},
        {"max(i, min(i, n))", "i"},
        {"min(2 * i, 2 * n)", "2*min(i, n)"},
        {"min(k * i, k * m)", "k*min(i, m)"},
        {"min(i + n, i + x)", "i + min(n, x)"},
        {"max(i - 1, 0)", "max(i - 1, 0)"},
        {"min(max(i - 1, 0), n - 1)", "min(n - 1, max(i - 1, 0))"},
        {"min(i + 1, 63)", "min(i, 62) + 1"},
        {"min(n - 4 * i, 4)", "min(4*i + 4, n) - 4*i"},
        {"max(min(n, 4 * t + 4) - 4 * t, 5)", "5"},
        {"min(n % 8, 7)", "n % 8"},
        {"max(n % k - k, 0)", "0"},
        {"min(i, n) / 4", "min(i, n) / 4"},
        {"-min(i, n)", "-min(i, n)"},
    };

    (void)state;
    check_rows(rows, COUNT(rows));
}

static void test_ranges(void **state)
{
    static const struct {
        const char *text;
        int64_t lo, hi;
    } rows[] = {
        {"i + j", 0, 106},
        {"i - i", 0, 0},
        {"2 * x - 3", -103, 97},
        {"x * x", 0, 2500},
        {"i * k - i", 0, 6237},
        {"i * k - i * m", -198, 6237},
        {"n % 4", 0, 3},
        {"n % k", 0, 63},
        {"n - 4 * (n / 4)", 0, 3},
        {"n / k % m", 0, 9},
        {"n % 4 + x % 3", 0, 5},
        {"k - 1 - n % k", 0, 63},
        {"k * m - k * (n % m) - k", 0, 576},
        {"n - n / 2", 1, 500},
        {"u % 5", 0, 4},
        {"u", LIFT_NAT_MIN, LIFT_NAT_MAX},
        {"v + 3", 3, LIFT_NAT_MAX},
        {"0 - v", LIFT_NAT_MIN, 0},
        {"max(u, 3)", 3, LIFT_NAT_MAX},
        {"min(n - i, 0)", -98, 0},
        {"min(4 * i + 4, n) - 4 * i", -395, 4},
    };
    struct world w = world_open();

    (void)state;
    for (int r = 0; r < COUNT(rows); r++) {
        lift_nat n = read_nat(&w, rows[r].text);

        assert_int_equal(lift_nat_lo(n), rows[r].lo);
        assert_int_equal(lift_nat_hi(n), rows[r].hi);
    }
    world_close(&w);
}

/* {expression, fact, fact or NULL, what is left} */
static void test_assume(void **state)
{
    static const struct {
        const char *text, *facts[2], *expected;
    } rows[] = {
        {"min(i, n)", {"n - i"}, "i"},
        {"max(i, n)", {"n - i"}, "n"},
        {"min(i + 1, n)", {"n - 1 - i"}, "i + 1"},
        {"i / n", {"n - 1 - i"}, "0"},
        {"i % n", {"n - 1 - i"}, "i"},
        {"(n * x + i) / n", {"n - 1 - i"}, "x"},
        {"(k * x + i) % (k * n)", {"k - 1 - i"}, "k*(x % n) + i"},
        {"min(k * x + i, k * n)", {"n - 1 - x", "k - 1 - i"}, "i + k*x"},
        {"min(i, max(x, 0)) + n / 4", {"x - i"}, "i + n / 4"},
        {"min(min(i, n) / 4, x)", {"i - n", "x - n"}, "n / 4"},
        {"max(u, 0)", {"u"}, "u"},
        {"min(i, n)", {"x"}, "min(i, n)"},
    };
    struct world w = world_open();
    struct lift_str s = {0};

    (void)state;
    for (int r = 0; r < COUNT(rows); r++) {
        lift_nat facts[2];
        int count = 0;

        for (; count < 2 && rows[r].facts[count]; count++)
            facts[count] = read_nat(&w, rows[r].facts[count]);
        text_of(lift_nat_assume(read_nat(&w, rows[r].text), facts, count), &s);
        assert_string_equal(lift_str_get(&s), rows[r].expected);
    }
    lift_str_fini(&s);
    world_close(&w);
}

static void test_divides(void **state)
{
    static const struct {
        const char *d, *n;
        bool yes;
    } rows[] = {
        {"4", "8", true},
        {"4", "6", false},
        {"1", "n", true},
        {"4", "8 * n + 4", true},
        {"4", "8 * n + 2", false},
        {"k", "k * n - k", true},
        {"k", "n", false},
        {"k * m", "k * m * i", true},
        {"4", "4 * (n / 4)", true},
        {"4", "n - n % 4", true},
        {"k + 1", "n * k + n", true},
    };
    struct world w = world_open();

    (void)state;
    for (int r = 0; r < COUNT(rows); r++)
        assert_int_equal(
            lift_nat_proves_divides(read_nat(&w, rows[r].d), read_nat(&w, rows[r].n)),
            rows[r].yes);
    world_close(&w);
}

static void test_parentheses(void **state)
{
    static const struct row rows[] = {
        {"i", "i"},           {"3", "3"},           {"-3", "(-3)"},
        {"2 * i", "(2*i)"},   {"n / 4", "(n / 4)"}, {"min(i, n)", "min(i, n)"},
        {"i + 1", "(i + 1)"},
    };
    struct world w = world_open();
    struct lift_str s = {0};

    (void)state;
    for (int r = 0; r < COUNT(rows); r++) {
        lift_str_clear(&s);
        lift_nat_print(read_nat(&w, rows[r].text), 1, &s);
        assert_string_equal(lift_str_get(&s), rows[r].expected);
    }
    lift_str_fini(&s);
    world_close(&w);
}

/* ---- structure ---- */

static void test_variables(void **state)
{
    struct world w = world_open();
    lift_nat i = var(w.nats, 0);
    enum lift_var_kind kind;
    int64_t value;

    (void)state;
    assert_ptr_equal(var(w.nats, 0), i);
    assert_ptr_equal(lift_nat_find_var(w.nats, "i"), i);
    assert_null(lift_nat_find_var(w.nats, "none"));
    assert_string_equal(lift_nat_is_var(i, &kind), "i");
    assert_int_equal(kind, LIFT_VAR_INDEX);
    assert_null(lift_nat_is_var(lift_nat_mul_const(i, 2), NULL));
    assert_ptr_equal(lift_nat_pool(i), w.nats);
    assert_true(lift_nat_is_const(lift_nat_const(w.nats, 1 << 20), &value));
    assert_int_equal(value, 1 << 20);
    assert_true(lift_nat_is(lift_nat_sub(i, i), 0));
    assert_false(lift_nat_is_const(i, NULL));
    assert_true(lift_nat_mentions(read_nat(&w, "n / k"), LIFT_VAR_TUNABLE));
    assert_false(lift_nat_mentions(read_nat(&w, "n / 4"), LIFT_VAR_TUNABLE));
    world_close(&w);
}

static void note_var(void *user, lift_nat v, const char *name, enum lift_var_kind kind,
                     int64_t lo, int64_t hi)
{
    int at = var_index(name);

    assert_string_equal(lift_nat_is_var(v, NULL), name);
    assert_int_equal(vars[at].kind, kind);
    assert_int_equal(vars[at].lo, lo);
    assert_int_equal(vars[at].hi, hi);
    lift_str_add(user, name);
}

static void test_each_var(void **state)
{
    struct world w = world_open();
    struct lift_str s = {0};

    (void)state;
    lift_nat_each_var(read_nat(&w, "n % k + min(n, i) + j + j * n"), note_var, &s);
    assert_string_equal(lift_str_get(&s), "jnki");
    lift_str_fini(&s);
    world_close(&w);
}

static void test_structure(void **state)
{
    struct world w = world_open();
    lift_nat n = read_nat(&w, "2 * i * (n / 4) + 5");
    struct lift_atom atom;
    int factors;

    (void)state;
    assert_int_equal(lift_nat_term_count(n), 2);
    assert_int_equal(lift_nat_term(n, 0, &factors), 2);
    assert_int_equal(factors, 2);
    atom = lift_nat_factor(n, 0, 0);
    assert_int_equal(atom.kind, LIFT_ATOM_VAR);
    assert_string_equal(atom.name, "i");
    atom = lift_nat_factor(n, 0, 1);
    assert_int_equal(atom.kind, LIFT_ATOM_DIV);
    assert_ptr_equal(atom.a, read_nat(&w, "n"));
    assert_true(lift_nat_is(atom.b, 4));
    assert_int_equal(lift_nat_term(n, 1, &factors), 5);
    assert_int_equal(factors, 0);
    assert_int_equal(lift_nat_term_count(lift_nat_const(w.nats, 0)), 0);
    world_close(&w);
}

/* The hash names expressions in stored results: it must never change. */
static void test_stable_hash(void **state)
{
    struct world w = world_open();
    char hex[LIFT_HASH_HEX];

    (void)state;
    assert_string_equal(
        lift_hash_hex(lift_nat_hash(read_nat(&w, "min(n, i) + 3 * (n % k)")), hex),
        "ee466e1be86ae7e35942b083b0b37c08");
    world_close(&w);
}

/* Bounds saturate where values could not be held. */
static void test_saturation(void **state)
{
    struct world w = world_open();
    lift_nat big = lift_nat_var(w.nats, "big", LIFT_VAR_SIZE, 0, INT64_MAX - 1);
    lift_nat n = lift_nat_mul(lift_nat_mul_const(big, 4), big);

    (void)state;
    assert_int_equal(lift_nat_lo(n), 0);
    assert_int_equal(lift_nat_hi(n), LIFT_NAT_MAX);
    assert_int_equal(lift_nat_lo(lift_nat_mul_const(n, -1)), LIFT_NAT_MIN);
    assert_false(lift_nat_proves_lt(n, lift_nat_const(w.nats, INT64_MAX)));
    assert_true(lift_nat_proves_le(big, lift_nat_add_const(big, 5)));
    world_close(&w);
}

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

/* Divisors are mostly what programs divide by. */
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

/* No proof may claim what an environment refutes. */
static void check_proofs(lift_nat a, lift_nat b, const struct tree *ta,
                         const struct tree *tb, const struct env *env)
{
    int64_t x, y;

    if (!tree_eval(ta, env, &x) || !tree_eval(tb, env, &y))
        return;
    if (lift_nat_proves_le(a, b))
        assert_true(x <= y);
    if (lift_nat_proves_lt(a, b))
        assert_true(x < y);
    if (lift_nat_proves_ge0(a, NULL, 0))
        assert_true(x >= 0);
    if (x > 0 && lift_nat_proves_divides(a, b))
        assert_int_equal(y % x, 0);
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

/* Substitution of one variable by an expression whose value is in the variable's range.
 */
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

/* Text, rebuilding in place and in a pool of its own lead to the same nat. */
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
            check_proofs(n, before, t, last, &env);
            if (e == 0 && i % 4 == 0)
                check_facts(&g, n, t, &env);
            if (e == 0 && i % 4 == 1)
                check_subst(&g, n, t, &env);
        }
        if (i % 8 == 0)
            check_form(&g, n);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),       cmocka_unit_test(test_divisions),
        cmocka_unit_test(test_tiles),      cmocka_unit_test(test_minima),
        cmocka_unit_test(test_ranges),     cmocka_unit_test(test_assume),
        cmocka_unit_test(test_divides),    cmocka_unit_test(test_parentheses),
        cmocka_unit_test(test_variables),  cmocka_unit_test(test_each_var),
        cmocka_unit_test(test_structure),  cmocka_unit_test(test_stable_hash),
        cmocka_unit_test(test_saturation), cmocka_unit_test(test_polynomials),
        cmocka_unit_test(test_random),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
