/* Rules as data, and their application: private to src/rules.
 *
 * A pattern is an untyped tree with the shape of a term. Metavariables denote expressions
 * (META), attributes and functions (FUN for a function argument, APP for an application).
 * Metavariables in sizes are variables (LIFT_VAR_META). Variables bound by the lambdas of
 * a pattern are de Bruijn indices, as in terms. A plain metavariable never captures a
 * variable that the pattern binds. 'f(y)' matches a term that may depend on y and on no
 * other bound variable of the pattern. */
#ifndef RULE_T_H
#define RULE_T_H

#include "ir/constraint.h"
#include "rules/decision.h"
#include "rules/rule.h"

enum {
    RULE_MAX_EXPRS = 12, /* metavariables of each kind in one rule */
    RULE_MAX_FUNS = 8,
    RULE_MAX_LIKES = 16,
    RULE_MAX_NATS = 24,  /* includes tunables and lengths of expressions */
    RULE_MAX_ATTRS = 20, /* includes options that a left-hand side does not name */
    RULE_PLACE = RULE_MAX_ATTRS, /* the attribute that is the index in a list */
    RULE_MAX_CONDS = 8,
    RULE_MAX_TUNABLES = 4,
    RULE_MAX_BINDERS = 16, /* lambda parameters above one place of a pattern */
    RULE_MAX_RESULTS = 24, /* results of a rule at one place */
};

/* ---- patterns */

enum pat_kind { PAT_META, PAT_FUN, PAT_APP, PAT_BOUND, PAT_LIT, PAT_LAMBDA, PAT_PRIM };

/* A list, 'x...', matches all arguments of a primitive. The pattern's primitive then has
 * one argument, which is repeated; RULE_PLACE counts the repetitions. All lists of a rule
 * have the same length. */

/* An option that a left-hand primitive does not name has an unnamed metavariable. An
 * option that a right-hand primitive does not name takes the value of the primitive on
 * the left-hand side. Without this primitive on the left-hand side, the option takes its
 * default. */
struct attr_pat {
    int meta; /* -1: 'value' */
    int value;
    bool named; /* the text of the rule names this option */
};

struct pat {
    enum pat_kind kind;
    enum lift_op op;         /* PRIM */
    int index;               /* META, FUN, APP: the metavariable; BOUND: the variable */
    int count;               /* PRIM, APP: arguments; LAMBDA: parameters */
    const struct pat **args; /* PRIM, APP; LAMBDA: the body */
    lift_nat nats[LIFT_MAX_NATS];
    struct attr_pat
        attrs[LIFT_MAX_ATTRS]; /* META: the first attribute is the index in a list */
    bool list;                 /* PRIM: the argument is repeated */
    const char *text;          /* USER_FUN */
    const char *const *names;  /* LAMBDA */
    enum lift_scalar scalar;   /* LIT */
    bool open;       /* LIT: a float without a suffix; takes the real type of the match */
    double number;   /* LIT: f32, f64 */
    int64_t integer; /* LIT: i32, bool */
    struct lift_span span; /* range in the source; empty in the expansion of a form */
};

/* ---- rules */

enum cond_kind { COND_LE, COND_LT, COND_EQ, COND_NE, COND_DIVIDES };

struct rule_cond {
    enum cond_kind kind;
    lift_nat a, b;
};

struct rule_tunable {
    int nat;          /* index among the nats */
    const char *word; /* the quantity that the tunable sizes: the word after "as", or the
                         name in the rule */
    int dim;          /* dimension of 'name[dim]'; -1 for a plain 'name' */
    lift_nat lo, hi;
    bool alike; /* equal names denote one tunable */
};

struct rule_native; /* native.h */

/* The numbers of the native rule 'name(first, dims)'. In 'name(dims)', first equals dims;
 * in 'name', both are 1. */
struct rule_numbers {
    union {
        int first;
        int dim;    /* the first number: a dimension, counted from the outermost */
        int planes; /* planes that a step of a stream computes */
        int parts;  /* the number of devices */
    };
    int dims;
};

/* The source of a declaration: the text before its clauses, and the text after them. */
struct rule_declared {
    const char *head, *body;
};

