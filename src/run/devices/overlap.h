/* Boundary first: of the last launch before an exchange, the planes at both ends of a
 * part are computed before all others, into memory of their own, from where neighbours
 * fetch them while the inner planes are computed. Each of the three is the program itself
 * at the size of a window of the part's planes (lift/cut.h): what it gets wrong at the
 * ends of the inner window, it gets right in the others. */
#ifndef RUN_DEVICES_OVERLAP_H
#define RUN_DEVICES_OVERLAP_H

#include "run/devices/messages.h"

/* The edge at each side, and what a part has of its own. */
enum { OVERLAP_INNER = PARTS_SIDES, OVERLAP_WINDOWS };

struct overlap_window {
    int64_t begin, length;  /* planes of the grid, as 'begin' of a part; length 0: none */
    struct lift_plan *plan; /* owned */
    bool copied[EXPLORE_MAX_LEAVES]; /* inputs of an edge that its kernel overwrites */
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
    /* Before and behind the edges, behind the inner planes; before and behind what is
     * fetched. */
    struct lift_mark *start, *ready, *inner, *began, *taken;
    struct plan_buffer shown[EXPLORE_MAX_LEAVES]; /* inputs of the launch in hand */
    int64_t turn[OVERLAP_TURNS]; /* under the mutex of all parts: what others may use */
    struct messages messages;    /* of the launch in hand, to and from other processes */
    enum overlap_messages under_way; /* under the mutex ... */
    struct lift_plan_error failure;  /* ... and why they failed */
    int64_t exchanges;               /* begun by its own thread */
    int64_t sampled;                 /* at the last look at the marks */
    bool timed;
    struct overlap_times times; /* of the last launch that was looked at */
};

/* Where the windows are. False, and why, if parts are too thin, or a device does not copy
 * beside its kernels; with 'anyhow', it may do so one after the other. */
bool overlap_plan(struct parts *parts, bool anyhow, struct lift_str *why);
/* Once there are plans of all parts and windows: whether they lie alike. */
bool overlap_fits(struct parts *parts, struct lift_str *why);
/* One launch and the exchange, of a part in its thread: enqueued only. */
bool overlap_launch(struct part *part);
/* Waits until others have what they fetch of this part: before any launch. */
bool overlap_settle(struct part *part);
/* Waits for the device, and looks at the time that was spent. */
bool overlap_wait(struct part *part);
/* Parts exchange after the launch, as without. */
void overlap_drop(struct parts *parts);

#endif
