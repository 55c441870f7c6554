/* Declarations with parameters, for read.c and read_strategy.c. */
#ifndef RULES_READ_READ_INSTANCE_H
#define RULES_READ_READ_INSTANCE_H

#include "ir/text/syntax.h"

/* The value of a sum, difference or product of numbers; false if it is none. */
bool read_constant(const struct syntax_node *node, int64_t *out);
/* Such a number from 'least' to 'most'; false and a message that asks for 'what'. */
bool read_count(struct syntax_parser *p, const char *what, int least, int most, int *out);

/* "mapSeq", "faces(0, 3)" */
struct rule_name {
    const char *full, *base;
    int part_count, dims; /* as of a rule (lift/rule.h) */
    struct lift_span span;
};

/* False after a message. */
bool read_rule_name(struct lift_arena *arena, struct syntax_parser *p, const char *what,
                    struct rule_name *out);

enum { FOR_PARAMS = 3, FOR_VALUES = 16, FOR_CONDITIONS = 4 };

struct for_line {
    struct for_param {
        const char *name;
        bool range; /* of the two values */
        const struct syntax_node *values[FOR_VALUES];
        int count;
    } params[FOR_PARAMS];
    int count;
    const struct syntax_node *conditions[FOR_CONDITIONS];
    int condition_count;
    struct lift_span span;
};

/* What stands behind 'for'; false after a message. */
bool read_for(struct syntax_parser *p, struct for_line *out);
/* Calls 'visit' for all values that fulfil the conditions, those of the last parameter
 * changing fastest; false if one answers so, and after a message. */
typedef bool for_visit(void *user, const struct syntax_value *values, int count);
bool read_instances(struct syntax_parser *p, const struct for_line *line,
                    for_visit *visit, void *user);
/* Adds the values to the messages from one on. */
void read_say_values(struct lift_diags *diags, size_t first,
                     const struct syntax_value *values, int count);

#endif
