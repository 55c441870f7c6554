/* The parsed type scheme of a primitive (lift/prims.def). The typer (prim_type.c)
 * matches the types of arguments with the scheme. In patterns, types have metavariables,
 * and the typer unifies them with the scheme. */
#ifndef IR_SCHEME_H
#define IR_SCHEME_H

#include "ir/expr.h"
#include "ir/prim.h"

/* The kinds of types that a type variable may become, one bit each. */
enum {
    HEAD_F32 = 1 << LIFT_F32,
    HEAD_F64 = 1 << LIFT_F64,
    HEAD_I32 = 1 << LIFT_I32,
    HEAD_BOOL = 1 << LIFT_BOOL,
    HEAD_F16 = 1 << LIFT_F16,
    HEAD_BF16 = 1 << LIFT_BF16,
    HEAD_VECTOR = 1 << LIFT_SCALARS, /* of the scalar types above */
    HEAD_TUPLE = HEAD_VECTOR << 1,
    HEAD_ARRAY = HEAD_VECTOR << 2,
    HEADS_SCALAR = HEAD_F32 | HEAD_F64 | HEAD_I32,
    HEADS_INTEGER = HEAD_I32 | HEAD_VECTOR,
    HEADS_NUMBER = HEADS_SCALAR | HEAD_VECTOR,
    HEADS_FLOAT = HEAD_F32 | HEAD_F64 | HEAD_VECTOR,
    HEADS_STORAGE = HEAD_F16 | HEAD_BF16,
    HEADS_LANE = HEADS_SCALAR | HEADS_STORAGE | HEAD_BOOL,
    HEADS_ANY = (HEAD_ARRAY << 1) - 1,
};

enum { LIFT_SCHEME_NAMES = 10, LIFT_SCHEME_SLOTS = 4 };

/* A size: a name, a number, or an operation. In 'n+m+...' the operation is '+', with a
 * term 'm' for each argument after the first. */
struct lift_scheme_size {
    char op;   /* 'n', '1', '+', '-', '*', '/' */
    bool more; /* '...' follows */
    int value; /* value of a number; index of a name */
    const struct lift_scheme_size *a, *b;
};

enum lift_scheme_kind {
    SCHEME_NAME,
    SCHEME_SCALAR,
    SCHEME_VECTOR,
    SCHEME_TUPLE,
    SCHEME_ARRAY,
};

struct lift_scheme_type {
    enum lift_scheme_kind kind;
    int name; /* NAME */
    enum lift_scalar scalar;
    const struct lift_scheme_type *elem; /* VECTOR, ARRAY */
    const struct lift_scheme_size *len;
    const struct lift_scheme_type *parts[4]; /* TUPLE */
    int count;
    bool more; /* TUPLE: the last part is repeated, with new variables */
};

/* An argument: data of a type, or a function of at most two parameters. */
struct lift_scheme_slot {
    int arity; /* 0: data */
    const struct lift_scheme_type *params[2];
    const struct lift_scheme_type *type; /* data type, or result type of the function */
    const char *text;                    /* text in the scheme, for messages */
    int text_len;
};

struct lift_scheme {
    struct lift_scheme_name {
        char text[8];
        int heads; /* kinds that a type may become */
        bool each; /* new in each repetition */
    } names[LIFT_SCHEME_NAMES];
    int name_count;
    int nats[LIFT_MAX_NATS]; /* the names of the nats of the node */
    struct lift_scheme_slot slots[LIFT_SCHEME_SLOTS];
    int slot_count;
    bool variadic; /* the last slot is repeated */
    const struct lift_scheme_type *result;
};

/* The unifier of pattern types. An IR context with a unifier types patterns. */
struct lift_unifier {
    void *user;
    /* The type that a metavariable is bound to; parts are not resolved. */
    lift_type (*find)(void *user, lift_type t);
    bool (*unify)(void *user, lift_type a, lift_type b);
    /* A new metavariable that may become one of the heads. */
    lift_type (*fresh)(void *user, int heads);
    /* A new size, or 'a op b'. */
    lift_nat (*size)(void *user, char op, lift_nat a, lift_nat b);
    /* The type of a node that no scheme can express; NULL: use the scheme. */
    lift_type (*special)(void *user, enum lift_op op, const struct lift_prim_args *args);
    /* Reports data, or a function's result, whose type differs from the slot of the
     * scheme; or parameter 'i' of a function that is an argument. */
    void (*mismatch)(void *user, enum lift_op op, const struct lift_scheme_slot *slot,
                     lift_type want, lift_type got);
    void (*argument)(void *user, lift_expr function, int i, lift_type got);
};
void lift_ir_unify(struct lift_ir *ir, const struct lift_unifier *unifier);
/* True if two types are equal, or the unifier makes them equal. */
bool lift_type_unify(struct lift_ir *ir, lift_type a, lift_type b);

/* 'a op b', where op is one of '+', '-', '*' and '/', for a size of a scheme. */
lift_nat lift_scheme_size_op(char op, lift_nat a, lift_nat b);
/* The parsed scheme; NULL if the text in the table cannot be parsed: then a rule in C
 * gives the type. */
const struct lift_scheme *lift_prim_scheme(enum lift_op op);
static inline const struct lift_scheme_slot *lift_scheme_slot(const struct lift_scheme *s,
                                                              int arg)
{
    return &s->slots[arg < s->slot_count ? arg : s->slot_count - 1];
}

#endif
