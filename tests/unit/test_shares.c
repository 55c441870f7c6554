/* Parts of a grid on several devices: what exchange and mapDevice mean, which sizes have
 * a value, and who refuses them. */
#include "codegen/kernel.h"
#include "eval_fixture.h"
#include "ir/cut.h"

static lift_expr grid(struct fixture *f, int n)
{
    return lift_expr_free(f->ir, "six", arr(f, f->f32, n));
}

static int setup(void **state)
{
    static const double one_to_six[] = {1, 2, 3, 4, 5, 6};
    struct fixture *f = malloc(sizeof *f);

    fixture_init(f);
    input(f, "six", arr(f, f->f32, 6), one_to_six);
    *state = f;
    return 0;
}

static struct lift_device_parts parts(struct fixture *f, int before, int after, int first,
                                      int second)
{
    const int shares[] = {first, second};

    return (struct lift_device_parts){.before = num(f, before),
                                      .after = num(f, after),
                                      .shares = lift_shares(f->ir, shares, 2)};
}

/* Each element and its place, as it says itself and as the part says it. */
static lift_expr placed(struct fixture *f, const struct lift_device_parts *p,
                        lift_expr xs)
{
    lift_nat part = lift_part_length(f->ir, 0);
    lift_expr first = lift_fresh(f->ir, "first", f->i32);
    lift_expr y = lift_fresh(f->ir, "y", lift_type_array(f->ir, f->f32, part));
    lift_expr i = lift_fresh(f->ir, "i", f->i32);
    lift_expr at = lift_call2(f->ir, LIFT_ADD, i, first), both[2];

    both[0] = y;
    both[1] = lift_array(f->ir, part, lift_fun(f->ir, at, i));
    return lift_map_device(
        f->ir, p, lift_fun2(f->ir, lift_call(f->ir, LIFT_ZIP, both, 2), first, y),
        lift_exchange(f->ir, p, xs));
}

static void test_exchange(void **state)
{
    struct fixture *f = *state;
    struct lift_device_parts p = parts(f, 1, 2, 1, 1);

    gives(f, lift_exchange(f->ir, &p, grid(f, 6)), "[1, 2, 3, 4, 5, 3, 4, 5, 6]");
    p.ring = true;
    gives(f, lift_exchange(f->ir, &p, grid(f, 6)),
          "[6, 1, 2, 3, 4, 5, 3, 4, 5, 6, 1, 2]");
    p = parts(f, 2, 0, 1, 2);
    gives(f, lift_exchange(f->ir, &p, grid(f, 6)), "[1, 2, 1, 2, 3, 4, 5, 6]");
    p = parts(f, 0, 3, 1, 2);
    refuses(f, lift_exchange(f->ir, &p, grid(f, 6)),
            "part 1 of 2 has '2' elements, and '3' are exchanged");
    p = parts(f, 0, 0, 1, 20);
    refuses(f, lift_exchange(f->ir, &p, grid(f, 6)), "part 1 of 2 has no element");
    p = parts(f, 0, 0, 1, 0);
    refuses(f, lift_exchange(f->ir, &p, grid(f, 6)), "'exchange' with a share of '0'");
}

static void test_map_device(void **state)
{
    static const char expected[] = "[(1, 0), (2, 1), (3, 2), (4, 3), (5, 4), (6, 5)]";
    struct fixture *f = *state;
    struct lift_device_parts p = parts(f, 1, 2, 1, 1);

    gives(f, placed(f, &p, grid(f, 6)), expected);
    p = parts(f, 2, 0, 1, 2);
    gives(f, placed(f, &p, grid(f, 6)), expected);
    p.ring = true; /* the first part begins with the last two elements */
    gives(f, placed(f, &p, grid(f, 6)),
          "[(1, 6), (2, 7), (3, 2), (4, 3), (5, 4), (6, 5)]");
}

/* A tuple of grids, of which the function makes a tuple. */
static void test_tuples(void **state)
{
    struct fixture *f = *state;
    struct lift_device_parts p = parts(f, 1, 1, 1, 2);
    lift_expr xs = lift_exchange(f->ir, &p, grid(f, 6));
    lift_type part = lift_type_array(f->ir, f->f32, lift_part_length(f->ir, 0));
    lift_expr first = lift_fresh(f->ir, "first", f->i32);
    lift_expr y =
        lift_fresh(f->ir, "y", lift_type_tuple(f->ir, (lift_type[]){part, part}, 2));
    lift_expr one = lift_get(f->ir, 0, y), both = lift_call2(f->ir, LIFT_TUPLE, y, one);

    assert_null(lift_map_device(f->ir, &p, lift_fun2(f->ir, both, first, y),
                                lift_call2(f->ir, LIFT_TUPLE, xs, xs)));
    lift_ir_clear_error(f->ir);
    both = lift_call2(f->ir, LIFT_TUPLE, one, lift_get(f->ir, 1, y));
    gives(f,
          lift_map_device(f->ir, &p, lift_fun2(f->ir, both, first, y),
                          lift_call2(f->ir, LIFT_TUPLE, xs, xs)),
          "([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6])");
}

/* Parts begin at the nearest element, and sizes say the same. */
static void test_shares(void **state)
{
    struct fixture *f = *state;
    const int64_t shares[] = {3, 1, 2, 7};
    lift_nat of[4];
    int64_t begin[5], value;

    for (int i = 0; i < 4; i++)
        of[i] = num(f, shares[i]);
    for (int64_t n = 4; n < 40; n++) {
        lift_share_out(shares, 4, n, begin);
        assert_true(begin[0] == 0 && begin[4] == n);
        for (int i = 0; i <= 4; i++) {
            assert_true(lift_nat_is_const(lift_share_begin(of, 4, i, num(f, n)), &value));
            assert_int_equal(value, begin[i]);
        }
    }
    lift_share_out(shares, 4, 26, begin);
    assert_true(begin[1] == 6 && begin[2] == 8 && begin[3] == 12);
}

static void test_no_kernel(void **state)
{
    static const char why[] = "is for several devices, and a kernel is for one";
    struct fixture *f = *state;
    struct lift_device_parts p = parts(f, 1, 0, 1, 1);
    struct lift_codegen_options options = {.dialect = LIFT_DIALECT_OPENMP,
                                           .name = "none"};

    assert_null(lift_codegen(f->ir, placed(f, &p, grid(f, 6)), &options, &f->text));
    assert_non_null(strstr(lift_str_get(&f->text), "'mapDevice' "));
    assert_non_null(strstr(lift_str_get(&f->text), why));
    lift_str_clear(&f->text);
    assert_null(
        lift_codegen(f->ir, lift_exchange(f->ir, &p, grid(f, 6)), &options, &f->text));
    assert_non_null(strstr(lift_str_get(&f->text), "'exchange' "));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_exchange), TEST(test_map_device), TEST(test_tuples),
        TEST(test_shares),   TEST(test_no_kernel),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
