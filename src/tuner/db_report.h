/* What reports need of the database (tuner/db.h). Callbacks are as in tuner/db_query.h.
 * Times of day are UTC, "2026-11-20T06:10:32.123Z"; "" if there is none. */
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
/* By runtime and name. Of the filter only 'device' counts. */
bool lift_db_devices(struct lift_db *db, const struct lift_db_filter *filter,
                     lift_db_device_reader *reader, void *user);

struct lift_db_problem_row {
    struct lift_hash id, program_id;
    const char *program, *text; /* the program's name, and the program */
    const char *sizes, *params, *dtype;
    int64_t points, bytes; /* bytes 0: unknown */
    int steps;             /* as in lift_db_problem */
};

typedef bool lift_db_problem_reader(void *user, const struct lift_db_problem_row *row);
/* By program and number of points. Of the filter only 'program', 'sizes' and
 * 'dtype' and 'steps' count. */
bool lift_db_problems(struct lift_db *db, const struct lift_db_filter *filter,
                      lift_db_problem_reader *reader, void *user);

struct lift_db_top_row {
    const char *trial, *candidate; /* hexadecimal */
    struct lift_hash expr;
    const char *tunables;
    double seconds;               /* median of the samples */
    double gpts, gbs, copy_share; /* as in struct lift_db_best */
    bool later; /* of a session that began after that of the newest final benchmark, and
                   of a candidate whose own final benchmark was not cut short */
};

typedef bool lift_db_top_reader(void *user, const struct lift_db_top_row *row);
/* The verified trials of a problem on a device, the fastest first; a candidate may come
 * more than once. */
bool lift_db_top(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                 lift_db_top_reader *reader, void *user);

/* What the trials of a session cost, in seconds. */
struct lift_db_cost {
    double compile, check, measure;
};

bool lift_db_cost(struct lift_db *db, struct lift_hash session, struct lift_hash problem,
                  struct lift_hash device, struct lift_db_cost *cost);

/* A tried kernel and its compiler's report. Numbers are -1 where unknown. */
struct lift_db_kernel_row {
    struct lift_hash expr, session;
    const char *candidate; /* hexadecimal */
    const char *tunables, *flags;
    int64_t registers, spill_bytes, local_bytes;
    bool verified; /* may be called best: the view 'verified' */
};

typedef bool lift_db_kernel_reader(void *user, const struct lift_db_kernel_row *row);
/* By the whole id of a trial; no row if there is none. */
bool lift_db_kernel(struct lift_db *db, const char *trial, lift_db_kernel_reader *reader,
                    void *user);

/* An expression that was tried for a problem on a device. */
struct lift_db_expr_row {
    struct lift_hash expr;
    const char *options; /* as lift_db_configuration_of; "" if 'has_options' is false */
    bool has_options;
    int64_t trials;
    double seconds; /* of the fastest verified trial; 0: there is none */
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
/* The 500 fastest of a problem on a device, and some 500 of the others in equal
 * distances, the fastest first. */
bool lift_db_samples(struct lift_db *db, struct lift_hash problem,
                     struct lift_hash device, lift_db_sample_reader *reader, void *user);

/* The candidate that a session tried first for a problem on a device, as it was timed
 * last: in the newest final benchmark, or otherwise in the newest trial. */
struct lift_db_first_row {
    const char *trial;   /* hexadecimal */
    const char *options; /* as in struct lift_db_expr_row */
    bool has_options;
    double seconds; /* median of the samples */
    const char
        *samples;   /* JSON: an array of seconds, those of throttled clocks left out */
    bool confirmed; /* in a final benchmark */
};

typedef bool lift_db_first_reader(void *user, const struct lift_db_first_row *row);
/* Those of final benchmarks first, then the newest first. */
bool lift_db_first(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                   lift_db_first_reader *reader, void *user);
/* The naive kernel in the newest final benchmark. */
struct lift_db_naive {
    char trial[LIFT_HASH_HEX];
    struct lift_interval seconds; /* the median of its samples and the 95 % interval; all
                                     0 if it took no part, or nothing was faster */
};
bool lift_db_naive(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                   struct lift_db_naive *out);

/* The tables of a report (docs/report.md) as an object of arrays of objects; the caller
 * releases it. Of the filter all counts; a problem must have the values of 'sizes', and
 * may have other sizes. NULL and an error if the database cannot be read. */
json_t *lift_db_report(struct lift_db *db, const struct lift_db_filter *filter);

#endif
