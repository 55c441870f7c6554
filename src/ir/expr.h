/* Expressions: immutable, typed on construction, interned. Bound variables are de Bruijn
 * indices: Bound 0 is the last parameter of the innermost lambda. So alpha-equivalent
 * terms are the same node. Free variables have names: the inputs and parameters of a
 * program. A function is always a lambda and occurs only as the argument of a
 * primitive. */
#ifndef IR_EXPR_H
#define IR_EXPR_H

#include "base/scope.h"
#include "ir/prim.h"
#include "ir/type.h"

LIFT_OWNER(lift_ir, lift_ir_destroy)

enum lift_expr_kind {
    LIFT_EXPR_BOUND,
    LIFT_EXPR_FREE,
    LIFT_EXPR_LIT,
    LIFT_EXPR_LAMBDA,
    LIFT_EXPR_PRIM,
};

struct lift_expr_node {
    enum lift_expr_kind kind;
    enum lift_op op; /* PRIM */
    lift_type type;
    struct lift_hash hash; /* stable; without the names of bound variables */
    uint32_t id;           /* dense number within the context, for side tables */
    uint32_t size;         /* nodes of the tree, saturating */
    uint64_t ops[2];       /* one bit per occurring primitive: lift_expr_mentions */
    uint64_t frees;        /* bits of the name hashes of the free variables in the term */
    bool sized;            /* the term, or a type in the term, contains a symbolic size */
    int loose;             /* all loose Bound numbers are below this; 0: closed */
    int arg_count;         /* PRIM: arguments; LAMBDA: parameters */
    union {
        int index;        /* BOUND */
        const char *name; /* FREE: interned */
        double number;    /* LIT of f32, f64 */
        int64_t integer;  /* LIT of i32, bool */
        struct {          /* LAMBDA; the type holds the parameters' types */
            lift_expr body;
            const char *const *names; /* hints for printing */
        } lambda;
        struct { /* PRIM */
            const lift_expr *args;
            lift_nat nats[LIFT_MAX_NATS];
            union lift_attrs attrs;
            const char *text; /* USER_FUN: the C definition, interned */
        } prim;
    } u;
};

/* The numbers, attributes and arguments of a primitive, which lift_expr_prim copies. */
struct lift_prim_args {
    lift_nat nats[LIFT_MAX_NATS];
    union lift_attrs attrs;
    const char *text;
    lift_expr args[LIFT_MAX_ARGS];
    int arg_count;
};

/* A type error: 'arg' is the slot among args (-1: nats, attributes or the whole node). */
struct lift_type_error {
    int arg;
    char text[240]; /* "'zip' expects arrays of one length, but got 'n' and 'm'" */
};

lift_expr lift_expr_bound(struct lift_ir *ir, int index, lift_type type);
/* 'body' refers to the parameters as Bound count-1 ... 0. 'names' may be NULL. */
lift_expr lift_expr_lambda(struct lift_ir *ir, const lift_type *params, int count,
                           const char *const *names, lift_expr body);
/* On a type error, returns NULL and fills 'error' (may be NULL). */
lift_expr lift_expr_prim(struct lift_ir *ir, enum lift_op op,
                         const struct lift_prim_args *args,
                         struct lift_type_error *error);
/* As lift_expr_prim; NULL if an argument is NULL, or on a type error, which lift_ir_error
 * then returns. */
lift_expr lift_make(struct lift_ir *ir, enum lift_op op,
                    const struct lift_prim_args *args);
/* Writes the parameter types of the function in 'slot' to 'out', given the other
 * arguments. The function itself may be NULL. The parser types lambdas by the parameter
 * types. After the parameter types, 'out' has the required result type, or NULL for any.
 * Returns the number of parameters, or 0 and an error if the arguments do not fit. */
int lift_prim_fun_params(struct lift_ir *ir, enum lift_op op,
                         const struct lift_prim_args *args, int slot,
                         lift_type out[LIFT_MAX_PARAMS], struct lift_type_error *error);
/* The arguments from which lift_expr_prim built 'e'. */
void lift_expr_args(lift_expr e, struct lift_prim_args *out);

/* Children: the arguments of a primitive, the body of a lambda. */
int lift_expr_child_count(lift_expr e);
lift_expr lift_expr_child(lift_expr e, int index);
static inline lift_expr lift_expr_arg(lift_expr e, int slot)
{
    return e->u.prim.args[slot];
}
/* Calls 'visit' once for 'e' and for each node in 'e', parents first. If 'visit' returns
 * false, the children of the node are skipped. */
