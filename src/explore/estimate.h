/* What a candidate will cost, guessed from its term before anything is compiled: a
 * roofline of operations, bytes moved between the levels of memory, and how much of the
 * device has work. It orders candidates and never rules one out: a guess is right about
 * factors of two, and wrong about a fifth. Only the term, its numbers and the kind of
 * device count, never a measurement. */
#ifndef EXPLORE_ESTIMATE_H
#define EXPLORE_ESTIMATE_H

#include "explore/candidate_space.h"

/* Levels whose traffic is counted: into L1, into L2, from memory. */
enum { ESTIMATE_LEVELS = 3 };

struct explore_estimate {
    double seconds; /* all of the below; infinite: there is no estimate */
    double compute; /* seconds of operations, loads and stores, and of loops */
    double levels[ESTIMATE_LEVELS]; /* seconds of the traffic */
    double bytes[ESTIMATE_LEVELS];  /* moved */
    double overhead;                /* seconds of launches, threads and barriers */
    double code;          /* operations in the source, which say what compilers take */
    double parallel;      /* threads or work-items that have work, in the largest nest */
    double contiguous;    /* part of the loads and stores whose neighbours, lanes or
                             work-items, lie side by side; 0 to 1 */
    double private_bytes; /* registers of a work-item or thread */
    double local_bytes;   /* local memory of a group */
    double resident;      /* groups that a multiprocessor holds; 0: the device has none */
};

/* Room that estimates for a problem on a device share; one thread at a time. Both outlive
 * it. NULL is legal for 'destroy'. */
struct explore_estimator;
struct explore_estimator *explore_estimator_create(const struct explore_problem *problem,
                                                   const struct lift_device_info *device);
void explore_estimator_destroy(struct explore_estimator *e);

/* Of a point of a candidate space's space. False, and infinite seconds, if the term is
 * too large for a sketch. The same arguments give the same answer on machines with the
 * same caches. Takes some 50 to 100 microseconds. */
bool explore_estimate(struct explore_estimator *e,
                      const struct candidate_space *candidates, const int *point,
                      struct explore_estimate *out);

/* The estimate as one number that orders candidates, in seconds: a kernel that compilers
 * take ten seconds for counts as twice as slow. The latest ones are remembered, since a
 * model asks for the same points again. 'point' has 0 beyond the parameters. */
double explore_guess(struct explore_estimator *e,
                     const struct candidate_space *candidates, const int *point);

/* Ceilings of rooflines. */
struct explore_ceilings {
    double gflops; /* 10^9 floating-point operations a second, a multiply-add is two */
    double l2_gbs; /* 10^9 bytes a second from the L2 cache, as estimates assume */
};

/* Of a device with an architecture as in struct lift_device_info and a measured clock,
 * for "f32" or "f64". Members are 0 if the architecture is unknown, 'gflops' if the clock
 * is 0. */
struct explore_ceilings explore_ceilings(const char *arch, int compute_units,
                                         const char *dtype, double mhz);

#endif
