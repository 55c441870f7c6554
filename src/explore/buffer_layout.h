/* Grids inside larger buffers, by the layout of a module's bind. */
#ifndef EXPLORE_BUFFER_LAYOUT_H
#define EXPLORE_BUFFER_LAYOUT_H

#include "codegen/kernel.h"
#include "ir/eval.h"

/* A buffer in the device's layout. */
struct place {
    enum lift_scalar scalar;
    int64_t count;             /* elements, halo included */
    bool laid_out;             /* false: row-major, without gaps */
    struct lift_layout layout; /* set if 'laid_out'; without its expression */
    bool filled;
    double fill; /* value of the halo */
};

/* 'params' has the values of the parameters. Returns false and a reason if the halo's
 * value has no number. */
bool place_of(const struct lift_bind *bind, const struct lift_eval_env *params,
              struct place *out, struct lift_str *why);
bool layout_same(const struct place *a, const struct place *b);
size_t layout_bytes(const struct place *p);
/* The bytes of an element of the halo: the halo's value, or NaN where no kernel reads the
 * halo. */
enum { PLACE_MOST_BYTES = 8 };
void layout_around(const struct place *p, unsigned char out[PLACE_MOST_BYTES]);

/* Number of rows of a grid with a layout, and the first element of each row. */
int64_t place_rows(const struct lift_layout *layout);
int64_t place_row_start(const struct lift_layout *layout, int64_t row);

/* Writes the whole buffer: the grid's elements, row-major, and the halo. */
void layout_write(const struct place *p, const void *grid, void *buffer);
/* Like layout_write, with NaN in place of the grid. */
void layout_poison(const struct place *p, void *buffer);
/* Reads the grid's elements from the buffer. Returns false if the halo differs from the
 * halo that layout_write writes. */
bool layout_read(const struct place *p, const void *buffer, void *grid);

#endif
