/* Exploration: from a program to the best verified kernel for a device, all trials kept
 * in a database. The program is rewritten into many low-level expressions; each has a
 * space of tunables; candidates are compiled, checked and timed in a worker process.
 *
 * Every kernel is checked before it is timed, on random inputs and poisoned outputs:
 * against the interpreter at a small odd size; against the program compiled plainly on a
 * slab of a large problem, where most come to their end; and so at the problem's size,
 * before it is called right. A value may be off by epsilon * (operations a point + 8)
 * * max(1, largest value of the output) where operations are those that one output value
 * depends on, slow ones counted more than once, or by 32 times the deviation that single
 * precision shows of this output at a small size, if that is more. Epsilon is that of the
 * coarsest arithmetic that the output comes from, whatever its own type: of f32 for an
 * f64 that was computed from sums of f32, rounded to f32 on the way, or is of a C
 * function that works on f32. Integers are exact. The bound is kept with each check.
 *
 * An output that was rounded to f16 or bf16 on its way may be off by R * (R + 1) / 2 *
 * epsilon * max(1, largest value of the output) besides: the rounded number may be the
 * next one, in each of the R roundings that follow each other. Epsilon is 2^-10 for f16,
 * 2^-7 for bf16, that of the coarsest of them. It is not multiplied by the operations,
 * which are those of f32, and the deviation of single precision counts where it is
 * larger.
 *
 * Where a comparison of rounded values, or their conversion to integers, decides about an
 * output, a right kernel may decide otherwise at values that are as good as equal. Of
 * such an output four times the share of points may be off by more that single precision
 * was seen to decide otherwise at a small size (at most 4 %), and 4 * epsilon *
 * (operations + 8) of them besides; never by being no numbers. At the small sizes of
 * checks that is no point, unless some were seen.
 */
#ifndef EXPLORE_EXPLORE_H
#define EXPLORE_EXPLORE_H

#include "device/device.h"
#include "lift/error.h"
#include "lift/program.h"
#include "rules/rule.h"
#include "tuner/db_trial.h"
#include <signal.h>

struct lift_explore_part;

/* Where the exploration stands, on one device or on all together: then the best is that
 * of the fastest. */
struct lift_explore_progress {
    double elapsed, budget; /* seconds; budget 0: by trials */
    double reserved; /* seconds of the budget that are kept for the final benchmark */
    int64_t trials, trial_limit; /* of this session; 0: no limit */
    int64_t verified;
    int64_t by_status[LIFT_TRIAL_STATUSES]; /* of this session */
    int exprs;                              /* low-level expressions */
    int compiling, waiting; /* candidates: with the compilers, compiled but not run yet */
    double best_seconds;    /* of earlier sessions too; 0: none yet */
    double naive_seconds;   /* of the naive kernel, timed in this session, as the
                               machine was when the best one was; 0: it was not timed */
    double naive_low, naive_high; /* its interval in the final benchmark; 0: it was timed
                                     in the search only */
    double gain;            /* how many times as fast as that the best one is; 0: unknown,
                               or one of both was not timed in this session */
    double best_gpts;       /* 10^9 grid points a second */
    double best_copy_share; /* 1: the copy bandwidth; 0: unknown */
    bool confirmed;         /* the best one won the final benchmark of this session */
    const char *stage;      /* current: "rewriting", "trying", ... */
    const struct lift_explore_part
        *parts; /* the devices of a run on parts of a grid; otherwise NULL */
    int part_count;
};

typedef void lift_explore_report(void *user,
                                 const struct lift_explore_progress *progress);

/* The ranks of a job explore one problem together. Each is a process with a separate
 * database. The point decides which rank tries it (lift_joint_is_ours), so no point is
 * tried twice on one kind of device. A rank begins with the results in 'base' and in the
 * databases of the other ranks. Now and then it reads the fastest kernels that the others
 * have found since; its search receives those of the same kind of device like its own. */
struct lift_explore_share {
    int rank, ranks;  /* 0 <= rank < ranks; ranks 0: there is no job */
    const char *base; /* the database that all of it belongs to, which is only read;
                         others are beside it, as lift_explore_rank_db names them */
    double every;     /* seconds until it has looked at all others once more */
};
/* Appends "BASE.rank3.db". */
void lift_explore_rank_db(const char *base, int rank, struct lift_str *out);

enum { LIFT_EXPLORE_STARTS = 3 };

