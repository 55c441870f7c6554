/* Tiling with tiles that another rule chooses. */
#ifndef RULES_NATIVE_TILE_H
#define RULES_NATIVE_TILE_H

#include "rules/native/native.h"

/* Like rule_tile, with tiles of 'k', one size for each dimension of the redex. */
void rule_tile_by(struct rule_redex *redex, const lift_nat *k);

/* Returns the maximal length of a tile along a dimension of length 'len'. */
int64_t tile_longest(lift_nat len);

#endif
