/* Reading the database (tuner/db.h). Each function passes rows to a callback. The
 * callback may call any function of the database except its caller. Texts of a row
 * last until the callback returns. A callback that returns false ends the reading,
 * which is no error. */
#ifndef TUNER_DB_QUERY_H
#define TUNER_DB_QUERY_H

#include "tuner/db_trial.h"
#include <stdio.h>

/* NULL fields match everything. */
struct lift_db_filter {
    const char *program; /* a name, or an id or the beginning of one (see lift_db_find) */
    const char *sizes;   /* JSON as in lift_db_problem */
    const char *device;  /* a part of "runtime vendor name", in any case */
    const char *dtype;   /* as in lift_db_problem: "f32", "f64" */
    int64_t steps;       /* as in lift_db_problem; 0: any */
};

/* A row of the view best_kernel. */
struct lift_db_best {
    const char *program, *sizes, *device, *runtime, *tunables;
    const char *dtype; /* as in lift_db_problem */
    int steps;         /* as in lift_db_problem */
    double gpts;       /* 10^9 grid points a second */
    double gbs;        /* 10^9 bytes of compulsory traffic a second; 0: unknown */
    double copy_share; /* 1: the device's copy bandwidth; 0: unknown */
    bool in_cache;     /* the copy bandwidth is that of the last-level cache */
    double seconds;    /* median of the samples */
    bool confirmed;    /* in a final benchmark */
    struct lift_hash expr, trial, problem, program_id, device_id;
};

typedef bool lift_db_best_row(void *user, const struct lift_db_best *row);
/* Rows are in the order of program, sizes and device. */
bool lift_db_best(struct lift_db *db, const struct lift_db_filter *filter,
                  lift_db_best_row *row, void *user);

/* A verified trial of a problem on a device. */
struct lift_db_ranked {
    struct lift_hash expr, trial;
    const char *tunables;
    double seconds; /* median of the samples */
};

typedef bool lift_db_ranked_row(void *user, const struct lift_db_ranked *row);
/* Rows are in the order of time, the fastest first. */
bool lift_db_ranked(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                    lift_db_ranked_row *row, void *user);

/* A kernel worth keeping, with its program, problem, device and expression. */
struct lift_db_kernel {
    const char *program, *text; /* name and full text */
    const char *sizes, *tunables;
    const char *dtype; /* as in lift_db_problem */
    int steps;         /* as in lift_db_problem */
    const char *device, *runtime, *arch;
    double seconds; /* median of the samples */
    struct lift_hash problem, device_id, expr, trial;
    struct lift_hash source; /* of the source text (lift_hash_text); 0: unknown */
};

typedef bool lift_db_kernel_row(void *user, const struct lift_db_kernel *row);
/* Reads, of each problem and device, the 'most' best expressions, each with its best
 * verified trial. Rows are in the order of program, sizes and device, the best first. */
bool lift_db_kernels(struct lift_db *db, const struct lift_db_filter *filter,
                     int64_t most, lift_db_kernel_row *row, void *user);

typedef bool lift_db_device_row(void *user, const struct lift_device_info *row);
/* Reads a device as stored: without driver, compiler and limits of a dimension. There
 * is no row for an unknown id, or for a runtime that this program lacks. */
bool lift_db_device(struct lift_db *db, struct lift_hash device, lift_db_device_row *row,
                    void *user);

/* A problem that was explored on a device. */
struct lift_db_explored {
    const char *program, *sizes, *device, *runtime;
    const char *dtype; /* as in lift_db_best */
    int steps;         /* as in lift_db_best */
    struct lift_hash problem, device_id;
    int64_t exprs, trials, verified;
};

typedef bool lift_db_explored_row(void *user, const struct lift_db_explored *row);
/* Rows are in the order of program, sizes and device. Problems without trials have no
 * row. */
bool lift_db_explored(struct lift_db *db, const struct lift_db_filter *filter,
                      lift_db_explored_row *row, void *user);

enum { LIFT_DB_STEP_MACROS = 8 };

/* One rewrite; 'expr' is its result. */
struct lift_db_step {
    int step; /* from 1 */
    const char *rule, *position, *args;
    struct lift_hash expr;
    /* The macros that contain the step, the outermost first. */
    struct lift_db_use {
        const char *macro, *position;
        int first, steps; /* number of the macro's first step, and number of its steps */
    } macros[LIFT_DB_STEP_MACROS];
    int macro_count;
};

typedef bool lift_db_step_row(void *user, const struct lift_db_step *row);
/* Reads the derivation of an expression from the problem's root, first step first. A
 * root has no rows. */
bool lift_db_derivation(struct lift_db *db, struct lift_hash expr, lift_db_step_row *row,
                        void *user);
/* Reads a derivation from a given root. Of several derivations, reads the one through
 * the parents that were found first. There are no rows if no derivation exists. */
bool lift_db_derivation_from(struct lift_db *db, const struct lift_hash *root,
                             struct lift_hash expr, lift_db_step_row *row, void *user);

struct lift_db_tried {
    struct lift_hash expr, trial;
    const char *tunables, *reason;
    enum lift_trial_status status;
    enum lift_trial_phase phase;
    double seconds; /* median of the samples; 0: no samples */
    double cost;    /* seconds to compile, check and measure the candidate */
};

/* Returns true if a launch can take this time: 0.1 ns to a month. Its work (points or
 * bytes) may be at most 10^15 units a second. Other values are forged or damaged. */
