/* Common parts of the interpreter's tests: a context, inputs by name, short constructors.
 */
#ifndef EVAL_FIXTURE_H
#define EVAL_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/eval.h"
#include "lift/build.h"
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_INPUTS = 16 };

struct fixture {
    struct lift_ir *ir;
    struct lift_nats *nats;
    struct lift_arena *arena;
    lift_type f32, i32, bool_;
    struct lift_binding inputs[MAX_INPUTS];
    struct lift_nat_env sizes;
    struct lift_eval_env env;
    struct lift_str text;
};

static inline void fixture_init(struct fixture *f)
{
    memset(f, 0, sizeof *f);
    f->ir = lift_ir_create();
    f->nats = lift_ir_nats(f->ir);
    f->arena = lift_arena_create();
    f->f32 = lift_type_scalar(f->ir, LIFT_F32);
    f->i32 = lift_type_scalar(f->ir, LIFT_I32);
    f->bool_ = lift_type_scalar(f->ir, LIFT_BOOL);
    f->env.values = f->inputs;
    f->env.nat = lift_nat_env_value;
    f->env.nat_user = &f->sizes;
}

static inline void fixture_fini(struct fixture *f)
{
    lift_str_fini(&f->text);
    lift_arena_destroy(f->arena);
    lift_ir_destroy(f->ir);
}

static inline int fixture_setup(void **state)
{
    struct fixture *f = malloc(sizeof *f);

    fixture_init(f);
    *state = f;
    return 0;
}

static inline int fixture_teardown(void **state)
{
    fixture_fini(*state);
    free(*state);
    return 0;
}

static inline lift_nat num(struct fixture *f, int64_t n)
{
    return lift_nat_const(f->nats, n);
}

static inline lift_expr flt(struct fixture *f, double x)
{
    return lift_expr_float(f->ir, LIFT_F32, x);
}

static inline lift_expr integer(struct fixture *f, int64_t x)
{
    return lift_expr_int(f->ir, x);
}

static inline lift_type arr(struct fixture *f, lift_type elem, int64_t n)
{
    return lift_type_array(f->ir, elem, num(f, n));
}

/* A term without which the test makes no sense. */
static inline lift_expr must(struct fixture *f, lift_expr e)
{
    if (!e)
        fail_msg("%s", lift_ir_error(f->ir));
    return e;
}

static inline void bind_value(struct fixture *f, const char *name, struct lift_value v)
{
    assert_true(f->env.value_count < MAX_INPUTS);
    f->inputs[f->env.value_count++] = (struct lift_binding){name, v};
}

/* The free variable of that name, with 'data' as its value. */
static inline lift_expr input(struct fixture *f, const char *name, lift_type t,
                              const double *data)
{
    struct lift_value v;

    assert_true(
        lift_value_from_doubles(f->arena, t, lift_nat_env_value, &f->sizes, data, &v));
    bind_value(f, name, v);
    return lift_expr_free(f->ir, name, t);
}

/* Any primitive. */
static inline lift_expr prim(struct fixture *f, enum lift_op op, lift_nat n0, lift_nat n1,
                             lift_expr x, lift_expr y)
{
    struct lift_prim_args a = {.nats = {n0, n1},
                               .args = {x, y},
                               .arg_count = y   ? 2
                                            : x ? 1
                                                : 0};
    struct lift_type_error error = {0};
    lift_expr e = lift_expr_prim(f->ir, op, &a, &error);

    if (!e)
        fail_msg("%s", error.text);
    return e;
}

/* 'insetBox' of d dimensions. */
static inline lift_expr inset_box(struct fixture *f, int d, const lift_nat l[3],
                                  lift_expr border, lift_expr x)
{
    struct lift_prim_args a = {
        .nats = {l[0], l[1], l[2]}, .args = {border, x}, .arg_count = 2};

    a.attrs.box.dims = d;
    return lift_expr_prim(f->ir, LIFT_INSET_BOX, &a, NULL);
}

static inline struct lift_value value_of(struct fixture *f, lift_expr e)
{
    struct lift_value v;

    if (!lift_eval(&f->env, must(f, e), f->arena, &v, &f->text))
        fail_msg("%s", lift_str_get(&f->text));
    return v;
}

static inline void gives(struct fixture *f, lift_expr e, const char *expected)
{
    struct lift_value v = value_of(f, e);

    lift_str_clear(&f->text);
    lift_value_print(v, 1000, &f->text);
    assert_string_equal(lift_str_get(&f->text), expected);
}

static inline void refuses(struct fixture *f, lift_expr e, const char *expected)
{
    struct lift_value v;

    assert_false(lift_eval(&f->env, must(f, e), f->arena, &v, &f->text));
    assert_string_equal(lift_str_get(&f->text), expected);
}

#endif
