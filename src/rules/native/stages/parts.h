/* Intermediates (stages) of a result: grids that lets at the root bind. A tile of the
 * result needs a part of each intermediate. Indices in a part are shifted by the start of
 * the tile, so that boundary predicates test indices of the grid. */
#ifndef RULES_NATIVE_STAGES_PARTS_H
#define RULES_NATIVE_STAGES_PARTS_H

#include "rules/native/native.h"

enum { MAX_STAGES = 32, MAX_OPENED = 64 };

/* A redex inside functions: 'e' is closed, and free variables replace the parameters.
 * Each grid of a tuple parameter has a separate variable. */
struct opened {
    lift_expr e, vars[MAX_OPENED];
    int count;
    lift_expr parts[MAX_OPENED], grids[MAX_OPENED];
    int part_count;
};

/* Returns false if too many functions surround the redex. */
bool stages_open(struct opened *o, struct lift_ir *ir, lift_expr e);
/* Returns the term with 'e' in place of the redex. NULL gives NULL. */
lift_expr stages_close(const struct opened *o, struct lift_ir *ir, lift_expr e);

/* The part of a grid that a tile needs: from 'lo' elements before the tile's first point
 * to 'hi' elements after its last point. */
struct part {
    int64_t lo[LIFT_MAX_DIMS], hi[LIFT_MAX_DIMS];
};

struct stage {
    lift_expr var, value;
    struct part part;
    struct part reach; /* the range of all its reads, around each of its elements */
    bool used;
    bool input;  /* a copy of an input */
    bool beside; /* others read its neighbours, in dimensions after the first */
    /* For each earlier intermediate: whether this intermediate reads it, and the range
     * 'at' around each element, including the element's own index. */
    struct {
        bool read;
        struct part at;
    } of[MAX_STAGES];
};

struct stages {
    struct lift_ir *ir;
    struct opened opened;
    const char *why;        /* stages_find: the reason why the analysis fails */
    struct rule_numbers of; /* the outer 'first' of 'dims' dimensions are tiled */
    struct stage
        items[MAX_STAGES + 1]; /* the last item is the result, without its lists */
    int count;                 /* number of items, excluding the result */
    lift_expr whole; /* the result with point injections and lists, which tiles do not
                        compute */
    /* Set by the caller: parts are in registers of work-items, which only constants can
     * index. Inputs are then also intermediates, and no intermediate is stored. */
    bool registers;
    int64_t early; /* number of indices before the first element that a stream may read;
                      these elements have no value */
    lift_nat late; /* the corresponding number after the last element; NULL: no stream */
    int zipped;    /* the result, a tuple of grids, is zipped to a grid of tuples in this
                      number of dimensions; 0: not zipped */
    lift_nat len[LIFT_MAX_DIMS];
    bool wraps[LIFT_MAX_DIMS];   /* intermediates have periodic boundaries */
    bool repeats[LIFT_MAX_DIMS]; /* intermediates have clamped or mirrored boundaries */
    lift_expr tile;              /* the index of the current tile */
    lift_nat k[LIFT_MAX_DIMS];   /* lengths of the current tile */
    lift_expr start[LIFT_MAX_DIMS]; /* the first index of the current tile */
};

/* An available part: the term 't' contains the part 'at'. */
struct held {
    lift_expr t; /* NULL: not available */
    struct part at;
};

/* Parses the intermediates of a redex and finds their parts. Returns false if the redex
 * has no intermediates, or the analysis fails. Some failures reject the redex with a
 * reason. */
bool stages_find(struct stages *x, struct rule_redex *redex);
/* Computes 'part' of intermediate r for the current tile from the available parts. NULL
 * on a type error. */
lift_expr stages_part(const struct stages *x, int r, const struct part *part,
                      const struct held *held);
/* Copies planes; the innermost loop copies one point of all planes. */
lift_expr stages_columns(const struct stages *x, lift_expr planes);
/* Copies planes by one loop over rows. If the number of planes is even, each row spans
 * two planes. */
lift_expr stages_rows(const struct stages *x, lift_expr planes);
/* Returns the index of the current tile in dimension 'd' times the tile length 'k'. */
lift_expr stages_begin(const struct stages *x, int d, lift_nat k);
/* Returns a predicate: the tile of lengths 'k' reads no element outside the grid in the
 * dimensions from 'first' to the innermost. */
lift_expr stages_inside(const struct stages *x, const lift_nat *k, int first);
/* Replaces the redex by a map of 'body' over tiles of lengths 'k', joined to a grid. If
 * the result is a tuple of grids, the grid is unzipped. NULL gives NULL. */
lift_expr stages_untiled(const struct stages *x, lift_expr body, const lift_nat *k);
/* Replaces the redex by 'grid', a single tile, without elements after the end of the
 * outermost dimension. If the result is a tuple of grids, the grid is unzipped. */
lift_expr stages_whole(const struct stages *x, lift_expr grid);
/* Returns a variable for the index of the current tile. */
lift_expr stages_tile_var(const struct stages *x);

#endif
