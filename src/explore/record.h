/* Writing an exploration into the database. */
#ifndef EXPLORE_RECORD_H
#define EXPLORE_RECORD_H

#include "explore/derive.h"
#include "explore/trial.h"
#include "tuner/db.h"

struct recorder {
    struct lift_db *db;
    const struct explore_problem *problem;
    struct derivation *derivation;
    const struct lift_device_info *device;
    struct lift_hash problem_id, device_id, session, env;
};

/* Program, problem and device. All calls: false if the database says no. */
bool record_problem(struct recorder *r);
/* Where the trials that follow are run. */
bool record_env(struct recorder *r, const char *settings);
/* A low-level expression with its whole derivation and the options that it is made by, in
 * one transaction. */
bool record_leaf(struct recorder *r, const struct derive_leaf *leaf);
bool record_start(struct recorder *r, const struct candidate_space *candidates,
                  const int *point, enum lift_trial_phase phase, struct lift_hash *id);
/* 'texts', the job and the log, follow the reply of the build; NULL: there was none. */
bool record_finish(struct recorder *r, struct lift_hash id, const struct trial_reply *end,
                   const struct trial_reply *build, const char *texts);
/* The same, 'end' without a build. */
bool record_end(struct recorder *r, struct lift_hash id, const struct lift_db_end *end,
                const struct trial_reply *build, const char *texts);

#endif
