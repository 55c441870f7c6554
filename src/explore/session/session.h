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
#include "explore/session/interference.h"
#include "explore/session/runner_drive.h"
#include "explore/session/trial_queue.h"
#include "tuner/db_query.h"

/* Failures after which an expression is tried last; most devices; most jobs. */
enum { DEVICE_SESSION_STRIKES = 3, DEVICE_SESSIONS = 64, JOBS = 1024 };

/* Number of the naive kernel's candidate space, above all others. */
enum { DEVICE_SESSION_PLAIN = 1 << 16 };

/* A candidate to open, and its estimate in seconds a time step. */
struct promising {
    struct lift_choice choice;
    double guessed;
};

/* The expressions of one number of time steps a launch, on one device. */
enum depth_estimates { DEPTH_UNESTIMATED, DEPTH_ESTIMATING, DEPTH_ESTIMATED };

struct device_depth {
    int steps;
    struct explore_problem *problem;
    struct derivation *derivation;
    struct configurations_spaces
        later; /* data for processes that make missing candidate spaces */
    struct explore_estimator *estimator;
    enum depth_estimates estimates; /* depth_estimates.c */
    struct lift_worker *worker;     /* that makes the estimates; NULL: none */
    int unopened;             /* expressions with an estimate that are not in the space */
    struct recorder recorder; /* without a database until the depth is open */
};

/* The trials on one device. All device sessions share the terms of the problems. */
struct device_session {
    struct session *session;
    struct lift_explore_part *result; /* result for this device */
    struct lift_explore_device device;
    struct early_bandwidth {
        struct lift_explore_probe *probe; /* NULL: no measurement runs */
        int turn;                         /* lock held during the measurement */
    } bandwidth;
    struct device_depth depths[LIFT_MAX_STEPS]; /* as the session's depths */
    struct candidate_space *spaces;  /* by leaf; leaves without a space are omitted */
    unsigned char *depth_of;         /* for each candidate space: index of its depth */
    int *leaves;                     /* leaf of each candidate space */
    int space_count;                 /* at most DEVICE_SESSION_PLAIN */
    struct derive_leaf naive_leaf;   /* leaf of the naive kernel's candidate space */
    struct lift_table space_by_hash; /* by the hash of the term */
    bool *tried;                     /* for each candidate space */
    unsigned char *strikes;          /* for each candidate space: failures */
    struct reason_counts spaceless;  /* why leaves have no candidate space */
    struct explore_bench benches[LIFT_MAX_STEPS]; /* for each depth */
    struct explore_bench slabs[LIFT_MAX_STEPS];   /* slabs of the benches, or empty */
    const struct lift_joint *joint; /* joint space of the candidate spaces */
    struct frontier *frontier;
    const struct device_session *twin; /* earlier one that shares its search; or NULL */
    struct fastest fastest;            /* sorted by trial_score, seconds a time step */
    struct fastest single;             /* likewise, of the first depth alone */
    double best_score;                 /* score of the best kernel; 0: none */
    double naive_score;                /* score of the naive kernel; 0: not timed */
    double naive_compile_seconds;      /* of the naive kernel; 0: not compiled yet */
    struct {
        struct lift_choice choice;
        double seconds; /* 0: nothing was compiled */
    } longest_compilation;
    bool resumed;                /* earlier sessions verified kernels */
    bool timed_here;             /* the best kernel was timed in this session */
    struct lift_choice plain;    /* the naive kernel's configuration: first_trials.c */
    bool has_naive;              /* the naive kernel could be made */
    struct promising *promising; /* by the estimates: compose.c */
    int promising_count;
    struct widening { /* widen.c */
        bool *done;   /* for each candidate space: its neighbours were added */
        int told;     /* number of results at the last widening */
    } widening;
    double best_on_slab;          /* seconds of the fastest kernel on the slab; 0: none */
    struct device_session_costs { /* costs of the verified trials of this session */
        double compile, check;
        int count;
    } costs;
    struct interference interference;
    struct queue queue;
    struct drive drive;
    struct lift_worker *runner;
    struct pace compile_pace;
    double compiled; /* seconds of all builders together */
    int misses;      /* consecutive builders that could not open the device */
};

/* One number of time steps a launch. A program without a time loop has one depth. */
struct depth {
    int steps;
    struct explore_problem *problem;
    const struct explore_problem *slab; /* all device sessions run candidates on the slab
                                           first; NULL: no slab */
};

