/* Exploration: from a program to the best verified kernel for a device, all trials kept
 * in a database. The program is rewritten into many low-level expressions; each has a
 * space of tunables; a worker process compiles, checks and times candidates.
 *
 * Every kernel is checked before it is timed, on random inputs and poisoned outputs. The
 * first check compares it with the interpreter at a small odd size. Of a large problem
 * the next check compares it with the naive host kernel on a slab, where most trials end.
 * The last check is at the problem's size.
 *
 * An error may reach epsilon * (operations a point + 8) * max(1, largest value of the
 * output). Operations are those on which one output value depends; slow operations count
 * more than once. The bound is at least 32 times the deviation of single precision for
 * this output at a small size. Epsilon is that of the coarsest arithmetic behind the
 * output, whatever the output's type. So f32 applies to an f64 computed from sums of f32,
 * rounded to f32, or returned by a C function on f32. Integers are exact. Each check
 * stores its bound.
 *
 * Outputs rounded to f16 or bf16 on the way may differ more: each of R consecutive
 * roundings may yield the next number. R * (R + 1) / 2 * epsilon * max(1, largest value
 * of the output) is added. Epsilon is 2^-10 for f16 and 2^-7 for bf16; the coarsest
 * counts. This term is not multiplied by the operations, which are in f32. The deviation
 * of single precision counts if it is larger.
 *
 * A comparison of rounded values, or their conversion to integers, may decide about an
 * output. Then a right kernel may take another branch where values are almost equal. A
 * share of such an output's points may exceed the bound, but never be NaN or infinite.
 * The share is four times the share that took another branch in single precision at a
 * small size (at most 4 %). A share of 4 * epsilon * (operations + 8) is added. At the
 * small sizes of checks this is no point, unless single precision showed some. */
#ifndef EXPLORE_EXPLORE_H
#define EXPLORE_EXPLORE_H

#include "device/device.h"
#include "lift/error.h"
#include "lift/program.h"
#include "rules/rule.h"
#include "tuner/db_trial.h"
#include <signal.h>

struct lift_explore_part;

/* Progress of the exploration on one device or on all; for all devices, the fastest
 * device's kernel is the best. */
struct lift_explore_progress {
    double elapsed, budget; /* seconds; budget 0: trials are the limit */
    double reserved;        /* seconds of the budget reserved for the final benchmark */
    int64_t trials, trial_limit; /* trials of this session; limit 0: none */
    int64_t rejected;            /* candidates rejected before compilation: no trials */
    int64_t excluded; /* proposals whose estimates exceed the shared memory: no rows */
    int64_t verified;
    int64_t by_status[LIFT_TRIAL_STATUSES]; /* trials and rejected candidates by status */
    int exprs;                              /* low-level expressions */
    int compiling, waiting;                 /* being compiled; waiting for the runner */
    double best_seconds; /* seconds a time step, earlier sessions included; 0: none yet */
    int best_steps;      /* time steps a launch of the best kernel */
    double
        naive_seconds; /* seconds a time step of the naive kernel, timed in this session
                          in the machine state of the best kernel; 0: not timed */
    double naive_low, naive_high; /* in the final benchmark; 0: only in the search */
    double gain; /* speedup of the best kernel over the naive kernel; 0: unknown, or one
                    of them was not timed in this session */
    double best_gpts;       /* 10^9 grid points per second */
    double best_copy_share; /* share of the copy bandwidth, 1 is all of it; 0: unknown */
    bool
        in_cache; /* of the copy bandwidth in the last-level cache, where the data stay */
    bool confirmed;    /* the best kernel won this session's final benchmark */
    const char *stage; /* current: "rewriting", "trying", ... */
    const struct lift_explore_part
        *parts; /* the devices of a session on several devices; otherwise NULL */
    int part_count;
};

typedef void lift_explore_report(void *user,
                                 const struct lift_explore_progress *progress);

/* The ranks of a job explore one problem together. Each rank is a process with a separate
 * database. The configuration determines the rank that runs its trial
 * (lift_joint_is_ours), so no configuration is tried twice on one kind of device. A rank
 * begins with the results in 'base' and in the other ranks' databases. At intervals the
 * rank reads the fastest kernels that other ranks found since. Kernels for the same kind
 * of device enter its search like its own. */
struct lift_explore_share {
    int rank, ranks;  /* 0 <= rank < ranks; ranks 0: no job */
    const char *base; /* database of the whole job, only read; lift_explore_rank_db names
                         the ranks' databases in the same folder */
    double every;     /* seconds between reads of all other databases */
};
/* Appends "BASE.rank3.db". */
void lift_explore_rank_db(const char *base, int rank, struct lift_str *out);

enum { LIFT_EXPLORE_STEPS = 8 };

