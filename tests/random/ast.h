/* Stencil programs as the generator of random programs sees them. They share nothing with
 * the IR of lift: types, expressions and lengths are plain trees of our own, which are
 * printed as .lift text (print.c) and evaluated element by element (eval.c).
 *
 * All of a program lives in one arena. Expressions are trees: each has one parent. Every
 * variable has a unique number in the program, so that none hides another. */
#ifndef RANDOM_AST_H
#define RANDOM_AST_H

#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>

enum {
    RP_DIMS = 4,
    RP_ARGS = 6,
    RP_MEMBERS = 4,
    RP_SIZES = 4,
    RP_PARAMS = 4,
    RP_CONSTS = 3,
    RP_FUNS = 3,
    RP_INPUTS = 8,
    RP_OUTPUTS = 4,
    RP_VARS = 2000
};

/* In the order of enum lift_plan_type. */
enum rp_kind { RP_F32, RP_F64, RP_I32, RP_BOOL, RP_F16, RP_BF16 };

/* mul * size + add; a size of -1: add alone. */
struct rp_len {
    int size, mul, add;
};

enum rp_form { RP_SCALAR, RP_TUPLE, RP_ARRAY };

struct rp_type {
    enum rp_form form;
    enum rp_kind kind; /* SCALAR */
    int count;         /* TUPLE */
    const struct rp_type *member[RP_MEMBERS];
    struct rp_len len; /* ARRAY */
    const struct rp_type *elem;
};
typedef const struct rp_type *rp_type;

enum rp_op {
    /* references: 'k' is the number */
    RP_VAR,
    RP_INPUT,
    RP_PARAM,
    RP_CONST,
    /* scalars */
    RP_LIT,    /* value */
    RP_LENGTH, /* a[0] as an i32 */
    RP_ADD,
    RP_SUB,
    RP_MUL,
    RP_DIV,
    RP_MOD,
    RP_MIN,
    RP_MAX,
    RP_POW,
    RP_LT,
    RP_LE,
    RP_GT,
    RP_GE,
    RP_EQ,
    RP_NE,
    RP_AND,
    RP_OR,
    RP_NEG,
    RP_NOT,
    RP_ABS,
    RP_SQRT,
    RP_EXP,
    RP_LOG,
    RP_SIN,
    RP_COS,
    RP_FLOOR,
    RP_CONVERT, /* to the kind of its type */
    /* of any type */
    RP_IF,   /* condition and both branches */
    RP_LET,  /* value, body; param */
    RP_CALL, /* arguments; k: the function */
    RP_MAKE, /* a tuple */
    RP_GET,  /* member k */
    RP_AT,   /* element a[0] */
    /* arrays. Where d is used, the operation covers d dimensions. */
    RP_MAP,       /* array, body; d, param */
    RP_REDUCE,    /* init, array, body; params: accumulator, element */
    RP_ZIP,       /* arrays; d */
    RP_UNZIP,     /* d */
    RP_SLIDE,     /* d, a: size, b: step */
    RP_PAD,       /* d, a: left, b: right, k: enum rp_pad */
    RP_PAD_CONST, /* array, value; d, a, b */
    RP_PAD_FUN,   /* array, body; a[0], b[0], params: index, length */
    RP_TAKE,      /* d, a: how many are left */
    RP_DROP,      /* a[0] */
    RP_CONCAT,
    RP_SPLIT, /* a[0] */
    RP_JOIN,
    RP_TRANSPOSE,
    RP_REORDER,    /* array, body; param */
    RP_ARRAY_OF,   /* body; d, a: lengths, d params */
    RP_INSET,      /* border, array; d, a: left, b: right */
    RP_INSET_FILL, /* value, array; likewise */
    RP_TILE,       /* d, a: sides */
    RP_UNTILE,     /* d */
    RP_ROTATE,     /* d */
    RP_UNROTATE,   /* d */
    RP_ITERATE,    /* start, body; a[0]: how often, param */
    RP_REGIONS,    /* array, body of the interior, body of the layer; d, a, b, param */
    RP_INJECT,     /* grid, places, weights, values; d */
    RP_SAMPLE      /* grid, places, weights; d */
};

enum rp_pad { RP_CLAMP, RP_MIRROR, RP_WRAP };

