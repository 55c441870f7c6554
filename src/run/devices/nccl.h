/* NCCL, if the machine has it: found by dlopen, never needed to build. */
#ifndef RUN_NCCL_H
#define RUN_NCCL_H

#include "base/str.h"
#include "lift/plan.h"

struct nccl;

/* A group of devices that exchange. */
struct nccl_id {
    char bytes[128];
};

/* LIFT_NCCL in the environment names the library. NULL and the reason. Threads may call
 * concurrently. */
struct nccl *nccl_load(struct lift_str *why);
void nccl_free(struct nccl *nccl); /* NULL is legal; the library stays */
/* "NCCL 2.19.3" */
const char *nccl_name(const struct nccl *nccl);
/* Whether it works on memory of the host, without streams: one for tests does. */
bool nccl_takes_host(const struct nccl *nccl);

/* These return false or NULL, and why. */
bool nccl_make_id(const struct nccl *nccl, struct nccl_id *id, struct lift_str *why);
/* The communicator of a rank, for the device of this thread. Waits until all ranks have
 * called, each in a separate thread. */
void *nccl_join(const struct nccl *nccl, const struct nccl_id *id, int rank, int size,
                struct lift_str *why);
/* Enqueues messages in a stream, which belong together by their order: of two ranks, the
 * first one that the one sends is the first that the other receives. Tags do not count.
 */
bool nccl_swap(const struct nccl *nccl, void *communicator, void *stream,
               const struct lift_message *messages, int count, struct lift_str *why);
/* Each in a separate thread; 'failed': some messages may never arrive. */
void nccl_leave(const struct nccl *nccl, void *communicator, bool failed);

#endif
