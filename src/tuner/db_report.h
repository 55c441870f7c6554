/* Database queries for reports (tuner/db.h). Callbacks are as in tuner/db_query.h.
 * Times of day are UTC, "2026-11-20T06:10:32.123Z", or "" if there is none. */
#ifndef TUNER_DB_REPORT_H
#define TUNER_DB_REPORT_H

#include "base/stats.h"
#include "tuner/db_query.h"
#include <jansson.h>

struct lift_db_device_row {
    struct lift_hash id;
    const char *runtime, *name, *vendor, *arch;
    int compute_units;
    double copy_gbs; /* 0: never measured */
    const char *copy_at;
};

typedef bool lift_db_device_reader(void *user, const struct lift_db_device_row *row);
/* Rows are in the order of runtime and name. Of the filter, only 'device' counts. */
bool lift_db_devices(struct lift_db *db, const struct lift_db_filter *filter,
                     lift_db_device_reader *reader, void *user);

struct lift_db_problem_row {
    struct lift_hash id, program_id;
    const char *program, *text; /* name and text of the program */
    const char *sizes, *params, *dtype;
    int64_t points, bytes; /* bytes 0: unknown */
    int steps;             /* as in lift_db_problem */
};

typedef bool lift_db_problem_reader(void *user, const struct lift_db_problem_row *row);
/* Rows are in the order of program and number of points. Of the filter, only
 * 'program', 'sizes', 'dtype' and 'steps' count. */
bool lift_db_problems(struct lift_db *db, const struct lift_db_filter *filter,
                      lift_db_problem_reader *reader, void *user);

struct lift_db_top_row {
    const char *trial, *candidate; /* hexadecimal */
    struct lift_hash expr;
    const char *tunables;
    double seconds;               /* median of the samples */
    double gpts, gbs, copy_share; /* as in struct lift_db_best */
    bool in_cache;                /* likewise */
    bool later; /* the trial's session began after that of the newest final benchmark;
                   false if the candidate's own final benchmark was cut short */
};

typedef bool lift_db_top_reader(void *user, const struct lift_db_top_row *row);
/* Reads the verified trials of a problem on a device, the fastest first. A candidate
 * may occur more than once. */
bool lift_db_top(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                 lift_db_top_reader *reader, void *user);

/* The cost of a session's trials, in seconds. */
struct lift_db_cost {
    double compile, check, measure;
};

bool lift_db_cost(struct lift_db *db, struct lift_hash session, struct lift_hash problem,
                  struct lift_hash device, struct lift_db_cost *cost);

/* A tried kernel and its compiler's report. Unknown numbers are -1. */
struct lift_db_kernel_row {
    struct lift_hash expr, session;
    const char *candidate; /* hexadecimal */
    const char *tunables, *flags;
    const char *arch; /* of the device; "": unknown */
    int64_t registers, spill_bytes, local_bytes;
    bool verified; /* the kernel may be the best kernel: the view 'verified' */
};

typedef bool lift_db_kernel_reader(void *user, const struct lift_db_kernel_row *row);
/* Reads the trial of a full id; there is no row for an unknown id. */
bool lift_db_kernel(struct lift_db *db, const char *trial, lift_db_kernel_reader *reader,
                    void *user);

/* An expression that was tried for a problem on a device. */
struct lift_db_expr_row {
    struct lift_hash expr;
    const char *options; /* as lift_db_configuration_of; "" if 'has_options' is false */
    bool has_options;
    int64_t trials;
    double seconds; /* of the fastest verified trial; 0: none */
};

typedef bool lift_db_expr_reader(void *user, const struct lift_db_expr_row *row);
bool lift_db_exprs(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                   lift_db_expr_reader *reader, void *user);

/* A verified trial of a search. */
struct lift_db_sample_row {
    struct lift_hash expr;
    const char *options, *tunables; /* as in struct lift_db_expr_row; JSON */
    bool has_options;
    double seconds; /* median of the samples */
};

typedef bool lift_db_sample_reader(void *user, const struct lift_db_sample_row *row);
/* Reads the 500 fastest trials of a problem on a device, and about 500 of the others
 * at equal distances, the fastest first. */
bool lift_db_samples(struct lift_db *db, struct lift_hash problem,
                     struct lift_hash device, lift_db_sample_reader *reader, void *user);

/* The candidate that a session tried first for a problem on a device. Its time comes
 * from the newest final benchmark, or otherwise from the newest trial. */
struct lift_db_first_row {
    const char *trial;   /* hexadecimal */
    const char *options; /* as in struct lift_db_expr_row */
    bool has_options;
    double seconds;      /* median of the samples */
    const char *samples; /* JSON: an array of seconds without those of throttled clocks */
    bool confirmed;      /* in a final benchmark */
};

typedef bool lift_db_first_reader(void *user, const struct lift_db_first_row *row);
/* Rows of final benchmarks come first, then the newest come first. */
bool lift_db_first(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                   lift_db_first_reader *reader, void *user);
/* The naive kernel in the newest final benchmark. */
struct lift_db_naive {
    char trial[LIFT_HASH_HEX];
    struct lift_interval seconds; /* median, 95 % interval; 0: untimed, or the fastest */
};
bool lift_db_naive(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                   struct lift_db_naive *out);

/* How much other work disturbed a session's measurements on a device. 'of' is the session
 * or one of its trials. '*out' is the JSON object of docs/database-schema.md with the
 * members "busy", a boolean, and "words", text for people; null if nothing is stored. The
 * caller releases the value. */
bool lift_db_interference(struct lift_db *db, struct lift_hash of,
                          struct lift_hash device, json_t **out);

/* The tables of a report (docs/report.md) as an object of arrays of objects; the
 * caller releases the object. All fields of the filter count. A problem must have the
 * values of 'sizes', and may have other sizes. NULL and an error if the database
 * cannot be read. */
json_t *lift_db_report(struct lift_db *db, const struct lift_db_filter *filter);

#endif