struct lift_explore_options {
    const struct lift_source *source; /* of the program */
    const struct lift_size_setting *sizes;
    int size_count;
    const struct lift_rules *rules;
    const char *const *devices; /* "host", "opencl:0", ..., or "all" that are found; each
                                   is explored at the same time */
    int device_count;
    const char *db;   /* the file */
    const char *argv; /* kept with the session; may be NULL */
    double seconds;   /* 0: no limit */
    /* A session that takes long until its first kernel is verified may use more than
     * 'seconds': LIFT_EXPLORE_STARTS times as long as that took, or all of this, where
     * that is less than twice as much; 0: no more. */
    double most_seconds;
    int64_t trials; /* of each device; 0: no limit */
    int jobs;       /* concurrent compilations; 0: the number of cores, at most 16 */
    uint64_t seed;
    const char *technique; /* NULL: the first of lift_techniques */
    int max_exprs; /* low-level expressions to begin with, and no others; 0: no limit */
    /* Configurations, as lift_configuration_read takes them; only these are explored.
     * None: those of all families, and neighbours of the fastest. */
    const char *const *points;
    int point_count;
    bool no_seeds;     /* do not begin with the best kernels of other sizes and devices */
    const char *tuned; /* a folder of CSV files with kernels to begin with, too, as
                          lift_db_export_best writes it; NULL: none */
    bool no_naive;     /* do not time the naive kernel, nor the earlier best kernel */
    const char *const *exprs; /* these low-level expressions only: their hashes, which may
                                 be shortened (base/hash.h) */
    int expr_count;
    const struct lift_size_setting *tunables; /* have these values only; a name may stand
                                                 there several times */
    int tunable_count;
    const char *table; /* at the end, a file for all points of which the outcome is known
                          (tuner/replay.h); NULL: none */
    bool no_final;   /* otherwise the fastest are checked on other inputs at the end, and
                        timed against each other */
    bool only_final; /* nothing is tried: the fastest that the database knows of these
                        expressions compete, however far apart they are */
    struct lift_explore_share share;
    const volatile sig_atomic_t *interrupted; /* 1: stop after the current trial and run
              the final benchmark; 2: stop immediately; may be NULL */
    lift_explore_report *report;              /* may be NULL */
    void *user;
};

/* The space that an exploration can reach, and the part that it has not tried. */
struct lift_explore_reach {
    int64_t exprs; /* distinct low-level expressions that were asked for */
    int64_t tried; /* of these, in earlier sessions too */
    struct lift_explore_left {
        char *reason;
        int64_t count;
    } * left; /* why the others were not tried: their sum is exprs - tried */
    int left_count;
    struct lift_explore_left *unlowered; /* configurations that give no expression */
    int unlowered_count;
};

enum lift_explore_end {
    LIFT_EXPLORE_BUDGET,    /* time or trials are used up */
    LIFT_EXPLORE_EXHAUSTED, /* every candidate was tried */
    LIFT_EXPLORE_INTERRUPTED,
    LIFT_EXPLORE_BAD_PROGRAM, /* the diagnostics say why */
    LIFT_EXPLORE_FAILED,      /* 'error' says why */
};

/* One device. */
struct lift_explore_part {
    char *name;              /* as it was asked for: "opencl:0" */
    struct lift_hash device; /* row of the database */
    struct lift_explore_progress progress;
    struct lift_explore_reach reach;
    int seeds;         /* points that were tried first because they were good elsewhere */
    int unknown_seeds; /* more of them, whose expressions were not found this time */
    int learned;       /* kernels of other ranks that its search has received */
    double estimate;   /* of lift_explore_estimates: 10^9 grid points a second; 0: none */
    double trying; /* seconds from the first trial that was begun to the last one's end */
    int jobs;      /* compilers of all devices together */
    double runner_busy, compilers_busy; /* shares of 'trying': of the runner, which checks
                                           and times, and of the compilers, in the mean,
                                           with this device's candidates */
    double copy_gbs;                    /* the copy bandwidth in GB/s; 0: unknown */
    double copy_gbs_before; /* what it was taken for until a kernel exceeded it in this
                           session and it was measured again; 0: that was not so */
    char *longest_kernel;   /* the configuration that was compiled longest, as 'lift
                               derive --decide' takes it; NULL: nothing was compiled */
    double longest_compilation; /* its seconds */
    char *lost;                 /* why the device was given up; NULL: it was not */
    char *no_naive; /* why the naive kernel was not timed; NULL: it was, or the
                       session ended before */
};

struct lift_explore_result {
    enum lift_explore_end end;
    struct lift_explore_progress progress; /* at the end, of all devices */
    struct lift_explore_part *parts;
    int part_count;
    struct lift_hash problem, session; /* rows of the database */
    double extended; /* seconds by which the budget was exceeded because no kernel was
                        verified yet; 0: it was not */
    double first_verified; /* seconds until the first kernel was verified, without those
                              for the copy bandwidth; 0: none was */
    char *program, *sizes, *dtype; /* its name, the sizes as JSON; as in tuner/db.h */
    int steps;                     /* likewise */
    struct lift_str error;
};

/* Explores until the budget ends. Must be called by a process of one thread that has
 * opened no device. The caller releases the result with lift_explore_result_fini. */
struct lift_explore_result lift_explore(const struct lift_explore_options *options,
                                        struct lift_error *errors);
void lift_explore_result_fini(struct lift_explore_result *result);

