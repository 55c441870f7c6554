/* The planes of an exchange as messages between parts. */
#ifndef RUN_DEVICES_MESSAGES_H
#define RUN_DEVICES_MESSAGES_H

#include "run/parts.h"

/* Planes of an input at one end: ghost planes, or the part's boundary planes, which are
 * ghost planes of its neighbour. There may be none. */
typedef struct planes messages_planes(const struct part *part, int input, int end,
                                      bool ghosts);

struct message {
    struct planes planes;
    int peer, tag;
    bool send;
};

/* All of a part along a dimension, PARTS_MESSAGES at most: what it sends to a neighbour
 * comes in the order in which that one receives it. Returns the number of them. */
int messages_of(const struct part *part, messages_planes *planes_at, int dim,
                struct message *out);

/* The memory of planes on the device, including gaps between rows. */
struct lift_message messages_direct(const struct message *message);

/* An exchange: from where planes are, or by copies in memory of the host, which are the
 * part's. False, and the error. */
struct messages {
    struct message planes[PARTS_MESSAGES];
    struct lift_message list[PARTS_MESSAGES];
    int count;
};
/* Copies the planes that are sent, where they go through the host. */
bool messages_pack(struct part *part, messages_planes *planes_at, int dim,
                   struct messages *out);
/* Of parts of this process: copies what others send, once these have packed it. In the
 * side lane, the call does not wait for the devices. */
bool messages_take(struct part *part, messages_planes *planes_at,
                   const struct messages *messages, enum lift_lane lane);
/* Of other processes: sends and receives, in the thread that may; copies the planes
 * that came. */
bool messages_go(const struct part *part, const struct messages *messages,
                 struct lift_error *error);
bool messages_unpack(struct part *part, const struct messages *messages);
/* All three, after the launches, along each dimension. False, and the error of the part.
 */
bool messages_swap(struct part *part);

/* NCCL: waits for all other parts, each in a separate thread; once. */
bool messages_join(struct part *part);
/* By NCCL, planes only, enqueued in a lane of the part's device, from such a thread. */
bool messages_swap_nccl(struct part *part, enum lift_lane lane,
                        messages_planes *planes_at);
/* Of all parts of this process. */
void messages_end(struct parts *parts);

#endif
