/* NCCL, an optional library loaded by dlopen; builds do not need the library. */
#ifndef RUN_NCCL_H
#define RUN_NCCL_H

#include "base/str.h"
#include "lift/plan.h"

struct nccl;

/* A group of devices that exchange. */
struct nccl_id {
    char bytes[128];
};

/* Loads the library; LIFT_NCCL in the environment may name the library. Returns NULL with
 * the reason. Threads may call concurrently. */
struct nccl *nccl_load(struct lift_str *why);
void nccl_free(struct nccl *nccl); /* NULL is legal; the library stays */
/* "NCCL 2.19.3" */
const char *nccl_name(const struct nccl *nccl);
/* Returns true if the library works on host memory without streams; a test library does.
 */
bool nccl_takes_host(const struct nccl *nccl);

/* These functions return false or NULL with the reason. */
bool nccl_make_id(const struct nccl *nccl, struct nccl_id *id, struct lift_str *why);
/* Returns the communicator of a rank, for the device of this thread. Waits until all
 * ranks have called, each in a separate thread. */
void *nccl_join(const struct nccl *nccl, const struct nccl_id *id, int rank, int size,
                struct lift_str *why);
/* Enqueues messages in a stream. The order matches messages: the first message that a
 * rank sends to another is the first that the other receives from it. Tags are ignored.
 */
bool nccl_swap(const struct nccl *nccl, void *communicator, void *stream,
               const struct lift_message *messages, int count, struct lift_str *why);
/* Each rank calls in a separate thread. 'failed': some messages may never arrive. */
void nccl_leave(const struct nccl *nccl, void *communicator, bool failed);

#endif
