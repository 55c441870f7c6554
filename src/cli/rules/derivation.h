/* A program on its way through rules and strategies, applied by hand. */
#ifndef CLI_RULES_DERIVATION_H
#define CLI_RULES_DERIVATION_H

#include "base/rng.h"
#include "cli/cli.h"
#include "codegen/kernel.h"
#include "explore/explore_verify.h"
#include "rules/strategy.h"

/* Points that were drawn, as --decide has them. */
struct cli_random_configurations {
    const char *const *items;
    int count;
};

struct cli_derivation {
    struct lift_ir *ir;
    const struct lift_source *source;
    const struct lift_program *program;
    const struct lift_size_setting *sizes; /* that were given */
    int size_count;
    const struct lift_rules *rules;
    lift_expr term;
    const struct lift_side_condition *conditions; /* of all steps */
    int condition_count, steps;
    bool all_steps; /* show the rules that a macro consists of */
    bool quiet;
};

/* Applies "NAME", "NAME@PLACE" or a strategy and prints the result. The exit status;
 * CLI_FAILED with the reason in 'why', CLI_USAGE with a message. */
int cli_derivation_apply(struct cli_derivation *d, const char *what,
                         struct lift_str *why);

/* Applies one strategy, called 'what' in the output; false if it does not apply. */
bool cli_derivation_run(struct cli_derivation *d, lift_strategy s, const char *what);
/* Makes the configuration of a family (NULL: all defaults) with other options, such as
 * "copy=tma,window=circular" (NULL: none), for a kind of device. The exit status;
 * CLI_FAILED with the reason in 'why', CLI_USAGE with a message. */
int cli_derivation_decide(struct cli_derivation *d, const char *family,
                          const char *options, enum lift_dialect dialect,
                          struct lift_str *why);

enum { CLI_RANDOM_DRAWS = 1000 };

/* A random configuration that can be made and is none of 'known', as --decide
 * has it, in 'point'; the number of those that cannot be made is added to '*refused'.
 * False if CLI_RANDOM_DRAWS draws find none. */
bool cli_derivation_random(struct cli_derivation *d, struct lift_rng *rng,
                           enum lift_dialect dialect,
                           const struct cli_random_configurations *known,
                           struct lift_str *point, int *refused);

/* The final term as a kernel: sizes are those of the program, tunables those of
 * 'numbers'. The others are 4, or the nearest value in their range; if that makes no
 * kernel, the first of a few other values that does. The text is the one after the pass
 * 'last_pass'; NULL: after all passes. */
int cli_derivation_emit(const struct cli_derivation *d, enum lift_dialect dialect,
                        const char *last_pass, const struct lift_size_setting *numbers,
                        int count);

/* The device, sizes and tunables of a verification. */
struct cli_verify {
    const struct lift_verify_term *terms;
    const char *const *names; /* of the terms; NULL: there is one, which needs none */
    int term_count;
    const char *device;
    const struct lift_size_setting *set; /* tunables */
    int set_count, points;
    uint64_t seed;
    bool build_only;
    bool may_refuse; /* no kernel, for a reason, is no failure */
};

/* Compiles, runs and compares terms of the program, and prints a line for each choice of
 * tunables. CLI_FAILED if one was wrong or none could be tried. With 'build only',
 * nothing is run, and the line says which resources the kernel takes. */
int cli_derivation_verify(const struct cli_derivation *d, const struct cli_verify *how);

#endif
