/* Reading the database (tuner/db.h). Rows are handed to a callback, which may call any
 * function of the database but the one that called it; their texts last until it returns.
 * A callback that returns false ends the reading, which is no error. */
#ifndef TUNER_DB_QUERY_H
#define TUNER_DB_QUERY_H

#include "tuner/db_trial.h"
#include <stdio.h>

/* NULL: any. */
struct lift_db_filter {
    const char
        *program;      /* its name, or its id or the beginning of it (see lift_db_find) */
    const char *sizes; /* JSON as in lift_db_problem */
    const char *device; /* a part of "runtime vendor name", in any case */
    const char *dtype;  /* as in lift_db_problem: "f32", "f64" */
    int64_t steps;      /* likewise; 0: any */
};

/* A row of the view best_kernel. */
struct lift_db_best {
    const char *program, *sizes, *device, *runtime, *tunables;
    const char *dtype; /* as in lift_db_problem */
    int steps;         /* likewise */
    double gpts;       /* 10^9 grid points a second */
    double gbs;        /* 10^9 bytes of compulsory traffic a second; 0: unknown */
    double copy_share; /* 1: the device's copy bandwidth; 0: unknown */
    double seconds;    /* median of the samples */
    bool confirmed;    /* in a final benchmark */
    struct lift_hash expr, trial, problem, program_id, device_id;
};

typedef bool lift_db_best_row(void *user, const struct lift_db_best *row);
/* By program, sizes and device. */
bool lift_db_best(struct lift_db *db, const struct lift_db_filter *filter,
                  lift_db_best_row *row, void *user);

/* A verified trial, among those of its problem and device. */
struct lift_db_ranked {
    struct lift_hash expr, trial;
    const char *tunables;
    double seconds; /* median of the samples */
};

typedef bool lift_db_ranked_row(void *user, const struct lift_db_ranked *row);
/* The fastest first. */
bool lift_db_ranked(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                    lift_db_ranked_row *row, void *user);

/* A kernel worth keeping, and all that it is made of. */
struct lift_db_kernel {
    const char *program, *text; /* its name and all of it */
    const char *sizes, *tunables;
    const char *dtype; /* as in lift_db_problem */
    int steps;         /* likewise */
    const char *device, *runtime, *arch;
    double seconds; /* median of the samples */
    struct lift_hash problem, device_id, expr, trial;
    struct lift_hash source; /* of its text (lift_hash_text); 0: unknown */
};

typedef bool lift_db_kernel_row(void *user, const struct lift_db_kernel *row);
/* Of each problem and device the 'most' best expressions, each with its best verified
 * trial. By program, sizes and device, the best first. */
bool lift_db_kernels(struct lift_db *db, const struct lift_db_filter *filter,
                     int64_t most, lift_db_kernel_row *row, void *user);

typedef bool lift_db_device_row(void *user, const struct lift_device_info *row);
/* A device as it is stored: without driver, compiler and limits of a dimension. No row if
 * there is none of that id, or of a runtime that this program has not. */
bool lift_db_device(struct lift_db *db, struct lift_hash device, lift_db_device_row *row,
                    void *user);

/* A problem that was explored on a device. */
struct lift_db_explored {
    const char *program, *sizes, *device, *runtime;
    const char *dtype; /* as in lift_db_best */
    int steps;         /* likewise */
    struct lift_hash problem, device_id;
    int64_t exprs, trials, verified;
};

typedef bool lift_db_explored_row(void *user, const struct lift_db_explored *row);
/* By program, sizes and device; problems without trials are left out. */
bool lift_db_explored(struct lift_db *db, const struct lift_db_filter *filter,
                      lift_db_explored_row *row, void *user);

enum { LIFT_DB_STEP_MACROS = 8 };

/* One rewrite; 'expr' is its result. */
struct lift_db_step {
    int step; /* from 1 */
    const char *rule, *position, *args;
    struct lift_hash expr;
    /* The macros that it is a step of, the outermost first. */
    struct lift_db_use {
        const char *macro, *position;
        int first, steps; /* the number of its first step, and how many it has */
    } macros[LIFT_DB_STEP_MACROS];
    int macro_count;
};

typedef bool lift_db_step_row(void *user, const struct lift_db_step *row);
/* The way from the problem's root to an expression, first step first; no rows for a root.
 */
bool lift_db_derivation(struct lift_db *db, struct lift_hash expr, lift_db_step_row *row,
                        void *user);
/* The same from one root: of several ways the one by the parents that were found first.
 * No rows if none leads there. */
bool lift_db_derivation_from(struct lift_db *db, const struct lift_hash *root,
                             struct lift_hash expr, lift_db_step_row *row, void *user);

struct lift_db_tried {
    struct lift_hash expr, trial;
    const char *tunables, *reason;
    enum lift_trial_status status;
    enum lift_trial_phase phase;
    double seconds; /* median of the samples; 0: there are none */
    double cost;    /* seconds to compile, check and measure it */
};

/* Whether a launch can take so long: no less than a tenth of a nanosecond, no more than a
 * month, and no more than 10^15 times as much a second as the launch does: points, or
 * bytes. What says otherwise is forged or damaged. */
