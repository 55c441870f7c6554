/* Estimates the cost of a candidate from its term, before compilation: a roofline of
 * operations, of bytes moved between levels of memory, and of the busy share of the
 * device. Estimates order candidates and never exclude one: factors of two are reliable,
 * differences of a fifth are not. Estimates use the term, its numbers and the kind of
 * device, never a measurement. */
#ifndef EXPLORE_ESTIMATE_H
#define EXPLORE_ESTIMATE_H

#include "explore/candidate_space.h"

/* Levels of memory with a traffic estimate: into L1, into L2, from memory. */
enum { ESTIMATE_LEVELS = 3 };

struct explore_estimate {
    double seconds; /* all of the members below; infinite: no estimate */
    double compute; /* seconds of operations, loads and stores, and of loops */
    double levels[ESTIMATE_LEVELS]; /* seconds of each level's traffic */
    double bytes[ESTIMATE_LEVELS];  /* bytes moved */
    double overhead;                /* seconds of launches, threads and barriers */
    double code;       /* operations in the source, a measure of compilation time */
    double parallel;   /* busy threads or work-items in the largest nest */
    double contiguous; /* share of loads and stores in which adjacent lanes or work-items
                          access adjacent elements; 0 to 1 */
    double private_bytes; /* register bytes of a work-item or thread */
    double local_bytes;   /* shared memory of a block */
    double resident;      /* resident blocks of a multiprocessor; 0: not a GPU */
    bool exceeds; /* the shared memory exceeds the device's: seconds are infinite */
};

/* Memory shared by the estimates for a problem on a device; one thread at a time may use
 * it. Problem and device must outlive it. 'destroy' accepts NULL. */
struct explore_estimator;
struct explore_estimator *explore_estimator_create(const struct explore_problem *problem,
                                                   const struct lift_device_info *device);
void explore_estimator_destroy(struct explore_estimator *e);

/* Estimates a configuration of a candidate space. Returns false, and infinite seconds, if
 * the term is too large for a sketch. Equal arguments give equal results on machines with
 * equal caches. Takes 50 to 100 microseconds. */
bool explore_estimate(struct explore_estimator *e,
                      const struct candidate_space *candidates, const int *point,
                      struct explore_estimate *out);

/* The estimate as one number in seconds, which orders candidates: ten seconds of
 * compilation count as a factor of two. Recent estimates are remembered, since a model
 * asks for them repeatedly. 'point' is 0 beyond the parameters. */
double explore_guess(struct explore_estimator *e,
                     const struct candidate_space *candidates, const int *point);

/* Ceilings of rooflines. */
struct explore_ceilings {
    double gflops; /* 10^9 floating-point operations per second; a multiply-add counts as
                      two */
    double l2_gbs; /* 10^9 bytes per second from the L2 cache, as estimates assume */
};

/* Ceilings for "f32" or "f64" of a device with an architecture as in struct
 * lift_device_info and a measured clock. Members are 0 if the architecture is unknown,
 * 'gflops' also if the clock is 0. */
struct explore_ceilings explore_ceilings(const char *arch, int compute_units,
                                         const char *dtype, double mhz);

#endif
