/* Shared by the rules of tiling. The variant of a rule is the number of dimensions of the
 * nest, or 10 times that and how many of them, the outer ones, are tiled. */
#ifndef RULE_TILE_DIMS_H
#define RULE_TILE_DIMS_H

#include "natives.h"
#include "nd.h"

struct tile_dims {
    int nest, tiled;
};

static inline struct tile_dims tile_dims(int variant)
{
    return variant < 10 ? (struct tile_dims){variant, variant}
                        : (struct tile_dims){variant / 10, variant % 10};
}

#endif
