/* The primitives. Each is declared once, in include/lift/prims.def: name, parameters,
 * type, meaning. Parser, printer, typer, evaluator and documentation use this table. */
#ifndef IR_PRIM_H
#define IR_PRIM_H

#include "lift/ir.h"
#include <stdbool.h>

enum lift_level {
    LIFT_LEVEL_HIGH,   /* programs are written with these */
    LIFT_LEVEL_LOW,    /* implementation: parallelism and storage */
    LIFT_LEVEL_SCALAR, /* arithmetic on scalars and vectors */
};

/* Limits of one node. */
enum { LIFT_MAX_NATS = 3, LIFT_MAX_ATTRS = 6, LIFT_MAX_PARAMS = 8 };

/* An attribute: a small number, or a word of a list. Positional attributes are among the
 * parameters. Options are in brackets after the name, 'map[x=1](...)', and default to 0.
 */
struct lift_attr_info {
    const char *name;
    const char *const *words; /* NULL-ended; NULL: a number */
    bool option;
};

/* Parameters in their written order, one letter each:
 *
 *   N a nat; A an attribute; F1, F2 a function of one or two arguments; E an expression;
 *   * one or more expressions, last; S the text of a userFun. */
struct lift_prim_info {
    const char *name;
    const char *params;
    enum lift_level level;
    const char *scheme;  /* the type rule (ir/scheme.h) */
    const char *meaning; /* one or two lines */
    int nat_count;
    int expr_count; /* functions and expressions; -1: variadic */
    int attr_count;
    struct lift_attr_info attrs[LIFT_MAX_ATTRS];
};

const struct lift_prim_info *lift_prim_info(enum lift_op op);
/* The index of the attribute that is the option 'name'; -1: none. */
int lift_prim_option(const struct lift_prim_info *info, const char *name);
/* The value of a word of the attribute; -1 for other words. */
int lift_attr_value(const struct lift_attr_info *attr, const char *word);
void lift_attr_print(const struct lift_attr_info *attr, int value, struct lift_str *out);
/* LIFT_OP_COUNT if no primitive is called 'name'. */
enum lift_op lift_prim_find(const char *name);
/* The number of arguments of the function in expression slot 'slot'; 0 if the slot is
 * not a function. */
int lift_prim_fun_arity(enum lift_op op, int slot);
/* The class of a scalar operation, from ir/scalar_prims.def. */
enum lift_op_class {
    LIFT_CLASS_none,    /* not a scalar operation */
    LIFT_CLASS_numbers, /* arithmetic on numbers */
    LIFT_CLASS_ints,
    LIFT_CLASS_floats,
    LIFT_CLASS_compare,
    LIFT_CLASS_logic,
    LIFT_CLASS_select,
    LIFT_CLASS_convert,
    LIFT_CLASS_store, /* conversion to a storage type */
    LIFT_CLASS_splat,
    LIFT_CLASS_nat,
    LIFT_CLASS_user_fun,
};
enum lift_op_class lift_op_class_of(enum lift_op op);
/* True for operations on numbers whose result has the type of the operands. */
bool lift_op_is_arithmetic(enum lift_op op);
bool lift_op_is_map(enum lift_op op); /* map and its low-level forms except mapSeqSlide */
bool lift_op_is_reduce(enum lift_op op); /* reduce and its low-level forms */

/* The head of the text of a userFun, "f32 name(f32 a, i32 n) { ... }". The types are
 * f32, f64 and i32, as enum lift_scalar. */
struct lift_user_types {
    int result;
    int params[LIFT_MAX_ARGS];
    int count;
    const char *name; /* points into the text */
    int name_length;
};
/* Returns false if the text does not begin like a C function on such scalars. */
bool lift_user_types(const char *text, struct lift_user_types *out);

/* True if the sides may be wider than the array; the array must then be non-empty. */
bool lift_pad_is_wide(enum lift_pad_kind kind);
/* The work-items of a row, which exchange register values by shuffles (docs/language.md,
 * Streams). */
enum { LIFT_ROW_ITEMS = 32 };

/* The words of attributes, in order. */
#define WORDS(tag, list) enum tag { list };
#define WORD(value, text) value,
#include "ir/attributes.def"

/* The attributes of one node, by name and by number. */
union lift_attrs {
    int at[LIFT_MAX_ATTRS];
#define ATTRIBUTES(op, member, list)                                                     \
    struct {                                                                             \
        list                                                                             \
    } member;
#define NUMBER(name, option) int name;
#define CHOICE(name, tag, option) enum tag name;
#include "ir/attributes.def"
};

#endif
