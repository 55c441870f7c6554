/* The best kernels of a database as a database of their own. */
#ifndef LIFT_TUNER_DB_BEST_H
#define LIFT_TUNER_DB_BEST_H

#include "tuner/db_tables.h"

/* Copies the 'most' best expressions of each problem and device into an empty database,
 * each with its best numbers: their tries, checks, samples and derivations, without
 * sources and the texts of terms on the way. False, and an error of 'to'. */
bool db_select_best(struct lift_db *to, struct lift_db *from, int64_t most);

#endif