bool lift_db_possible(double seconds, double work);

typedef bool lift_db_tried_row(void *user, const struct lift_db_tried *row);
/* Reads all trials of a problem on a device in the order of their starts, for a later
 * session that resumes. STARTED trials belong to a running session. */
bool lift_db_tried(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                   lift_db_tried_row *row, void *user);

/* Counts these trials by status. The index has the counts, so the time does not
 * depend on their number. */
bool lift_db_counts(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                    int64_t by_status[LIFT_TRIAL_STATUSES]);

struct lift_db_failure {
    const char *status, *reason;
    int64_t count;
};

typedef bool lift_db_failure_row(void *user, const struct lift_db_failure *row);
/* Reads the trials of a problem on a device that gave no time, by status and reason,
 * most frequent first. */
bool lift_db_failures(struct lift_db *db, struct lift_hash problem,
                      struct lift_hash device, lift_db_failure_row *row, void *user);

/* Results of the expressions that a macro helped to make. An expression made by
 * several macros counts for each. An expression made by rules alone counts for the
 * family "". */
struct lift_db_family {
    const char *family;
    double gpts, gbs, copy_share,
        seconds; /* of the fastest expression, as in lift_db_best */
    int64_t trials, exprs;
    struct lift_hash expr; /* the fastest expression */
};

typedef bool lift_db_family_row(void *user, const struct lift_db_family *row);
/* Rows are in the order of time, the fastest first. For candidates of final
 * benchmarks, the newest final benchmark counts. Trials that had no wrong value, but
 * were too slow to be timed in full, count as well. */
bool lift_db_families(struct lift_db *db, struct lift_hash problem,
                      struct lift_hash device, lift_db_family_row *row, void *user);

typedef bool lift_db_finalist_row(void *user, const struct lift_db_finalist *row);
/* Reads the newest final benchmark of a problem on a device, by place. */
bool lift_db_finalists(struct lift_db *db, struct lift_hash problem,
                       struct lift_hash device, lift_db_finalist_row *row, void *user);

typedef bool lift_db_reach_row(void *user, const struct lift_db_reach *row);
/* Reads what the last session of a problem on a device could reach. There are no rows
 * if that session did not end. */
bool lift_db_reach(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                   lift_db_reach_row *row, void *user);

/* Results of the trials of an expression that is a configuration. */
struct lift_db_configuration {
    struct lift_hash problem, device_id, expr;
    const struct lift_db_option *options; /* options that are not the default */
    int option_count;
    int64_t trials, verified;
    double seconds; /* of the fastest verified trial, or of the newest final benchmark; 0:
                       none */
    double share;   /* fraction of the best kernel's speed; 0: unknown */
    bool best;      /* the expression is that of the best kernel */
};

typedef bool lift_db_configuration_row(void *user,
                                       const struct lift_db_configuration *row);
/* Rows are in the order of problem and device. Expressions without stored options
 * have no row. */
bool lift_db_configurations(struct lift_db *db, lift_db_configuration_row *row,
                            void *user);

/* The options of an expression as lift_configuration_read takes them; "" if all are
 * defaults. '*known' is false if the options are not stored or are malformed. */
bool lift_db_configuration_of(struct lift_db *db, struct lift_hash expr,
                              struct lift_str *out, bool *known);

typedef bool lift_db_rule_row(void *user, const char *rule, int64_t rewrites);
/* Reads the rules that occur in derivations, by name. */
bool lift_db_rules(struct lift_db *db, lift_db_rule_row *row, void *user);

/* Appends the text of the program of this name or id, which may be shortened. Of
 * several programs, 'dtype' and 'steps' select those explored with these values;
 * other fields are ignored. Returns false, with an error that lists the candidates,
 * unless exactly one program matches. */
bool lift_db_program(struct lift_db *db, const struct lift_db_filter *which,
                     struct lift_str *out);

enum lift_db_id { LIFT_DB_ID_EXPR, LIFT_DB_ID_TRIAL, LIFT_DB_ID_PROGRAM };

/* Finds the id that begins with 'digits'. Returns false, with an error that lists the
 * candidates, unless exactly one id matches. */
bool lift_db_find(struct lift_db *db, enum lift_db_id what, const char *digits,
                  struct lift_hash *out);

enum lift_db_text {
    LIFT_DB_TEXT_EXPR,   /* by an expression's id */
    LIFT_DB_TEXT_SOURCE, /* by a trial's id */
    LIFT_DB_TEXT_LOG,    /* by a trial's id */
};

/* Appends a stored text. Ids may be shortened as in lift_db_find. Returns false, with
 * an error, also if there is no such row or its text was pruned. */
bool lift_db_text(struct lift_db *db, enum lift_db_text what, const char *id,
                  struct lift_str *out);

enum lift_db_csv {
    LIFT_DB_CSV_BEST,    /* the view best_kernel */
    LIFT_DB_CSV_TRIALS,  /* the view trials: one row a trial */
    LIFT_DB_CSV_TIMINGS, /* one row a sample */
    LIFT_DB_CSV_FAMILIES /* one row a problem, device and family: lift_db_families */
};

/* Writes a header and all rows as CSV (RFC 4180, lines end with LF). The caller
 * checks 'out' for write errors. */
bool lift_db_export_csv(struct lift_db *db, enum lift_db_csv what, FILE *out);

#endif