struct session {
    const struct lift_explore_options *options;
    struct lift_explore_result *result;
    struct depth depths[LIFT_MAX_STEPS]; /* in increasing order */
    int depth_count;
    struct explore_problem *problem; /* of the first depth */
    struct explore_problem *sweep;   /* of one time step, as in the program */
    struct lift_db *db;
    struct lift_db *base; /* the job's database, read at the start; NULL: none */
    struct device_session *device_sessions;
    int device_session_count;
    struct explore_bench *benches; /* first benches of the device sessions */
    struct pool pool;
    struct device_session
        *quiet; /* its runner times a kernel, no builder works; or NULL */
    struct device_session *turn; /* the processor that ran the last trial; or NULL */
    double started;              /* start of the session, by lift_seconds */
    double uncounted;            /* seconds excluded from the time limit */
    int64_t reported;            /* trials at the last report */
    double reported_at;
    double reference_seconds; /* longest to make the references of a trial on the whole
                                 grid; 0: none made */
    bool slab_known;          /* a trial on the slab has ended */
    double look_at;           /* time, by lift_seconds, to read another rank's database */
    int looked_at;            /* rank read last */
    bool extends; /* the time is over without a verified kernel: running trials continue
                     until one is verified */
    bool bandwidth_later; /* later devices are measured one after another */
};

/* The depth of a candidate space, and its time steps a launch. */
static inline struct device_depth *device_session_depth(struct device_session *l,
                                                        int candidates)
{
    return &l->depths[l->depth_of[candidates]];
}
int device_session_steps(const struct device_session *l, int candidates);
/* The number of devices that are this machine's processor. */
int session_processors(const struct session *s);
/* Seconds allowed for the session; 0: no limit. */
double session_budget(const struct session *s);
/* End of the session's time, by lift_seconds; only with a limit. */
double session_deadline(const struct session *s);
/* True if the time is over and current work must end. */
bool session_is_late(const struct session *s);
/* Seconds until the session is late, at most 'most'. */
double session_left(const struct session *s, double most);
/* Number of concurrent compilations. */
int session_jobs(const struct lift_explore_options *o);
/* Updates the progress and calls the caller's report function. */
void session_report(struct session *s, const char *stage);
/* Updates the sums over all device sessions. */
void session_sum(struct session *s);
/* Sets the best kernel's numbers: seconds a time step, from its last timing in this
 * session, and time steps a launch. */
