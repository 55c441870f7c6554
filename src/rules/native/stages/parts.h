/* Several stages on the way to a result: grids that have names at the root, and the part
 * of each that a tile of the result needs. Parts are moved by where the tile begins, so
 * that boundaries are what they were, in places of the grid. */
#ifndef RULES_NATIVE_STAGES_PARTS_H
#define RULES_NATIVE_STAGES_PARTS_H

#include "rules/native/native.h"

enum { MAX_STAGES = 32, MAX_OPENED = 64 };

/* A redex inside of functions: 'e' is closed, the parameters are variables, the grids of
 * tuples among them apart. */
struct opened {
    lift_expr e, vars[MAX_OPENED];
    int count;
    lift_expr parts[MAX_OPENED], grids[MAX_OPENED];
    int part_count;
};

/* False: there are too many functions around it. */
bool stages_open(struct opened *o, struct lift_ir *ir, lift_expr e);
/* 'e' in place of the redex. NULL passes through. */
lift_expr stages_close(const struct opened *o, struct lift_ir *ir, lift_expr e);

/* What a tile needs of a grid: from 'lo' before its first point to 'hi' behind its last.
 */
struct part {
    int64_t lo[LIFT_MAX_DIMS], hi[LIFT_MAX_DIMS];
};

struct stage {
    lift_expr var, value;
    struct part part;
    struct part reach; /* of all that it reads, around each of its elements */
    bool used;
    bool input;  /* a copy of an input */
    bool beside; /* others read it beside their own place, in dimensions inside the first
                  */
    /* Of the stages before: whether this one reads them, and what of them for each of its
     * elements, with its own place. */
    struct {
        bool read;
        struct part at;
    } of[MAX_STAGES];
};

struct stages {
    struct lift_ir *ir;
    struct opened opened;
    const char *why;        /* stages_find: why it cannot be said */
    struct rule_numbers of; /* the outer 'first' of 'dims' dimensions are tiled */
    struct stage items[MAX_STAGES + 1]; /* the last is the result: its grids, */
    int count;                          /* without it */
    lift_expr whole; /* and with what points add to them and lists, which no tile has */
    /* Given: for parts that work-items have in registers, which nothing but numbers can
     * choose. Inputs are stages, too, and nothing is stored on the way. */
    bool registers;
    int64_t early; /* places before the first element that a stream may name: they have no
                    * value */
    lift_nat late; /* and behind the last one; NULL: no stream */
    int zipped;    /* the result was a tuple of grids, and is a grid of tuples now, in so
                    * many dimensions; 0: it is as it was */
    lift_nat len[LIFT_MAX_DIMS];
    bool wraps[LIFT_MAX_DIMS];      /* stages are read around the ends */
    bool repeats[LIFT_MAX_DIMS];    /* at the ends they are clamped, or mirrored */
    lift_expr tile;                 /* its place among the tiles */
    lift_nat k[LIFT_MAX_DIMS];      /* length of the tile in hand */
    lift_expr start[LIFT_MAX_DIMS]; /* where it begins, */
};

/* A part that is there: 't' from 'at' on. */
struct held {
    lift_expr t; /* NULL: it is not */
    struct part at;
};

/* Takes the stages of a redex apart and finds their parts. False if that cannot be said,
 * or there are none; the redex is refused if there is something to say of it. */
bool stages_find(struct stages *x, struct rule_redex *redex);
/* 'part' of stage r for the tile in hand, made of the parts that are held. NULL if it has
 * no such type. */
lift_expr stages_part(const struct stages *x, int r, const struct part *part,
                      const struct held *held);
/* A copy of planes, the points at one place of all of them at once. */
lift_expr stages_columns(const struct stages *x, lift_expr planes);
/* A copy of planes whose rows are one loop; of two planes each if their number is even.
 */
lift_expr stages_rows(const struct stages *x, lift_expr planes);
/* A place among the tiles times their lengths. */
lift_expr stages_begin(const struct stages *x, int d, lift_nat k);
/* True of a tile of 'k' for which nothing outside of the grid is read, from dimension
 * 'first' on. */
lift_expr stages_inside(const struct stages *x, const lift_nat *k, int first);
/* map over tiles of 'k': their grid, as a tuple of grids again if it was one. NULL passes
 * through. In place of the redex. */
lift_expr stages_untiled(const struct stages *x, lift_expr body, const lift_nat *k);
/* 'grid', one tile that has all, without what is beyond the end of the outermost
 * dimension, as a tuple of grids if it was one, in place of the redex. */
lift_expr stages_whole(const struct stages *x, lift_expr grid);
/* A variable for the place among the tiles. */
lift_expr stages_tile_var(const struct stages *x);

#endif
