/* Interference: other work that disturbed the measurements of a session on one device. */
#ifndef EXPLORE_SESSION_INTERFERENCE_H
#define EXPLORE_SESSION_INTERFERENCE_H

#include "base/stats.h"
#include "base/str.h"
#include "device/load.h"
#include "explore/trial.h"

struct device_session;
struct lift_choice;

struct interference {
    struct lift_load_sum load;
    bool apart;    /* the device is not this machine's processor */
    int samples;   /* samples of the session */
    int held_back; /* samples that were disturbed, in another state of the machine than
                      most samples of their trial, or taken at a reduced clock */
    struct lift_interval naive_first; /* seconds of a step of the naive kernel at the
                                         start of the session; 0: not timed */
    /* Time in the final benchmark, divided by the time in the search; 0: unknown. */
    double naive_drift, best_drift;
    double spread;  /* quartile distance of the fastest finalist's samples, divided by the
                       median; 0: unknown */
    double fastest; /* seconds of this finalist; 0: none */
};

/* Adds the samples of a trial or a finalist. */
void interference_add(struct interference *all, const struct lift_load_sum *load,
                      const struct lift_db_clock *clocks, int count);
/* Takes the kept samples of a finalist: 'spread' is that of the fastest. */
void interference_take_finalist(struct interference *all, const double *samples,
                                int count);

/* Sets 'naive_first' from at least three samples of launches that compute 'steps' steps.
 * Fewer samples allow no judgement. */
void interference_take_naive(struct interference *all, const struct trial_reply *end,
                             int steps);
/* Compares the naive kernel in the final benchmark with 'naive_first'. */
void interference_compare_naive(struct interference *all,
                                const struct lift_interval *last);

/* True if results of the session should be timed again on a quiet machine. */
bool interference_is_busy(const struct interference *all);
/* Appends "quiet", or "busy: " and the reasons. Appends nothing if nothing is known. */
void interference_words(const struct interference *all, struct lift_str *out);
/* Appends the row of the database as a JSON object; docs/database-schema.md describes its
 * members. */
void interference_json(const struct interference *all, struct lift_str *out);

/* Stores the device session's row, unless nothing is known. Returns false if the database
 * fails. */
bool device_session_put_interference(struct device_session *l);

#endif
