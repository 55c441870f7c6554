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
    const struct lift_param *params; /* of the space, with all values: small sizes may
                                        need those that a request left out */
    lift_nat shown; /* bytes of local memory in which work-items show each other what they
                       have in registers, at least, at these sizes */
    bool fixed;     /* the sizes are numbers: there is no check at small ones */
};

/* Parameters of a space that are no tunables of the term: work-group sizes, which of the
 * sets of compiler flags, the width of indices, and how many groups a compute unit has to
 * have room for (0: as many as the compiler chooses); on processors with vectors of 512
 * bits, how many of them compilers are to use where they choose vectors; on processors
 * the compiler (enum lift_compiler). */
extern const char explore_flags_name[];
extern const char explore_index_name[];
extern const char explore_width_name[];
extern const char explore_compiler_name[];

/* Conditions of a derivation, beyond those of the term itself. */
struct explore_conditions {
    const struct lift_side_condition *items;
    int count;
};

/* What a candidate space is made of. */
struct candidate_space_request {
    const struct explore_problem *problem;
    const struct lift_device_info *device;
    lift_expr term;
    struct explore_conditions conditions;
    const struct lift_size_setting *set; /* parameters that have these values only; a
                                            name may stand there several times */
    int set_count;
    bool lenient; /* names that the space has no parameter of are passed over */
};

/* Makes the space from the term's side conditions, those of its derivation and the limits
 * of the device. False and the reason if no values fit the sizes, or the space has not
 * one of the parameters that are set, or that has none of the values; there is a space,
 * without points, in the first case alone. */
bool candidate_space_make(const struct candidate_space_request *request,
                          struct candidate_space *out, struct lift_str *why);

/* What options may ask of a device, of enum lift_option_device; of one without a known
 * architecture what its runtime has at best. */
unsigned explore_option_device(const struct lift_device_info *device);

/* The sets of compiler flags to choose from; ends with NULL. */
const char *const *explore_flag_sets(const struct explore_problem *p,
                                     const struct lift_device_info *device);

/* Sizes and the values of a point, by name. */
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
/* A parameter of the launch, which a size may be called like; 'otherwise' if the space
 * has none. */
int64_t explore_launch_number(const struct explore_numbers *numbers, const char *name,
                              int64_t otherwise);
/* The first condition that does not hold, or NULL; of a list, or of a candidate space. */
const struct lift_side_condition *
explore_first_broken(const struct lift_side_condition *conditions, int count,
                     const struct lift_nat_env *numbers);
const struct lift_side_condition *explore_broken(const struct candidate_space *candidates,
                                                 const struct lift_nat_env *numbers);
/* Replaces the sizes by small, preferably odd ones at which the conditions of the program
 * hold, and those of the candidate space (NULL: there is none); by the smallest that
 * there are where windows or pads are too long for those. Sizes that are such ones
 * themselves stay. Tiles that are too large for any such sizes are made smaller, too.
 * False and the reason if none was found.
 * small_sizes.c
 */
bool explore_small_sizes(const struct explore_problem *p,
                         const struct candidate_space *candidates,
                         struct explore_numbers *numbers, struct lift_str *why);
/* Smaller ones still, at which the conditions of the program hold. */
bool explore_probe_sizes(const struct explore_problem *p,
                         struct explore_numbers *numbers);
/* Scalar operations for all points of the result. */
double explore_operations(const struct explore_problem *p,
                          const struct lift_nat_env *sizes);

/* The point of these tunables (JSON), or the nearest that is valid. False if there is
 * none. */
bool candidate_space_nearest(const struct candidate_space *candidates,
                             const char *tunables, int *point);

#endif