struct rule_names {
    const char *exprs[RULE_MAX_EXPRS];
    bool lists[RULE_MAX_EXPRS]; /* marks the expressions that are lists */
    const char *funs[RULE_MAX_FUNS];
    struct rule_size {
        const char *name; /* of the variable: "n" or "len(x, 1)" */
        lift_nat var;     /* any integer */
        int of, dim; /* the length of dimension 'dim' of expression 'of'; -1: plain */
    } nats[RULE_MAX_NATS];
    const char *attrs[RULE_MAX_ATTRS];
    int fun_arity[RULE_MAX_FUNS];
    int expr_count, fun_count, nat_count, attr_count;
};

struct rule_def {
    const struct pat *lhs, *rhs; /* EQUATION */
    struct rule_names names;
    struct rule_cond conds[RULE_MAX_CONDS];
    int cond_count;
    struct rule_tunable tunables[RULE_MAX_TUNABLES];
    int tunable_count;
    int reals; /* EQUATION: bit s: open literals may be of scalar type s */
    const struct rule_native *native;        /* NATIVE */
    const struct pat *likes[RULE_MAX_LIKES]; /* NATIVE: redexes that the check draws */
    int like_count;
    struct rule_numbers numbers;
    lift_strategy strategy;       /* MACRO */
    const struct lift_rule *like; /* MACRO: the check draws redexes of this rule */
    enum lift_op root;            /* root operation of the redexes; LIFT_OP_COUNT: any */
    const struct rule_declared *declared; /* RULE, MACRO; NULL: the rule of an option */
};

struct lift_rules {
    struct lift_arena *arena;
    struct lift_nats *nats; /* sizes of patterns */
    const struct lift_rule **items;
    int count, cap;
    struct lift_decision *decisions[LIFT_MAX_DECISIONS]; /* in the order of application */
    int decision_count;
    const struct lift_family **families;
    int family_count, family_cap;
    /* Pairs of former names that files use, and their present names. */
    const char **former;
    int former_count, former_cap;
    bool keep_mistyped; /* also keep rules whose types differ */
};

/* ---- names: names.c */

/* The scope of a name: the rules that the current file has declared, and a set. */
struct rule_scope {
    const struct lift_rule *const *own;
    int own_count;
    const struct lift_rules *rules;
};

enum rule_name_kind {
    RULE_NAME_RULE,
    RULE_NAME_DECISION,
    RULE_NAME_OPTION, /* "DECISION=OPTION" */
    RULE_NAME_FAMILY
};

/* Appends the present name of a former name from names.txt. Several decisions, "D,E", may
 * replace a former decision. Several options, "D=O,E=P", may replace a former option.
 * Returns false if 'name' is no former name. */
bool rule_former(enum rule_name_kind kind, const char *name, struct lift_str *now);
/* Records a pair for lift_rules_former. */
void rule_note_former(struct lift_rules *rules, const char *name, const char *now);

const struct lift_rule *rule_scope_find(const struct rule_scope *scope, const char *name);
/* Like rule_scope_find, but also accepts a former name and records it for
 * lift_rules_former. */
const struct lift_rule *rule_scope_find_noting(const struct rule_scope *scope,
                                               const char *name);
/* True if 'name' is a present or former rule name, with or without numbers. */
bool rule_scope_has_base(const struct rule_scope *scope, const char *name);
/* Like lift_rules_missing. For an unknown name without similar names, also appends
 * 'where'. */
void rule_scope_missing(const struct rule_scope *scope, const char *name,
                        const char *where, struct lift_str *out);

/* ---- applying */

/* The bindings of the metavariables of one match. Loose variables of expressions are
 * numbered from the redex. A list is bound to the primitive whose arguments are the
 * elements of the list. */
struct bindings {
    lift_expr exprs[RULE_MAX_EXPRS];
    lift_expr funs[RULE_MAX_FUNS];
    lift_nat nats[RULE_MAX_NATS];
    int attrs[RULE_MAX_ATTRS + 1];
    bool attr_set[RULE_MAX_ATTRS + 1];
    int list_count;        /* elements of each list; 0: unknown so far */
    enum lift_scalar real; /* the type of all open literals */
    bool real_set;
};

struct rule_fresh_var {
    const char *name, *key; /* name and key of lift_nat_tunable */
};

