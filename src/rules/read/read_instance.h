/* Declarations with parameters, for read.c and read_strategy.c. */
#ifndef RULES_READ_READ_INSTANCE_H
#define RULES_READ_READ_INSTANCE_H

#include "ir/syntax.h"

/* Computes the value of a sum, difference or product of numbers; false for other
 * expressions. */
bool read_constant(const struct syntax_node *node, int64_t *out);
/* Reads a number from 'least' to 'most', or such an expression. The error message names
 * 'what'. */
int read_count(struct syntax_parser *p, const char *what, int least, int most);

/* A name such as "mapSeq" or "faces(0, 3)". */
struct rule_name {
    const char *full, *base;
    int part_count, dims; /* as in struct lift_rule (rules/rule.h) */
    int first;            /* the first number; -1: the first part is a word */
    struct lift_span span;
};

struct rule_name read_rule_name(struct lift_arena *arena, struct syntax_parser *p,
                                const char *what);
/* Like read_rule_name, in a declaration: the values of a parameter follow its name. */
struct rule_name read_declared_name(struct lift_arena *arena, struct syntax_parser *p);

enum { MOST_PARAMS = 3, MOST_VALUES = 16, MOST_CONDITIONS = 4 };

struct name_params {
    struct name_param {
        const char *name;
        bool range; /* the two values are the bounds of a range */
        const struct syntax_node *values[MOST_VALUES];
        int count;
    } params[MOST_PARAMS];
    int count;
    const struct syntax_node *conditions[MOST_CONDITIONS];
    int condition_count;
    struct lift_span span;
};

/* Finds the parameters in the declared name at 'at', last parameter first. */
void read_params(const struct syntax_parser *at, struct name_params *out);
/* Reads "NAME in VALUES, NAME in VALUES". Each name has 'several' values, and value
 * number 'which' is written to 'out', which has space for MOST_PARAMS. Returns the number
 * of names. */
int read_chosen_values(struct syntax_parser *p, int several, int which,
                       struct syntax_value *out);
/* Calls 'visit' for all values that satisfy the conditions. The parameter written first
 * changes fastest. Returns false if a 'visit' returns false. */
typedef bool instance_visit(void *user, const struct syntax_value *values, int count);
bool read_instances(struct syntax_parser *p, const struct name_params *line,
                    instance_visit *visit, void *user);
/* Appends the values to the messages, starting at message 'first'. */
void read_say_values(struct lift_error *errors, size_t first,
                     const struct syntax_value *values, int count);

#endif