struct lift_explore_options {
    const struct lift_source *source; /* source of the program, of one time step */
    /* The numbers of time steps a launch, in increasing order. Without any: a program
     * with a time loop is explored with 1 to LIFT_EXPLORE_STEPS. */
    const int64_t *steps;
    int step_count;
    const struct lift_size_setting *sizes;
    int size_count;
    const struct lift_rules *rules;
    const char *const *devices; /* "host", "opencl:0", ..., or "all" available devices;
                                   explored concurrently */
    int device_count;
    const char *db;   /* path of the database */
    const char *argv; /* stored with the session; may be NULL */
    double seconds;   /* 0: no limit */
    int64_t trials;   /* limit of each device; 0: no limit */
    int jobs;         /* concurrent compilations; 0: the number of cores, at most 16 */
    uint64_t seed;
    const char *technique; /* NULL: the first of lift_techniques */
    int max_exprs; /* number of initial low-level expressions, without later additions; 0:
                      no limit */
    /* The only configurations to explore, as lift_configuration_read reads them. Without
     * any, all families and neighbours of the fastest are explored. */
    const char *const *points;
    int point_count;
    bool no_seeds;     /* do not start with the best kernels of other sizes and devices */
    const char *tuned; /* a folder of CSV files (lift_db_export_best) with further initial
                          kernels; NULL: none */
    bool no_naive;     /* do not time the naive kernel, nor the earlier best kernel */
    const char *const *exprs; /* only these low-level expressions: hashes, which may be
                                 shortened (base/hash.h) */
    int expr_count;
    const struct lift_size_setting *tunables; /* their only values; a name may repeat */
    int tunable_count;
    const char *table; /* file for all configurations with a known outcome, written at the
                          end (tuner/replay.h); NULL: none */
    bool no_final;   /* skip the final benchmark, which checks the fastest on other inputs
                        and times them against each other */
    bool only_final; /* no trials: the fastest known kernels of these expressions compete,
                        regardless of their distance */
    struct lift_explore_share share;
    const volatile sig_atomic_t *interrupted; /* 1: stop after the current trial and run
              the final benchmark; 2: stop immediately; may be NULL */
    lift_explore_report *report;              /* may be NULL */
    void *user;
};

/* The reachable search space, and its part without trials. */
struct lift_explore_reach {
    int64_t exprs; /* distinct low-level expressions requested */
    int64_t tried; /* expressions with a trial, earlier sessions included */
    struct lift_explore_left {
        char *reason;
        int64_t count;
    } * left; /* reasons why the others were not tried; the counts' sum is exprs - tried
               */
    int left_count;
    struct lift_explore_left *unlowered; /* configurations without an expression */
    int unlowered_count;
};

enum lift_explore_end {
    LIFT_EXPLORE_BUDGET,    /* time or trials are exhausted */
    LIFT_EXPLORE_EXHAUSTED, /* every candidate was tried */
    LIFT_EXPLORE_INTERRUPTED,
    LIFT_EXPLORE_BAD_PROGRAM, /* see the diagnostics */
    LIFT_EXPLORE_FAILED,      /* see 'error' */
};

/* Results of one device. */
struct lift_explore_part {
    char *name;              /* as the user named it: "opencl:0" */
    struct lift_hash device; /* row of the database */
    struct lift_explore_progress progress;
    struct lift_explore_reach reach;
    int seeds;         /* initial configurations that were good elsewhere */
    int unknown_seeds; /* further initial configurations whose expressions were not found
                        */
    int learned;       /* kernels of other ranks that the search received */
    double estimate;   /* set by lift_explore_estimates: 10^9 grid points per second; 0:
                          none */
    double trying; /* seconds from the start of the first trial to the end of the last */
    int jobs;      /* concurrent compilers of all devices */
    double session_busy; /* share in which this process computed: proposals, records */
    double runner_busy, compilers_busy; /* busy shares of 'trying': of the runner, which
                                           checks and times, and the mean share of
                                           compilers with this device's candidates */
    struct lift_explore_depth {
        int steps;                /* time steps a launch */
        struct lift_hash problem; /* row of the database */
        int64_t trials, verified; /* of this session */
    } depths[LIFT_MAX_STEPS];     /* in increasing order */
    int depth_count;
    double copy_gbs;        /* the copy bandwidth in GB/s; 0: unknown */
    double copy_gbs_before; /* former value if measured again; otherwise 0 */
    char *longest_kernel;   /* the configuration with the longest compilation, in the form
                               of 'lift derive --decide'; NULL: nothing was compiled */
    double longest_compilation; /* in seconds */
    char *lost;     /* why the session stopped using the device; NULL: it did not */
    char *no_naive; /* why the naive kernel was not timed; NULL: timed, or the session
                       ended before */
};

struct lift_explore_result {
    enum lift_explore_end end;
    struct lift_explore_progress progress; /* progress of all devices, at the end */
    struct lift_explore_part *parts;
    int part_count;
    struct lift_hash problem,
        session;     /* rows of the database; the first depth's problem */
    double extended; /* seconds over the budget, spent until a kernel was verified; 0:
                        none */
    double first_verified; /* seconds until the first kernel was verified, without the
                              copy-bandwidth measurement; 0: no kernel */
    char *program, *sizes, *dtype; /* name, and sizes as JSON, as in tuner/db.h */
    int steps;                     /* as in tuner/db.h, of the first depth */
    struct lift_str error;
};

