/* What a report shows, gathered from the database in a few passes: sums, the best and a
 * sample, never all tries. Everything lives in the arena of struct report. */
#ifndef REPORT_DATA_H
#define REPORT_DATA_H

#include "report/wanted.h"
#include "tuner/db_report.h"

enum {
    REPORT_STATUSES = 64,
    REPORT_TOP = 10,      /* kernels shown of a problem on a device */
    REPORT_DOTS = 300,    /* tries drawn of a problem on a device */
    REPORT_REASONS = 400, /* reasons kept of a problem on a device */
};

struct report_device {
    struct lift_hash id;
    const char *runtime, *name, *vendor, *arch, *copy_at;
    const char *label; /* the name, with the runtime where others have the same */
    int compute_units;
    double copy_gbs; /* 0: unknown */
    bool used;
};

struct report_session {
    struct lift_hash id;
    const char *argv, *seed, *budget, *versions, *host, *started, *end_reason;
    double begin, end; /* seconds since 1970; the last try's if it did not end */
    bool ended;
    int64_t tries; /* of the problems and devices of this report */
};

struct report_status {
    const char *name, *meaning;
};

/* A moment of a session; sessions are counted from the oldest. */
struct report_moment {
    int session;
    double at; /* seconds since its start */
};

struct report_dot {
    struct report_moment when;
    double at; /* seconds of exploration, sessions one after the other */
    double seconds;
};

struct report_kernel {
    char try[LIFT_HASH_HEX];
    double seconds;
    bool confirmed;                       /* 'seconds' is of the newest final benchmark */
    const struct report_session *session; /* that timed it */
    struct lift_hash expr;
    const char *tunables;
    int64_t registers, spill_bytes, local_bytes; /* -1: unknown */
    bool verified;
};

struct report_reason {
    int status;
    const char *text;
    int64_t count;
};

/* A place of the newest final. */
struct report_final {
    int place;
    double seconds, low, high;
    bool tied;
    struct report_kernel kernel;
};

/* One problem on one device. */
struct report_pair {
    int problem, device; /* indices; -1: free */
    int64_t tries, by_status[REPORT_STATUSES];
    struct report_dot *steps; /* the best time so far, each better than the one before */
    int step_count, step_cap;
    struct report_dot *dots; /* a sample of the verified tries */
    int dot_count;
    int64_t stride, seen; /* every stride-th verified trial is a dot */
    struct report_kernel top[REPORT_TOP];
    int top_count;
    struct report_reason *reasons; /* of failures, the most frequent first */
    int reason_count;
    bool *sessions;                       /* which took part */
    double explored;                      /* seconds, all of its sessions */
    double compile_s, check_s, measure_s; /* seconds, all tries */
    struct report_final *finals;
    int final_count;
    bool has_best;
    double best_seconds, best_gpts, best_gbs, best_roof; /* as in struct lift_db_best */
    char best_try[LIFT_HASH_HEX];
    bool confirmed; /* the best one, in a final benchmark */
    struct lift_hash best_expr;
};

struct report_problem {
    struct lift_hash id;
    const char *program, *sizes, *dtype;
    int steps;         /* as in struct lift_db_problem */
    const char *title; /* the program, with the precision where others have the same name
                          and another one, and with the steps if there are several */
    int64_t points, bytes; /* bytes 0: unknown */
    double ops;            /* scalar operations a point; 0: unknown */
    int *pairs;            /* indices, by device */
    int pair_count;
    int64_t tries;
};

struct report {
    struct lift_arena *arena;
    struct lift_db *db;
    const char *path; /* of the database, as the user said it */
    struct report_wanted wanted;
    struct report_device *devices;
    struct report_problem *problems;
    struct report_session *sessions;
    struct report_pair *pairs;
    struct report_status statuses[REPORT_STATUSES];
    int device_count, problem_count, session_count, pair_count, status_count;
    int device_cap, problem_cap, session_cap, pair_cap;
    int64_t tries, verified;
    double explored; /* seconds, all sessions that made these tries */
};

/* False and a message if the database cannot be read. */
bool report_load(struct report *r);
/* Its parts: the small tables; the pass over the tries. */
bool report_load_tables(struct report *r);
bool report_scan(struct report *r);
void report_free(struct report *r);

/* One try's time, that of a verified kernel. */
void report_add_time(struct report_pair *p, const struct lift_db_try_row *row,
                     struct report_moment when);

/* The status of that name; one that the file does not describe is taken in. */
int report_status_of(struct report *r, const char *name);
/* Seconds since 1970 of "2026-11-20T06:10:32.123Z"; 0 if it is none. */
double report_time(const char *text);

#endif
