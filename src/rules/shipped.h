/* The texts of the rules that ship: the generated file shipped_rules.c. */
#ifndef RULE_SHIPPED_H
#define RULE_SHIPPED_H

struct shipped_rules {
    const char *name;
    const char *text;
};

/* In the order of meson.build; ended by a NULL name. */
extern const struct shipped_rules shipped_rules[];

#endif
