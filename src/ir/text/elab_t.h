/* The elaborator, from syntax to typed terms: declarations for its files.
 *
 * A name denotes a size, a type or a value. A value is data or a function. Functions are
 * not terms: the elaborator inlines a function at each application, where the argument
 * types are known. So functions are polymorphic, and terms contain lambdas only.
 *
 * On the first error, the elaborator reports and jumps to 'failed' (ir/syntax.h). */
#ifndef IR_TEXT_ELAB_T_H
#define IR_TEXT_ELAB_T_H

#include "ir/expr.h"
#include "ir/text/syntax_decl.h"
#include "lift/build.h"
#include "lift/program.h"

enum {
    ELAB_MAX_LEVELS = 5000,   /* recursion depth; inlined functions add up */
    ELAB_MAX_STEPS = 2000000, /* syntax nodes elaborated, again on each inlining */
    ELAB_MAX_NODES = 400000,  /* nodes of the tree of a term */
    ELAB_MAX_HEIGHT = 780,    /* height of a term's tree that the parser can read */
    ELAB_MAX_CHAIN = 2600,    /* height with operator chains, without brackets */
    ELAB_MAX_TYPE = 2000,     /* nodes of the tree of a type */
};

struct elab {
    struct lift_ir *ir;
    struct lift_arena *arena; /* of the syntax */
    const struct lift_source *source;
    struct lift_error *errors;
    jmp_buf failed;
    bool stored; /* see struct lift_program_options */
    int depth;   /* binders around the term being built */
    int levels;
    long steps;
    struct elab_height {
        uint16_t bare, chain; /* height without and with operator chains; 0: not known */
    } * heights;              /* indexed by term id */
    uint32_t height_cap;
    lift_type f32, f64, i32, boolean;
    enum lift_scalar real; /* type of numbers whose type is otherwise undetermined */
    struct lift_program_function *functions; /* C functions, in the arena of 'ir' */
    int function_count, function_cap;
    /* The first toGlobal, and the first toGlobal whose argument has variables of
     * binders. */
    struct lift_span global, bound_global;
};

enum value_kind { VALUE_NONE, VALUE_DATA, VALUE_FUN };

/* How much of the type of a number is still open. */
enum flex {
    FLEX_NO,
    FLEX_INT,   /* an integer literal: i32, or a float if needed */
    FLEX_FLOAT, /* arithmetic on literals, stored as f64: f32, or f64 if needed */
};

struct closure;

struct value {
    enum value_kind kind;
    enum flex flex;
    lift_expr e;
    int depth; /* the number of binders around 'e'; elab_here adapts 'e' */
    const struct closure *fun;
    struct lift_span span;
};

enum env_kind { ENV_VALUE, ENV_NAT, ENV_TYPE };

struct env {
    const struct env *next;
    const char *name;
    enum env_kind kind;
    bool builtin; /* a program may redefine the name */
    struct value value;
    lift_nat nat;
    lift_type type;
};

enum closure_kind {
    CLOSURE_LAMBDA,  /* node, env */
    CLOSURE_PARTIAL, /* a call that lacks its last argument: node, env */
    CLOSURE_PRIM,    /* node: the name of a primitive */
    CLOSURE_COMPOSE, /* f, then g */
    CLOSURE_CFUN,    /* node: the name; text, params */
};

struct closure {
    enum closure_kind kind;
    const struct syntax_node *node;
    const struct env *env;
    const struct closure *f, *g;
    const char *text;
    const enum lift_scalar *params; /* CFUN */
    int param_count;
};

/* A call of a primitive or an n-dimensional form: arguments as syntax, then as values. */
struct call {
    const char *name;
    const struct syntax_node *node; /* the whole call; callee and options if a CALL */
    const struct env *env;
    const struct syntax_node *const *args;
    int arg_count;
    const struct value *extra;
    int extra_count;
};

/* elab.c */
void elab_init(struct elab *el, struct lift_ir *ir, struct lift_arena *arena,
               const struct lift_source *source, struct lift_error *errors);
void elab_fini(struct elab *el);
void elab_error(struct elab *el, struct lift_span span, const char *format, ...)
    __attribute__((noreturn, format(printf, 3, 4)));
/* The text of a type in messages. */
const char *elab_type_text(struct elab *el, lift_type t);
const struct env *elab_bind_value(struct elab *el, const struct env *env,
                                  const char *name, struct value value);
const struct env *elab_bind_nat(struct elab *el, const struct env *env, const char *name,
                                lift_nat nat);
const struct env *elab_bind_type(struct elab *el, const struct env *env, const char *name,
                                 lift_type type);
const struct env *elab_lookup(const struct env *env, const char *name);
/* True for the names of primitives and of their n-dimensional forms. */
bool elab_is_primitive(const char *name);
/* Binds inf, nan and pi. */
const struct env *elab_prelude(struct elab *el);

struct value elab_expr(struct elab *el, const struct env *env,
                       const struct syntax_node *n);
/* Elaborates data and settles its type. */
lift_expr elab_data(struct elab *el, const struct env *env, const struct syntax_node *n);
struct value elab_make_data(struct elab *el, lift_expr e, struct lift_span span);
struct value elab_make_fun(struct elab *el, struct closure c, struct lift_span span);
/* The term of a value at the current depth; an error if the value is a function. */
lift_expr elab_here(struct elab *el, const struct value *v);
/* As elab_here, with the type settled. */
lift_expr elab_settled(struct elab *el, const struct value *v);
/* Checks the limits of size, height and numbers of elements. */
lift_expr elab_checked(struct elab *el, lift_expr e, struct lift_span span);
void elab_enter(struct elab *el, struct lift_span span);
void elab_leave(struct elab *el);

