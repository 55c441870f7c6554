/* Nats: {text, expected text} tables, bounds, proofs, structure. */
#include "nat_tree.h"
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Sizes that views make of split, join, slide and tiles. */
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

/* {expression, fact, fact or NULL, simplified expression} */
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

/* {expression, the same condition in its tight and in its least form} */
static void test_conditions(void **state)
{
    static const struct {
        const char *text, *tight, *least;
    } rows[] = {
        {"4 * i + 128 * n - 997", "4*i + 128*n - 1000", "i + 32*n - 250"},
        {"999 - 4 * i - 128 * n", "996 - 4*i - 128*n", "249 - i - 32*n"},
        {"6 * i + 4 * (n / 3) + 7", "6*i + 4*(n / 3) + 6", "3*i + 2*(n / 3) + 3"},
        {"4 * i + 3 * n + 2", "4*i + 3*n + 2", "4*i + 3*n + 2"},
        {"8 * i", "8*i", "i"},
        {"7", "7", "7"},
    };
    struct world w = world_open();
    struct lift_str s = {0}, expected = {0};

    (void)state;
    for (int r = 0; r < COUNT(rows); r++) {
        lift_nat n = read_nat(&w, rows[r].text);

        text_of(lift_nat_tight(n), &s);
        text_of(read_nat(&w, rows[r].tight), &expected);
        assert_string_equal(lift_str_get(&s), lift_str_get(&expected));
        text_of(lift_nat_least(n), &s);
        text_of(read_nat(&w, rows[r].least), &expected);
        assert_string_equal(lift_str_get(&s), lift_str_get(&expected));
    }
    lift_str_fini(&s);
    lift_str_fini(&expected);
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

static void note_var(void *user, const struct lift_var *var)
{
    int at = var_index(var->name);

    assert_string_equal(lift_nat_is_var(var->nat, NULL), var->name);
    assert_int_equal(vars[at].kind, var->kind);
    assert_int_equal(vars[at].lo, var->lo);
    assert_int_equal(vars[at].hi, var->hi);
    lift_str_add(user, var->name);
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

static bool one_lookup(void *user, const char *name, int64_t *value)
{
    *value = *(const int64_t *)user;
    return !strcmp(name, "x");
}

static void test_eval(void **state)
{
    struct world w = world_open();
    int64_t x = -7, value;

    (void)state;
    assert_true(lift_nat_eval(read_nat(&w, "x / 2 * x + 1"), one_lookup, &x, &value));
    assert_int_equal(value, 29);
    assert_true(
        lift_nat_eval(read_nat(&w, "min(x * x, max(x, 3)) % 4"), one_lookup, &x, &value));
    assert_int_equal(value, 3);
    assert_false(lift_nat_eval(read_nat(&w, "x + n"), one_lookup, &x, &value));
    assert_false(lift_nat_eval(read_nat(&w, "5 / x"), one_lookup, &x, &value));
    assert_false(lift_nat_eval(read_nat(&w, "5 / 0"), one_lookup, &x, &value));
    world_close(&w);
}

static lift_nat chain(struct lift_nats *nats, int length)
{
    lift_nat y = var(nats, var_index("x"));

    for (int i = 0; i < length; i++)
        y = lift_nat_mod(lift_nat_add_const(lift_nat_mul_const(y, 3), 1),
                         lift_nat_const(nats, 11 + i % 3));
    return y;
}

/* Each link names its predecessor twice: walks must visit shared nodes once. */
static void test_sharing(void **state)
{
    enum { LENGTH = 60 };
    struct world w = world_open(), other = world_open();
    lift_nat y = chain(w.nats, LENGTH);
    struct lift_str s = {0};
    int64_t x = 23, value, expected = x;

    (void)state;
    for (int i = 0; i < LENGTH; i++)
        expected = (3 * expected + 1) % (11 + i % 3);
    assert_true(lift_nat_eval(y, one_lookup, &x, &value));
    assert_int_equal(value, expected);
    assert_ptr_equal(lift_nat_subst(w.nats, y, no_lookup, NULL), y);
    assert_int_equal(lift_nat_compare(y, lift_nat_subst(other.nats, y, no_lookup, NULL)),
                     0);
    assert_int_not_equal(lift_nat_compare(y, chain(other.nats, LENGTH - 3)), 0);
    lift_nat_each_var(y, note_var, &s);
    assert_string_equal(lift_str_get(&s), "x");
    lift_str_fini(&s);
    world_close(&w);
    world_close(&other);
}

/* ---- bugs of the caller ---- */

static void overflow_sum(struct lift_nats *nats)
{
    lift_nat_add(lift_nat_const(nats, INT64_MAX), lift_nat_const(nats, 1));
}

static void overflow_product(struct lift_nats *nats)
{
    lift_nat n = lift_nat_mul_const(var(nats, 0), (int64_t)1 << 40);

    lift_nat_mul(n, n);
}

static void overflow_value(struct lift_nats *nats)
{
    lift_nat x = var(nats, var_index("x"));
    int64_t value = (int64_t)1 << 40;

    lift_nat_eval(lift_nat_mul(x, x), one_lookup, &value, &value);
}

static void two_ranges(struct lift_nats *nats)
{
    lift_nat_var(nats, "a", LIFT_VAR_SIZE, 0, 5);
    lift_nat_var(nats, "a", LIFT_VAR_SIZE, 0, 6);
}

static void empty_range(struct lift_nats *nats)
{
    lift_nat_var(nats, "a", LIFT_VAR_SIZE, 1, 0);
}

static void test_aborts(void **state)
{
    static void (*const bugs[])(struct lift_nats * nats) = {
        overflow_sum, overflow_product, overflow_value, two_ranges, empty_range,
    };

    (void)state;
    for (int i = 0; i < COUNT(bugs); i++) {
        pid_t child = fork();
        int status;

        assert_true(child >= 0);
        if (child == 0) {
            signal(SIGABRT, SIG_DFL);
            fclose(stderr);
            bugs[i](world_open().nats);
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        assert_int_equal(WTERMSIG(status), SIGABRT);
    }
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums),        cmocka_unit_test(test_divisions),
        cmocka_unit_test(test_tiles),       cmocka_unit_test(test_minima),
        cmocka_unit_test(test_ranges),      cmocka_unit_test(test_assume),
        cmocka_unit_test(test_divides),     cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_parentheses), cmocka_unit_test(test_variables),
        cmocka_unit_test(test_each_var),    cmocka_unit_test(test_structure),
        cmocka_unit_test(test_stable_hash), cmocka_unit_test(test_saturation),
        cmocka_unit_test(test_eval),        cmocka_unit_test(test_sharing),
        cmocka_unit_test(test_aborts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
