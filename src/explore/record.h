/* Writes an exploration to the database. */
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
    bool stored; /* program, problem and device have rows */
};

/* Sets the ids of problem and device, without writing. */
void record_ids(struct recorder *r);
/* Records program, problem and device, once. All functions return false if the database
 * fails. */
bool record_problem(struct recorder *r);
/* Records the environment of the trials that follow. */
bool record_env(struct recorder *r, const char *settings);
/* Records a low-level expression with its derivation and the options that make it, in one
 * transaction. */
bool record_leaf(struct recorder *r, const struct derive_leaf *leaf);
bool record_start(struct recorder *r, const struct candidate_space *candidates,
                  const int *point, enum lift_trial_phase phase, struct lift_hash *id);
/* 'texts' has the job and the log of the build; NULL: no build. */
bool record_finish(struct recorder *r, struct lift_hash id, const struct trial_reply *end,
                   const struct trial_reply *build, const char *texts);
/* Likewise, with 'end' already converted; 'build' NULL: no build. */
bool record_end(struct recorder *r, struct lift_hash id, const struct lift_db_end *end,
                const struct trial_reply *build, const char *texts);

#endif
