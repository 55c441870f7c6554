/* The planes of an exchange as messages between parts. */
#ifndef RUN_DEVICES_MESSAGES_H
#define RUN_DEVICES_MESSAGES_H

#include "run/parts.h"

/* Returns the planes of an input at one end, possibly none: ghost planes, or the part's
 * boundary planes, which are ghost planes of its neighbour. */
typedef struct planes messages_planes(const struct part *part, int input, int end,
                                      bool ghosts);

struct message {
    struct planes planes;
    int peer, tag;
    bool send;
};

/* Lists all messages of a part along a dimension, PARTS_MESSAGES at most, and returns
 * their number. Sender and receiver list the messages between them in the same order. */
int messages_of(const struct part *part, messages_planes *planes_at, int dim,
                struct message *out);

/* A message in the memory of planes on the device, including gaps between rows. */
struct lift_message messages_direct(const struct message *message);

/* An exchange: messages use device memory directly, or host copies that the part owns.
 * The functions return false with the error in the part. */
struct messages {
    struct message planes[PARTS_MESSAGES];
    struct lift_message list[PARTS_MESSAGES];
    int count;
};
/* Copies the planes to send to the host, if messages pass the host. */
bool messages_pack(struct part *part, messages_planes *planes_at, int dim,
                   struct messages *out);
/* Between parts of this process: copies the planes that other parts have packed. In the
 * side lane, the call does not wait for the devices. */
bool messages_take(struct part *part, messages_planes *planes_at,
                   const struct messages *messages, enum lift_lane lane);
/* Between processes: messages_go sends and receives, in the only thread that may;
 * messages_unpack copies the received planes. */
bool messages_go(const struct part *part, const struct messages *messages,
                 struct lift_error *error);
bool messages_unpack(struct part *part, const struct messages *messages);
/* Packs, exchanges and unpacks after the launches, along each dimension. */
bool messages_swap(struct part *part);

/* NCCL: waits for all other parts. Each part calls once, in a separate thread. */
bool messages_join(struct part *part);
/* NCCL: enqueues the exchange of planes in a lane of the part's device, from the part's
 * thread. */
bool messages_swap_nccl(struct part *part, enum lift_lane lane,
                        messages_planes *planes_at);
/* Frees host copies and communicators of all parts of this process. */
void messages_end(struct parts *parts);

#endif
