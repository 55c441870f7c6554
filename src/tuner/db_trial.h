/* Sessions and trials in the database (tuner/db.h), with their results. */
#ifndef TUNER_DB_TRIAL_H
#define TUNER_DB_TRIAL_H

#include "tuner/db.h"

/* A session is one run of the program. lift_db_session_start adds host, process and
 * time. */
struct lift_db_session {
    const char *argv; /* the command line */
    uint64_t seed;
    const char *budget;   /* "60 s", "100 trials" */
    const char *versions; /* of the program and its rules */
    double age; /* seconds since the session began; determines the stored start time */
};

bool lift_db_session_start(struct lift_db *db, const struct lift_db_session *session,
                           struct lift_hash *id);
/* Ends a session. 'reason': "budget", "exhausted", "interrupted", .... Unfinished
 * trials become lost; trials that were not launched are deleted. */
bool lift_db_session_end(struct lift_db *db, struct lift_hash session,
                         const char *reason);

/* Counts of the configurations that a session could reach, by 'what' and reason.
 * docs/database-schema.md lists the values. */
struct lift_db_reach {
    const char *what, *reason;
    int64_t count;
};

/* An existing row stays unchanged. */
bool lift_db_put_reach(struct lift_db *db, struct lift_hash session,
                       struct lift_hash problem, struct lift_hash device,
                       const struct lift_db_reach *reach);

/* The result of a trial; docs/results-and-database.md explains each status. */
enum lift_trial_status {
    LIFT_TRIAL_STARTED,
    LIFT_TRIAL_OK,
    LIFT_TRIAL_SLOW,
    LIFT_TRIAL_SLAB,
    LIFT_TRIAL_CONSTRAINT,
    LIFT_TRIAL_CODEGEN,
    LIFT_TRIAL_COMPILE_ERROR,
    LIFT_TRIAL_COMPILE_TIMEOUT,
    LIFT_TRIAL_RESOURCE,
    LIFT_TRIAL_LAUNCH_ERROR,
    LIFT_TRIAL_RUN_ERROR,
    LIFT_TRIAL_RUN_TIMEOUT,
    LIFT_TRIAL_CRASH,
    LIFT_TRIAL_WRONG,
    LIFT_TRIAL_NONFINITE,
    LIFT_TRIAL_OVERFLOW,
    LIFT_TRIAL_NONDETERMINISTIC,
    LIFT_TRIAL_DEVICE_LOST,
    LIFT_TRIAL_LOST,
    LIFT_TRIAL_STATUSES
};

/* True if a candidate was rejected before its compilation: it has a row, but is no trial.
 */
bool lift_trial_is_rejected(enum lift_trial_status status);

/* "ok", "compile_error", ... */
const char *lift_trial_status_name(enum lift_trial_status status);

/* The reason for a trial: "search", "seed", "final_benchmark", "recheck". */
enum lift_trial_phase {
    LIFT_TRIAL_PHASE_SEARCH,  /* a proposal of the search */
    LIFT_TRIAL_PHASE_SEED,    /* fast at other sizes, or on other devices */
    LIFT_TRIAL_PHASE_FINAL,   /* one of the best, timed against each other */
    LIFT_TRIAL_PHASE_RECHECK, /* a known candidate that is timed again, to confirm its
                                 time or as a comparison; no trial of the search */
    LIFT_TRIAL_PHASES
};

const char *lift_trial_phase_name(enum lift_trial_phase phase);

struct lift_db_trial {
    struct lift_hash candidate, problem, device, session;
    enum lift_trial_phase phase;
    struct lift_hash env; /* from lift_db_put_env; zero: unknown */
};

/* The environment of trials: the board and the software. Compare times of different
 * environments with care. */
