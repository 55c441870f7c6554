/* Static types of equations. The reader types both sides of a rule. The left-hand side
 * gives every metavariable its most general type. The right-hand side must then have the
 * type of the left-hand side for all types and sizes of a match. Each side is built as in
 * a rewrite (instance.c), from terms whose types are metavariables. The typer of terms
 * unifies these types (ir/scheme.h, typing_type.c); typing_size.c compares sizes. */
#ifndef RULES_READ_TYPING_H
#define RULES_READ_TYPING_H

#include "ir/scheme.h"
#include "rules/read/read.h"

/* The heads of a metavariable for all further members of a tuple. The metavariable is the
 * last member. */
enum { HEADS_REST = HEAD_ARRAY << 1 };

enum {
    SIZE_MAX_UNKNOWN = 400,
    SIZE_MAX_FACTS = 96,
    TYPED_LIST = 2, /* elements of a list while a rule is typed */
};

/* The sizes of one rule. */
struct sizes {
    struct lift_arena *arena;
    struct lift_nats *nats;
    const struct rule_names *names;
    int count; /* number of unknown lengths so far */
    lift_nat
        links[SIZE_MAX_UNKNOWN]; /* values of the unknown lengths; NULL: no value yet */
    const char *shown[SIZE_MAX_UNKNOWN]; /* names of the unknown lengths in messages */
    int rigid; /* the left-hand side fixes the unknown lengths below this index */
    struct rule_cond facts[SIZE_MAX_FACTS];
    int fact_count;
};

enum size_verdict {
    SIZES_EQUAL,
    SIZES_DIFFER,    /* different for all sizes that the conditions allow */
    SIZES_SOMETIMES, /* equal for some of these sizes only */
};

lift_nat size_unknown(struct sizes *s);
/* Returns the number of a variable: the index of a size of the rule, or RULE_MAX_NATS
 * plus the index of an unknown length. */
int size_index(const struct sizes *s, lift_nat var);
/* Like lift_nat_combine; returns an unknown size if the result is too large. */
lift_nat size_make(struct sizes *s, char op, lift_nat a, lift_nat b);
/* Replaces unknown lengths in 'n' by the values that unification has determined. */
lift_nat size_find(struct sizes *s, lift_nat n);
void size_fact(struct sizes *s, enum cond_kind kind, lift_nat a, lift_nat b);
/* Makes two lengths of the left-hand side equal. */
void size_unify(struct sizes *s, lift_nat a, lift_nat b);
/* Compares two lengths of the right-hand side. If the lengths differ, writes sizes at
 * which they differ to 'sample'. */
enum size_verdict size_compare(struct sizes *s, lift_nat a, lift_nat b,
                               struct lift_str *sample);
/* Prints a size; prints "(...)" if a normal form might overflow. */
void size_print(struct sizes *s, lift_nat n, int parent, struct lift_str *out);

/* typing_grid.c: compares two sizes by evaluation at small values for which all facts
 * hold. */
enum size_verdict size_on_grid(struct sizes *s, lift_nat a, lift_nat b,
                               struct lift_str *sample);

/* State of typing one rule. Variables of a size in a type are the plain sizes of the
 * rule, and unknown lengths. */
struct typer {
    struct rule_reader *r;
    struct sizes sizes;
    struct bindings b; /* placeholders for the metavariables: terms of any type */
    lift_type real;    /* type of open literals */
    struct ty_var {
        lift_type link; /* the type that the variable is bound to, or NULL */
        int heads;
        char letter; /* name in messages; 0: not yet shown */
    } * vars;        /* indexed by number, older variables first */
    int var_count, var_cap;
    int rigid; /* the left-hand side fixes the type variables below this index */
    bool rhs;
    struct lift_span span;     /* of the current node */
    enum size_verdict verdict; /* comparison of the sizes in the last unification */
    bool shapes_differ;     /* the last unification found a difference other than sizes */
    char letters;           /* the next letter for a type variable in messages */
    struct lift_str sample; /* sizes at which the types differ */
};

/* In these functions, the first parameter is a typer, as in struct lift_unifier. */
lift_type ty_var(void *typer, int heads);
/* Returns the type that a type variable is bound to. The parts of the type are not
 * resolved. */
lift_type ty_find(void *typer, lift_type a);
/* Returns the heads (HEAD_*) that a type has, or may get by unification. */
int ty_heads(struct typer *t, lift_type a);
/* Returns false if the types cannot be unified. 'shapes_differ' and 'verdict' accumulate
 * over unifications until the caller clears them. */
bool ty_unify(void *typer, lift_type a, lift_type b);
void ty_print(struct typer *t, lift_type a, struct lift_str *out);

/* Returns the type of both sides of the rule in 'r'. The reader reports type errors. */
const char *type_rule(struct rule_reader *r);
/* instance.c: builds one side from the placeholders 't->b'. */
lift_expr rule_typed(struct typer *t, const struct pat *p);
/* Returns a size of a pattern, with the lengths of expressions substituted. */
lift_nat type_size(struct typer *t, lift_nat n);
/* Reports why a node cannot be built, unless 'why' is empty. Returns a term of any type.
 */
lift_expr type_failed(struct typer *t, struct lift_type_error *why);
/* Reports a type error of argument 'i' of a function metavariable. */
void type_argument(void *typer, lift_expr function, int i, lift_type got);
/* Adds the side conditions of a primitive to the facts. */
void type_facts(struct typer *t, const struct pat *p, lift_expr e);

#endif
