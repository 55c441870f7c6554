/* Rebuilds the kernels of a database: derives each again with the current rules, makes
 * its source and compiles it. Without runs, only the compiler is needed, for any device
 * whose architecture it supports. */
#ifndef RUN_REBUILD_H
#define RUN_REBUILD_H

#include "rules/rule.h"
#include "tuner/db_query.h"

enum lift_rebuilt_end {
    LIFT_REBUILT_SAME,    /* the source is the stored one */
    LIFT_REBUILT_OTHER,   /* compiled, from another source than then: 'reason' says which
                             step and which tunables have changed */
    LIFT_REBUILT_LOST,    /* it cannot be made any more: 'reason' says which step */
    LIFT_REBUILT_REFUSED, /* it has a source, but no binary */
    LIFT_REBUILT_WRONG,   /* compiled, but it does not run, or its results are wrong:
                             'status' says which */
    LIFT_REBUILT_SKIPPED, /* nothing here can compile for its device, or run it */
};

enum { LIFT_REBUILT_ENDS = LIFT_REBUILT_SKIPPED + 1 };

/* "same", "other source", "lost", "refused", "wrong", "skipped" */
const char *lift_rebuilt_end_name(enum lift_rebuilt_end end);

struct lift_rebuilt {
    const struct lift_db_kernel *kernel; /* as it is stored */
    enum lift_rebuilt_end end;
    const char *reason, *log; /* "" if there is none */
    const char *target;       /* what it was compiled for: "cuda:sm_90", "host" */
    struct lift_resources resources;
    enum lift_trial_status status; /* of REFUSED and WRONG */
};

typedef void lift_rebuilt_row(void *user, const struct lift_rebuilt *row);

struct lift_rebuild_options {
    struct lift_db_filter filter; /* which kernels */
    int64_t most;                 /* of each problem and device so many */
    /* The program's file, for programs with functions in C, which are not taken from a
     * database; NULL: such programs are lost. */
    const struct lift_source *source;
    bool verify; /* each is run, too, at a small size and its own, and compared with the
                    program: on the device of the kernel, if it is here */
    const struct lift_rules *rules;
    lift_rebuilt_row *row; /* in the order of lift_db_kernels */
    void *user;
};

/* False if the database says no (lift_db_error). Must be called by a process of one
 * thread that has opened no device. */
bool lift_rebuild(struct lift_db *db, const struct lift_rebuild_options *options);

#endif