struct lift_db_env {
    const char *os;       /* "Debian GNU/Linux 12" */
    const char *kernel;   /* "6.1.0-18-amd64" */
    const char *driver;   /* as in lift_device_info */
    const char *runtime;  /* version, unless it equals the driver's */
    const char *compiler; /* as in lift_device_info */
    const char *tool;     /* this program's version */
    const char *unit; /* the individual board: host name and place, serial number, UUID */
    const char *settings; /* power and clock settings: JSON, names sorted */
};

bool lift_db_put_env(struct lift_db *db, const struct lift_db_env *env,
                     struct lift_hash *id);

struct lift_db_build {
    const char *source; /* not NULL */
    const char *compiler, *driver, *flags, *log;
    struct lift_resources resources;
};

enum lift_check_kind {
    LIFT_CHECK_SMALL,  /* against the interpreter, at a small size */
    LIFT_CHECK_FULL,   /* at the problem's size */
    LIFT_CHECK_SECOND, /* as full, on another input */
    LIFT_CHECK_SLAB,   /* on fewer planes than the problem has */
    LIFT_CHECK_KINDS
};

struct lift_db_check {
    enum lift_check_kind kind;
    double max_error, bound; /* NaN is stored as NULL */
    int64_t bad;             /* values beyond the bound */
    int64_t first_bad;       /* index of the first; -1: none */
};

/* Data of a sample besides its time; unknown: '{0}' with 'throttled' -1. */
enum { LIFT_DB_WAITED = 2 };
struct lift_db_clock {
    int batch;     /* launches that were timed together; 0 counts as 1 */
    double mhz;    /* of the device, during the sample; 0: unknown */
    int throttled; /* 1: the device had reduced its clocks, or the machine's state was
                      another; LIFT_DB_WAITED: a thread waited for a core; -1: unknown */
};

struct lift_db_end {
    enum lift_trial_status status; /* any but STARTED */
    const char *reason; /* short, and equal for similar failures; details go to the log */
    const struct lift_db_build *build; /* NULL: there is no source */
    const struct lift_db_check *checks;
    int check_count;
    const double *samples; /* seconds of one launch, in order */
    int sample_count;
    const struct lift_db_clock *clocks;   /* one for each sample; NULL: unknown */
    double compile_s, check_s, measure_s; /* cost of the trial in seconds; 0: none */
};

/* Call before the trial's compilation, and again before its launch: the row is then
 * on the disk. If the process dies, the row shows whether the kernel was launched. */
bool lift_db_trial_start(struct lift_db *db, const struct lift_db_trial *trial,
                         struct lift_hash *id);
bool lift_db_trial_launch(struct lift_db *db, struct lift_hash id);
/* Stores the results of a trial in one transaction. OK needs a sample, a FULL check
 * and no bad value in any check, so that an unverified kernel is never the best. */
bool lift_db_trial_finish(struct lift_db *db, struct lift_hash id,
                          const struct lift_db_end *end);

/* The last comparison of a session: its best candidates, timed against each other.
 * The first place is the best kernel of problem and device until a faster one is
 * verified. */
struct lift_db_finalist {
    int place;              /* from 1 */
    struct lift_hash trial; /* the trial of the final benchmark */
    double seconds;         /* median of one launch */
    double low, high;       /* confidence interval of the median, in seconds */
    bool tied; /* samples cannot distinguish the candidate from the first place */
};

bool lift_db_put_finalist(struct lift_db *db, struct lift_hash session,
                          struct lift_hash problem, struct lift_hash device,
                          const struct lift_db_finalist *finalist);

/* An event of a device during a session. */
struct lift_db_event {
    const char *kind; /* "health", "strike", "quarantine", LIFT_DB_INTERFERENCE, ... */
    const char *text;
};

/* The kind of the one event that says how much other work disturbed a session; its text
 * is a JSON object (docs/database-schema.md). */
#define LIFT_DB_INTERFERENCE "interference"

bool lift_db_put_event(struct lift_db *db, struct lift_hash session,
                       struct lift_hash device, const struct lift_db_event *event);

#endif
