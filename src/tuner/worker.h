/* A worker process: a forked child that serves requests. A kernel that crashes, hangs
 * or corrupts memory costs one request and not the program. The child is its own
 * process group and dies with its parent. The next call after a loss starts a new
 * child. The parent must be single-threaded at the fork, and must not have opened or
 * counted devices. The child has no stdin and stdout, ignores SIGINT and leaves no
 * core file; other signals have their default actions.
 *
 * Set LIFT_IN_PROCESS for debuggers, profilers and sanitizers that need one process:
 * there is no child, and the parent serves. Then no time limit ends a request, and a
 * crash ends the program. State that such requests keep is freed at the program's
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

/* Runs in the child. State that must outlive one request belongs to '*state' (NULL at
 * the child's start). The function appends its answer to 'reply'. */
typedef void lift_worker_serve(void *user, void **state, const void *request, size_t size,
                               struct lift_str *reply);

enum lift_worker_end {
    LIFT_WORKER_OK,
    LIFT_WORKER_TIMEOUT, /* killed after the time limit */
    LIFT_WORKER_CRASHED, /* ended by a signal */
    LIFT_WORKER_EXITED,  /* ended by itself, without a reply */
};

/* Exit status of a child in which lift's own code ran out of memory. */
enum { LIFT_WORKER_NO_MEMORY = 62 };

struct lift_worker_result {
    enum lift_worker_end end;
    int code; /* the signal of CRASHED, the exit status of EXITED; -1: the child did not
                 start */
};

/* The child has a copy of 'user' from the child's start. The caller ends the worker
 * with lift_worker_stop (NULL is legal). */
struct lift_worker *lift_worker_create(lift_worker_serve *serve, void *user);
/* A worker whose child is the program 'lift worker', not a fork, so that any process
 * may have a worker. The child serves with 'serve' and no 'user'. Requests must be
 * self-contained. */
struct lift_worker *lift_worker_create_started(lift_worker_serve *serve);
void lift_worker_stop(struct lift_worker *worker);

/* The program to start: this program, $LIFT_PROGRAM, or the program that was built or
 * installed with this library. malloc'd. */
char *lift_worker_program(void);
/* The file of this program if the program has 'lift worker'; NULL initially and
 * otherwise. */
extern const char *lift_worker_self;
/* The body of 'lift worker': serves until its parent has ended. */
_Noreturn void lift_worker_live(lift_worker_serve *serve, pid_t parent);

/* Sends a request and waits at most 'seconds' for the reply, which replaces the
 * content of 'reply'. On any end but OK, the call has ended the child and its whole
 * process group. */
struct lift_worker_result lift_worker_call(struct lift_worker *worker,
                                           const void *request, size_t size,
                                           double seconds, struct lift_str *reply);

/* The parts of a call, for a process that waits for several workers. A worker handles
 * one request at a time. 'begin' copies the request and does not wait. 'step'
 * proceeds without waiting, and returns true if the call has ended, with 'reply' and
 * 'result' as above. 'wait' lists the events to poll for before the next step, and
 * returns the maximum wait in milliseconds. */
void lift_worker_begin(struct lift_worker *worker, const void *request, size_t size,
                       double seconds);
bool lift_worker_step(struct lift_worker *worker, struct lift_str *reply,
                      struct lift_worker_result *result);
int lift_worker_wait(const struct lift_worker *worker, struct pollfd *out);
/* Waits until a busy worker may have data, at most 'most' milliseconds (-1: no
 * limit). Without a busy worker and without a limit, returns immediately. */
void lift_worker_wait_any(struct lift_worker *const *workers, int count, int most);
bool lift_worker_busy(const struct lift_worker *worker);
/* Stops the child, or the program that the child runs with device_run, until the call
 * resumes or ends. The time limit excludes the pause. The function does nothing for a
 * worker that is not busy, or has no child. */
void lift_worker_pause(struct lift_worker *worker);
void lift_worker_resume(struct lift_worker *worker);
/* In the child: seconds for which the child has been paused so far. */
double lift_worker_paused(void);
/* The child times kernels and asks that other work stops meanwhile. lift_worker_asks is
 * true until lift_worker_grant answers; the time limit excludes the wait.
 * lift_worker_is_quiet is then true until the child ends the quiet, or its call ends. */
bool lift_worker_asks(const struct lift_worker *worker);
void lift_worker_grant(struct lift_worker *worker);
bool lift_worker_is_quiet(const struct lift_worker *worker);
/* In the child, in a call whose parent grants quiet: asks for it and waits; ends it. */
void lift_worker_begin_quiet(void);
void lift_worker_end_quiet(void);
/* Waits for the end of the call that lift_worker_begin began. */
struct lift_worker_result lift_worker_finish(struct lift_worker *worker,
                                             struct lift_str *reply);
/* Ends the child, if there is one, and drops the current request. The next call
 * starts another child. */
void lift_worker_end(struct lift_worker *worker);
/* Limits the address space (RLIMIT_AS) of children that start from now on; 0: no
 * limit. A build with sanitizers, which need terabytes, sets no limit. */
void lift_worker_limit_memory(struct lift_worker *worker, int64_t bytes);

/* Address space that this process uses now, in bytes. */
int64_t lift_worker_memory(void);

/* In the child: sets a new time limit of the current request, in seconds from now. */
void lift_worker_allow(double seconds);

/* Memory that parent and children share across restarts (anonymous mapping); NULL if
 * there is too little memory. */
void *lift_shared_alloc(size_t bytes);
void lift_shared_free(void *memory, size_t bytes);

#endif
