/* The number of groups and work-items of a kernel, and the local memory of a group. */
#include "codegen/kernel.h"
#include "codegen/text/dialect.h"

struct extents {
    int64_t glb[3], wrg[3];
    bool used[3];
    bool grouped; /* the kernel has loops over groups or over work-items of a group */
};

static void find_extents(void *extents, struct ks *s)
{
    struct extents *x = extents;
    int64_t *e;

    if (s->kind != KS_LOOP || s->loop.level < KLOOP_GLB)
        return;
    e = s->loop.level == KLOOP_GLB ? x->glb : x->wrg;
    x->used[s->loop.dim] = true;
    x->grouped |= s->loop.level != KLOOP_GLB;
    if (s->loop.level != KLOOP_LCL && s->loop.extent > e[s->loop.dim])
        e[s->loop.dim] = s->loop.extent;
}

/* Sets the size of a group. In kernels without explicit groups, a group is not larger
 * than the loops, since most work-items of narrow boundary regions would be idle. If the
 * first dimension then has less than LIFT_ROW_ITEMS work-items, a group gets more rows.
 */
static void find_local(const struct gen *g, const struct extents *x, size_t local[3])
{
    int64_t more = 1;

    for (int d = 0; d < 3; d++) {
        int64_t asked = g->options->local[d] > 0 ? g->options->local[d] : 1;

        asked *= d == 1 ? more : 1;
        local[d] = (size_t)(!x->grouped && x->glb[d] < asked ? x->glb[d] : asked);
        if (d == 0 && x->used[1] && !x->grouped && local[0] > 0 &&
            local[0] < LIFT_ROW_ITEMS)
            more = asked / (int64_t)local[0];
    }
}

static size_t groups_of(const struct extents *x, int d, size_t local)
{
    if (x->wrg[0] > 0 || x->wrg[1] > 0 || x->wrg[2] > 0)
        return x->wrg[d] > 0 ? (size_t)x->wrg[d] : 1;
    return x->glb[d] > 0 ? ((size_t)x->glb[d] + local - 1) / local : 1;
}

/* Launches one group for each iteration of the longest mapWrg. A kernel without a mapWrg
 * gets enough work-items for the longest mapGlb. In a kernel with both, the mapGlb uses
 * the groups of the mapWrg. More groups would put the barriers of the tiles under a
 * condition, which some drivers compile wrongly. */
struct lift_launch cg_launch(const struct gen *g, const struct kernel *k)
{
    struct lift_launch l = {.global = {1, 1, 1}, .local = {1, 1, 1}};
    struct extents x = {0};
    size_t local[3];

    ks_each(&k->body, find_extents, &x);
    find_local(g, &x, local);
    for (int d = 0; d < 3; d++) {
        if (!x.used[d])
            continue;
        l.dims = d + 1;
        l.local[d] = local[d];
        l.global[d] = groups_of(&x, d, local[d]) * local[d];
    }
    if (lift_dialect_has_groups(g->options->dialect) && l.dims == 0)
        l.dims = 1;
    return l;
}

void cg_measure_local(const struct gen *g, const struct kernel *k,
                      struct lift_kernel *out)
{
    int64_t most = cg_dialects[g->options->dialect].static_local, padded = 0;

    for (int i = 0; i < k->buffer_count; i++) {
        const struct kbuffer *b = k->buffers[i];
        int64_t bytes = b->count * lift_scalar_bytes(b->scalar);

        if (b->space != KSPACE_LOCAL || b->over)
            continue;
        out->local_bytes += bytes;
        padded = cg_local_start(padded) + bytes;
    }
    if (most > 0 && out->local_bytes > most)
        out->launch.dynamic_bytes = (size_t)padded;
}