/* elab_apply.c */
struct value elab_apply(struct elab *el, const struct closure *f,
                        const struct value *args, int count, struct lift_span span);
/* The lambda of a function on parameters of given types. 'want' (may be NULL) is the
 * expected result type: an open number becomes 'want'. */
lift_expr elab_lambda(struct elab *el, const struct value *f, const lift_type *params,
                      int count, lift_type want);
struct value elab_let(struct elab *el, const struct env *env,
                      const struct syntax_node *n);
/* The lambda of a function whose parameters all carry types. */
lift_expr elab_typed_lambda(struct elab *el, const struct value *f);

/* elab_call.c */
struct value elab_call(struct elab *el, const struct call *c);
struct value elab_call_node(struct elab *el, const struct env *env,
                            const struct syntax_node *n);
int call_count(const struct call *c);
struct lift_span call_span(const struct call *c, int i);
/* The span of errors that belong to no argument: the name of the call. */
struct lift_span call_name_span(const struct call *c);
struct value call_value(struct elab *el, const struct call *c, int i);
lift_nat call_nat(struct elab *el, const struct call *c, int i);
const struct syntax_node *call_syntax(struct elab *el, const struct call *c, int i);
void call_arity_error(struct elab *el, const struct call *c, int wanted)
    __attribute__((noreturn));
struct value call_partial(struct elab *el, const struct call *c);
/* Builds the node, or reports the error at the invalid argument: spans[i] belongs to
 * args[i]. */
struct value elab_prim(struct elab *el, enum lift_op op,
                       const struct lift_prim_args *args, const struct lift_span *spans,
                       struct lift_span whole);

/* elab_user.c: functions in C. */
struct value elab_user_fun(struct elab *el, const struct call *c);
struct value elab_apply_cfun(struct elab *el, const struct closure *f,
                             const struct value *args, int count, struct lift_span span);
struct value elab_cfun(struct elab *el, const struct env *env,
                       const struct syntax_decl *d);

/* elab_sugar.c: map2, zip3, pad and similar forms. */
struct sugar;
const struct sugar *elab_find_sugar(const char *name, int *dims);
struct value elab_sugar(struct elab *el, const struct sugar *s, int dims,
                        const struct call *c);

/* elab_scalar.c */
/* Gives an open number the type 'scalar'; other numbers are unchanged. */
lift_expr elab_settle_as(struct elab *el, const struct value *v, enum lift_scalar scalar);
/* elab_store.c: the type named by the word f16 or bf16. */
enum lift_scalar elab_storage_word(struct elab *el, const char *word,
                                   struct lift_span span);
/* The type 't' with its numbers stored as 'scalar'. Reports an error if 't' contains
 * numbers other than floating-point numbers. */
lift_type elab_stored_type(struct elab *el, lift_type t, enum lift_scalar scalar,
                           struct lift_span span);
/* The storage types of a result, by member. */
struct elab_storage {
    int count;
    bool any, known[LIFT_MAX_ARGS]; /* false: no conversion */
    enum lift_scalar as[LIFT_MAX_ARGS];
};
/* Sets the storage type of member 'i', of type 't', to 'word'. Reports an error if 't'
 * cannot be stored so, already has a storage type, or 'word' is no storage type. */
void elab_storage(struct elab *el, struct elab_storage *s, int i, lift_type t,
                  const char *word, struct lift_span span);
/* Converts the elements of 'e' where they are computed. */
lift_expr elab_stored(struct lift_ir *ir, lift_expr e, const struct elab_storage *s);
/* The primitive that converts to f16 or bf16. */
enum lift_op elab_storing_op(enum lift_scalar scalar);
/* Brings the operands of an arithmetic primitive to one type. */
void elab_promote(struct elab *el, enum lift_op op, struct value *operands, int count);
/* Builds a scalar primitive on operands, after promotion. */
struct value elab_scalar(struct elab *el, enum lift_op op, struct value *operands,
                         int count, struct lift_span whole);
struct value elab_literal(struct elab *el, const struct syntax_node *n);
struct value elab_operator(struct elab *el, const struct env *env,
                           const struct syntax_node *n);

/* elab_const.c: the value of a constant expression, a literal. */
struct value elab_const(struct elab *el, const struct env *env,
                        const struct syntax_node *n);
/* The value of a constant expression as a number of a scalar type. */
double elab_const_number(struct elab *el, const struct env *env,
                         const struct syntax_node *n, enum lift_scalar scalar);

/* elab_nat.c */
lift_nat elab_nat(struct elab *el, const struct env *env, const struct syntax_node *n);
/* The nat of a value that is a literal or a size; NULL for other values. */
lift_nat elab_value_nat(struct elab *el, const struct value *v);
lift_type elab_type(struct elab *el, const struct env *env, const struct syntax_node *n);
/* Parses f32 or Float, f64 or Double, i32 or Int, bool or Bool. */
bool elab_scalar_word(const char *word, enum lift_scalar *out);
/* True if no number of elements exceeds LIFT_NAT_MOST. */
bool elab_type_in_bounds(lift_type t);

#endif
