/* The inside of estimates, shared by the files estimate*.c. */
#ifndef EXPLORE_COST_ESTIMATE_T_H
#define EXPLORE_COST_ESTIMATE_T_H

#include "explore/cost/sketch.h"
#include "explore/cost/traffic.h"
#include "explore/estimate.h"

/* Loads, or stores, of a loop body that differ by constants. */
struct body_group {
    int buffer;
    bool store;
    int kept;                      /* see struct sketch_access */
    const struct sketch_index *at; /* of one of them */
    double first[TRAFFIC_REFS];    /* where each begins, in bytes, ascending */
    int count;
    double width, scalar; /* bytes of each, of one number */
};

/* What a loop does in each iteration, inner loops apart: lanes and straight-line code
 * belong to the loop around them. */
struct body {
    int loop;
    int chain[SKETCH_DEPTH]; /* the loop and those around it, the innermost first */
    int chain_count;
    double ops, lane_ops, blocked, edges, rolled; /* see struct sketch_loop */
    struct body_group groups[TRAFFIC_GROUPS];
    int group_count;
};

/* estimate_computed.c: takes off the operations of the body that are not done anew, since
 * straight-line code, the lanes of a vector or a window that is fixed by unrolling has
 * their result. 'apart': each lane of a vector is computed by itself. */
void body_share_ops(const struct sketch *s, struct body *b, bool apart);

/* Seconds of bodies that run concurrently, of kernel 'kernel' or -1. */
struct estimate_parts {
    int kernel;
    double compute, levels[ESTIMATE_LEVELS];
};

/* Guesses that an estimator remembers. */
enum { ESTIMATE_KNOWN = 1 << 15 };

struct explore_estimator {
    struct estimate_known {
        uint64_t key; /* a hash of term and point; 0: nothing is here */
        double guess;
    } * known; /* by key */
    const struct explore_problem *problem;
    const struct lift_device_info *device;
    struct sketch *sketch;
    int64_t local[3]; /* work-items of a group */
    bool narrow;      /* indices have 32 bits */
    double shown;     /* bytes of local memory for registers that others read */
    bool clang;       /* it compiles: wide vectors are in registers, not in memory */
    double asked;     /* groups that a compute unit has to have room for; 0: any */
    struct body *body;
    struct traffic_group *room; /* TRAFFIC_GROUPS of them */
    struct explore_estimate *out;
    struct estimate_parts beside; /* not yet in the sum of seconds */
    bool ahead;                   /* asynchronous copies overlap with computation */
    double largest;               /* iterations of the largest nest so far */
    double accesses, side_by_side;
};

/* estimate_body.c: the work of loop 'loop'; false if it is merged with another loop or
 * has no work. 'apart': see body_share_ops. */
bool body_make(const struct sketch *s, int loop, bool apart, struct body *out);
/* The loop that a piece of straight-line code belongs to, and how often it is repeated
 * there. */
int body_anchor(const struct sketch *s, int loop, double *repeats);
bool body_is_straight(const struct sketch_loop *l);
/* Bytes from one iteration of a loop of the chain to the next. */
double body_step(const struct body_group *g, const struct sketch_loop *loop);
/* How many times each iteration of the body a group is loaded or stored: elements that a
 * stream keeps and places that inner loops do not change are not loaded again. */
double body_accesses(const struct explore_estimator *e, const struct body_group *g);
/* Bytes of registers that streams keep. */
double body_kept(const struct explore_estimator *e);
/* Part of the iterations that have a result to store: loops end where tiles stick out. */
double body_useful(const struct explore_estimator *e);
/* Bytes of the arrays that it reads and writes: as many at least move. */
double body_compulsory(const struct explore_estimator *e);

/* A loop of the nest as memory sees it: 'step' iterations of loop 'loop' at a time. */
struct order_loop {
    int loop;
    double step, extent;
};
struct order {
    struct order_loop items[TRAFFIC_SPANS]; /* the innermost first */
    int count;
};

void order_add(struct order *o, int loop, double step, double extent);
/* Bytes that move into and out of a cache while the loops of that order run. */
double body_traffic(struct explore_estimator *e, const struct order *o,
                    const struct traffic_cache *cache, double store_weight);

/* Bytes a second from the L2 cache of a multiprocessor or core. */
#define GPU_L2_BANDWIDTH 45e9
#define CPU_L2_BANDWIDTH 80e9

/* estimate_cpu.c, estimate_gpu.c: adds the seconds of a body, and of what surrounds all.
 */
void cpu_add(struct explore_estimator *e);
void cpu_finish(struct explore_estimator *e);
void gpu_add(struct explore_estimator *e);
void gpu_finish(struct explore_estimator *e);
/* Work-groups on a processor: the work-items of a group are loops. */
void pocl_add(struct explore_estimator *e);

/* The parts of the body's time: mostly the longest, and some of the others, since they do
 * not overlap fully. */
double estimate_overlap(double compute, const double levels[ESTIMATE_LEVELS]);
/* 'alone': nothing else of its kernel runs meanwhile. */
void estimate_add(struct explore_estimator *e, double compute,
                  const double levels[ESTIMATE_LEVELS], double overhead, bool alone);
void estimate_end_kernel(struct explore_estimator *e);

#endif
