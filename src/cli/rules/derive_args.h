/* The arguments of 'lift derive'. */
#ifndef CLI_RULES_DERIVE_ARGS_H
#define CLI_RULES_DERIVE_ARGS_H

#include <stdbool.h>
#include <stdint.h>

enum { DERIVE_MOST_APPLIED = 256, DERIVE_MOST_FILES = 16 };

/* A rule, strategy or configuration to apply to the program. */
struct derive_applied {
    const char *what;            /* NULL: a configuration */
    const char *family, *decide; /* NULL: no family, all defaults */
};

struct derive_args {
    const char *file, *size, *precision, *emit, *dump_after, *device, *set;
    struct derive_applied applied[DERIVE_MOST_APPLIED];
    const char *rules[DERIVE_MOST_FILES];
    int applied_count, rule_count;
    int64_t points, seed, random, steps;
    bool trace, force, verify, build, each, fixed;
};

/* Parses the arguments; exits with a message if the arguments are malformed. */
extern const struct cli_argp cli_derive_argp; /* input: struct derive_args */
void cli_derive_args(int argc, char **argv, struct derive_args *out);

#endif