void device_session_set_best(struct device_session *l, double seconds, int steps);
/* Fails the result with this reason; returns false. */
bool session_fail(struct session *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Likewise, with the database's reason. */
bool session_db_fail(struct session *s);

/* session_reference.c: makes the benches, without candidate spaces, and the runners of
 * all device sessions, which begin their preparation. Returns false with the result
 * failed. */
bool session_begin_runners(struct session *s);
/* True if a trial on the slab made its reference, or there is time to make it. */
bool session_has_slab_time(const struct session *s);

/* explore.c: opens the problem and reads the devices' descriptions, without the database.
 * Returns false with the result failed. */
bool session_open(struct session *s, struct lift_error *errors);
/* Call before candidates run: calls explore_problem_ready. */
bool session_ready(struct session *s, struct lift_error *errors);
void session_close(struct session *s);

/* device_session.c: the low-level expression of a candidate space, and its configuration
 * as text: "defaults", or in the form of 'lift derive --decide'. */
const struct derive_leaf *device_session_leaf(const struct device_session *l,
                                              int candidates);
void device_session_print_configuration(const struct device_session *l, int candidates,
                                        struct lift_str *out);
/* device_session.c: reads the device's description, makes its expressions and their
 * spaces, all without the database, and measures its copy bandwidth (copy_bandwidth.c).
 * Returns false with the result failed. */
bool device_session_probe(struct device_session *l);
bool device_session_derive(struct device_session *l);
bool device_session_space(struct device_session *l);
bool device_session_find_bandwidth(struct device_session *l);
/* copy_bandwidth.c: 'begin' measures an unknown copy bandwidth concurrently with
 * rewriting and estimating, unless these would disturb the measurement. It never returns
 * false. 'forget' ends the measurement. */
bool device_session_begin_bandwidth(struct device_session *l);
void device_session_forget_bandwidth(struct device_session *l);
/* At the end, with no other work: measures again if a kernel exceeds the copy bandwidth.
 * Returns false with the result failed. */
bool device_session_doubt_bandwidth(struct device_session *l);
/* Creates a search in the space, or shares the twin's. */
bool device_session_search(struct device_session *l);
const struct lift_joint *device_session_joint(struct device_session *l);
/* Adds the candidate space of a leaf; returns false if the leaf has no space, or the list
 * is full. */
bool device_session_add_space(struct device_session *l, int depth, int leaf);
/* Makes the expression of a configuration, and adds its candidate space. Returns false if
 * there is none, or the expression is known. */
bool device_session_add_configuration(struct device_session *l, int depth,
                                      const struct lift_configuration *configuration);
void device_session_close(struct device_session *l);

/* space_table.c: checks whether the space can be written as a table, and writes the
 * table. Return false with the result failed. */
bool device_session_can_have_table(struct device_session *l);
bool device_session_write_table(struct device_session *l);

/* first_trials.c: adds the first trials of a session: the naive kernel, the baseline of
 * speedups, and the best kernel of earlier sessions. Both are timed again, since the
 * machine may be in another state. */
void device_session_open(struct device_session *l);
/* Takes the naive kernel's result. */
void device_session_take_naive(struct device_session *l, const struct attempt *a);
/* Takes a new time of the best kernel, or a better kernel. */
void device_session_take_best(struct device_session *l, double seconds, int steps);
/* Takes the winner of the final benchmark, and the naive kernel's times there; a median
 * of 0 if the naive kernel did not take part. */
void device_session_take_winner(struct device_session *l,
                                const struct lift_choice *choice, double seconds,
                                struct lift_interval naive);
bool device_session_is_naive(const struct device_session *l,
                             const struct lift_choice *choice);

/* seeds.c: adds configurations that were good at other sizes or on other devices as the
 * first trials. */
bool device_session_seed(struct device_session *l);
/* Adds expressions from earlier sessions of a database that this session lacks to the
 * space. Returns false if the database fails. */
bool device_session_recall(struct device_session *l, struct lift_db *db);
/* The candidate space of a stored expression, added if the space may grow; the caller
 * then calls device_session_grown. -1: none. '*failed' is set if the database fails. */
int device_session_stored_space(struct device_session *l, int depth, struct lift_db *db,
                                struct lift_hash expr, bool *failed);
/* Runs a trial of each expression of the user's own rules once before the technique
 * chooses: the author of a rule wants to see its effect. */
void device_session_open_own(struct device_session *l);

/* ranks.c: 'learn_all' reads the results in a job's databases at the start; returns false
 * with the result failed. 'look_around' reads one other rank's database when its time has
 * come. */
bool device_session_learn_all(struct device_session *l);
void session_look_around(struct session *s);

/* widen.c: after a number of results, adds the neighbours of a fast kernel to the space,
 * and opens the most promising ones. */
void device_session_widen(struct device_session *l);
/* True if candidate spaces may be added to the initial ones. */
bool session_has_few_trials(const struct lift_explore_options *o);
bool session_may_grow(const struct lift_explore_options *o);
/* Tells the search about added candidate spaces. */
void device_session_grown(struct device_session *l);

/* compose.c: climbs the families on the estimates, adds neighbours of the most promising
 * candidate spaces, and finds the spaces to open; 'out' has room for 'most', and the
 * result is their number. 'compose' does so for the first depth, before the first trial.
 * A twin gets equal candidate spaces. 'open' opens them. */
struct climbing_limits {
    double until;    /* by lift_seconds */
    bool alone;      /* without other processes */
    int first_space; /* earlier candidate spaces do not take part */
    int rounds;      /* of adding neighbours */
    int most;        /* spaces to open */
    int alike;       /* spaces to open of one family, and of its compositions */
};
int device_session_climb(struct device_session *l, const struct climbing_limits *limits,
                         struct promising *out);
void device_session_compose(struct device_session *l);
void device_session_compose_like(struct device_session *l,
                                 const struct device_session *twin);
void device_session_open_promising(struct device_session *l);

/* depth_estimates.c: makes the families of the depths after the first in other processes,
 * and opens those with the best estimates. 'begin' begins as many depths as there are
 * cores for. 'step' takes results, and begins further depths if 'begins'. 'are_estimated'
 * is true if no depth remains. 'workers' writes the busy workers to 'out' and returns
 * their number, at most LIFT_MAX_STEPS for each device. 'end' ends all work. */
void depths_begin(struct device_session *l);
void depths_step(struct session *s, bool begins);
bool depths_are_estimated(const struct device_session *l);
int depths_workers(const struct session *s, struct lift_worker **out);
void depths_end(struct session *s);

/* reach.c: writes the size of the reachable space, and the reasons for its untried part,
 * to the result and the database. */
bool device_session_reach(struct device_session *l);

/* session_loop.c: counts the result of a trial; the technique receives the results in
 * order. */
void device_session_account(struct device_session *l, const struct attempt *a);
void device_session_tell(struct device_session *l, const struct attempt *a);
/* Records the second run of a good candidate. */
void device_session_note_recheck(struct device_session *l,
                                 const struct lift_choice *choice,
                                 enum lift_trial_status status, double score);
/* Drops a candidate that was right once and fails now. The next function adds a row with
 * an event of the device. */
void device_session_drop(struct device_session *l, const struct lift_choice *choice);
void device_session_event(struct device_session *l, const char *kind, const char *text);
/* Stops using the device for this reason; the other devices continue. */
void device_session_lose(struct device_session *l, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* session_loop.c: finds the configuration of a trial in the database, and its result.
 * Returns false if the device session lacks the configuration or the trial has no result;
 * 'choice' then has the expression or -1. The next function gives the technique a
 * database's trials (false: database error), then runs trials until the end. */
bool device_session_find(const struct device_session *l, const struct lift_db_tried *row,
                         struct lift_choice *choice, struct lift_outcome *outcome);
bool device_session_resume(struct device_session *l, struct lift_db *db);
int device_session_space_of(const struct device_session *l,
                            struct lift_hash expr); /* -1: none */
bool session_loop(struct session *s);

#endif
