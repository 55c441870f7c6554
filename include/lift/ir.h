/* The building blocks of programs: sizes, types and expressions. All are immutable and
 * belong to a context, in which equal ones are the same pointer. Handles are opaque.
 * lift/build.h builds expressions, lift/parse.h reads them from texts. */
#ifndef LIFT_IR_H
#define LIFT_IR_H

#include "lift/api.h"
#include "lift/text.h"
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the context */

/* All sizes, types and expressions of one compilation. One thread at a time uses a
 * context. */
struct lift_ir;

LIFT_API struct lift_ir *lift_ir_create(void);
LIFT_API void lift_ir_destroy(struct lift_ir *ir);
/* The context's pool of sizes. */
LIFT_API struct lift_nats *lift_ir_nats(struct lift_ir *ir);

/* ---- sizes */

/* The values of lo and hi if a side has no bound. */
#define LIFT_NAT_MIN INT64_MIN
#define LIFT_NAT_MAX INT64_MAX

enum lift_var_kind {
    LIFT_VAR_SIZE,    /* a size of the program */
    LIFT_VAR_TUNABLE, /* chosen by the tuner */
    LIFT_VAR_INDEX,   /* a loop index of generated code */
    LIFT_VAR_META,    /* stands for a nat in the pattern of a rule */
};

struct lift_nats; /* the pool */
struct lift_nat_node;

/* A symbolic integer: a number, a variable, or an expression over these. */
typedef const struct lift_nat_node *lift_nat;

LIFT_API lift_nat lift_nat_const(struct lift_nats *nats, int64_t value);
/* The name alone identifies a variable: a known name returns the existing variable. Kind
 * and range must then agree; otherwise this is a bug. lo <= hi. */
LIFT_API lift_nat lift_nat_var(struct lift_nats *nats, const char *name,
                               enum lift_var_kind kind, int64_t lo, int64_t hi);
/* The variable called 'name', or NULL. */
LIFT_API lift_nat lift_nat_find_var(struct lift_nats *nats, const char *name);

/* Operands belong to the same pool, and so does the result. Division rounds down. The
 * divisor is at least 1 for all values of the variables in their ranges. Overflow of 64
 * bits aborts. */
LIFT_API lift_nat lift_nat_add(lift_nat a, lift_nat b);
LIFT_API lift_nat lift_nat_sub(lift_nat a, lift_nat b);
LIFT_API lift_nat lift_nat_mul(lift_nat a, lift_nat b);
LIFT_API lift_nat lift_nat_div(lift_nat a, lift_nat b);      /* rounds down */
LIFT_API lift_nat lift_nat_mod(lift_nat a, lift_nat b);      /* a - b * div(a, b) */
LIFT_API lift_nat lift_nat_ceil_div(lift_nat a, lift_nat b); /* rounds up */
LIFT_API lift_nat lift_nat_min(lift_nat a, lift_nat b);
LIFT_API lift_nat lift_nat_max(lift_nat a, lift_nat b);
LIFT_API lift_nat lift_nat_add_const(lift_nat a, int64_t c);
LIFT_API lift_nat lift_nat_mul_const(lift_nat a, int64_t c);

LIFT_API bool lift_nat_is_const(lift_nat n, int64_t *value); /* 'value' may be NULL */
/* Prints text that the parser reads back to the same nat: + - * / min max, with mod
 * recovered as 'x % d'. 'parent' > 0 adds parentheses unless the nat is a single
 * operand. */
LIFT_API void lift_nat_print(lift_nat n, int parent, struct lift_str *out);

/* ---- types */

/* f16 and bf16 are storage types: conversions are their only operations. */
enum lift_scalar { LIFT_F32, LIFT_F64, LIFT_I32, LIFT_BOOL, LIFT_F16, LIFT_BF16 };

enum { LIFT_SCALARS = LIFT_BF16 + 1 };

struct lift_type_node;
typedef const struct lift_type_node *lift_type;

LIFT_API lift_type lift_type_scalar(struct lift_ir *ir, enum lift_scalar scalar);
LIFT_API lift_type lift_type_vector(struct lift_ir *ir, enum lift_scalar scalar,
                                    int width);
LIFT_API lift_type lift_type_tuple(struct lift_ir *ir, const lift_type *members,
                                   int count);
LIFT_API lift_type lift_type_array(struct lift_ir *ir, lift_type elem, lift_nat len);
LIFT_API lift_type lift_type_fun(struct lift_ir *ir, const lift_type *params, int count,
                                 lift_type result);

/* The words of the language: f32, f64, i32, bool, f16, bf16. */
LIFT_API const char *lift_scalar_name(enum lift_scalar scalar);
LIFT_API int lift_scalar_bytes(enum lift_scalar scalar);
/* The number of dimensions of an array; 0 for other types. */
LIFT_API int lift_type_rank(lift_type t);
/* Prints the parser's syntax: f32, f32<4>, (a, b), [a]n, (a, b) -> c. */
LIFT_API void lift_type_print(lift_type t, struct lift_str *out);

/* ---- expressions */

/* The primitives. docs/language.md explains them; lift/prims.def has their types and
 * meanings. */
enum lift_op {
#define PRIM(op, name, params, level, scheme, meaning) LIFT_##op,
#include "lift/prims.def"
#undef PRIM
    LIFT_OP_COUNT,
};

/* The values around a padded array. ANY is an undefined value. Results that depend on an
 * undefined value are not stored. */
enum lift_pad_kind { LIFT_PAD_CLAMP, LIFT_PAD_MIRROR, LIFT_PAD_WRAP, LIFT_PAD_ANY };

enum { LIFT_MAX_ARGS = 24 }; /* arguments of a primitive, inputs of a program */

struct lift_expr_node;
typedef const struct lift_expr_node *lift_expr;

/* A variable with a name: an input or a parameter of a program. */
LIFT_API lift_expr lift_expr_free(struct lift_ir *ir, const char *name, lift_type type);
LIFT_API lift_expr lift_expr_float(struct lift_ir *ir, enum lift_scalar scalar,
                                   double value);
LIFT_API lift_expr lift_expr_int(struct lift_ir *ir, int64_t value);
LIFT_API lift_expr lift_expr_bool(struct lift_ir *ir, bool value);
LIFT_API lift_type lift_expr_type(lift_expr e);
/* Prints on one line, in the parser's syntax. Sizes and tunables are printed by name;
 * lift_term_print (lift/parse.h) declares them. */
LIFT_API void lift_expr_print(lift_expr e, struct lift_str *out);

#ifdef __cplusplus
}
#endif

#endif
