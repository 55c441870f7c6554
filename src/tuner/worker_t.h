/* Definitions shared by a worker and its child. */
#ifndef TUNER_WORKER_T_H
#define TUNER_WORKER_T_H

#include "tuner/worker.h"
#include <stdint.h>
#include <sys/types.h>

/* A frame is a header and 'size' bytes. The magic number distinguishes a reply from
 * bytes that a faulty kernel wrote to the socket. */
struct worker_frame {
    uint64_t magic, size;
};

#define WORKER_FRAME_MAGIC 0x6c69667477726b31u
#define WORKER_NOTE_MAGIC 0x6c6966746e6f7431u /* a new time limit */
/* From the child: 1 asks for quiet, 0 ends it. From the parent, without data: granted. */
#define WORKER_QUIET_MAGIC 0x6c69667471756931u

enum { WORKER_CHUNK = 64 * 1024 };

/* The child's descriptor of the socket. */
enum { WORKER_SOCKET = 3 };

struct lift_worker {
    lift_worker_serve *serve;
    void *user;
    bool started;   /* the child is lift's program; false: a fork */
    bool inside;    /* no child: this process serves the requests */
    void *state;    /* with 'inside': the state of the requests */
    int64_t memory; /* bytes; 0: no limit */
    pid_t pid;      /* 0: no child */
    int socket;     /* -1: no child */
    bool busy;      /* a request was begun and not answered */
    double deadline;
    double paused_at; /* start of the pause, by lift_seconds; 0: not paused */
    enum worker_quiet { WORKER_LOUD, WORKER_ASKS, WORKER_QUIET } quiet;
    double asked_at;         /* with WORKER_ASKS: time of the request */
    struct lift_str out, in; /* of the current request */
    size_t sent;
};

/* The main loop of a child, until the socket is closed. */
_Noreturn void worker_child_live(const struct lift_worker *worker, int socket,
                                 pid_t parent);

#endif