/* What the cost model promises of the best point of the families: 'estimate' of the
 * parts, to be compared with those of the same program of other steps. Takes a second or
 * some, opens no database, and the devices only to ask for their limits. The result ends
 * EXHAUSTED if all went well. */
struct lift_explore_result
lift_explore_estimates(const struct lift_explore_options *options,
                       struct lift_error *errors);

/* An expression of the space that an exploration with these options would search. */
struct lift_explore_space {
    const char *device;    /* as it was asked for */
    struct lift_hash expr; /* as in the database */
    const char *steps;     /* macros and rules of its derivation, in order, in short */
    int tunables;
    double raw, valid; /* points without and with the constraints */
    bool exact;        /* 'valid' was counted, not estimated */
};

/* The combinations of options of all decisions (rules/combinations.h) for a device and
 * the program's contract, and which of them can be made of the program. */
struct lift_explore_combinations {
    const char *device;  /* as it was asked for */
    double count, error; /* as lift_combinations_count says */
    int drawn;           /* of them, each as likely as any other */
    int made, exprs; /* of those drawn; distinct low-level expressions that they are */
    const struct lift_explore_left *reasons; /* why not the others, most frequent first */
    int reason_count;
};

typedef void lift_explore_space_row(void *user, const struct lift_explore_space *row);
typedef void lift_explore_combinations_row(void *user,
                                           const struct lift_explore_combinations *row);

struct lift_explore_survey {
    int draws; /* how many combinations are drawn and made */
    lift_explore_combinations_row *combinations;
    lift_explore_space_row *space;
    void *user;
};
/* Calls 'combinations' for each device, then 'space' for each expression that an
 * exploration would begin with there, without trying anything: opens no database, and the
 * devices only to ask for their limits. The result ends EXHAUSTED if all went well; its
 * parts say how many expressions there are. */
struct lift_explore_result lift_explore_spaces(const struct lift_explore_options *options,
                                               struct lift_error *errors,
                                               const struct lift_explore_survey *survey);

/* A candidate that was built. */
struct lift_explore_build {
    const char *device;    /* as it was asked for */
    struct lift_hash expr; /* as in the database */
    const char *steps;     /* of its derivation, as above */
    const char *tunables;  /* JSON */
    enum lift_trial_status status;
    const char *reason, *log;                /* "" if there is none */
    const struct candidate_request *request; /* of its source; valid during the call */
    struct lift_resources resources;
    double seconds; /* that building took */
};

enum lift_explore_builds {
    LIFT_BUILDS_ONLY,     /* built, and not run: devices may be targets ("cuda:sm_90") */
    LIFT_BUILDS_PROGRAMS, /* the same; checks first that the program can be run */
    LIFT_BUILDS_CHECK, /* built for small sizes alone, run, compared with the program */
};

typedef void lift_explore_build_row(void *user, const struct lift_explore_build *row);
/* Draws 'count' candidates at random for each device, and builds them. Each expression is
 * drawn once before any is drawn again; the same seed draws the same, on devices that
 * have the expression in common, too. Calls 'row' for each candidate, in the order in
 * which they were drawn. Opens no database. The result ends EXHAUSTED if all were built
 * or refused. */
struct lift_explore_result lift_explore_builds(const struct lift_explore_options *options,
                                               int count, enum lift_explore_builds what,
                                               struct lift_error *errors,
                                               lift_explore_build_row *row, void *user);

/* What a device is, asked of a worker process, so that this one opens none. 'measure'
 * asks for the copy bandwidth too (about a second). The strings live as long as the
 * struct: release it with lift_explore_device_fini. False and a reason if the device is
 * not available. */
struct lift_explore_device {
    struct lift_device_info info;
    double copy_gbs;      /* 0: not measured */
    const char *settings; /* of power and clocks, as lift_clocks_settings says */
    char *texts;
};
bool lift_explore_device(const char *name, bool measure, struct lift_explore_device *out,
                         struct lift_str *why);
void lift_explore_device_fini(struct lift_explore_device *device);
/* From now on this process opens each device once and remembers its description, for
 * several explorations in a row. Opening a device may take a second. */
void lift_explore_devices_remember(void);
/* The same, concurrently with other work: 'end' waits for the result of 'begin'; 'drop'
 * (NULL is legal) discards it. Either releases the probe. */
struct lift_explore_probe;
struct lift_explore_probe *lift_explore_device_begin(const char *name, bool measure);
bool lift_explore_device_end(struct lift_explore_probe *probe,
                             struct lift_explore_device *out, struct lift_str *why);
void lift_explore_device_drop(struct lift_explore_probe *probe);
/* The devices that some names mean: "all" stands for those that are found, and no names
 * for the host. A list that ends with NULL; it and the names are the caller's to free.
 * NULL and a reason if there is none, or one was named twice. */
char **lift_explore_devices(const char *const *names, int count, struct lift_str *why);

#endif
