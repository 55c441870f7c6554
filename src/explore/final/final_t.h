/* The final benchmark of one device. */
#ifndef EXPLORE_FINAL_FINAL_T_H
#define EXPLORE_FINAL_FINAL_T_H

#include "explore/final/finalist.h"
#include "explore/session/session.h"

struct final {
    struct device_session *device_session;
    struct finalist list[MOST_FINALISTS]; /* attempts are in the queue */
    int count;
    double deadline; /* end of timing, by lift_seconds; 0: none */
    double began;    /* start of timing, by lift_seconds */
};

/* final_results.c: the index of the fastest finalist, without the naive kernel; -1: none.
 * 'store' writes all rows in one transaction: a final benchmark is stored whole or not at
 * all. It returns false with the session's result failed. */
int final_fastest(const struct final *f);
bool final_store(struct final *f);

#endif
