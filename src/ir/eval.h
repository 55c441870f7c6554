/* The interpreter: the meaning of every primitive, high- and low-level, as lift/prims.def
 * says it. Rules and kernels are checked against it. It computes in double precision, i32
 * exactly, and copies as little as a definition can; it is slow and obviously right.
 *
 * Arrays are computed on demand, each computed element once. An element that the result
 * does not need is not computed, and its errors do not show. */
#ifndef IR_EVAL_H
#define IR_EVAL_H

#include "ir/expr.h"
#include "ir/value.h"

/* A free variable and its value, which must be of the variable's type. */
struct lift_binding {
    const char *name;
    struct lift_value value;
};

/* The value of a userFun: 'text' is the C definition, 'result' the scalar type that it
 * returns. False if it cannot be computed. */
typedef bool lift_user_fun(void *user, const char *text, lift_type result,
                           const struct lift_value *args, int count,
                           struct lift_value *out);

/* '{0}' is an environment that knows nothing. */
struct lift_eval_env {
    lift_nat_value *nat; /* sizes and tunables that are not numbers yet */
    void *nat_user;
    const struct lift_binding *values; /* inputs and parameters */
    int value_count;
    lift_user_fun *user_fun;
    void *user_fun_user;
    uint64_t max_steps; /* 0: no limit. A step is a node evaluated or an element read */
    uint64_t *steps;    /* those taken are added here; NULL: they are not counted */
    bool round_f32; /* round inputs, literals and results of f32 to single precision */
};

/* The value of 'e', which is data without loose variables. The result is complete and
 * lives in 'arena'; all other memory is released before the return.
 *
 * False and a text in 'error' (may be NULL) if 'e' has no value there: an unknown
 * variable or size; sizes that break a primitive's condition (split by a number that does
 * not divide, a window longer than the array, ...); an index out of range; division of an
 * i32 by zero, or overflow of i32; a userFun that nobody resolves; more than max_steps;
 * too deep a term. */
bool lift_eval(const struct lift_eval_env *env, lift_expr e, struct lift_arena *arena,
               struct lift_value *out, struct lift_str *error);

#endif
