/* Trials of a device session, from their proposal until the technique receives the
 * result. */
#ifndef EXPLORE_SESSION_TRIAL_QUEUE_H
#define EXPLORE_SESSION_TRIAL_QUEUE_H

#include "explore/session/frontier.h"
#include "explore/trial.h"
#include "explore/trial/binary_cache.h"
#include "tuner/joint.h"

struct device_session;

/* The usual seconds of a kind of work: their geometric mean. */
struct pace {
    double logarithms;
    int count;
};

void pace_add(struct pace *p, double seconds);

enum attempt_stage {
    ATTEMPT_PROPOSED, /* its row is in the database */
    ATTEMPT_SOURCING, /* a builder generates the source */
    ATTEMPT_SOURCED,  /* waits for a compiler, unless its binary exists or is being
                         compiled */
    ATTEMPT_COMPILING,
    ATTEMPT_READY, /* waits for the runner */
    ATTEMPT_RUNNING,
    ATTEMPT_ENDED,
    ATTEMPT_STORED, /* its result is in the database */
};

/* Whether the technique has received the result. */
enum attempt_telling {
    ATTEMPT_UNTOLD,
    ATTEMPT_LATE, /* not yet, and it receives later attempts first */
    ATTEMPT_TOLD,
};

/* A candidate from its proposal to its result; in the final benchmark, a finalist. The
 * technique never receives a RECHECK, which is no trial of the search. */
struct attempt {
    enum attempt_stage stage;
    enum trial_task
        task; /* CANDIDATE or HEALTH; a HEALTH kernel has neither choice nor row */
    enum lift_trial_phase phase;
    enum frontier_source source;
    enum attempt_telling telling;
    struct lift_choice choice;
    struct lift_hash id;
    struct built built;
    bool plain;              /* the naive kernel: its time is the baseline */
    bool killed;             /* somebody killed a builder of this attempt once */
    bool on_slab;            /* the slab is tried first; the whole grid follows */
    struct trial_reply slab; /* result on the slab, set when the whole grid is tried */
    struct trial_reply end;
    double score; /* seconds on the whole grid, or on the slab until the end */
    double asked; /* time of the proposal, by lift_seconds */
    double began; /* start of its compilation, by lift_seconds */
    double ready; /* end of its compilation */
    double age;   /* seconds from proposal to end */
};

/* The unfinished trials, in a circular buffer. The technique receives results in the
 * order of its proposals, and each result triggers a proposal. So the search does not
 * depend on timing. There are two exceptions, which the technique receives late:
 *  - trials that take far longer than others (some kernels compile for half a minute);
 *  - trials that a few compilers still have while the runner and all other compilers are
 *    idle (on a CPU: only if others were compiled in a third of the time).
 * For a trial that continues on the whole grid, the technique receives the result on the
 * slab, as for all other trials. */
struct queue {
    struct attempt *ring;
    int room;            /* most trials that the technique has not received */
    int slots;           /* length of 'ring' */
    bool ordered;        /* only stragglers are late, not slow trials: the device is a
                            processor */
    double logarithms;   /* sum of the logarithms of all received attempts' seconds */
    int64_t told;        /* number of received attempts */
    int64_t first, next; /* numbers of the oldest attempt and of the next proposal */
    int64_t beside;      /* proposals before 'next' that are no trials of the search:
                            rechecks and rejected candidates */
    bool dry;            /* the frontier was empty at its last request */
};

/* Up to 'rounds' times 'room' trials may end while a longer one runs. */
void queue_create(struct queue *q, int room, int rounds, bool ordered);
/* The attempt with this number, from 'first' to 'next' - 1. */
struct attempt *queue_at(struct queue *q, int64_t number);
void queue_fini(struct queue *q);
/* The oldest attempt in this state, or NULL. */
struct attempt *queue_find(struct queue *q, enum attempt_stage stage);
int queue_count(const struct queue *q, enum attempt_stage from, enum attempt_stage to);
/* Records the attempt before its work begins. Returns false if the database fails. */
bool attempt_start(struct device_session *l, struct attempt *a);
/* Ends the attempt with this result. */
void attempt_end(struct attempt *a, const struct trial_reply *end);
/* After success on the slab: prepares the attempt for the problem's sizes. The job stays,
 * so the code of the small check is not generated again. */
void attempt_enlarge(struct attempt *a, const struct trial_reply *slab);

/* Stores ended trials, passes them to the technique, and fills the free room with
 * proposals unless 'last'. False: database error. */
bool queue_turn(struct device_session *l, bool last);
/* At the end of a session: ends compilations that took far longer than others as lost,
 * for that reason. */
void queue_end_stragglers(struct device_session *l);
/* True if no attempt is in progress, and the frontier has no candidates, or there is no
 * time for them. */
bool queue_is_done(const struct device_session *l);

#endif
