#include "ref/grid.h"
#include <string.h>

static void update_row(const struct ref_problem *p, int radius, ref_point *f,
                       const float *in, float *out)
{
    ptrdiff_t sy = p->nx;
    ptrdiff_t sz = sy * p->ny;

    for (int x = radius; x < p->nx - radius; x++)
        out[x] = (float)f(in + x, sy, sz);
}

static void update_plane(const struct ref_problem *p, int radius, ref_point *f,
                         const float *in, float *out)
{
    for (int y = radius; y < p->ny - radius; y++) {
        size_t row = (size_t)y * (size_t)p->nx;

        update_row(p, radius, f, in + row, out + row);
    }
}

void ref_interior2(const struct ref_problem *p, int radius, ref_point *f, const float *in,
                   float *out)
{
    memcpy(out, in, (size_t)p->nx * (size_t)p->ny * sizeof *out);
    update_plane(p, radius, f, in, out);
}

void ref_interior3(const struct ref_problem *p, int radius, ref_point *f, const float *in,
                   float *out)
{
    size_t plane = (size_t)p->nx * (size_t)p->ny;

    memcpy(out, in, plane * (size_t)p->nz * sizeof *out);
    for (int z = radius; z < p->nz - radius; z++)
        update_plane(p, radius, f, in + (size_t)z * plane, out + (size_t)z * plane);
}

struct ref_cell ref_cell_at(const struct ref_problem *p, int x, int y, int z)
{
    size_t sy = (size_t)p->nx;
    size_t sz = sy * (size_t)p->ny;
    size_t c = (size_t)z * sz + (size_t)y * sy + (size_t)x;

    return (struct ref_cell){
        .c = c,
        .n = y > 0 ? c - sy : c,
        .s = y < p->ny - 1 ? c + sy : c,
        .w = x > 0 ? c - 1 : c,
        .e = x < p->nx - 1 ? c + 1 : c,
        .f = z > 0 ? c - sz : c,
        .b = z < p->nz - 1 ? c + sz : c,
    };
}
