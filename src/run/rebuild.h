/* Rebuilds the kernels of a database: derives each kernel with the current rules,
 * generates its source and compiles the source. Rebuilding without runs needs no device,
 * only a compiler for its architecture. */
#ifndef RUN_REBUILD_H
#define RUN_REBUILD_H

#include "rules/rule.h"
#include "tuner/db_query.h"

enum lift_rebuilt_end {
    LIFT_REBUILT_SAME,  /* compiled, from a source equal to the stored source */
    LIFT_REBUILT_OTHER, /* compiled, from another source: 'reason' names the step and the
                           tunables that changed */
    LIFT_REBUILT_LOST,  /* not derivable any more: 'reason' names the failing step */
    LIFT_REBUILT_REFUSED, /* the source does not compile */
    LIFT_REBUILT_WRONG,   /* compiled, but the run fails or the results are wrong: see
                             'status' */
    LIFT_REBUILT_SKIPPED, /* this machine cannot compile for the kernel's device, or lacks
                             the device for a run */
};

enum { LIFT_REBUILT_ENDS = LIFT_REBUILT_SKIPPED + 1 };

/* "same", "other source", "lost", "refused", "wrong", "skipped" */
const char *lift_rebuilt_end_name(enum lift_rebuilt_end end);

struct lift_rebuilt {
    const struct lift_db_kernel *kernel; /* as stored */
    enum lift_rebuilt_end end;
    const char *reason, *log; /* "" if none */
    const char *target;       /* of the compilation: "cuda:sm_90", "host" */
    struct lift_resources resources;
    enum lift_trial_status status; /* of REFUSED and WRONG */
};

typedef void lift_rebuilt_row(void *user, const struct lift_rebuilt *row);

struct lift_rebuild_options {
    struct lift_db_filter filter; /* selects kernels */
    int64_t most;                 /* kernels of each problem and device, at most */
    /* The user's file for programs with functions in C, which are never taken from a
     * database. NULL: these programs are lost. */
    const struct lift_source *source;
    bool verify; /* also run each kernel on its device, at a small size and its own size,
                    and check the results; skipped if the device is absent */
    const struct lift_rules *rules;
    lift_rebuilt_row *row; /* in the order of lift_db_kernels */
    void *user;
};

/* Returns false if the database fails (lift_db_error). The calling process must have one
 * thread and no open device. */
bool lift_rebuild(struct lift_db *db, const struct lift_rebuild_options *options);

#endif
