/* Declarations with parameters, for read.c and read_strategy.c. */
#ifndef RULES_READ_READ_INSTANCE_H
#define RULES_READ_READ_INSTANCE_H

#include "ir/syntax.h"

/* The value of a sum, difference or product of numbers; false for other expressions. */
bool read_constant(const struct syntax_node *node, int64_t *out);
/* Reads such a number from 'least' to 'most'; the error message names 'what'. */
int read_count(struct syntax_parser *p, const char *what, int least, int most);

/* "mapSeq", "faces(0, 3)" */
struct rule_name {
    const char *full, *base;
    int part_count, dims; /* as of a rule (rules/rule.h) */
    int first;            /* the first number; -1: a word */
    struct lift_span span;
};

struct rule_name read_rule_name(struct lift_arena *arena, struct syntax_parser *p,
                                const char *what);
/* As read_rule_name, in a declaration: the values of a parameter follow its name. */
struct rule_name read_declared_name(struct lift_arena *arena, struct syntax_parser *p);

enum { MOST_PARAMS = 3, MOST_VALUES = 16, MOST_CONDITIONS = 4 };

struct name_params {
    struct name_param {
        const char *name;
        bool range; /* of the two values */
        const struct syntax_node *values[MOST_VALUES];
        int count;
    } params[MOST_PARAMS];
    int count;
    const struct syntax_node *conditions[MOST_CONDITIONS];
    int condition_count;
    struct lift_span span;
};

/* The parameters in the declared name at 'at', last parameter first. */
void read_params(const struct syntax_parser *at, struct name_params *out);
/* Reads "NAME in VALUES, NAME in VALUES". Writes the value number 'which' of 'several' of
 * each name to 'out', which has room for MOST_PARAMS; returns the number of names. */
int read_chosen_values(struct syntax_parser *p, int several, int which,
                       struct syntax_value *out);
/* Calls 'visit' for all values that satisfy the conditions. The parameter written first
 * changes fastest. False if a 'visit' returns false. */
typedef bool instance_visit(void *user, const struct syntax_value *values, int count);
bool read_instances(struct syntax_parser *p, const struct name_params *line,
                    instance_visit *visit, void *user);
/* Appends the values to the messages from number 'first' on. */
void read_say_values(struct lift_error *errors, size_t first,
                     const struct syntax_value *values, int count);

#endif
