/* Static types of equations. The reader types both sides of a rule. The left-hand side
 * gives every metavariable its most general type. The right-hand side must then have the
 * type of the left for all types and sizes of a match. A side is built as in a rewrite
 * (instance.c), from terms whose types are metavariables. The typer of terms unifies
 * these (ir/scheme.h, typing_type.c); typing_size.c compares sizes. */
#ifndef RULES_READ_TYPING_H
#define RULES_READ_TYPING_H

#include "ir/scheme.h"
#include "rules/read/read.h"

/* The heads of a metavariable that stands for all further members of a tuple. It is the
 * last member. */
enum { HEADS_REST = HEAD_ARRAY << 1 };

enum {
    SIZE_MAX_UNKNOWN = 400,
    SIZE_MAX_FACTS = 96,
    TYPED_LIST = 2, /* elements of a list while a rule is typed */
};

/* Sizes of one rule. */
struct sizes {
    struct lift_arena *arena;
    struct lift_nats *nats;
    const struct rule_names *names;
    int count;                           /* unknown lengths so far */
    lift_nat links[SIZE_MAX_UNKNOWN];    /* their values; NULL: unknown */
    const char *shown[SIZE_MAX_UNKNOWN]; /* their names in messages */
    int rigid; /* unknowns below are fixed by the left-hand side */
    struct rule_cond facts[SIZE_MAX_FACTS];
    int fact_count;
};

enum size_verdict {
    SIZES_EQUAL,
    SIZES_DIFFER,    /* for all sizes that the conditions allow */
    SIZES_SOMETIMES, /* equal for some of them only */
};

lift_nat size_unknown(struct sizes *s);
/* The number of a variable: a size of the rule, or, from RULE_MAX_NATS on, an unknown
 * length. */
int size_index(const struct sizes *s, lift_nat var);
/* As lift_nat_combine; an unknown size if it is too large. */
lift_nat size_make(struct sizes *s, char op, lift_nat a, lift_nat b);
/* 'n' with the values of unknowns that unification has determined. */
lift_nat size_find(struct sizes *s, lift_nat n);
void size_fact(struct sizes *s, enum cond_kind kind, lift_nat a, lift_nat b);
/* On the left-hand side: makes two lengths equal. */
void size_unify(struct sizes *s, lift_nat a, lift_nat b);
/* On the right-hand side; writes sizes at which they differ to 'sample'. */
enum size_verdict size_compare(struct sizes *s, lift_nat a, lift_nat b,
                               struct lift_str *sample);
/* "(...)" if a normal form might overflow. */
void size_print(struct sizes *s, lift_nat n, int parent, struct lift_str *out);

/* typing_grid.c: compares by evaluation at small sizes where all facts hold. */
enum size_verdict size_on_grid(struct sizes *s, lift_nat a, lift_nat b,
                               struct lift_str *sample);

/* One rule. Variables of a size in a type are the plain sizes of the rule, and unknown
 * lengths. */
struct typer {
    struct rule_reader *r;
    struct sizes sizes;
    struct bindings b; /* placeholders of metavariables: terms of any type */
    lift_type real;    /* of open literals */
    struct ty_var {
        lift_type link; /* the type that it is bound to, or NULL */
        int heads;
        char letter; /* in messages; 0: not yet shown */
    } * vars;        /* by their numbers: older ones first */
    int var_count, var_cap;
    int rigid; /* type variables below are fixed by the left-hand side */
    bool rhs;
    struct lift_span span;     /* of the node being typed */
    enum size_verdict verdict; /* of the sizes of the last unification */
    bool shapes_differ;        /* in it, apart from the sizes */
    char letters;              /* the next one for a type variable in messages */
    struct lift_str sample;    /* sizes at which they differ */
};

/* The first parameter of these is a typer, as in struct lift_unifier. */
lift_type ty_var(void *typer, int heads);
/* The type that a type variable is bound to; parts are not resolved. */
lift_type ty_find(void *typer, lift_type a);
/* The heads (HEAD_*) that a type has, or may get by unification. */
int ty_heads(struct typer *t, lift_type a);
/* False if the types cannot be unified. 'shapes_differ' and 'verdict' accumulate over
 * unifications until the caller clears them. */
bool ty_unify(void *typer, lift_type a, lift_type b);
void ty_print(struct typer *t, lift_type a, struct lift_str *out);

/* The type of both sides of the rule in 'r'; the reader reports type errors. */
const char *type_rule(struct rule_reader *r);
/* instance.c: a side built of 't->b'. */
lift_expr rule_typed(struct typer *t, const struct pat *p);
/* A size of a pattern, with the lengths of expressions. */
lift_nat type_size(struct typer *t, lift_nat n);
/* Reports why a node cannot be built, unless 'why' is empty; returns a term of any type.
 */
lift_expr type_failed(struct typer *t, struct lift_type_error *why);
/* Reports a type error of argument 'i' of a function metavariable. */
void type_argument(void *typer, lift_expr function, int i, lift_type got);
/* Adds the side conditions of a primitive to the facts. */
void type_facts(struct typer *t, const struct pat *p, lift_expr e);

#endif
