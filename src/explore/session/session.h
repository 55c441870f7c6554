/* One exploration in progress: a session, with a device session for each device. */
#ifndef EXPLORE_SESSION_SESSION_H
#define EXPLORE_SESSION_SESSION_H

#include "base/stats.h"
#include "base/table.h"
#include "explore/explore.h"
#include "explore/record.h"
#include "explore/session/builder_pool.h"
#include "explore/session/fastest.h"
#include "explore/session/frontier.h"
#include "explore/session/runner_drive.h"
#include "explore/session/trial_queue.h"
#include "tuner/db_query.h"

/* Crashes and the like after which an expression is tried last; devices and jobs at most.
 */
enum { DEVICE_SESSION_STRIKES = 3, DEVICE_SESSIONS = 64, JOBS = 1024 };

/* The candidate space of the naive kernel, behind all that there may be. */
enum { DEVICE_SESSION_PLAIN = 1 << 16 };

/* The trials on one device. All device sessions share the terms of the problem. */
struct device_session {
    struct session *session;
    struct lift_explore_part *result; /* of this device */
    struct lift_explore_device device;
    struct early_bandwidth {
        struct lift_explore_probe *probe; /* NULL: it is not being measured */
        int turn;                         /* the lock that is held meanwhile */
    } bandwidth;
    struct derivation *derivation;
    struct candidate_space *spaces; /* by leaf, those without a space left out */
    int *leaves;                    /* of the candidate spaces */
    int space_count;                /* at most DEVICE_SESSION_PLAIN */
    struct derive_leaf naive_leaf;  /* of the naive kernel's candidate space */
    struct configurations_spaces
        later; /* how processes make candidate spaces that they do not have */
    struct lift_table space_by_hash;  /* of their terms */
    bool *tried;                      /* of the candidate spaces */
    unsigned char *strikes;           /* likewise */
    struct reason_counts spaceless;   /* why leaves have no candidate space */
    struct explore_bench bench, slab; /* the latter of the former, if it has one */
    struct explore_estimator *estimator;
    const struct lift_joint *joint; /* of the candidate spaces */
    struct frontier *frontier;
    const struct device_session *twin; /* an earlier device session of the same kind of
                                device, whose search this one shares; or NULL */
    struct fastest fastest;            /* by trial_score */
    double best_score;                 /* of the best one; 0: there is none */
    double naive_score;                /* of the naive kernel; 0: it was not timed */
    double naive_compile_seconds;      /* of the same; 0: it was not compiled yet */
    struct {
        struct lift_choice choice;
        double seconds; /* 0: nothing was compiled */
    } longest_compilation;
    bool resumed;                  /* earlier sessions verified kernels */
    bool timed_here;               /* the best one, in this session */
    struct lift_choice plain;      /* the naive kernel's: first_trials.c */
    bool has_naive;                /* it could be made */
    struct lift_choice *promising; /* by the estimates: compose.c */
    int promising_count;
    struct widening { /* widen.c */
        bool *done;   /* of the candidate spaces: their neighbours are there */
        int told;     /* of so many points, when the space was widened last */
    } widening;
    double best_on_slab;          /* seconds of the fastest one there; 0: none */
    struct device_session_costs { /* of the verified trials of this session */
        double compile, check;
        int count;
    } costs;
    struct recorder recorder;
    struct queue queue;
    struct drive drive;
    struct lift_worker *runner;
    double compiled; /* seconds of all builders */
    int misses;      /* builders in a row that could not open the device */
};

struct session {
    const struct lift_explore_options *options;
    struct lift_explore_result *result;
    struct explore_problem *problem;
    struct lift_db *db;
    struct lift_db *base; /* of the job, to begin with; NULL: there is none */
    struct device_session *device_sessions;
    int device_session_count;
    struct explore_bench *benches; /* of the device sessions */
    struct explore_bench whole;    /* the problem itself */
    struct explore_bench
        slab; /* all device sessions try candidates on it first, if it has a problem */
    struct pool pool;
    struct device_session *quiet; /* runs its trials while no builder works; or NULL */
    int turn;                     /* which device session may ask for that first */
    double started;               /* by lift_seconds */
    double uncounted; /* seconds since then that the time limit does not count */
    int64_t reported; /* trials at the last report */
    double reported_at;
    struct explore_reference *reference; /* in the making; NULL: it is there */
    double reference_seconds;            /* what the making of one truth took */
    bool slab_known, final_truth;        /* those of these were begun */
    double look_at;       /* by lift_seconds: one of the other ranks is looked at then */
    int looked_at;        /* which one was the last */
    bool extends;         /* the time is over, and no kernel is verified yet: begun trials
                             continue until one is */
    bool bandwidth_later; /* of other devices than the first it is measured in their turn
                           */
};

