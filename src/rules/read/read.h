/* The reader of rules: declarations shared by read.c (rules and macros), read_pattern.c
 * (patterns) and read_nat.c (sizes and conditions). */
#ifndef RULES_READ_READ_H
#define RULES_READ_READ_H

#include "ir/syntax.h"
#include "rules/rule_t.h"

/* Variables bound by the lambdas around a place of a pattern, innermost last. */
struct pat_scope {
    const char *names[RULE_MAX_BINDERS];
    int count;
};

/* State of reading one rule. */
struct rule_reader {
    struct lift_arena *arena;
    struct syntax_parser *p; /* reports errors */
    const struct lift_source *source;
    struct lift_error *errors;
    struct rule_def *def;
    struct lift_nats *nats; /* sizes of the rule set */
    int dim;                /* the dimension denoted by '[i]'; -1: none */
    struct lift_ir *ir;     /* context of placeholders (read_sugar.c) and types */
    bool rhs;               /* new metavariables are errors */
    bool drawn;             /* a pattern after "like": functions take any arguments */
    bool in_list;           /* the name of a list denotes its elements */
    bool open;              /* the left-hand side has an open literal */
    bool lists;             /* the left-hand side has a list */
    bool nat_bound[RULE_MAX_NATS]; /* a bare use on the left-hand side, or a tunable,
                                      binds the size */
    bool nat_tunable[RULE_MAX_NATS];
    struct lift_span nat_span[RULE_MAX_NATS]; /* of the first use of a size */
    bool failed;                              /* the rule has an error */
};

/* Reports an error and marks the rule as failed. Reading continues, to find more errors.
 * A syntax error (syntax.h) stops the reader immediately. */
void read_mistake(struct rule_reader *r, struct lift_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

const struct pat *read_pattern(struct rule_reader *r, const struct syntax_node *node,
                               struct pat_scope *scope);
/* Reads a lambda, or the name of a function metavariable. */
const struct pat *read_function(struct rule_reader *r, const struct syntax_node *node,
                                int arity, struct pat_scope *scope);
/* Reads the repeated argument 'e...'. 'x...' denotes all elements of a list, 't...' all
 * members of the bound tuple t. On the left-hand side, only a name may be repeated. */
const struct pat *read_list(struct rule_reader *r, const struct syntax_node *node,
                            struct pat_scope *scope);
struct pat *read_new_pat(struct rule_reader *r, enum pat_kind kind, int count);
/* Reads a size. 'bare': a name alone is bound (a size of a primitive on the left-hand
 * side). */
lift_nat read_nat(struct rule_reader *r, const struct syntax_node *node, bool bare);
void read_condition(struct rule_reader *r, const struct syntax_node *node);
/* These functions return the index of a metavariable, new or known; after an error, any
 * index. */
int read_nat_meta(struct rule_reader *r, const char *name, struct lift_span span);
int read_expr_meta(struct rule_reader *r, const char *name, struct lift_span span);
int read_attr_meta(struct rule_reader *r, const char *name, struct lift_span span);
int read_unnamed_attr(struct rule_reader *r, struct lift_span span);
int read_fun_meta(struct rule_reader *r, const char *name, int arity,
                  struct lift_span span);

/* read_options.c: reads the options of the call 'node' into 'p'. Options that the call
 * does not name are carried over from left to right. */
void read_options(struct rule_reader *r, const struct syntax_node *node, struct pat *p);
/* Reads one attribute: a word or number, or a metavariable. */
void read_attr(struct rule_reader *r, const struct lift_attr_info *info,
               const struct syntax_node *node, struct attr_pat *out);
/* Reports options that the rule would drop. Call this function after both sides have been
 * read. */
void read_check_options(struct rule_reader *r);

/* The n-dimensional forms: map2 or map(2), slide3, ... */
bool read_is_sugar(const struct syntax_node *callee);
const struct pat *read_sugar(struct rule_reader *r, const struct syntax_node *call,
                             struct pat_scope *scope);

#endif
