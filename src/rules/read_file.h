/* Files of rules in the making: what read.c (rules and macros) and read_decision.c
 * (decisions, options and families) share. */
#ifndef RULE_READ_FILE_H
#define RULE_READ_FILE_H

#include "read.h"

/* One file. Nothing of it is in the set before all of it has been read. */
struct file_reader {
    struct lift_rules *rules;
    struct lift_arena *arena;
    struct lift_diags *diags;
    const char *group;
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
    struct lift_span like; /* of a macro or an option: the rule with the same redexes */
};

/* read.c; false after an error */
bool read_class(struct piece *x);
bool read_string(struct piece *x, const char **out);
/* "like RULE" and "= STRATEGY", of a macro or an option. */
bool read_like(struct piece *x);
bool read_strategy(struct piece *x);
void read_add_rule(struct file_reader *f, const struct lift_rule *rule);

/* read_decision.c: what stands behind the word */
bool read_decision(struct piece *x);
bool read_option(struct piece *x);
bool read_family(struct piece *x);
/* Decisions, options and families of a file without mistakes become part of the set. */
void read_commit(struct file_reader *f);

#endif
