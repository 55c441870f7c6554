/* Files of rules in the making: what read_file.c (whole files), read.c (rules and
 * macros), read_decision.c (decisions and options) and read_family.c share. */
#ifndef RULES_READ_READ_FILE_H
#define RULES_READ_READ_FILE_H

#include "rules/read/read.h"
#include "rules/read/read_instance.h"

/* One file. Nothing of it is in the set before all of it has been read. */
struct file_reader {
    struct lift_rules *rules;
    struct lift_arena *arena;
    struct lift_error *errors;
    const char *group;
    struct lift_ir *ir;             /* of placeholders and types */
    const struct lift_rule **items; /* rules and macros */
    int count, cap;
    struct lift_decision *decisions[LIFT_MAX_DECISIONS];
    const struct lift_decision *after[LIFT_MAX_DECISIONS]; /* of each; NULL: the last */
    int decision_count;
    struct lift_option **options; /* the decisions do not know them yet */
    int option_count, option_cap;
    struct lift_family **families;
    int family_count, family_cap;
    bool failed;
};

/* One rule, or whatever it is. */
struct piece {
    struct file_reader *file;
    struct syntax_parser *p;
    struct rule_reader r;
    struct lift_rule *rule;
    struct rule_def *def;
    struct rule_name name; /* of a rule or macro */
    bool macro;
    bool two, back;     /* of two rules for either direction; the second of them */
    int several, which; /* options or families at once; which of them, from 0 */
    bool own_doc;       /* of several, each has its own */
    const struct declaration *of;
    int clauses, body;                      /* tokens: behind the head, behind clauses */
    int tunables[RULE_MAX_TUNABLES + 1][2]; /* from and to */
};

/* One rule or several: the instances of parameters, and those of either direction. */
struct declaration {
    struct file_reader *file;
    const struct lift_source *source;
    struct syntax_parser *p;
    struct name_params params;
    struct rule_declared *declared; /* as the first instance has read it */
    int made;
};

/* read.c: what stands behind the word */
void read_rule(struct piece *x);
void read_macro(struct piece *x);
void read_class(struct piece *x);
const char *read_string(struct piece *x);
/* "like RULE = STRATEGY", of a macro or an option. */
void read_strategy(struct piece *x);
/* read_file.c */
void read_add_rule(struct file_reader *f, const struct lift_rule *rule);

/* read_decision.c: what stands behind the word */
void read_decision(struct piece *x);
void read_option(struct piece *x);
struct lift_decision *read_find_decision(const struct file_reader *f, const char *name);
struct lift_option *read_find_option(const struct file_reader *f,
                                     const struct lift_decision *decision,
                                     const char *name);
void read_no_decision(struct piece *x, const char *name, struct lift_span span)
    __attribute__((noreturn));
/* read_need.c: the name of an option of the decision of this name, which exists; options
 * of several decisions if the name is a former one. Their number. */
enum { READ_FORMER = 8 };
int read_option_of(struct piece *x, const char *decision,
                   const struct lift_option *out[READ_FORMER]);
/* The name of a decision that exists, or a former name of one. */
const char *read_decision_name(struct piece *x);
/* The names of today of a former one, which the user is told; NULL: it is none. */
char *read_former(struct piece *x, enum rule_name_kind kind, const char *name);
/* "D = a or b or E = c, F = d": one of a, b and c is taken, and d. */
void read_needs(struct piece *x, struct lift_need *out, int *count);
/* "D = a or b and E = c, F = d": neither one of a and b together with c, nor d. */
void read_excludes(struct piece *x, struct lift_need *out, int *count);
void read_add_needs(struct piece *x, const struct lift_need *needs, int need_count,
                    struct lift_need *out, int *count);
/* doc and source, in any order, or nothing. */
void read_texts(struct piece *x, const char **doc, const char **source);
/* "for NAME in VALUES", what several options or families differ in: the names stand for
 * the values of this one from here on. */
void read_differences(struct piece *x);
/* read_family.c: what stands behind the word */
void read_family(struct piece *x);
/* Decisions, options and families of a file without mistakes become part of the set. */
void read_commit(struct file_reader *f);

#endif
