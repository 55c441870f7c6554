/* The interpreter: the reference semantics of every high- and low-level primitive, as
 * defined in lift/prims.def. Checks compare rules and kernels with its results. The
 * interpreter computes in double precision and i32 exactly, and favours clarity over
 * speed.
 *
 * Evaluation is lazy: each array element is computed at most once, and only if the
 * result needs the element. Errors in unused elements go unnoticed. */
#ifndef IR_EVAL_H
#define IR_EVAL_H

#include "ir/expr.h"
#include "ir/value.h"

/* A free variable and its value, which must be of the variable's type. */
struct lift_binding {
    const char *name;
    struct lift_value value;
};

/* Computes the value of a userFun. 'text' is the C definition, 'result' the scalar type
 * of its result. Returns false if the value cannot be computed. */
typedef bool lift_user_fun(void *user, const char *text, lift_type result,
                           const struct lift_value *args, int count,
                           struct lift_value *out);

/* '{0}' is an empty environment. */
struct lift_eval_env {
    lift_nat_value *nat; /* values of sizes and tunables; NULL: none is known */
    void *nat_user;
    const struct lift_binding *values; /* inputs and parameters */
    int value_count;
    lift_user_fun *user_fun;
    void *user_fun_user;
    uint64_t max_steps; /* limit of nodes evaluated and elements read; 0: no limit */
    uint64_t *steps;    /* receives the number of nodes and elements; NULL: not counted */
    bool round_f32; /* round inputs, literals and results of f32 to single precision */
};

/* Computes the value of 'e', which is data without loose variables. The result is fully
 * evaluated and lives in 'arena'; all other memory is released before the return.
 *
 * Returns false and writes 'error' (may be NULL) if 'e' has no value. Reasons are an
 * unknown variable or size, an index out of range, i32 division by zero or overflow, and
 * an unresolved userFun. Other reasons are more than max_steps, and a too deep term.
 * Sizes may also violate a side condition: a split by a number that does not divide the
 * length, a window longer than the array, ... */
bool lift_eval(const struct lift_eval_env *env, lift_expr e, struct lift_arena *arena,
               struct lift_value *out, struct lift_str *error);

#endif