/* How many of its devices are this machine's processor. */
int session_processors(const struct session *s);
/* Seconds of the session in all; 0: no limit. */
double session_budget(const struct session *s);
/* When the time is over, by lift_seconds; only where there is a limit. */
double session_deadline(const struct session *s);
/* True if the time is over and current work must end. */
bool session_is_late(const struct session *s);
/* Seconds until then, at most 'most'. */
double session_left(const struct session *s, double most);
/* Number of candidates that are compiled concurrently. */
int session_jobs(const struct lift_explore_options *o);
/* Brings the figures up to date and hands them to the caller's function. */
void session_report(struct session *s, const char *stage);
/* Brings the sum of all device sessions up to date. */
void session_sum(struct session *s);
/* The figures of the best kernel, as it was timed last in this session. */
void device_session_set_best(struct device_session *l, double seconds);
/* False, and the result failed for that reason. */
bool session_fail(struct session *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* The same, for the reason that the database gives. */
bool session_db_fail(struct session *s);

/* session_reference.c: computes the reference results concurrently with other work. It
 * begins early if no device is a CPU, otherwise with the first trial, when the benches
 * and runners of all device sessions exist. 'step' continues it. On false, the result is
 * failed. */
bool session_early_reference(struct session *s);
bool session_begin_reference(struct session *s);
/* 'goes_on': the time is not over, and something was tried. */
bool session_step_reference(struct session *s, bool goes_on);
/* Whether it is made by the runner of that device session, which then has no room for
 * trials. */
bool session_holds_runner(const struct device_session *l);
void session_free_reference(struct session *s);
/* Whether there is a slab's truth, or time to make it. */
bool session_has_slab_time(const struct session *s);
/* True if reference results exist for the slab, or for the whole grid. */
bool session_has_truth(const struct session *s, bool slab);
/* The final benchmark's. False if it is not there in time, or the result failed. */
bool session_final_truth(struct session *s);

/* explore.c: the problem, and what the devices are; needs no database. False, and the
 * result failed. */
bool session_open(struct session *s, struct lift_error *errors);
/* Before candidates are run: what explore_problem_ready does. */
bool session_ready(struct session *s, struct lift_error *errors);
void session_close(struct session *s);

/* device_session.c: the low-level expression of a candidate space, and its point in
 * words: "defaults", or as 'lift derive --decide' takes it. */
const struct derive_leaf *device_session_leaf(const struct device_session *l,
                                              int candidates);
void device_session_print_configuration(const struct device_session *l, int candidates,
                                        struct lift_str *out);
/* device_session.c: asks what the device is; finds what can be tried on it, and the space
 * of that, none of which needs the database; measures its copy bandwidth
 * (copy_bandwidth.c). False, and the result failed. */
bool device_session_probe(struct device_session *l);
bool device_session_derive(struct device_session *l);
bool device_session_space(struct device_session *l);
bool device_session_find_bandwidth(struct device_session *l);
/* copy_bandwidth.c: 'begin' measures it, unless known, concurrently with rewriting and
 * estimating where these do not disturb the measurement; never false. 'forget' ends it.
 */
bool device_session_begin_bandwidth(struct device_session *l);
void device_session_forget_bandwidth(struct device_session *l);
/* At the end, when nothing else runs: measures it again if a kernel exceeds it. False,
 * and the result failed. */
bool device_session_doubt_bandwidth(struct device_session *l);
/* A search in the space: its own, or that of its twin. */
bool device_session_search(struct device_session *l);
const struct lift_joint *device_session_joint(struct device_session *l);
/* One more, of a leaf of the derivation; false if it has no space, or there is no room.
 */
bool device_session_add_space(struct device_session *l, int leaf);
void device_session_close(struct device_session *l);

/* space_table.c: whether the space can be written as a table, and doing so. False, and
 * the result failed. */
bool device_session_can_have_table(struct device_session *l);
bool device_session_write_table(struct device_session *l);

/* first_trials.c: the first trials of a session: the naive kernel, whose time is the
 * baseline, and the best kernel of earlier sessions. Both are timed again, since the
 * machine may be in another state. */
void device_session_open(struct device_session *l);
/* What became of the naive kernel. */
void device_session_take_naive(struct device_session *l, const struct attempt *a);
/* The best kernel was timed, or a better one was found. */
void device_session_take_best(struct device_session *l, double seconds);
/* So it was timed in the final benchmark; there the naive kernel took so long, its median
 * 0 if it did not take part. */
void device_session_take_winner(struct device_session *l,
                                const struct lift_choice *choice, double seconds,
                                struct lift_interval naive);
bool device_session_is_naive(const struct device_session *l,
                             const struct lift_choice *choice);

/* seeds.c: points that were good at other sizes or on other devices, to be tried first.
 */
bool device_session_seed(struct device_session *l);
/* What the earlier sessions of a database tried and this one does not begin with joins
 * the space. False if the database says no. */
bool device_session_recall(struct device_session *l, struct lift_db *db);
/* The candidate space of an expression of a database, which joins the space if that may
 * grow (device_session_grown is then to be called); -1: there is none. '*failed' is set
 * if the database says no. */
int device_session_stored_space(struct device_session *l, struct lift_db *db,
                                struct lift_hash expr, bool *failed);
/* Expressions that a user's own rules lead to are each tried once before the technique
 * chooses: whoever adds a rule wants to see what it does. */
void device_session_open_own(struct device_session *l);

/* ranks.c: begins with what the databases of a job know; false, and the result failed.
 * Looks at one of the other ranks, if it is time to. */
bool device_session_learn_all(struct device_session *l);
void session_look_around(struct session *s);

/* widen.c: now and then, when something was told to the search, the neighbours of a fast
 * kernel join the space, and those that promise most are opened. */
void device_session_widen(struct device_session *l);
/* Whether candidate spaces may be added to those that an exploration begins with. */
bool device_session_may_grow(const struct device_session *l);
/* There are candidate spaces that the search does not know. */
void device_session_grown(struct device_session *l);

/* compose.c: climbs the families on the estimates, adds candidate spaces with other
 * options of the decisions to the most promising ones, and finds the spaces to open. A
 * twin gets the same candidate spaces. 'open' opens them. The last one returns the
 * seconds of the best estimate, infinite if there is none. */
void device_session_compose(struct device_session *l);
void device_session_compose_like(struct device_session *l,
                                 const struct device_session *twin);
void device_session_open_promising(struct device_session *l);
double device_session_estimate(struct device_session *l);

/* reach.c: what could be reached and what of it was not tried, at the end; into the
 * result and the database. */
bool device_session_reach(struct device_session *l);

/* session_loop.c: counts the result of a trial when it is known; the technique receives
 * it in order. */
void device_session_account(struct device_session *l, const struct attempt *a);
void device_session_tell(struct device_session *l, const struct attempt *a);
/* A good candidate was run again. */
void device_session_note_recheck(struct device_session *l,
                                 const struct lift_choice *choice,
                                 enum lift_trial_status status, double score);
/* Adds a row with an event of the device. */
void device_session_event(struct device_session *l, const char *kind, const char *text);
/* Gives up the device for that reason; the other devices continue. */
void device_session_lose(struct device_session *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* session_loop.c: the point of a trial in the database, and its result; false if the
 * device session has no such point or the trial has no result ('choice' then has the
 * expression or -1). The next function gives the technique the trials of a database
 * (false: database error), then runs trials until the end. */
bool device_session_find(const struct device_session *l, const struct lift_db_tried *row,
                         struct lift_choice *choice, struct lift_outcome *outcome);
bool device_session_resume(struct device_session *l, struct lift_db *db);
int device_session_space_of(const struct device_session *l,
                            struct lift_hash expr); /* -1: none */
bool session_loop(struct session *s);

#endif
