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
/* One that exists. */
const struct lift_decision *read_decision_name(struct piece *x);
const struct lift_option *read_option_name(struct piece *x,
                                           const struct lift_decision *decision);
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
