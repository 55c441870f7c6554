/* Trials of a device session, from their proposal until the technique receives the
 * result. */
#ifndef EXPLORE_SESSION_TRIAL_QUEUE_H
#define EXPLORE_SESSION_TRIAL_QUEUE_H

#include "explore/session/frontier.h"
#include "explore/trial.h"
#include "explore/trial/binary_cache.h"
#include "tuner/joint.h"

struct device_session;

enum attempt_stage {
    ATTEMPT_PROPOSED, /* its row is in the database */
    ATTEMPT_SOURCING, /* a builder makes the source */
    ATTEMPT_SOURCED,  /* waits for a compiler, unless its binary exists or is being
                         compiled */
    ATTEMPT_COMPILING,
    ATTEMPT_READY, /* to be run */
    ATTEMPT_RUNNING,
    ATTEMPT_ENDED,
    ATTEMPT_STORED, /* its end is in the database */
};

/* Whether the technique knows of its end. */
enum attempt_telling {
    ATTEMPT_UNTOLD,
    ATTEMPT_LATE, /* no, and it learns of later attempts first */
    ATTEMPT_TOLD,
};

/* A candidate on its way from a proposal to its end; in the final benchmark, a finalist.
 * A RECHECK is no trial of the search: the technique never learns of it. */
struct attempt {
    enum attempt_stage stage;
    enum trial_task
        task; /* CANDIDATE, or HEALTH: that kernel has neither choice nor row */
    enum lift_trial_phase phase;
    enum frontier_source source;
    enum attempt_telling telling;
    struct lift_choice choice;
    struct lift_hash id;
    struct built built;
    bool plain;   /* the naive kernel: its time is the baseline */
    bool killed;  /* a builder was killed over it once */
    bool on_slab; /* it is tried on the slab now, and not yet on the whole grid */
    struct trial_reply slab; /* what it did there, once it is tried on the whole grid */
    struct trial_reply end;
    double score; /* of it, or of the slab until there is an end, in seconds */
    double asked; /* when it was proposed, by lift_seconds */
    double began; /* when its compilation began, likewise */
    double ready; /* and when it had ended */
    double age;   /* at its end */
};

/* The unfinished trials, in a circular buffer. The technique receives results in the
 * order of its proposals, and each result triggers a proposal. So the search does not
 * depend on timing. There are three exceptions, which the technique receives late:
 *  - trials that take far longer than others (some kernels compile for half a minute);
 *  - trials that a few compilers still have while the runner and all other compilers are
 *    idle (on a CPU: only if others were compiled in a third of the time);
 *  - trials for the whole grid while its reference is computed.
 * For a trial that continues on the whole grid, the technique receives the result on the
 * slab, as for all other trials. */
struct queue {
    struct attempt *ring;
    int room;            /* maximum of trials that the technique has not received */
    int slots;           /* of the ring */
    bool together;       /* its trials are compiled in batches: the device is a
                            processor */
    double logarithms;   /* of the seconds that those took of which it was told */
    int64_t told;        /* their number */
    int64_t first, next; /* numbers: the oldest, and that of the next proposal */
    int64_t beside;      /* so many of those before 'next' */
    bool dry;            /* the frontier had none when it was asked last */
};

/* 'rounds' of 'room' may end while others take longer. */
void queue_create(struct queue *q, int room, int rounds, bool together);
/* The attempt of that number, from 'first' up to 'next'. */
struct attempt *queue_at(struct queue *q, int64_t number);
void queue_fini(struct queue *q);
/* The oldest in that stage, or NULL. */
struct attempt *queue_find(struct queue *q, enum attempt_stage stage);
int queue_count(const struct queue *q, enum attempt_stage from, enum attempt_stage to);
/* Its row is in the database before anything of it is begun. False if the database says
 * no. */
bool attempt_start(struct device_session *l, struct attempt *a);
/* The trial has come to its end. */
void attempt_end(struct attempt *a, const struct trial_reply *end);
/* It was good on the slab: it is to be built and run at the problem's sizes. Its job
 * stays: the check at a small size is not generated again. */
void attempt_enlarge(struct attempt *a, const struct trial_reply *slab);

/* Stores ended trials, passes them to the technique, and fills the free room with
 * proposals unless 'last'. False: database error. */
bool queue_turn(struct device_session *l, bool last);
/* At the end of a session: compilations that took far longer than others end as lost, by
 * that reason. */
void queue_end_stragglers(struct device_session *l);
/* Whether nothing is under way and nothing can be had any more. */
bool queue_is_done(const struct device_session *l);

#endif
