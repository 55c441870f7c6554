/* One exploration in progress: what explore.c sets up and the loop uses. */
#ifndef EXPLORE_SESSION_H
#define EXPLORE_SESSION_H

#include "explore/ask.h"
#include "explore/record.h"
#include "lift/explore.h"

struct session {
    const struct lift_explore_options *options;
    struct lift_explore_result *result;
    struct explore_problem *problem;
    struct lift_explore_device device;
    struct derivation *derivation;
    struct explore_arm *arms; /* by leaf, those without a space left out */
    int *leaves;              /* of the arms */
    int arm_count;
    bool *tried;          /* of the arms */
    struct tally armless; /* why leaves have no arm */
    struct explore_bench bench;
    const struct lift_joint *joint; /* of the arms */
    struct explore_ask *ask;
    struct recorder recorder;
    struct lift_worker *builder, *runner;
    double started; /* of the session, by session_now */
};

/* Seconds of a clock that only goes forward. */
double session_now(void);
/* Brings the figures up to date and hands them to the caller's function. */
void session_report(struct session *s, const char *stage);
/* False, and the result failed for that reason. */
bool session_fail(struct session *s, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* reach.c: what could be reached and what of it was not tried, at the end; into the
 * result and the database. */
bool session_reach(struct session *s);

/* loop.c: tells the technique of the database's tries, then tries until the end. */
bool session_resume(struct session *s);
bool session_loop(struct session *s);

#endif
