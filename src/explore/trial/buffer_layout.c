#include "explore/buffer_layout.h"
#include "base/bug.h"
#include "base/half.h"
#include "base/parallel.h"
#include <math.h>
#include <stdatomic.h>
#include <string.h>

enum { POISON = 0xff, ROW_GRAIN = 1 << 20 /* ROW_GRAIN: bytes of work for one thread */ };

static bool number_of(lift_expr e, const struct lift_eval_env *params, double *out,
                      struct lift_str *why)
{
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    struct lift_eval_env env = *params;
    struct lift_value value;
    bool known;

    env.round_f32 = true;
    known = lift_eval(&env, e, arena, &value, why);
    if (known)
        lift_value_flatten(value, out);
    return known;
}

bool place_of(const struct lift_bind *bind, const struct lift_eval_env *params,
              struct place *out, struct lift_str *why)
{
    *out = (struct place){.scalar = bind->scalar, .count = bind->count};
    if (!bind->layout)
        return true;
    out->laid_out = true;
    out->layout = *bind->layout;
    out->layout.fill = NULL;
    out->filled = bind->layout->fill != NULL;
    return !out->filled || number_of(bind->layout->fill, params, &out->fill, why);
}

static bool same_layout(const struct lift_layout *a, const struct lift_layout *b)
{
    if (a->dims != b->dims || a->offset != b->offset)
        return false;
    for (int d = 0; d < a->dims; d++)
        if (a->length[d] != b->length[d] || a->stride[d] != b->stride[d])
            return false;
    return true;
}

bool layout_same(const struct place *a, const struct place *b)
{
    return a->scalar == b->scalar && a->count == b->count && a->laid_out == b->laid_out &&
           a->filled == b->filled && a->fill == b->fill &&
           signbit(a->fill) == signbit(b->fill) &&
           (!a->laid_out || same_layout(&a->layout, &b->layout));
}

static size_t width(const struct place *p)
{
    return (size_t)lift_scalar_bytes(p->scalar);
}

size_t layout_bytes(const struct place *p)
{
    return (size_t)p->count * width(p);
}

/* ---- the halo */

void layout_around(const struct place *p, unsigned char out[PLACE_MOST_BYTES])
{
    double fill = p->fill;
    float f = (float)fill;
    int32_t i = p->scalar == LIFT_I32 ? (int32_t)fill : 0;
    uint16_t half = p->scalar == LIFT_F16 ? lift_f16_of(f) : lift_bf16_of(f);

    memset(out, POISON, PLACE_MOST_BYTES);
    if (!p->filled)
        return;
    if (p->scalar == LIFT_F32)
        memcpy(out, &f, sizeof f);
    else if (p->scalar == LIFT_F64)
        memcpy(out, &fill, sizeof fill);
    else if (lift_scalar_is_storage(p->scalar))
        memcpy(out, &half, sizeof half);
    else
        memcpy(out, &i, sizeof i);
}

/* Fills memory by doubling, at the speed of memory. */
static void repeat(void *to, const unsigned char *element, size_t size, int64_t count)
{
    size_t bytes = size * (size_t)count, done = size;

    if (count <= 0)
        return;
    memcpy(to, element, size);
    for (; done < bytes; done *= 2)
        memcpy((char *)to + done, to, done < bytes - done ? done : bytes - done);
}

/* ---- rows */

int64_t place_rows(const struct lift_layout *l)
{
    int64_t rows = 1;

    LIFT_ASSERT(l->dims >= 1 && l->stride[l->dims - 1] == 1);
    for (int d = 0; d < l->dims - 1; d++)
        rows *= l->length[d];
    return rows;
}

int64_t place_row_start(const struct lift_layout *l, int64_t row)
{
    int64_t at = l->offset;

    for (int d = l->dims - 2; d >= 0; d--) {
        at += row % l->length[d] * l->stride[d];
        row /= l->length[d];
    }
    return at;
}

