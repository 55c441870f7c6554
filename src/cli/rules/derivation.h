/* A program transformed step by step with rules and strategies. */
#ifndef CLI_RULES_DERIVATION_H
#define CLI_RULES_DERIVATION_H

#include "base/rng.h"
#include "cli/cli.h"
#include "codegen/kernel.h"
#include "explore/explore_verify.h"
#include "rules/strategy.h"

/* Random configurations, in the form of --decide. */
struct cli_random_configurations {
    const char *const *items;
    int count;
};

struct cli_derivation {
    struct lift_ir *ir;
    const struct lift_source *source;
    const struct lift_program *program;
    const struct lift_size_setting *sizes; /* sizes that the user gave */
    int size_count;
    const struct lift_rules *rules;
    lift_expr term;
    const struct lift_side_condition *conditions; /* of all steps */
    int condition_count, steps;
    bool all_steps; /* print the rules that a macro consists of */
    bool quiet;
};

/* Applies "NAME", "NAME@PLACE" or a strategy and prints the result. Returns the exit
 * status: CLI_FAILED with the reason in 'why', CLI_USAGE with a message. */
int cli_derivation_apply(struct cli_derivation *d, const char *what,
                         struct lift_str *why);

/* Applies one strategy, named 'what' in the output; false if the strategy does not
 * apply. */
bool cli_derivation_run(struct cli_derivation *d, lift_strategy s, const char *what);
/* Makes the configuration of a family (NULL: all defaults) with other options, such
 * as "copy=tma,window=circular" (NULL: none), for a kind of device. Returns the exit
 * status: CLI_FAILED with the reason in 'why', CLI_USAGE with a message. */
int cli_derivation_decide(struct cli_derivation *d, const char *family,
                          const char *options, enum lift_dialect dialect,
                          struct lift_str *why);

enum { CLI_RANDOM_DRAWS = 1000 };

/* Draws a random configuration that can be made and is not in 'known', and writes it
 * to 'point' in the form of --decide. Adds the number of failed draws to '*refused'.
 * Returns false if CLI_RANDOM_DRAWS draws fail. */
bool cli_derivation_random(struct cli_derivation *d, struct lift_rng *rng,
                           enum lift_dialect dialect,
                           const struct cli_random_configurations *known,
                           struct lift_str *point, int *refused);

/* Emits the derived term as a kernel with the program's sizes and the tunables of
 * 'numbers'. Other tunables are 4, or the nearest value in their range. If these
 * yield no kernel, the function uses the first of a few other values that yields one.
 * The text is the output of the pass 'last_pass'; NULL: of all passes. */
int cli_derivation_emit(const struct cli_derivation *d, enum lift_dialect dialect,
                        const char *last_pass, const struct lift_size_setting *numbers,
                        int count);

/* The device, sizes and tunables of a verification. */
struct cli_verify {
    const struct lift_verify_term *terms;
    const char *const *names; /* names of the terms; NULL: a single term without a name */
    int term_count;
    const char *device;
    const struct lift_size_setting *set; /* tunables */
    int set_count, points;
    uint64_t seed;
    bool build_only;
    bool may_refuse; /* a missing kernel, with a reason, is no failure */
};

/* Compiles, runs and compares terms of the program, and prints a line for each choice
 * of tunables. Returns CLI_FAILED if a result was wrong or no kernel could be tested.
 * With 'build only', runs nothing, and the line lists the kernel's resources. */
int cli_derivation_verify(const struct cli_derivation *d, const struct cli_verify *how);

#endif
