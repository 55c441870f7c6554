/* Shared by the files of the interpreter. eval_fail reports an error and jumps back to
 * lift_eval, which releases all memory. */
#ifndef IR_EVAL_EVAL_CORE_H
#define IR_EVAL_EVAL_CORE_H

#include "base/bug.h"
#include "base/table.h"
#include "ir/eval.h"
#include "ir/eval/eval_region.h"
#include <setjmp.h>

/* The values of the bound variables, Bound 0 first. */
struct eval_scope {
    struct lift_value value;
    const struct eval_scope *outer;
};

/* The length of a part, in scope while the interpreter evaluates terms that depend on
 * the length. */
struct eval_part {
    const char *name;
    int64_t length;
    const struct eval_part *outer;
};

struct eval {
    const struct lift_eval_env *env;
    struct lift_arena *arena; /* arena of the result */
    struct eval_regions regions;
    struct eval_region *root; /* lives as long as the evaluation */
    struct eval_region *here; /* the region of new allocations */
    struct lift_ptrmap nats;  /* nat to int64_t in root */
    struct lift_ptrmap frees; /* free variable to struct lift_value in root */
    struct lift_ptrmap
        unknowns;             /* type to the padding value of 'pad' by 'any', in root */
    struct lift_ptrmap costs; /* expression to a flag: its evaluation computes */
    const struct eval_part *parts;
    uint64_t steps, most_steps;
    const char *stack;
    struct lift_str *error;
    jmp_buf fail;
};

typedef struct lift_value eval_elem_fn(struct eval *ev, const struct lift_lazy *a,
                                       int64_t i);

/* An array as a function of the index. Each 'elem' gives 'x', 'xs', 'a' and 'b' its own
 * meaning. */
struct lift_lazy {
    eval_elem_fn *elem;
    lift_expr fun; /* a lambda, and the scope of its definition */
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
/* Fails if the stack is nearly exhausted. Every function that recurses over a term calls
 * this function. */
void eval_check_depth(struct eval *ev);
_Noreturn void eval_too_large(struct eval *ev, int64_t count);

enum { EVAL_MAX_ELEMENTS = 1 << 28 }; /* limit for one array in memory */

static inline void eval_check_count(struct eval *ev, int64_t count)
{
    if (count < 0 || count > EVAL_MAX_ELEMENTS)
        eval_too_large(ev, count);
}

/* 'count' * 'size' bytes of the current region; fails above EVAL_MAX_ELEMENTS. */
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

/* A fully evaluated copy of 'v' in 'into', or in the result's arena if NULL. */
struct lift_value eval_force(struct eval *ev, struct lift_value v,
                             struct eval_region *into);
/* The caller's value 'v' as a value of type 't'; messages mention 'what' and 'name'. */
struct lift_value eval_adopt(struct eval *ev, struct lift_value v, lift_type t,
                             const char *what, const char *name);
double eval_round(const struct eval *ev, enum lift_scalar scalar, double x);
int64_t eval_int(struct eval *ev, int64_t value, const char *what);

/* Evaluates a primitive. */
typedef struct lift_value eval_prim(struct eval *ev, lift_expr e,
                                    const struct eval_scope *scope);

/* eval_array.c: functions on arrays; eval_view.c; eval_pad.c. */
#define ENTRY(op, value, ...) eval_prim eval_##value;
#include "ir/array_prims.def"
struct lift_value eval_windows(struct eval *ev, lift_expr e, struct lift_value x);
struct lift_lazy *eval_lazy(struct eval *ev, eval_elem_fn *elem, int64_t count,
                            struct lift_value *out);
/* A lazy array of 'count' elements whose members x, a and b have these values. */
struct lift_value eval_view(struct eval *ev, eval_elem_fn *elem, int64_t count,
                            struct lift_value x, int64_t a, int64_t b);
/* eval_pad.c: 'x' padded on both sides as 'e' requires; member 'a' of the result counts
 * the elements before 'x'. */
struct lift_lazy *eval_padded(struct eval *ev, lift_expr e, eval_elem_fn *elem,
                              struct lift_value x, struct lift_value *out);
/* 'count' elements of 'x' from 'start' on; the range is within 'x'. */
struct lift_value eval_slice(struct eval *ev, struct lift_value x, int64_t start,
                             int64_t count);
/* Size 'slot' of a primitive; fails if the size is negative. */
int64_t eval_nat_arg(struct eval *ev, lift_expr e, int slot);
/* Returns a + b; fails on overflow. */
int64_t eval_add_counts(struct eval *ev, lift_expr e, int64_t a, int64_t b);
/* eval_scalar.c */
#define SCALAR(op, class, value) eval_prim eval_##value;
#include "ir/scalar_prims.def"

#endif
