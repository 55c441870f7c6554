/* Static types of equations. Both sides of a rule are typed when it is read: the left one
 * gives every metavariable its most general type, the right one must then have the type
 * of the left, whatever the types and sizes of a match. typing.c walks the patterns,
 * typing_scheme.c knows the primitives, typing_type.c unifies types and typing_size.c
 * compares sizes. */
#ifndef RULES_READ_TYPING_H
#define RULES_READ_TYPING_H

#include "ir/scheme.h"
#include "rules/read/read.h"

enum ty_kind { TY_VAR, TY_SCALAR, TY_VECTOR, TY_TUPLE, TY_ARRAY };

/* Variables of a size in a type are the plain sizes of the rule, and unknown lengths. */
struct ty {
    enum ty_kind kind;
    struct ty *link; /* this type has become that one */
    int heads;       /* VAR */
    char letter;     /* VAR: in messages; 0: not yet shown */
    int id;          /* VAR, open TUPLE: older ones have smaller numbers */
    enum lift_scalar scalar;
    struct ty *elem; /* VECTOR, ARRAY */
    lift_nat len;
    struct ty **parts; /* TUPLE; room for LIFT_MAX_ARGS */
    int count;
    bool open; /* TUPLE: there may be more members */
};

enum {
    SIZE_MAX_UNKNOWN = 240,
    SIZE_MAX_VARS = RULE_MAX_NATS + SIZE_MAX_UNKNOWN,
    SIZE_MAX_FACTS = 96,
    TYPED_LIST = 2, /* elements of a list while a rule is typed */
};

/* Sizes of one rule. */
struct sizes {
    struct lift_arena *arena;
    struct lift_nats *nats;
    const struct rule_names *names;
    lift_nat unknown[SIZE_MAX_UNKNOWN];  /* variables */
    lift_nat links[SIZE_MAX_UNKNOWN];    /* their values; NULL: unknown */
    const char *shown[SIZE_MAX_UNKNOWN]; /* their names in messages */
    int count;                           /* unknown lengths so far */
    int rigid;                           /* those below are given by the left-hand side */
    struct rule_cond facts[SIZE_MAX_FACTS];
    int fact_count;
};

enum size_verdict {
    SIZES_EQUAL,
    SIZES_DIFFER,    /* for all sizes that the conditions allow */
    SIZES_SOMETIMES, /* equal for some of them only */
};

lift_nat size_unknown(struct sizes *s);
/* The number of a variable: a size of the rule, or from RULE_MAX_NATS on an unknown one.
 */
int size_index(const struct sizes *s, lift_nat var);
/* As lift_nat_combine; an unknown size if it is too large. */
lift_nat size_make(struct sizes *s, char op, lift_nat a, lift_nat b);
lift_nat size_const(struct sizes *s, int64_t value);
/* A new unknown length gets its value. */
void size_bind(struct sizes *s, lift_nat unknown, lift_nat size);
/* With the values of what is not unknown any more. */
lift_nat size_find(struct sizes *s, lift_nat n);
void size_fact(struct sizes *s, enum cond_kind kind, lift_nat a, lift_nat b);
/* On the left-hand side: makes two lengths equal. */
void size_unify(struct sizes *s, lift_nat a, lift_nat b);
/* On the right-hand side; 'sample' is given sizes at which they differ. */
enum size_verdict size_compare(struct sizes *s, lift_nat a, lift_nat b,
                               struct lift_str *sample);
/* False if its numbers are so large that a normal form might overflow. */
bool size_has_form(struct sizes *s, lift_nat n);
void size_print(struct sizes *s, lift_nat n, int parent, struct lift_str *out);

/* typing_grid.c: compares by evaluation at small sizes where all facts hold. */
enum size_verdict size_on_grid(struct sizes *s, lift_nat a, lift_nat b,
                               struct lift_str *sample);

/* One rule. */
struct typer {
    struct rule_reader *r;
    struct sizes sizes;
    struct ty *exprs[RULE_MAX_EXPRS]; /* of a list, a tuple */
    struct ty *params[RULE_MAX_FUNS][LIFT_MAX_PARAMS];
    struct ty *results[RULE_MAX_FUNS];
    struct ty *scope[RULE_MAX_BINDERS];
    struct ty *real; /* of open literals */
    int depth;
    int place; /* in a list */
    int var_count;
    int rigid; /* type variables below are given by the left-hand side */
    bool rhs;
    struct lift_span span;     /* of what is being typed */
    enum size_verdict verdict; /* of the sizes of the last unification */
    bool shapes_differ;        /* in it, apart from the sizes */
    char letters;              /* the next one for a type variable in messages */
    struct lift_str sample;    /* sizes at which they differ */
};

struct ty *ty_var(struct typer *t, int heads);
struct ty *ty_scalar(struct typer *t, enum lift_scalar scalar);
struct ty *ty_array(struct typer *t, struct ty *elem, lift_nat len);
struct ty *ty_vector(struct typer *t, struct ty *elem, lift_nat width);
struct ty *ty_tuple(struct typer *t, struct ty *const *parts, int count, bool open);
struct ty *ty_find(struct ty *a);
/* The bits of what it is, or may become. */
int ty_heads(struct ty *a);
/* False if they are not the same; 'shapes_differ' and 'verdict' then say more about all
 * unifications since the caller cleared them. */
bool ty_unify(struct typer *t, struct ty *a, struct ty *b);
void ty_print(struct typer *t, struct ty *a, struct lift_str *out);

/* The scheme of a primitive with new variables for its names. */
struct signature {
    struct ty *args[LIFT_MAX_ARGS]; /* data; NULL: a function */
    struct ty *params[LIFT_MAX_ARGS][2];
    struct ty *fun_results[LIFT_MAX_ARGS];
    struct ty *result;
};

/* Of a primitive with 'count' arguments that has a scheme. */
void scheme_signature(struct typer *t, const struct lift_scheme *s, int count,
                      const lift_nat *nats, struct signature *out);

/* The type of both sides of the rule that has been read; mistakes are reported through
 * the reader. */
const char *type_rule(struct rule_reader *r);
/* What must hold for a primitive to have a value, among the facts. */
void type_facts(struct typer *t, const struct pat *p, const lift_nat *nats,
                struct ty *last);

#endif
