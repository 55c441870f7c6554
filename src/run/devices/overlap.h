/* Boundary first: in the last launch before an exchange, a part computes its boundary
 * planes before its inner planes, so that the exchange overlaps with the inner planes.
 * Each of the three windows is a part of the part: the program at the window's size, on
 * views of the part's arrays. The planes that it reads outside the window are in these
 * arrays (lift_cut_open). So each plane is computed once. */
#ifndef RUN_DEVICES_OVERLAP_H
#define RUN_DEVICES_OVERLAP_H

#include "run/devices/messages.h"

/* The windows of boundary planes at each side, and the window of inner planes. */
enum { OVERLAP_INNER = PARTS_SIDES, OVERLAP_WINDOWS };

struct overlap_window {
    int64_t begin, length;  /* planes of the grid, as 'begin' of a part; length 0: none */
    struct lift_plan *plan; /* owned */
};

/* Turns count exchanges. */
enum overlap_turn { OVERLAP_READY, OVERLAP_TAKEN, OVERLAP_TURNS };

/* What becomes of messages to other processes. */
enum overlap_messages {
    OVERLAP_NO_MESSAGES,
    OVERLAP_BEGUN,
    OVERLAP_ENDED,
    OVERLAP_FAILED
};

/* Seconds from the beginning of a launch on. */
struct overlap_times {
    double edges;        /* are computed until then */
    double began, taken; /* ghost planes are on their way in between */
    double inner;        /* planes are computed until then */
};

struct overlap {
    struct overlap_window window[OVERLAP_WINDOWS];
    /* Before and after the boundary planes, after the inner planes; before and after the
     * fetch of ghost planes. */
    struct lift_mark *start, *ready, *inner, *began, *taken;
    /* Arrays of the current launch. */
    struct plan_buffer in[EXPLORE_MAX_LEAVES], out[EXPLORE_MAX_LEAVES];
    int64_t turn[OVERLAP_TURNS]; /* under the mutex of all parts: what others may use */
    struct messages messages;    /* of the current launch, to and from other processes */
    enum overlap_messages under_way; /* under the mutex ... */
    struct lift_error failure;       /* ... and why they failed */
    int64_t exchanges;               /* begun by its own thread */
    int64_t sampled;                 /* at the last look at the marks */
    bool timed;
    struct overlap_times times; /* of the last launch that was looked at */
};

/* Plans the windows. False and the reason if parts are too thin, or if a device cannot
 * overlap copies with kernels; with 'anyhow', it may execute them one after the other. */
bool overlap_plan(struct parts *parts, bool anyhow, struct lift_str *why);
/* Once there are plans of all parts and windows: whether they lie alike. */
bool overlap_fits(struct parts *parts, struct lift_str *why);
/* What a plan of a window is of. */
struct parts_range overlap_range(const struct part *part, int window,
                                 const struct plan_layout *like);
/* Where a window's array begins in the part's, in bytes. */
int64_t overlap_place(const struct part *part, const struct overlap_window *window,
                      const struct plan_array *whole, const struct plan_array *array);
/* One launch and the exchange, of a part in its thread: enqueued only. */
bool overlap_launch(struct part *part);
/* Waits until others have what they fetch of this part: before any launch. */
bool overlap_settle(struct part *part);
/* Waits for the device, and looks at the time that was spent. */
bool overlap_wait(struct part *part);
/* Parts exchange after the launch, as without. */
void overlap_drop(struct parts *parts);

#endif
