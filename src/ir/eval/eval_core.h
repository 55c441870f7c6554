/* Shared by the files of the interpreter. Evaluation fails by eval_fail, which does not
 * return: it goes back to lift_eval, where all memory is released. */
#ifndef IR_EVAL_EVAL_CORE_H
#define IR_EVAL_EVAL_CORE_H

#include "base/bug.h"
#include "base/table.h"
#include "ir/eval.h"
#include "ir/eval/eval_region.h"
#include <setjmp.h>

/* The values of the bound variables: Bound 0 first. */
struct eval_scope {
    struct lift_value value;
    const struct eval_scope *outer;
};

/* The length of a part, while what hangs on it is computed. */
struct eval_part {
    const char *name;
    int64_t length;
    const struct eval_part *outer;
};

struct eval {
    const struct lift_eval_env *env;
    struct lift_arena *arena; /* of the result */
    struct eval_regions regions;
    struct eval_region *root;    /* lives as long as the evaluation */
    struct eval_region *here;    /* where new things go */
    struct lift_ptrmap nats;     /* nat to int64_t in root */
    struct lift_ptrmap frees;    /* free variable to struct lift_value in root */
    struct lift_ptrmap unknowns; /* type to what 'pad' by 'any' adds, in root */
    struct lift_ptrmap costs;    /* expression to whether it computes something */
    const struct eval_part *parts;
    uint64_t steps, most_steps;
    const char *stack;
    struct lift_str *error;
    jmp_buf fail;
};

typedef struct lift_value eval_elem_fn(struct eval *ev, const struct lift_lazy *a,
                                       int64_t i);

/* An array as a function of the index. What 'x', 'xs', 'a' and 'b' are is up to 'elem'.
 */
struct lift_lazy {
    eval_elem_fn *elem;
    lift_expr fun; /* a lambda, and the scope that it was written in */
    const struct eval_scope *scope;
    struct lift_value x;
    const struct lift_value *xs;
    int64_t a, b;
    const void *user;
    struct eval_region *home;
    struct lift_value *cache; /* one per element, NONE until computed */
    bool cached, flat;        /* flat: elements hold no arrays */
};

_Noreturn void eval_fail(struct eval *ev, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Fails if too much of the stack is in use: called wherever recursion follows the term.
 */
void eval_check_depth(struct eval *ev);
_Noreturn void eval_too_large(struct eval *ev, int64_t count);

enum { EVAL_MAX_ELEMENTS = 1 << 28 }; /* that one array may have in memory */

static inline void eval_check_count(struct eval *ev, int64_t count)
{
    if (count < 0 || count > EVAL_MAX_ELEMENTS)
        eval_too_large(ev, count);
}

/* 'count' * 'size' bytes of the current region; fails if that is out of reason. */
static inline void *eval_alloc(struct eval *ev, int64_t count, size_t size)
{
    eval_check_count(ev, count);
    return eval_region_alloc(&ev->regions, ev->here, (size_t)count * size);
}

struct lift_value eval_expr(struct eval *ev, lift_expr e, const struct eval_scope *scope);
struct lift_value eval_apply(struct eval *ev, lift_expr lambda,
                             const struct eval_scope *scope,
                             const struct lift_value *args, int count);
struct lift_value eval_elem(struct eval *ev, const struct lift_value *array, int64_t i);
/* Argument 'slot' of a primitive. */
struct lift_value eval_arg(struct eval *ev, lift_expr e, int slot,
                           const struct eval_scope *scope);
/* All arguments, which are data. */
const struct lift_value *eval_args(struct eval *ev, lift_expr e,
                                   const struct eval_scope *scope);
int64_t eval_nat(struct eval *ev, lift_nat n);

/* Everything of 'v' computed and copied: into 'into', or the result's arena if NULL. */
struct lift_value eval_force(struct eval *ev, struct lift_value v,
                             struct eval_region *into);
/* 'v', which comes from outside, as a value of type 't'; 'what' and 'name' are for
 * messages. */
struct lift_value eval_adopt(struct eval *ev, struct lift_value v, lift_type t,
                             const char *what, const char *name);
double eval_round(const struct eval *ev, enum lift_scalar scalar, double x);
int64_t eval_int(struct eval *ev, int64_t value, const char *what);

/* How each primitive is evaluated. */
typedef struct lift_value eval_prim(struct eval *ev, lift_expr e,
                                    const struct eval_scope *scope);

/* eval_array.c: functions on arrays; eval_view.c; eval_pad.c. */
#define ENTRY(op, value, ...) eval_prim eval_##value;
#include "ir/array_prims.def"
struct lift_value eval_windows(struct eval *ev, lift_expr e, struct lift_value x);
struct lift_lazy *eval_lazy(struct eval *ev, eval_elem_fn *elem, int64_t count,
                            struct lift_value *out);
/* That with these of its members. */
struct lift_value eval_view(struct eval *ev, eval_elem_fn *elem, int64_t count,
                            struct lift_value x, int64_t a, int64_t b);
/* eval_pad.c: 'x' with so many elements on either side as 'e' says; 'a' are those before
 * it. */
struct lift_lazy *eval_padded(struct eval *ev, lift_expr e, eval_elem_fn *elem,
                              struct lift_value x, struct lift_value *out);
/* 'count' elements of 'x' from 'start' on, which exist. */
struct lift_value eval_slice(struct eval *ev, struct lift_value x, int64_t start,
                             int64_t count);
/* Size 'slot' of a primitive; fails if it is negative. */
int64_t eval_nat_arg(struct eval *ev, lift_expr e, int slot);
/* The length of both together; fails if there is no such number. */
int64_t eval_add_counts(struct eval *ev, lift_expr e, int64_t a, int64_t b);
/* eval_scalar.c */
#define SCALAR(op, class, value) eval_prim eval_##value;
#include "ir/scalar_prims.def"

#endif
