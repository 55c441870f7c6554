/* The C expression builder: a program written in C instead of in a .lift file.
 *
 *     lift_expr x = lift_expr_free(ir, "x", lift_type_array(ir, f32, n));
 *     lift_type window = lift_type_array(ir, f32, lift_nat_const(nats, 3));
 *     lift_expr w = lift_expr_free(ir, "w", window);
 *     lift_expr add = lift_fun_op(ir, LIFT_ADD, f32);
 *     lift_expr sum = lift_reduce(ir, add, zero, w);
 *     lift_expr windows = lift_slide(ir, three, one, lift_pad(...));
 *     lift_expr out = lift_map(ir, lift_fun(ir, sum, w), windows);
 *
 * Each call types its result. An ill-typed call returns NULL and records the first error
 * of the context (lift_ir_error). A call also returns NULL if an argument, a list of
 * sizes or a size in a list is NULL. So callers need to check the last result only. */
#ifndef LIFT_BUILD_H
#define LIFT_BUILD_H

#include "lift/api.h"
#include "lift/ir.h"
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The first error since the last clear, or NULL. */
LIFT_API const char *lift_ir_error(const struct lift_ir *ir);
LIFT_API void lift_ir_clear_error(struct lift_ir *ir);

/* A lambda over free variables made by lift_expr_free or lift_fresh. */
LIFT_API lift_expr lift_fun(struct lift_ir *ir, lift_expr body, lift_expr param);
LIFT_API lift_expr lift_fun2(struct lift_ir *ir, lift_expr body, lift_expr p0,
                             lift_expr p1);
/* A free variable with a unique name; printers show 'hint' after binding. */
LIFT_API lift_expr lift_fresh(struct lift_ir *ir, const char *hint, lift_type type);
/* fun(x => op(x)) and fun((x, y) => op(x, y)) for one type of operands. */
LIFT_API lift_expr lift_fun_op(struct lift_ir *ir, enum lift_op op, lift_type operand);

/* Any primitive. 'f' may be NULL for primitives without a function. */
LIFT_API lift_expr lift_call(struct lift_ir *ir, enum lift_op op, const lift_expr *args,
                             int count);
LIFT_API lift_expr lift_call1(struct lift_ir *ir, enum lift_op op, lift_expr x);
LIFT_API lift_expr lift_call2(struct lift_ir *ir, enum lift_op op, lift_expr x,
                              lift_expr y);
LIFT_API lift_expr lift_call3(struct lift_ir *ir, enum lift_op op, lift_expr x,
                              lift_expr y, lift_expr z);
LIFT_API lift_expr lift_call_nat(struct lift_ir *ir, enum lift_op op, lift_nat n,
                                 lift_expr x);

LIFT_API lift_expr lift_map(struct lift_ir *ir, lift_expr f, lift_expr xs);
/* A map of another kind: mapSeq, mapGlb, ...; kinds without a dimension ignore 'dim'. */
LIFT_API lift_expr lift_map_as(struct lift_ir *ir, enum lift_op op, int dim, lift_expr f,
                               lift_expr xs);
LIFT_API lift_expr lift_reduce(struct lift_ir *ir, lift_expr f, lift_expr init,
                               lift_expr xs);
LIFT_API lift_expr lift_slide(struct lift_ir *ir, lift_nat size, lift_nat step,
                              lift_expr xs);
LIFT_API lift_expr lift_pad(struct lift_ir *ir, lift_nat l, lift_nat r,
                            enum lift_pad_kind kind, lift_expr xs);
/* Pads with 'value', spread over the element type of 'xs'. 'value' is a scalar for all
 * scalars of an element, or a tuple with a member for each member of the element. */
LIFT_API lift_expr lift_pad_const(struct lift_ir *ir, lift_nat l, lift_nat r,
                                  lift_expr value, lift_expr xs);
LIFT_API lift_expr lift_at(struct lift_ir *ir, int64_t i, lift_expr xs);
LIFT_API lift_expr lift_get(struct lift_ir *ir, int k, lift_expr tuple);
LIFT_API lift_expr lift_let(struct lift_ir *ir, lift_expr value, lift_expr f);
LIFT_API lift_expr lift_array(struct lift_ir *ir, lift_nat n, lift_expr f);
/* A call of the C function defined by 'text', "f32 name(f32 a, i32 n) { ... }". */
LIFT_API lift_expr lift_user_call(struct lift_ir *ir, const char *text,
                                  const lift_expr *args, int count);
