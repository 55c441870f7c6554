/* Loads and stores of a warp of a GPU: lines and banks. */
#include "explore/cost/estimate_gpu.h"
#include <math.h>

enum { BANKS = 32, LANES_MOST = 64 };

int gpu_warp_of(const struct explore_estimator *e)
{
    int warp = e->device->simd_width;

    return warp > 1 && warp <= LANES_MOST ? warp : 32;
}

/* The active lanes of a warp, and their addresses in bytes. */
struct warp {
    double at[LANES_MOST];
    int count;
};

static void place_lanes(const struct explore_estimator *e, const struct body_group *g,
                        struct warp *w)
{
    const struct body *b = e->body;
    double step[3] = {0, 0, 0}, most[3] = {INFINITY, INFINITY, INFINITY};

    for (int i = 0; i < b->chain_count; i++) {
        const struct sketch_loop *l = &e->sketch->loops[b->chain[i]];

        if (l->kind == SKETCH_GLB || l->kind == SKETCH_LCL) {
            step[l->dim] = fabs(body_step(g, l));
            most[l->dim] = l->extent;
        }
    }
    w->count = 0;
    for (int i = 0; i < gpu_warp_of(e); i++) {
        int x = (int)gpu_at_least_one(e->local[0]),
            y = (int)gpu_at_least_one(e->local[1]);

        int id[3] = {i % x, i / x % y, i / x / y};

        if (id[0] < most[0] && id[1] < most[1] && id[2] < most[2])
            w->at[w->count++] = step[0] * id[0] + step[1] * id[1] + step[2] * id[2];
    }
}

/* The number of different granules that the lanes touch. */
static double granules(const struct warp *w, double width, double granule)
{
    double seen[LANES_MOST];
    int count = 0;

    for (int i = 0; i < w->count; i++) {
        double number = floor(w->at[i] / granule);
        int k = count;

        while (k > 0 && seen[k - 1] != number)
            k--;
        if (k == 0)
            seen[count++] = number;
    }
    return width > granule ? count * width / granule : count;
}

/* Bank conflicts of shared memory in a warp's access. */
static double conflicts(const struct warp *w, double width)
{
    int used[BANKS] = {0}, most = 1;

    for (int i = 0; i < w->count; i++) {
        int bank = (int)fmod(floor(w->at[i] / 4), BANKS);
        int k = 0;

        while (k < i && w->at[k] != w->at[i])
            k++;
        if (k == i && ++used[bank] > most)
            most = used[bank];
    }
    return fmax(most, granules(w, width, GPU_LINE));
}

double gpu_access_cycles(struct explore_estimator *e, double iterations)
{
    const struct body *b = e->body;
    double cycles = 0;
    struct warp w;

    for (int i = 0; i < b->group_count; i++) {
        const struct body_group *g = &b->groups[i];
        const struct sketch_buffer *buffer = &e->sketch->buffers[g->buffer];
        double count = body_accesses(e, g);

        if (buffer->space == SKETCH_PRIVATE) {
            cycles += g->store ? 0 : body_exchanged(e, g) * g->width / 4;
            continue;
        }
        place_lanes(e, g, &w);
        e->accesses += count * iterations;
        e->side_by_side += count * iterations *
                           fmin(1, ceil(w.count * g->width / GPU_SECTOR) /
                                       granules(&w, g->width, GPU_SECTOR));
        cycles +=
            count * (buffer->space == SKETCH_LOCAL ? conflicts(&w, g->width)
                                                   : granules(&w, g->width, GPU_LINE));
    }
    return cycles;
}
