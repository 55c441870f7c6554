/* Derived terms made sure of: compiled for a device, run on random inputs and compared
 * with their program, as every trial of an exploration is (explore/explore.h states the
 * bound); or compiled only.
 */
#ifndef EXPLORE_EXPLORE_VERIFY_H
#define EXPLORE_EXPLORE_VERIFY_H

#include "device/device.h"
#include "ir/constraint.h"
#include "lift/error.h"
#include "lift/program.h"
#include "rules/rule.h"
#include "tuner/db_trial.h"

/* A low-level term derived from the program, of any context. If its sizes are numbers,
 * they are those of the options, and there is no check at a small size. */
struct lift_verify_term {
    lift_expr term;
    const struct lift_side_condition *conditions; /* of its derivation */
    int condition_count;
};

/* One choice of the tunables of a term, and its result; LIFT_TRIAL_CONSTRAINT and "" if
 * no tunables fit at these sizes. */
struct lift_verify_configuration {
    int term;             /* its index */
    const char *tunables; /* JSON */
    enum lift_trial_status status;
    const char *reason, *log;           /* "" if there is none */
    const struct lift_db_check *checks; /* as far as it came */
    int check_count;
    double seconds; /* median of some launches; 0: none was timed */
    struct lift_resources resources;
};

typedef void lift_verify_report(void *user,
                                const struct lift_verify_configuration *point);

struct lift_verify_options {
    const struct lift_source *source; /* of the program */
    const struct lift_size_setting *sizes;
    int size_count;
    const struct lift_rules *rules; /* for the reference */
    const char *device;             /* "host", "opencl:0", ... */
    const struct lift_verify_term *terms;
    int term_count;
    /* Tunables, and "block_x" to "block_z", "fast_math", "index_bits" and "min_blocks";
     * the others take values at random such that all conditions hold. */
    const struct lift_size_setting *set;
    int set_count;
    int points;      /* so many choices of each term */
    bool build_only; /* nothing is run: the device may be a target, "cuda:sm_90" */
    uint64_t seed;   /* of choices and data */
    lift_verify_report *report;
    void *user;
};

enum lift_verify_end {
    LIFT_VERIFY_OK,          /* all are right at every point, or built */
    LIFT_VERIFY_WRONG,       /* not so: the report said why */
    LIFT_VERIFY_BAD_PROGRAM, /* the diagnostics say why */
    LIFT_VERIFY_FAILED,      /* 'why' says why nothing could be told */
};

/* Must be called by a process of one thread that has opened no device. */
enum lift_verify_end lift_verify(const struct lift_verify_options *options,
                                 struct lift_error *errors, struct lift_str *why);

#endif
