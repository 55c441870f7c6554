/* Side conditions of primitives, and the tunables of a term. */
#include "eval_fixture.h"
#include "ir/constraint.h"
#include <stdlib.h>

static void describe(const struct lift_side_conditions *sides, struct lift_str *out)
{
    lift_str_clear(out);
    for (int i = 0; i < sides->count; i++) {
        lift_nat_print(sides->items[i].a, 1, out);
        lift_str_add(out, sides->items[i].kind == LIFT_SIDE_LE ? " <= " : " | ");
        lift_nat_print(sides->items[i].b, 1, out);
        lift_str_add(out, "; ");
    }
    for (int i = 0; i < sides->tunable_count; i++)
        lift_str_addf(out, "%s %lld..%lld; ", sides->tunables[i].name,
                      (long long)sides->tunables[i].lo, (long long)sides->tunables[i].hi);
}

/* The conditions and tunables of 'e', as text. */
static void asks(struct fixture *f, lift_expr e, const char *expected)
{
    struct lift_side_conditions sides = lift_expr_constraints(f->arena, must(f, e));

    describe(&sides, &f->text);
    assert_string_equal(lift_str_get(&f->text), expected);
}

struct names {
    lift_nat n, k, w, z; /* z may be negative */
    lift_expr x;
};

static struct names declare(struct fixture *f)
{
    struct names s = {lift_nat_var(f->nats, "n", LIFT_VAR_SIZE, 0, 4096),
                      lift_nat_var(f->nats, "k", LIFT_VAR_TUNABLE, 1, 64),
                      lift_nat_var(f->nats, "w", LIFT_VAR_TUNABLE, 1, 16),
                      lift_nat_var(f->nats, "z", LIFT_VAR_SIZE, -4, 4), NULL};

    s.x = lift_expr_free(f->ir, "x", lift_type_array(f->ir, f->f32, s.n));
    return s;
}

static void test_each_condition(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    struct names s = declare(f);
    lift_nat zero = num(f, 0), one = num(f, 1);
    lift_expr i = lift_fresh(ir, "i", f->i32), a = lift_fresh(ir, "a", f->f32);
    lift_expr flat = lift_fun(ir, flt(f, 1), i), same = lift_fun(ir, a, a);
    lift_expr row = lift_fresh(ir, "row", lift_type_array(ir, f->f32, s.k));

    asks(f, lift_call_nat(ir, LIFT_SPLIT, s.k, s.x), "k | n; k 1..64; ");
    asks(f, lift_call_nat(ir, LIFT_SPLIT, s.z, s.x), "1 <= z; z | n; ");
    asks(f, lift_call_nat(ir, LIFT_AS_VECTOR, num(f, 4), s.x), "4 | n; ");
    asks(f, lift_slide(ir, s.w, s.k, s.x), "w <= n; w 1..16; k 1..64; ");
    asks(f,
         prim(f, LIFT_MAP_SEQ_SLIDE, s.k, one, lift_fun(ir, lift_at(ir, 0, row), row),
              s.x),
         "k <= n; k 1..64; ");
    asks(f, prim(f, LIFT_SLIDE_SHIFT, s.k, s.k, s.x, NULL), "k <= n; k 1..64; ");
    asks(f,
         lift_call_nat(ir, LIFT_JOIN_SHIFT, s.n,
                       prim(f, LIFT_SLIDE_SHIFT, s.k, s.k, s.x, NULL)),
         "k <= n; k 1..64; ");
    asks(f, lift_pad(ir, one, zero, LIFT_PAD_CLAMP, s.x), "1 <= n; ");
    asks(f, lift_pad(ir, zero, zero, LIFT_PAD_CLAMP, s.x), "");
    asks(f, lift_pad(ir, s.k, s.w, LIFT_PAD_MIRROR, s.x),
         "k <= n; w <= n; k 1..64; w 1..16; ");
    asks(f, lift_pad(ir, zero, s.z, LIFT_PAD_WRAP, s.x), "0 <= z; z <= n; ");
    asks(f, lift_pad_const(ir, s.z, s.k, flt(f, 0), s.x), "0 <= z; k 1..64; ");
    asks(f, prim(f, LIFT_PAD_STORED, s.z, s.k, flt(f, 0), s.x), "0 <= z; k 1..64; ");
    asks(f, prim(f, LIFT_ALIGN_ROWS, s.k, s.z, s.x, NULL), "0 <= z; k 1..64; ");
    asks(f, prim(f, LIFT_APART, s.k, s.z, s.x, NULL), "0 <= z; k 1..64; ");
    asks(f, prim(f, LIFT_PREFETCH, s.z, NULL, s.x, NULL), "0 <= z; ");
    asks(f, lift_call_nat(ir, LIFT_TAKE, s.k, s.x), "k <= n; k 1..64; ");
    asks(f, lift_call_nat(ir, LIFT_DROP, num(f, 2), s.x), "2 <= n; ");
    asks(f, lift_at(ir, 0, s.x), "1 <= n; ");
    asks(f,
         inset_box(f, 1, (lift_nat[]){s.k, zero, zero}, s.x,
                   lift_expr_free(ir, "y", lift_type_array(ir, f->f32, s.w))),
         "(k + w) <= n; w 1..16; k 1..64; ");
    asks(f, lift_array(ir, s.z, flat), "0 <= z; ");
    asks(f, prim(f, LIFT_ITERATE, s.z, NULL, same, flt(f, 1)), "0 <= z; ");
}

/* Conditions that the ranges prove are dropped; conditions of two primitives are merged.
 */
static void test_proved_and_repeated(void **state)
{
    struct fixture *f = *state;
    struct lift_ir *ir = f->ir;
    struct names s = declare(f);
    lift_nat one = num(f, 1), two = num(f, 2);
    lift_expr padded = lift_pad_const(ir, one, one, flt(f, 0), s.x);
    lift_expr split = lift_call_nat(ir, LIFT_SPLIT, s.k, s.x);
    lift_expr even = lift_expr_free(
        ir, "even",
        lift_type_array(ir, f->f32, lift_nat_mul(s.k, lift_nat_mul_const(s.n, 2))));

    asks(f, lift_slide(ir, two, one, padded), "");
    asks(f, lift_call_nat(ir, LIFT_SPLIT, lift_nat_mul_const(s.k, 2), even), "k 1..64; ");
    asks(f, lift_call2(ir, LIFT_TUPLE, split, lift_call1(ir, LIFT_JOIN, split)),
         "k | n; k 1..64; ");
    asks(f,
         lift_call2(ir, LIFT_TUPLE, lift_call_nat(ir, LIFT_TAKE, s.k, s.x),
                    lift_call_nat(ir, LIFT_DROP, s.k, s.x)),
         "k <= n; k 1..64; ");
}

/* A tunable counts wherever it is mentioned: in a size, a type, or the term. */
static void test_tunables(void **state)
{
    struct fixture *f = *state;
    struct names s = declare(f);
    lift_expr x = lift_expr_free(f->ir, "t", lift_type_array(f->ir, f->f32, s.w));
    lift_expr size = prim(f, LIFT_NAT, lift_nat_mul(s.k, s.n), NULL, NULL, NULL);

    asks(f, lift_call2(f->ir, LIFT_TUPLE, x, size), "w 1..16; k 1..64; ");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_each_condition),
        TEST(test_proved_and_repeated),
        TEST(test_tunables),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
