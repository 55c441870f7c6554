/* In the last launch before an exchange, a part computes its boundary planes before its
 * inner planes. So the exchange overlaps with the computation of the inner planes.
 * Each of the three windows is a part of the part: the program at the window's size, on
 * views of the part's arrays. These arrays include the planes that the program reads
 * outside the window (lift_cut_open). So the windows compute each plane once. */
#ifndef RUN_DEVICES_OVERLAP_H
#define RUN_DEVICES_OVERLAP_H

#include "run/devices/messages.h"

/* The windows of boundary planes at each side, and the window of inner planes. */
enum { OVERLAP_INNER = PARTS_SIDES, OVERLAP_WINDOWS };

struct overlap_window {
    int64_t begin, length;  /* planes, as in struct part_along; length 0: no window */
    struct lift_plan *plan; /* owned */
};

/* Turns count exchanges. */
enum overlap_turn { OVERLAP_READY, OVERLAP_TAKEN, OVERLAP_TURNS };

/* The state of messages to other processes. */
enum overlap_messages {
    OVERLAP_NO_MESSAGES,
    OVERLAP_BEGUN,
    OVERLAP_ENDED,
    OVERLAP_FAILED
};

/* Seconds since the beginning of a launch. */
struct overlap_times {
    double edges;        /* end of the boundary planes' computation */
    double began, taken; /* begin and end of the transfer of ghost planes */
    double inner;        /* end of the inner planes' computation */
};

struct overlap {
    struct overlap_window window[OVERLAP_WINDOWS];
    /* 'start' and 'ready' are before and after the boundary planes, 'inner' after the
     * inner planes. 'began' and 'taken' are before and after the fetch of ghost planes.
     */
    struct lift_mark *start, *ready, *inner, *began, *taken;
    /* Arrays of the current launch. */
    struct plan_buffer in[EXPLORE_MAX_LEAVES], out[EXPLORE_MAX_LEAVES];
    int64_t turn[OVERLAP_TURNS]; /* exchanges published to others, under the mutex */
    struct messages messages;    /* of the current launch, to and from other processes */
    enum overlap_messages under_way; /* under the mutex */
    struct lift_error failure;       /* of the messages, under the mutex */
    int64_t exchanges;               /* number begun by the part's thread */
    int64_t sampled;                 /* 'exchanges' when the marks were last read */
    bool timed;
    struct overlap_times times; /* of the last measured launch */
};

/* Plans the windows. Returns false with the reason if parts are too thin, or if a device
 * cannot overlap copies with kernels. With 'anyhow', the device may execute copies and
 * kernels one after the other. */
bool overlap_plan(struct parts *parts, bool anyhow, struct lift_str *why);
/* Returns true if parts and windows have equal layouts. All plans must exist. */
bool overlap_fits(struct parts *parts, struct lift_str *why);
/* Returns the range of planes of a window. */
struct parts_range overlap_range(const struct part *part, int window,
                                 const struct plan_layout *like);
/* Returns the byte offset of a window's array in the part's array. */
int64_t overlap_place(const struct part *part, const struct overlap_window *window,
                      const struct plan_array *whole, const struct plan_array *array);
/* Enqueues one launch and the exchange of a part, in the part's thread. */
bool overlap_launch(struct part *part);
/* Waits until other parts have fetched this part's planes; called before any launch. */
bool overlap_settle(struct part *part);
/* Waits for the device, and reads the times of the last launch. */
bool overlap_wait(struct part *part);
/* Drops the windows: parts then exchange after the launch. */
void overlap_drop(struct parts *parts);

#endif
