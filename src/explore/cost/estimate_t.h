/* Internal declarations of the estimate*.c files. */
#ifndef EXPLORE_COST_ESTIMATE_T_H
#define EXPLORE_COST_ESTIMATE_T_H

#include "explore/cost/sketch.h"
#include "explore/cost/traffic.h"
#include "explore/estimate.h"

/* Loads or stores of a loop body that differ by constants. */
struct body_group {
    int buffer;
    bool store;
    int kept;                      /* see struct sketch_access */
    const struct sketch_index *at; /* index of one of them */
    double first[TRAFFIC_REFS];    /* first byte of each, ascending */
    int count;
    double width, scalar; /* bytes of each reference, and of one number */
};

/* The work of one iteration of a loop, without inner loops. Lanes and straight-line code
 * belong to the enclosing loop. */
struct body {
    int loop;
    int chain[SKETCH_DEPTH]; /* the loop and its enclosing loops, from the innermost
                                outwards */
    int chain_count;
    double ops, lane_ops, blocked, edges, rolled; /* see struct sketch_loop */
    struct body_group groups[TRAFFIC_GROUPS];
    int group_count;
};

/* estimate_computed.c: subtracts operations whose result another place already has:
 * straight-line code, other lanes of a vector, or a window fixed by unrolling. 'apart':
 * lanes share no results. */
void body_share_ops(const struct sketch *s, struct body *b, bool apart);

/* Seconds of bodies that run concurrently, of kernel 'kernel' or -1. */
struct estimate_parts {
    int kernel;
    double compute, levels[ESTIMATE_LEVELS];
    double latency; /* GPUs: least seconds, in which a thread waits for its loads */
};

/* Estimates and sketches that an estimator remembers. */
enum { ESTIMATE_KNOWN = 1 << 15, ESTIMATE_SKETCHES = 8 };

/* A sketch of a term with the numbers of its request. */
struct estimate_sketch {
    lift_expr term; /* NULL: none */
    struct explore_numbers numbers;
    bool good; /* sketch_make succeeded */
    struct sketch *sketch;
    struct lift_arena *arena; /* of the sketch */
    int64_t used;             /* number of the last estimate that used the sketch */
};

struct explore_estimator {
    struct estimate_known {
        uint64_t key; /* a hash of term and configuration; 0: empty slot */
        double guess;
    } * known; /* hash table */
    const struct explore_problem *problem;
    const struct lift_device_info *device;
    struct estimate_sketch sketches[ESTIMATE_SKETCHES];
    int64_t estimates;           /* number of estimates so far */
    const struct sketch *sketch; /* of the current estimate */
    int64_t local[3];            /* threads of a block */
    bool narrow;                 /* indices have 32 bits */
    double shown;   /* bytes of shared memory for registers that other threads read */
    bool clang;     /* clang compiles: wide vectors are in registers, not in memory */
    double f64_ops; /* operations that take the time of one in double precision; 0: not a
                       GPU */
    double asked;   /* required number of resident blocks of a compute unit; 0: any */
    struct body *body;
    struct traffic_group *room; /* TRAFFIC_GROUPS of them */
    struct explore_estimate *out;
    struct estimate_parts beside; /* parts not yet added to the seconds */
    bool ahead;                   /* asynchronous copies overlap with computation */
    double latency;               /* of all kernels */
    double largest;               /* iterations of the largest nest so far */
    double accesses, side_by_side;
};

/* estimate_body.c: the work of loop 'loop'; false if it is merged with another loop or
 * has no work. 'apart': see body_share_ops. */
bool body_make(const struct sketch *s, int loop, bool apart, struct body *out);
/* The loop to which a piece of straight-line code belongs, and its number of repetitions
 * there. */
int body_anchor(const struct sketch *s, int loop, double *repeats);
bool body_is_straight(const struct sketch_loop *l);
/* Bytes from one iteration of a loop of the chain to the next. */
double body_step(const struct body_group *g, const struct sketch_loop *loop);
/* How many times an iteration of the body loads or stores a group. Elements that a stream
 * keeps, and places that inner loops do not change, are not loaded again. */
double body_accesses(const struct explore_estimator *e, const struct body_group *g);
/* How many numbers in the registers of other threads an iteration reads. */
double body_exchanged(const struct explore_estimator *e, const struct body_group *g);
/* Register bytes that streams keep. */
double body_kept(const struct explore_estimator *e);
/* The share of iterations that store a result: tiles may reach beyond the ends of loops.
 */
double body_useful(const struct explore_estimator *e);
/* Bytes of the input and output arrays: the least traffic. */
double body_compulsory(const struct explore_estimator *e);

/* A loop of the nest for the traffic model: 'step' iterations of loop 'loop' run
 * together. */
struct order_loop {
    int loop;
    double step, extent;
};
struct order {
    struct order_loop items[TRAFFIC_SPANS]; /* from the innermost outwards */
    int count;
};

void order_add(struct order *o, int loop, double step, double extent);
/* Bytes moved into and out of a cache by loops in this order. */
double body_traffic(struct explore_estimator *e, const struct order *o,
                    const struct traffic_cache *cache, double store_weight);

/* Bytes per second from the L2 cache into a multiprocessor or core. */
#define GPU_L2_BANDWIDTH 45e9
#define CPU_L2_BANDWIDTH 80e9

/* estimate_cpu.c, estimate_gpu.c: adds the seconds of a body and of its surrounding
 * loops. */
void cpu_add(struct explore_estimator *e);
void cpu_finish(struct explore_estimator *e);
void gpu_add(struct explore_estimator *e);
void gpu_finish(struct explore_estimator *e);
/* Work-groups on a processor: the work-items of a group are loops. */
void pocl_add(struct explore_estimator *e);

/* ceilings.c: operations in single precision that take the time of one in double
 * precision. */
double gpu_f64_ops(const char *arch);

/* Seconds of a body: mainly its longest part, plus a share of the others, which do not
 * fully overlap. */
double estimate_overlap(double compute, const double levels[ESTIMATE_LEVELS]);
/* 'alone': no other part of the kernel runs concurrently. */
void estimate_add(struct explore_estimator *e, double compute,
                  const double levels[ESTIMATE_LEVELS], double overhead, bool alone);
void estimate_end_kernel(struct explore_estimator *e);

#endif
