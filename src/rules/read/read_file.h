/* The reader of rule files: declarations shared by read_file.c (whole files), read.c
 * (rules and macros), read_decision.c (decisions and options) and read_family.c. */
#ifndef RULES_READ_READ_FILE_H
#define RULES_READ_READ_FILE_H

#include "rules/read/read.h"
#include "rules/read/read_instance.h"

/* One file. Its declarations join the set only after the reader has read the whole file.
 */
struct file_reader {
    struct lift_rules *rules;
    struct lift_arena *arena;
    struct lift_error *errors;
    const char *group;
    struct lift_ir *ir;             /* context of placeholders and types */
    const struct lift_rule **items; /* rules and macros */
    int count, cap;
    struct lift_decision *decisions[LIFT_MAX_DECISIONS];
    const struct lift_decision *after[LIFT_MAX_DECISIONS]; /* the decision before each new
                                                              decision; NULL: append */
    int decision_count;
    struct lift_option **options; /* options not yet added to their decisions */
    int option_count, option_cap;
    struct lift_family **families;
    int family_count, family_cap;
    bool failed;
};

/* One rule, macro, decision, option or family. */
struct piece {
    struct file_reader *file;
    struct syntax_parser *p;
    struct rule_reader r;
    struct lift_rule *rule;
    struct rule_def *def;
    struct rule_name name; /* name of a rule or macro */
    bool macro;
    bool two, back; /* 'two': a '<~>' rule, which is read once for each direction; 'back':
                       the second direction */
    int several, which; /* number of options or families in one declaration; index of the
                           current one, from 0 */
    bool own_doc;       /* each of several families has a separate doc */
    const struct declaration *of;
    int clauses, body; /* token indices: after the head, and after the clauses */
    int tunables[RULE_MAX_TUNABLES + 1]
                [2]; /* token ranges of the tunables: first token, and end */
};

/* A declaration of one or several rules: instances of its parameters, in one or both
 * directions. */
struct declaration {
    struct file_reader *file;
    const struct lift_source *source;
    struct syntax_parser *p;
    struct name_params params;
    struct rule_declared *declared; /* the source text, set by the first instance */
    int made;
};

/* read.c: each function reads the text after its keyword. */
void read_rule(struct piece *x);
void read_macro(struct piece *x);
void read_class(struct piece *x);
const char *read_string(struct piece *x);
/* Reads "like RULE = STRATEGY" of a macro or an option. */
void read_strategy(struct piece *x);
/* read_file.c */
void read_add_rule(struct file_reader *f, const struct lift_rule *rule);

/* read_decision.c: each function reads the text after its keyword. */
void read_decision(struct piece *x);
void read_option(struct piece *x);
struct lift_decision *read_find_decision(const struct file_reader *f, const char *name);
struct lift_option *read_find_option(const struct file_reader *f,
                                     const struct lift_decision *decision,
                                     const char *name);
void read_no_decision(struct piece *x, const char *name, struct lift_span span)
    __attribute__((noreturn));
/* read_need.c: reads the name of an option of an existing decision. A former name may
 * denote options of several decisions. Returns the number of options. */
enum { READ_FORMER = 8 };
int read_option_of(struct piece *x, const char *decision,
                   const struct lift_option *out[READ_FORMER]);
/* Reads the present or former name of a decision. */
const char *read_decision_name(struct piece *x);
/* Returns the present names of a former name, which the reader reports to the user; NULL
 * if 'name' is no former name. */
char *read_former(struct piece *x, enum rule_name_kind kind, const char *name);
/* Finds a decision, or the first decision that replaced a former one; NULL if the set has
 * neither. */
struct lift_decision *read_find_decision_now(struct piece *x, const char *name);
/* Reads "D = a or b or E = c, F = d". The configuration must have one of a, b and c, and
 * must have d. */
void read_needs(struct piece *x, struct lift_need *out, int *count);
/* Reads "D = a or b and E = c, F = d". The configuration must not have both (a or b) and
 * c, and must not have d. */
void read_excludes(struct piece *x, struct lift_need *out, int *count);
void read_add_needs(struct piece *x, const struct lift_need *needs, int need_count,
                    struct lift_need *out, int *count);
/* Reads optional 'doc' and 'source' clauses in any order. */
void read_texts(struct piece *x, const char **doc, const char **source);
/* Reads "for NAME in VALUES": the values in which several options or families differ. The
 * reader then reads the following text with the values of the current option or family.
 */
void read_differences(struct piece *x);
/* read_family.c: reads the text after the keyword. */
void read_family(struct piece *x);
/* Adds the decisions, options and families of a file to the set. The file must be without
 * errors. */
void read_commit(struct file_reader *f);

#endif