struct rp_expr {
    enum rp_op op;
    rp_type type;
    int d, k;
    struct rp_len a[RP_DIMS], b[RP_DIMS];
    double value;
    int count;
    struct rp_expr *arg[RP_ARGS];
    int param_count;
    int param[RP_DIMS]; /* variables of the body, the last argument, or the last two */
    unsigned style;     /* how it is written; no meaning */
};

struct rp_var {
    rp_type type;
    const char *name;
    bool apart;                    /* a tuple taken apart by a pattern */
    const char *parts[RP_MEMBERS]; /* the names of its members then */
};

struct rp_fun {
    const char *name;
    int param_count, param[RP_MEMBERS];
    struct rp_expr *body;
};

struct rp_named {
    const char *name;
    rp_type type;
    double value;
};

struct rp_program {
    struct lift_arena *arena;
    const char *name;
    bool exact, numbers, /* lengths are written as numbers, and no size is declared */
        wild;            /* inputs have NaN, infinity and zeros of both signs */
    unsigned style;
    int size_count, param_count, const_count, fun_count, input_count, output_count,
        var_count;
    struct rp_named sizes[RP_SIZES], params[RP_PARAMS], consts[RP_CONSTS];
    struct rp_fun funs[RP_FUNS];
    struct rp_named inputs[RP_INPUTS];
    /* A grid, a tuple of grids, or a grid of tuples if there are several outputs. */
    struct rp_expr *body;
    const char *outputs[RP_OUTPUTS];
    /* Where an input of the next step comes from: output k, or -1 - i for input i; itself
     * if it stays. */
    int next[RP_INPUTS];
    bool loops;
    struct rp_var vars[RP_VARS];
};

/* ---- types and lengths */

rp_type rp_scalar(enum rp_kind kind);
rp_type rp_tuple(struct rp_program *p, const rp_type *member, int count);
rp_type rp_array(struct rp_program *p, struct rp_len len, rp_type elem);
rp_type rp_grid(struct rp_program *p, const struct rp_len *len, int d, rp_type elem);
bool rp_same(rp_type a, rp_type b);
bool rp_is(rp_type t, enum rp_kind kind);
bool rp_is_float(rp_type t);
bool rp_is_number(rp_type t);
/* f16 and bf16: nothing is computed in them. */
bool rp_is_stored(enum rp_kind kind);
/* The element behind d dimensions. */
rp_type rp_element(rp_type t, int d);

struct rp_len rp_fixed(int n);
struct rp_len rp_plus(struct rp_len len, int n);
struct rp_len rp_times(struct rp_len len, int n);
/* Only if rp_divides(len, n). */
struct rp_len rp_over(struct rp_len len, int n);
bool rp_divides(struct rp_len len, int n);
bool rp_len_same(struct rp_len a, struct rp_len b);
int rp_len_value(const struct rp_program *p, struct rp_len len);
/* Scalars in a value of the type, at the sizes of the program. */
int64_t rp_scalars(const struct rp_program *p, rp_type t);

/* ---- expressions */

struct rp_expr *rp_new(struct rp_program *p, enum rp_op op, rp_type type);
struct rp_expr *rp_new1(struct rp_program *p, enum rp_op op, rp_type type,
                        struct rp_expr *x);
struct rp_expr *rp_new2(struct rp_program *p, enum rp_op op, rp_type type,
                        struct rp_expr *x, struct rp_expr *y);
void rp_add_arg(struct rp_expr *e, struct rp_expr *arg);
struct rp_expr *rp_lit(struct rp_program *p, enum rp_kind kind, double value);
/* A literal of any type but arrays. */
struct rp_expr *rp_plain(struct rp_program *p, rp_type type, double value);
struct rp_expr *rp_var(struct rp_program *p, int var);
struct rp_expr *rp_get(struct rp_program *p, struct rp_expr *x, int k);
struct rp_expr *rp_at(struct rp_program *p, struct rp_expr *x, int i);
int rp_new_var(struct rp_program *p, rp_type type);
/* How many of the last arguments are bodies of functions. */
int rp_bodies(const struct rp_expr *e);
int rp_nodes(const struct rp_expr *e);
/* True if 'e' mentions variable 'var' freely. */
bool rp_mentions(const struct rp_expr *e, enum rp_op op, int k);

/* NULL, or the illegal construct at the program's sizes: a window longer than its array
 * and the like. */
const char *rp_illegal(const struct rp_program *p);

#endif