typedef bool lift_expr_visit(void *user, lift_expr e);
void lift_expr_each(lift_expr e, lift_expr_visit *visit, void *user);
/* 'e' with its children replaced; NULL if a child is NULL, or on a type error. */
lift_expr lift_expr_rebuild(struct lift_ir *ir, lift_expr e, const lift_expr *children,
                            struct lift_type_error *error);
/* 'e' with one child replaced; NULL if 'child' is NULL, or on a type error. */
lift_expr lift_expr_with_child(struct lift_ir *ir, lift_expr e, int slot,
                               lift_expr child);

/* Adds 'by' to every loose Bound >= 'from'. */
lift_expr lift_expr_shift(struct lift_ir *ir, lift_expr e, int by, int from);
/* Beta: the body of a lambda with its parameters replaced. */
lift_expr lift_expr_apply(struct lift_ir *ir, lift_expr lambda, const lift_expr *args);
/* The lambda whose parameters replace these free variables of 'body': the inverse of
 * applying a lambda to fresh free variables. */
lift_expr lift_expr_abstract(struct lift_ir *ir, const lift_expr *frees, int count,
                             lift_expr body);
/* True if Bound numbers first .. first+count-1 (as seen from outside 'e') occur in 'e'.
 */
bool lift_expr_uses_bound(lift_expr e, int first, int count);
/* 'e' rebuilt in the context 'into', which may be that of 'e', with sizes and tunables
 * substituted. NULL on a type error. */
lift_expr lift_expr_subst(struct lift_ir *into, lift_expr e, lift_nat_lookup *lookup,
                          void *user, struct lift_type_error *error);

/* Maps over a term, and transforms each shared node once. */
struct lift_expr_map {
    struct lift_ir *ir;
    void *user;
    /* May be NULL. Returns the replacement of 'e', or NULL to map the children of 'e'. */
    lift_expr (*before)(void *user, lift_expr e);
    /* May be NULL. Returns the replacement of 'to', which is 'e' with mapped children, or
     * NULL on a type error. */
    lift_expr (*after)(void *user, lift_expr e, lift_expr to);
};
/* NULL if a node of the result has a type error. */
lift_expr lift_expr_mapped(const struct lift_expr_map *m, lift_expr e);

/* 'e' with each node from[i] replaced by to[i] of the same type. The nodes have no loose
 * variables. */
lift_expr lift_expr_replace(struct lift_ir *ir, lift_expr e, const lift_expr *from,
                            const lift_expr *to, int count);

bool lift_expr_is(lift_expr e, enum lift_op op);
/* True for toLocal, toPrivate and toGlobal. */
bool lift_expr_is_storage(lift_expr e);
/* The dimension of work-items or groups over which a map distributes; 0 for other maps.
 */
int lift_map_dim(lift_expr map);
/* The number of loops whose iterations a mapPar or a mapTask distributes together; 0 for
 * other maps. */
int lift_map_collapse(lift_expr map);
/* The distance, in elements, by which the copies of a mapSeqSlide run ahead of its
 * reads. 'step' is the step of its windows, in elements. The slide's circular buffers in
 * shared memory have this number of additional slots. */
int64_t lift_slide_ahead(lift_expr slide, int64_t step);
/* The points of an 'inject': a list of corners, weights and values. */
lift_expr lift_inject_list(struct lift_ir *ir, lift_expr inject);
/* select(c, sum + a, sum) for one point. c is true if the box of the point contains the
 * element at 'index'; a is the value that the point adds there. */
lift_expr lift_inject_step(struct lift_ir *ir, lift_expr sum, lift_expr point,
                           const lift_expr *index);
/* True if the primitive occurs in 'e'; constant time. */
bool lift_expr_mentions(lift_expr e, enum lift_op op);
/* True for 'alignRows' and 'apart', which set the memory layout of rows and planes. */
bool lift_expr_is_placed(lift_expr e);
/* The number of nodes made in this context so far; all ids are smaller. */
uint32_t lift_ir_expr_count(struct lift_ir *ir);

/* True for an operator whose left side is printed without brackets, like 'a + b + c'. */
bool lift_expr_is_chained(lift_expr e);
/* As lift_expr_print, on several lines. */
void lift_expr_print_indented(lift_expr e, int indent, struct lift_str *out);
/* Prints with indentation. Parameters are named by their types, so equal terms have
 * equal texts. */
void lift_expr_print_alike(lift_expr e, struct lift_str *out);

#endif
