/* Tiling with tiles that another rule chooses. */
#ifndef RULE_TILE_H
#define RULE_TILE_H

#include "native.h"

/* As rule_tile, in tiles of 'k', one for each of the site's dimensions. */
void rule_tile_by(struct rule_site *site, const lift_nat *k);

#endif
