/* Shipped texts: the generated files shipped_rules.c and shipped_names.c. */
#ifndef RULE_SHIPPED_H
#define RULE_SHIPPED_H

struct shipped_rules {
    const char *name;
    const char *text;
};

/* Files in the order of meson.build. A NULL name ends the list. */
extern const struct shipped_rules shipped_rules[];

struct shipped_names {
    const char *name;
    const char *text;
};

/* names.txt: former names of shipped rules. */
extern const struct shipped_names shipped_names[];

#endif
