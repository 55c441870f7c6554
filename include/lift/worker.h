/* A worker process: a forked child that serves requests, so that a kernel that crashes,
 * hangs or corrupts memory costs one request and not the program. The child is its own
 * process group, dies with its parent, and is started again by the next call after it was
 * lost. Fork happens from a single-threaded parent that has opened and counted no device.
 * The child has no stdin and stdout, ignores SIGINT and leaves no core file; other
 * signals have their default actions. */
#ifndef LIFT_WORKER_H
#define LIFT_WORKER_H

#include "lift/str.h"
#include <stdbool.h>
#include <stddef.h>

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

struct lift_worker_result {
    enum lift_worker_end end;
    int code; /* the signal of CRASHED, the exit status of EXITED; -1: it did not start */
};

/* 'user' is seen by the child as it was when the child was started. The caller ends the
 * worker with lift_worker_stop (NULL is legal). */
struct lift_worker *lift_worker_create(lift_worker_serve *serve, void *user);
void lift_worker_stop(struct lift_worker *worker);

/* Sends a request and waits for its reply, which replaces what 'reply' holds, at most
 * 'seconds'. On any end but OK the child and its whole process group are gone when this
 * returns. */
struct lift_worker_result lift_worker_call(struct lift_worker *worker,
                                           const void *request, size_t size,
                                           double seconds, struct lift_str *reply);

/* Memory that parent and children share across restarts (anonymous mapping); NULL if
 * there is not enough. */
void *lift_shared_alloc(size_t bytes);
void lift_shared_free(void *memory, size_t bytes);

#endif