/* The tunables of the term that a rule rewrites. The first use computes the list. */
struct rule_fresh {
    struct lift_ir *ir;
    lift_expr term;
    lift_expr at; /* the current redex */
    bool known;
    struct rule_fresh_var *vars;
    int count, cap;
    int base; /* number of tunables of the term itself; later entries are new */
};

/* Discards the new tunables before the next rule is applied to the term. */
void rule_fresh_reset(struct rule_fresh *fresh);
void rule_fresh_fini(struct rule_fresh *fresh);
/* Discards the tunables made since the mark, after a failed rewrite. */
int rule_fresh_mark(const struct rule_fresh *fresh);
void rule_fresh_rewind(struct rule_fresh *fresh, int mark);
/* The quantity that a tunable sizes, and the dimension (0: the innermost, x; -1: none).
 * If ir/tunable.h has a row for the word, the kind in the row decides whether the name
 * contains the dimension. */
struct rule_tunable_word {
    const char *word;
    int dim;
};

/* Makes a tunable whose name and key are new to the term and to the tunables already
 * made. */
lift_nat rule_fresh_tunable(struct rule_fresh *fresh, struct rule_tunable_word word,
                            int64_t lo, int64_t hi);
/* Returns the tunable with this word, number and range; makes a missing tunable. Returns
 * NULL if another tunable has the key. */
lift_nat rule_same_tunable(struct rule_fresh *fresh, struct rule_tunable_word word,
                           int number, int64_t lo, int64_t hi);

enum rule_status {
    RULE_NO_MATCH,
    RULE_CONDITION,
    RULE_ILL_TYPED,  /* the right-hand side cannot be built */
    RULE_OTHER_TYPE, /* the types of the two sides differ */
    RULE_APPLIED,
};

/* The results of a rule at one place. */
struct rule_results {
    struct rule_result {
        lift_expr expr;
        int first, count; /* range of the result's conditions */
    } items[RULE_MAX_RESULTS];
    int count;
    struct lift_side_condition conditions[RULE_MAX_RESULTS * 4];
    int condition_count;
    enum rule_status status;      /* without results: the reason */
    const char *why;              /* the reason that a native rule reports, or NULL */
    struct lift_type_error error; /* ILL_TYPED */
    lift_expr rejected;           /* OTHER_TYPE: the right-hand side */
};

/* match.c: returns true and the bindings if 'e' is an instance of the left-hand side. */
bool rule_match(struct lift_ir *ir, const struct rule_def *def, lift_expr e,
                struct bindings *b);

/* instance.c. rule_size_index returns the index of the metavariable 'var'; -1: 'var' is
 * not a metavariable. rule_nat returns the value of a size in 'nats'; NULL: the size has
 * no value. rule_instance builds the instance of the right-hand side; NULL and 'error' on
 * a type error. */
int rule_size_index(const struct rule_names *names, lift_nat var);
lift_nat rule_nat(struct lift_nats *nats, const struct rule_names *names, lift_nat n,
                  const struct bindings *b);
lift_expr rule_instance(struct lift_ir *ir, const struct rule_def *def,
                        struct bindings *b, struct lift_type_error *error);

/* apply.c: finds all results of an equation, native rule or macro at 'e'. */
enum rule_status rule_apply(struct lift_ir *ir, const struct lift_rule *rule, lift_expr e,
                            struct rule_fresh *fresh, struct rule_results *out);

/* strategy.c: runs a strategy on the subterm 'e'. Fresh names do not occur in the whole
 * term. */
lift_expr rule_run_strategy(struct lift_ir *ir, lift_strategy s, lift_expr e,
                            struct rule_fresh *fresh, struct lift_steps *steps);

/* strategy_print.c: prints on one line; breaks a long strategy and indents the lines by
 * 'indent'. */
void rule_print_strategy(lift_strategy s, int indent, struct lift_str *out);

/* print.c: prints '  KEY "TEXT"'; prints nothing if the text is empty. */
void rule_print_string(const char *key, const char *text, struct lift_str *out);
/* print.c: prints ' like RULE' and the strategy of a macro or an option. */
void rule_print_macro(const struct rule_def *def, struct lift_str *out);

#endif
