/* Grids inside buffers that are larger: by the layout of a module's bind. */
#ifndef EXPLORE_BUFFER_LAYOUT_H
#define EXPLORE_BUFFER_LAYOUT_H

#include "codegen/kernel.h"
#include "ir/eval.h"

/* A buffer as a device sees it. */
struct place {
    enum lift_scalar scalar;
    int64_t count;             /* elements, halo included */
    bool laid_out;             /* else row-major, without gaps */
    struct lift_layout layout; /* if laid_out; without its expression */
    bool filled;
    double fill; /* value of the halo */
};

/* 'params' knows the parameters. False and a reason if the number around the grid has no
 * value. */
bool place_of(const struct lift_bind *bind, const struct lift_eval_env *params,
              struct place *out, struct lift_str *why);
bool layout_same(const struct place *a, const struct place *b);
size_t layout_bytes(const struct place *p);
/* The element of the halo: the halo's number, or NaN where no kernel reads it. */
enum { PLACE_MOST_BYTES = 8 };
void layout_around(const struct place *p, unsigned char out[PLACE_MOST_BYTES]);

/* Rows of a grid that is laid out, and the element at which each begins. */
int64_t place_rows(const struct lift_layout *layout);
int64_t place_row_start(const struct lift_layout *layout, int64_t row);

/* The whole buffer from the grid's elements, row-major. */
void layout_write(const struct place *p, const void *grid, void *buffer);
/* Likewise, with NaN in place of the grid. */
void layout_poison(const struct place *p, void *buffer);
/* The grid's elements from the buffer. False if around them lies something else than
 * layout_write puts there. */
bool layout_read(const struct place *p, const void *buffer, void *grid);

#endif