/* fun(x => body(x)), where the C function 'body' receives the parameter. */
typedef lift_expr lift_body(struct lift_ir *ir, void *user, lift_expr param);
LIFT_API lift_expr lift_lambda(struct lift_ir *ir, const char *hint, lift_type param,
                               lift_body *body, void *user);

/* The n-dimensional forms, as compositions of the above; 'd' dimensions, outermost
 * first. Equal arguments always give the same term. So a caller recognises, for example,
 * a zip_n by building the zip_n again and comparing.
 *
 *     map_n(f)  = map(map(... f))
 *     zip_n     = map_{n-1}(zip) . zip
 *     pad_n     = map(pad_{n-1}) . pad
 *     slide_n   = windows of d dimensions inside d dimensions of windows (transposes)
 *     tile_n(k) = slide_n(k, k), by split: [..]n_i to [[..]k_i ..](n_i / k_i)
 *     untile_n  = its inverse, by join
 *
 * take_n, drop_n, inset_n, array_n and transpose are built likewise. */
enum { LIFT_MAX_DIMS = 4 };

LIFT_API lift_expr lift_map_n(struct lift_ir *ir, int d, lift_expr f, lift_expr xs);
/* Makes dimension 'dim' the outermost dimension and keeps the order of the others.
 * lift_unturn is the inverse. */
LIFT_API lift_expr lift_turn(struct lift_ir *ir, int dim, lift_expr xs);
LIFT_API lift_expr lift_unturn(struct lift_ir *ir, int dim, lift_expr xs);
LIFT_API lift_expr lift_zip_n(struct lift_ir *ir, int d, const lift_expr *xs, int count);
/* A grid of tuples as a tuple of grids. */
LIFT_API lift_expr lift_unzip_n(struct lift_ir *ir, int d, lift_expr xs);
LIFT_API lift_expr lift_slide_n(struct lift_ir *ir, int d, const lift_nat *size,
                                const lift_nat *step, lift_expr xs);
LIFT_API lift_expr lift_pad_n(struct lift_ir *ir, int d, const lift_nat *l,
                              const lift_nat *r, enum lift_pad_kind kind, lift_expr xs);
LIFT_API lift_expr lift_pad_const_n(struct lift_ir *ir, int d, const lift_nat *l,
                                    const lift_nat *r, lift_expr value, lift_expr xs);
LIFT_API lift_expr lift_tile_n(struct lift_ir *ir, int d, const lift_nat *k,
                               lift_expr xs);
LIFT_API lift_expr lift_untile_n(struct lift_ir *ir, int d, lift_expr xs);
/* slide_n and untile_n by slideShift and joinShift; 'len' are the lengths of the result.
 */
LIFT_API lift_expr lift_slide_shift_n(struct lift_ir *ir, int d, const lift_nat *size,
                                      const lift_nat *step, lift_expr xs);
LIFT_API lift_expr lift_join_shift_n(struct lift_ir *ir, int d, const lift_nat *len,
                                     lift_expr xs);
LIFT_API lift_expr lift_take_n(struct lift_ir *ir, int d, const lift_nat *m,
                               lift_expr xs);
LIFT_API lift_expr lift_inset_n(struct lift_ir *ir, int d, const lift_nat *l,
                                const lift_nat *r, lift_expr border, lift_expr xs);
/* 'f' takes d indices, outermost first. */
LIFT_API lift_expr lift_array_n(struct lift_ir *ir, int d, const lift_nat *n,
                                lift_expr f);
/* The values of a grid of d dimensions at points off the grid. 'points' is ([[i32]d]n,
 * [[[s]q]d]n) as for 'inject'. result[p] = the sum over o in [0, q)^d, the last index
 * fastest, of w[p][0][o0] * w[p][1][o1] * ... * grid[c[p] + o], where the grid is zero
 * outside. */
LIFT_API lift_expr lift_sample(struct lift_ir *ir, lift_expr grid, lift_expr points);
/* Moves the outermost of d dimensions to the innermost place. lift_unrotate_n is the
 * inverse. */
LIFT_API lift_expr lift_rotate_n(struct lift_ir *ir, int d, lift_expr xs);
LIFT_API lift_expr lift_unrotate_n(struct lift_ir *ir, int d, lift_expr xs);

#ifdef __cplusplus
}
#endif

#endif