/* Rows of a grid in its buffer, and the gaps before each row and after the last. */
struct rows {
    const struct place *place;
    char *grid; /* NULL: write NaN */
    char *buffer;
    int64_t count;
    size_t bytes;                           /* bytes of a row */
    unsigned char around[PLACE_MOST_BYTES]; /* the element in the gaps */
    atomic_bool dirty;                      /* a gap has another value */
};

static void find_rows(const struct place *p, const void *grid, const void *buffer,
                      struct rows *out)
{
    const struct lift_layout *l = &p->layout;

    *out = (struct rows){.place = p,
                         .grid = (char *)grid,
                         .buffer = (char *)buffer,
                         .count = place_rows(l),
                         .bytes = width(p) * (size_t)l->length[l->dims - 1]};
    layout_around(p, out->around);
}

/* Visits each row with the gap before it; the last gap has no row. */
static void each_row(struct rows *r, lift_parallel_part *part)
{
    lift_parallel(r->count + 1, 1 + (int64_t)(ROW_GRAIN / (r->bytes + 1)), part, r);
}

static char *row_of(const struct rows *r, int64_t row)
{
    return r->buffer + width(r->place) * (size_t)place_row_start(&r->place->layout, row);
}

/* The gap before a row; rows are in ascending order. */
static char *gap_before(const struct rows *r, int64_t row, int64_t *count)
{
    char *from = row > 0 ? row_of(r, row - 1) + r->bytes : r->buffer;
    char *to = row < r->count ? row_of(r, row) : r->buffer + layout_bytes(r->place);

    LIFT_ASSERT(from <= to);
    *count = (to - from) / (int64_t)width(r->place);
    return from;
}

static void write_rows(void *user, int64_t from, int64_t to)
{
    const struct rows *r = user;

    for (int64_t i = from, gap; i < to; i++) {
        char *at = gap_before(r, i, &gap);

        repeat(at, r->around, width(r->place), gap);
        if (i < r->count && r->grid)
            memcpy(row_of(r, i), r->grid + r->bytes * (size_t)i, r->bytes);
        else if (i < r->count)
            memset(row_of(r, i), POISON, r->bytes);
    }
}

static void write_all(const struct place *p, const void *grid, void *buffer)
{
    struct rows r;

    find_rows(p, grid, buffer, &r);
    each_row(&r, write_rows);
}

void layout_write(const struct place *p, const void *grid, void *buffer)
{
    if (p->laid_out)
        write_all(p, grid, buffer);
    else
        lift_parallel_copy(buffer, grid, layout_bytes(p));
}

void layout_poison(const struct place *p, void *buffer)
{
    if (p->laid_out && p->filled)
        write_all(p, NULL, buffer);
    else
        lift_parallel_set(buffer, POISON, layout_bytes(p));
}

/* True if the gap has the right value: its first element is right, and all others equal
 * the first. */
static bool is_clean(const struct rows *r, const char *gap, int64_t count)
{
    size_t w = width(r->place);

    return count == 0 || (memcmp(gap, r->around, w) == 0 &&
                          memcmp(gap, gap + w, w * (size_t)(count - 1)) == 0);
}

static void read_rows(void *user, int64_t from, int64_t to)
{
    struct rows *r = user;

    for (int64_t i = from, gap; i < to; i++) {
        const char *at = gap_before(r, i, &gap);

        if (!is_clean(r, at, gap))
            atomic_store(&r->dirty, true);
        if (i < r->count)
            memcpy(r->grid + r->bytes * (size_t)i, row_of(r, i), r->bytes);
    }
}

bool layout_read(const struct place *p, const void *buffer, void *grid)
{
    struct rows r;

    if (!p->laid_out) {
        lift_parallel_copy(grid, buffer, layout_bytes(p));
        return true;
    }
    find_rows(p, grid, buffer, &r);
    each_row(&r, read_rows);
    return !atomic_load(&r.dirty);
}
