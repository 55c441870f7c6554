/* One low-level expression with its tuning space. */
#ifndef EXPLORE_CANDIDATE_SPACE_H
#define EXPLORE_CANDIDATE_SPACE_H

#include "device/device.h"
#include "explore/problem.h"
#include "ir/constraint.h"
#include "rules/decision.h"
#include "tuner/space.h"

struct candidate_space {
    lift_expr term; /* sizes and tunables are variables */
    const struct lift_side_condition *conditions;
    int condition_count;
    const struct lift_space *space;
    const struct lift_param *params; /* all parameters with all values: small sizes may
                                        need values that a request excluded */
    lift_nat shown; /* least bytes of shared memory through which threads exchange
                       registers, at these sizes */
    bool fixed;     /* the sizes are numbers: small sizes cannot be checked */
};

/* Names of parameters that are no tunables of the term: block sizes, the set of compiler
 * flags, index width, and the number of resident blocks of a compute unit (0: the
 * compiler chooses). On processors with vectors of 512 bits also the width that compilers
 * prefer, and on processors the compiler (enum lift_compiler). */
extern const char explore_flags_name[];
extern const char explore_index_name[];
extern const char explore_width_name[];
extern const char explore_compiler_name[];

/* Conditions of a derivation, in addition to the term's. */
struct explore_conditions {
    const struct lift_side_condition *items;
    int count;
};

/* The inputs for making a candidate space. */
struct candidate_space_request {
    const struct explore_problem *problem;
    const struct lift_device_info *device;
    lift_expr term;
    struct explore_conditions conditions;
    const struct lift_size_setting *set; /* parameters that the user set; a name with
                                            several values occurs several times */
    int set_count;
    bool lenient; /* ignore names that are no parameters of the space */
};

/* Makes the space from the side conditions of term and derivation, and the device's
 * limits. Returns false and the reason if no values fit the sizes; the space then exists,
 * without configurations. Also returns false, without a space, if a set parameter or its
 * value does not exist. */
bool candidate_space_make(const struct candidate_space_request *request,
                          struct candidate_space *out, struct lift_str *why);

/* The capabilities (enum lift_option_device) that options may require; for a device of
 * unknown architecture, the most that its runtime offers. */
unsigned explore_option_device(const struct lift_device_info *device);

/* The sets of compiler flags; ends with NULL. */
const char *const *explore_flag_sets(const struct explore_problem *p,
                                     const struct lift_device_info *device);

/* Values by name: sizes and tunables of a configuration. */
enum { EXPLORE_MAX_NUMBERS = EXPLORE_MAX_SIZES + LIFT_SPACE_PARAMS };
struct explore_numbers {
    const char *names[EXPLORE_MAX_NUMBERS];
    int64_t values[EXPLORE_MAX_NUMBERS];
    struct lift_nat_env env;
    int size_count; /* the sizes come first */
};
void explore_numbers_of(const struct explore_problem *p,
                        const struct candidate_space *candidates, const int *point,
                        struct explore_numbers *out);
/* The value of a launch parameter, whose name a size may share; 'otherwise' if the space
 * lacks the parameter. */
int64_t explore_launch_number(const struct explore_numbers *numbers, const char *name,
                              int64_t otherwise);
/* The first condition that does not hold, or NULL; of a list, or of a candidate space. */
const struct lift_side_condition *
explore_first_broken(const struct lift_side_condition *conditions, int count,
                     const struct lift_nat_env *numbers);
const struct lift_side_condition *explore_broken(const struct candidate_space *candidates,
                                                 const struct lift_nat_env *numbers);
/* Replaces the sizes by small, preferably odd sizes that meet the conditions of the
 * program and of the candidate space (NULL: none). Long windows or pads may require
 * larger sizes: then the smallest possible ones are taken. Sizes that already are small
 * stay. Also shrinks tiles that are too large for small sizes. Returns false and the
 * reason if no sizes fit. small_sizes.c */
bool explore_small_sizes(const struct explore_problem *p,
                         const struct candidate_space *candidates,
                         struct explore_numbers *numbers, struct lift_str *why);
/* Finds still smaller sizes that meet the conditions of the program. */
bool explore_probe_sizes(const struct explore_problem *p,
                         struct explore_numbers *numbers);
/* Number of scalar operations for all points of the result. */
double explore_operations(const struct explore_problem *p,
                          const struct lift_nat_env *sizes);

/* Finds the configuration with these tunables (JSON), or the nearest valid one. Returns
 * false if there is none. */
bool candidate_space_nearest(const struct candidate_space *candidates,
                             const char *tunables, int *point);

#endif