/* Explores until the budget ends. The calling process must have one thread and no open
 * device. The caller releases the result with lift_explore_result_fini. */
struct lift_explore_result lift_explore(const struct lift_explore_options *options,
                                        struct lift_error *errors);
void lift_explore_result_fini(struct lift_explore_result *result);

/* An expression of the space that an exploration with these options would search. */
struct lift_explore_space {
    const char *device;    /* as the user named it */
    struct lift_hash expr; /* as in the database */
    const char *steps;     /* macros and rules of its derivation in order, abbreviated */
    int tunables;
    double raw, valid; /* configurations without and with the constraints */
    bool exact;        /* 'valid' is counted, not estimated */
};

/* Combinations of options of all decisions (rules/combinations.h), for a device and the
 * program's contract, and how many of them the program allows. */
struct lift_explore_combinations {
    const char *device;  /* as the user named it */
    double count, error; /* results of lift_combinations_count */
    int drawn;           /* number of drawn combinations, each equally likely */
    int made, exprs;     /* successful ones among 'drawn', and their distinct low-level
                            expressions */
    const struct lift_explore_left *reasons; /* of failures, most frequent first */
    int reason_count;
};

typedef void lift_explore_space_row(void *user, const struct lift_explore_space *row);
typedef void lift_explore_combinations_row(void *user,
                                           const struct lift_explore_combinations *row);

struct lift_explore_survey {
    int draws; /* number of combinations to draw and make */
    lift_explore_combinations_row *combinations;
    lift_explore_space_row *space;
    void *user;
};
/* Calls 'combinations' for each device, then 'space' for each initial expression of an
 * exploration. Runs no trials; opens no database, and devices only for their limits. The
 * result ends with EXHAUSTED on success; its parts have the number of expressions. */
struct lift_explore_result lift_explore_spaces(const struct lift_explore_options *options,
                                               struct lift_error *errors,
                                               const struct lift_explore_survey *survey);

/* A built candidate. */
struct lift_explore_build {
    const char *device;    /* as the user named it */
    struct lift_hash expr; /* as in the database */
    const char *steps;     /* steps of its derivation, as in struct lift_explore_space */
    const char *tunables;  /* JSON */
    enum lift_trial_status status;
    const char *reason, *log;                /* "" without a failure or output */
    const struct candidate_request *request; /* for its source; valid during the call */
    struct lift_resources resources;
    double seconds; /* seconds of the build */
};

enum lift_explore_builds {
    LIFT_BUILDS_ONLY, /* build without running: devices may be targets ("cuda:sm_90") */
    LIFT_BUILDS_PROGRAMS, /* likewise, after checking that the program can be run */
    LIFT_BUILDS_CHECK, /* build for small sizes only, run, and compare with the program */
};

typedef void lift_explore_build_row(void *user, const struct lift_explore_build *row);
/* Draws 'count' candidates at random for each device, and builds them. All expressions
 * are drawn before any is drawn again. Equal seeds draw equal candidates, also on other
 * devices with that expression. Calls 'row' for each candidate in the order of drawing.
 * Opens no database. The result ends with EXHAUSTED if all were built or rejected. */
struct lift_explore_result lift_explore_builds(const struct lift_explore_options *options,
                                               int count, enum lift_explore_builds what,
                                               struct lift_error *errors,
                                               lift_explore_build_row *row, void *user);

/* The description of a device. A worker process opens the device, so that this process
 * opens none. With 'measure', the worker measures the copy bandwidth too (about a
 * second). The strings live as long as the struct: release it with
 * lift_explore_device_fini. Returns false and a reason if the device is not available. */
struct lift_explore_device {
    struct lift_device_info info;
    double copy_gbs;      /* 0: not measured */
    double cache_gbs;     /* likewise in the last-level cache; 0: no processor */
    const char *settings; /* power and clock settings, from lift_clocks_settings */
    char *texts;
};
bool lift_explore_device(const char *name, bool measure, struct lift_explore_device *out,
                         struct lift_str *why);
void lift_explore_device_fini(struct lift_explore_device *device);
/* After this call the process opens each device once and remembers its description, for
 * several consecutive explorations. Opening a device may take a second. */
void lift_explore_devices_remember(void);
/* Describes a device concurrently with other work: 'end' waits for the result of 'begin';
 * 'drop' discards it, and accepts NULL. Both release the probe. 'await' waits at most
 * 'seconds', and returns true if 'end' will not wait. */
struct lift_explore_probe;
struct lift_explore_probe *lift_explore_device_begin(const char *name, bool measure);
bool lift_explore_device_await(struct lift_explore_probe *probe, double seconds);
bool lift_explore_device_end(struct lift_explore_probe *probe,
                             struct lift_explore_device *out, struct lift_str *why);
void lift_explore_device_drop(struct lift_explore_probe *probe);
/* The devices with these names: "all" means all available devices, and an empty list the
 * host. The result ends with NULL; the caller frees the list and its strings. Returns
 * NULL and a reason if no device is found, or a device is named twice. */
char **lift_explore_devices(const char *const *names, int count, struct lift_str *why);

#endif
