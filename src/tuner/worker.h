/* A worker process: a forked child that serves requests, so that a kernel that crashes,
 * hangs or corrupts memory costs one request and not the program. The child is its own
 * process group, dies with its parent, and is started again by the next call after it was
 * lost. Fork happens from a single-threaded parent that has opened and counted no device.
 * The child has no stdin and stdout, ignores SIGINT and leaves no core file; other
 * signals have their default actions.
 *
 * Debuggers, profilers and sanitizers that want one process: where the environment has
 * LIFT_IN_PROCESS, there is no child. The parent serves; nothing ends a request that
 * takes too long, and a crash is the program's. What such requests keep stays until its
 * end. */
#ifndef TUNER_WORKER_H
#define TUNER_WORKER_H

#include "base/str.h"
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct lift_worker;

/* Runs in the child. State that must outlive one request belongs to '*state' (NULL at the
 * child's start). The reply is appended to 'reply'. */
typedef void lift_worker_serve(void *user, void **state, const void *request, size_t size,
                               struct lift_str *reply);

enum lift_worker_end {
    LIFT_WORKER_OK,
    LIFT_WORKER_TIMEOUT, /* killed after the time limit */
    LIFT_WORKER_CRASHED, /* ended by a signal */
    LIFT_WORKER_EXITED,  /* ended by itself, without a reply */
};

/* The status of a child in which lift's own work found no memory left. */
enum { LIFT_WORKER_NO_MEMORY = 62 };

struct lift_worker_result {
    enum lift_worker_end end;
    int code; /* the signal of CRASHED, the exit status of EXITED; -1: it did not start */
};

/* 'user' is seen by the child as it was when the child was started. The caller ends the
 * worker with lift_worker_stop (NULL is legal). */
struct lift_worker *lift_worker_create(lift_worker_serve *serve, void *user);
/* The child is not forked but started, so that any process may have one: 'lift worker',
 * which serves by 'serve' without a user. Requests have all that it needs. */
struct lift_worker *lift_worker_create_started(lift_worker_serve *serve);
void lift_worker_stop(struct lift_worker *worker);

/* The program that is started: this one, $LIFT_PROGRAM, or the one that was built or
 * installed with this library. malloc'd. */
char *lift_worker_program(void);
/* A file of this program if it has 'lift worker'; NULL, as at first, if it has not. */
extern const char *lift_worker_self;
/* What 'lift worker' does: serves until its parent has ended. */
_Noreturn void lift_worker_live(lift_worker_serve *serve, pid_t parent);

/* Sends a request and waits for its reply, which replaces what 'reply' holds, at most
 * 'seconds'. On any end but OK the child and its whole process group are gone when this
 * returns. */
struct lift_worker_result lift_worker_call(struct lift_worker *worker,
                                           const void *request, size_t size,
                                           double seconds, struct lift_str *reply);

/* The parts of a call, for a process that waits for several workers. A worker handles one
 * request at a time. 'begin' copies the request and does not wait. 'step' proceeds
 * without waiting; true if the call has ended, with 'reply' and 'result' as above. 'wait'
 * says which events to poll for before the next step, and returns the maximum wait in
 * milliseconds. */
void lift_worker_begin(struct lift_worker *worker, const void *request, size_t size,
                       double seconds);
bool lift_worker_step(struct lift_worker *worker, struct lift_str *reply,
                      struct lift_worker_result *result);
int lift_worker_wait(const struct lift_worker *worker, struct pollfd *out);
/* Until one of them that is busy may have something to say, or so many milliseconds are
 * over (-1: no limit; nothing is waited for then if none is busy). */
void lift_worker_wait_any(struct lift_worker *const *workers, int count, int most);
bool lift_worker_busy(const struct lift_worker *worker);
/* Stops the child, or the program that the child runs with device_run, until the call
 * resumes or ends. The time limit excludes the pause. The function does nothing for a
 * worker that is not busy, or has no child. */
void lift_worker_pause(struct lift_worker *worker);
void lift_worker_resume(struct lift_worker *worker);
/* In the child: seconds for which it has stood still so far. */
double lift_worker_paused(void);
/* Waits for the end of the call that was begun. */
struct lift_worker_result lift_worker_finish(struct lift_worker *worker,
                                             struct lift_str *reply);
/* Ends the child, if there is one, and drops the current request. The next call starts
 * another child. */
void lift_worker_end(struct lift_worker *worker);
/* Children that start from now on get no more address space (RLIMIT_AS); 0: as much as
 * there is. No limit is set in a build with sanitizers, which need terabytes. */
void lift_worker_limit_memory(struct lift_worker *worker, int64_t bytes);

/* Address space that this process has now, in bytes. */
int64_t lift_worker_memory(void);

/* In the child: sets a new time limit of the current request, in seconds from now. */
void lift_worker_allow(double seconds);

/* Memory that parent and children share across restarts (anonymous mapping); NULL if
 * there is not enough. */
void *lift_shared_alloc(size_t bytes);
void lift_shared_free(void *memory, size_t bytes);

#endif