bool lift_db_possible(double seconds, double work);

typedef bool lift_db_tried_row(void *user, const struct lift_db_tried *row);
/* All trials of a problem on a device, in the order in which they were started: what a
 * later session needs in order to resume. STARTED trials belong to a running session. */
bool lift_db_tried(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                   lift_db_tried_row *row, void *user);

/* How many of these there are, by status. The index has them: however many, it takes no
 * time. */
bool lift_db_counts(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                    int64_t by_status[LIFT_TRIAL_STATUSES]);

struct lift_db_failure {
    const char *status, *reason;
    int64_t count;
};

typedef bool lift_db_failure_row(void *user, const struct lift_db_failure *row);
/* The trials of a problem on a device that gave no time, by status and reason, most
 * first.
 */
bool lift_db_failures(struct lift_db *db, struct lift_hash problem,
                      struct lift_hash device, lift_db_failure_row *row, void *user);

/* What the expressions that a macro helped to make have reached. One that several made
 * counts for each, one that rules alone made for the family "". */
struct lift_db_family {
    const char *family;
    double gpts, gbs, copy_share, seconds; /* of the fastest, as in lift_db_best */
    int64_t trials, exprs;
    struct lift_hash expr; /* the fastest */
};

typedef bool lift_db_family_row(void *user, const struct lift_db_family *row);
/* The fastest first. Of what took part in final benchmarks the newest of them counts.
 * Trials that gave no wrong value and were too slow to be timed in full count, too. */
bool lift_db_families(struct lift_db *db, struct lift_hash problem,
                      struct lift_hash device, lift_db_family_row *row, void *user);

typedef bool lift_db_finalist_row(void *user, const struct lift_db_finalist *row);
/* The newest final benchmark of a problem on a device, by place. */
bool lift_db_finalists(struct lift_db *db, struct lift_hash problem,
                       struct lift_hash device, lift_db_finalist_row *row, void *user);

typedef bool lift_db_reach_row(void *user, const struct lift_db_reach *row);
/* What the last session of a problem on a device could reach; no rows if it did not end.
 */
bool lift_db_reach(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                   lift_db_reach_row *row, void *user);

/* What the trials of an expression that is a configuration have reached. */
struct lift_db_configuration {
    struct lift_hash problem, device_id, expr;
    const struct lift_db_option *options; /* those that are not the default */
    int option_count;
    int64_t trials, verified;
    double seconds; /* of the fastest verified trial, or as the newest final benchmark
                       says; 0: none */
    double share;   /* of the speed of the best kernel; 0: unknown */
    bool best;      /* it is the expression of the best kernel */
};

typedef bool lift_db_configuration_row(void *user,
                                       const struct lift_db_configuration *row);
/* By problem and device; expressions of which no options are stored are left out. */
bool lift_db_configurations(struct lift_db *db, lift_db_configuration_row *row,
                            void *user);

/* The options of an expression as lift_configuration_read takes them, "" where all are
 * the defaults. '*known' is false if they are not stored, or are no such text. */
bool lift_db_configuration_of(struct lift_db *db, struct lift_hash expr,
                              struct lift_str *out, bool *known);

typedef bool lift_db_rule_row(void *user, const char *rule, int64_t rewrites);
/* The rules that occur in derivations, by name. */
bool lift_db_rules(struct lift_db *db, lift_db_rule_row *row, void *user);

/* Appends the text of the program of that name or id, which may be shortened. 'dtype' and
 * 'steps' leave of several those that were explored so; nothing else counts. False, with
 * an error that lists them, if there is not one. */
bool lift_db_program(struct lift_db *db, const struct lift_db_filter *which,
                     struct lift_str *out);

enum lift_db_id { LIFT_DB_ID_EXPR, LIFT_DB_ID_TRIAL, LIFT_DB_ID_PROGRAM };

/* The id that 'digits' are the beginning of. False, with an error that lists the
 * candidates, if there is none or are several. */
bool lift_db_find(struct lift_db *db, enum lift_db_id what, const char *digits,
                  struct lift_hash *out);

enum lift_db_text {
    LIFT_DB_TEXT_EXPR,   /* by an expression's id */
    LIFT_DB_TEXT_SOURCE, /* by a trial's id */
    LIFT_DB_TEXT_LOG,    /* by a trial's id */
};

/* Appends a stored text. Ids may be shortened as in lift_db_find. False, with an error,
 * if there is no such row, too, or its text was pruned. */
bool lift_db_text(struct lift_db *db, enum lift_db_text what, const char *id,
                  struct lift_str *out);

enum lift_db_csv {
    LIFT_DB_CSV_BEST,    /* the view best_kernel */
    LIFT_DB_CSV_TRIALS,  /* the view trials: one row a trial */
    LIFT_DB_CSV_TIMINGS, /* one row a sample */
    LIFT_DB_CSV_FAMILIES /* one row a problem, device and family: lift_db_families */
};

/* Writes a header and all rows as CSV (RFC 4180, lines end with LF). Whether 'out' took
 * them is for the caller to check. */
bool lift_db_export_csv(struct lift_db *db, enum lift_db_csv what, FILE *out);

#endif
