/* Verifies derived terms. Each is compiled for a device, run on random inputs and
 * compared with its program, like every trial (explore/explore.h has the bound). Terms
 * can also be compiled only. */
#ifndef EXPLORE_EXPLORE_VERIFY_H
#define EXPLORE_EXPLORE_VERIFY_H

#include "device/device.h"
#include "ir/constraint.h"
#include "lift/error.h"
#include "lift/program.h"
#include "rules/rule.h"
#include "tuner/db_trial.h"

/* A low-level term derived from the program, in any context. Sizes that are numbers must
 * equal the options' sizes; the check at a small size is then skipped. */
struct lift_verify_term {
    lift_expr term;
    const struct lift_side_condition *conditions; /* conditions of its derivation */
    int condition_count;
};

/* Tunables drawn for a term, and the result. If no tunables fit the sizes, the status is
 * LIFT_TRIAL_CONSTRAINT and 'tunables' is "". */
struct lift_verify_configuration {
    int term;             /* index of the term */
    const char *tunables; /* JSON */
    enum lift_trial_status status;
    const char *reason, *log;           /* "" without a failure or output */
    const struct lift_db_check *checks; /* the completed checks */
    int check_count;
    double seconds; /* median of some launches; 0: not timed */
    struct lift_resources resources;
};

typedef void lift_verify_report(void *user,
                                const struct lift_verify_configuration *point);

struct lift_verify_options {
    const struct lift_source *source; /* source of the program */
    const struct lift_size_setting *sizes;
    int size_count;
    const struct lift_rules *rules; /* rules for making the reference */
    const char *device;             /* "host", "opencl:0", ... */
    const struct lift_verify_term *terms;
    int term_count;
    /* Values of tunables, "block_x" to "block_z", "fast_math", "index_bits" and
     * "min_blocks". The others are drawn at random such that all conditions hold. */
    const struct lift_size_setting *set;
    int set_count;
    int points;      /* configurations drawn for each term */
    bool build_only; /* no runs: the device may be a target, "cuda:sm_90" */
    uint64_t seed;   /* for configurations and data */
    lift_verify_report *report;
    void *user;
};

enum lift_verify_end {
    LIFT_VERIFY_OK,          /* all configurations are right, or built */
    LIFT_VERIFY_WRONG,       /* some are not; the report has the reasons */
    LIFT_VERIFY_BAD_PROGRAM, /* see the diagnostics */
    LIFT_VERIFY_FAILED,      /* 'why' has the reason; nothing was verified */
};

/* Verifies the terms. The calling process must have one thread and no open device. */
enum lift_verify_end lift_verify(const struct lift_verify_options *options,
                                 struct lift_error *errors, struct lift_str *why);

#endif
