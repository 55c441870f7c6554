/* Derivations in short: the macros and rules of the way on which an expression was found
 * first, in order; a macro stands for its steps, 'rule*3' for three in a row. Two files
 * that know an expression under different hashes may still tell the same story. */
#ifndef EXPLORE_STORY_H
#define EXPLORE_STORY_H

#include "explore/derive.h"
#include "lift/db_query.h"
#include "lift/str.h"

void explore_story(const struct derivation *d, int leaf, struct lift_str *out);
/* The same of an expression of a database that was derived from this root; empty for the
 * root itself, and if it was derived from another. Rules have their present names. False
 * if the database says no. */
bool explore_story_stored(struct lift_db *db, const struct lift_rules *rules,
                          struct lift_hash root, struct lift_hash expr,
                          struct lift_str *out);

#endif
