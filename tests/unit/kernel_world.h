/* Terms run on devices: generated, built, launched on poisoned outputs, and compared with
 * the interpreter. */
#ifndef KERNEL_WORLD_H
#define KERNEL_WORLD_H

#include "codegen/kernel.h"
#include "device/device.h"
#include "explore/buffer_layout.h"
#include "ir/eval.h"
#include "lift/build.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_IN = 4 };

struct world {
    struct lift_ir *ir;
    struct lift_nats *nats;
    lift_type f32;
    lift_expr in[MAX_IN];
    int in_count;
    bool dying[MAX_IN]; /* inputs that a result may overwrite */
};

static double reference_of(struct world *w, lift_expr e, double *const data[],
                           double **out, int64_t *count)
{
    struct lift_binding b[MAX_IN];
    struct lift_eval_env env = {.values = b, .value_count = w->in_count};
    struct lift_arena *arena = lift_arena_create();
    struct lift_str error = {0};
    struct lift_value v;
    double biggest = 0;

    for (int i = 0; i < w->in_count; i++) {
        b[i].name = w->in[i]->u.name;
        assert_true(lift_value_from_doubles(arena, w->in[i]->type, NULL, NULL, data[i],
                                            &b[i].value));
    }
    if (!lift_eval(&env, e, arena, &v, &error))
        fail_msg("%s", lift_str_get(&error));
    *count = lift_value_scalars(v);
    *out = malloc((size_t)*count * sizeof **out);
    lift_value_flatten(v, *out);
    for (int64_t i = 0; i < *count; i++)
        biggest = fmax(biggest, fabs((*out)[i]));
    lift_arena_destroy(arena);
    return biggest;
}

struct run {
    struct lift_device *dev;
    const struct lift_module *m;
    struct lift_buffer *buffers[16];
};

static int64_t grid_count(const struct place *p)
{
    int64_t n = p->laid_out ? 1 : p->count;

    for (int d = 0; p->laid_out && d < p->layout.dims; d++)
        n *= p->layout.length[d];
    return n;
}

static struct place place_at(const struct run *r, int bind)
{
    static const struct lift_eval_env none;
    struct place place;

    assert_true(place_of(&r->m->binds[bind], &none, &place, NULL));
    return place;
}

static void fill(struct run *r, int bind, const double *data)
{
    struct place place = place_at(r, bind);
    struct lift_error failure = {0};
    int64_t count = grid_count(&place);
    float *grid = malloc((size_t)count * sizeof *grid);
    void *whole = malloc(layout_bytes(&place));

    for (int64_t i = 0; i < count; i++)
        grid[i] = data ? (float)data[i] : NAN;
    layout_write(&place, grid, whole);
    r->buffers[bind] = r->dev->runtime->alloc(r->dev, layout_bytes(&place), &failure);
    assert_non_null(r->buffers[bind]);
    assert_true(r->dev->runtime->write(r->dev, r->buffers[bind], whole,
                                       layout_bytes(&place), &failure));
    free(grid);
    free(whole);
}

static void launch_all(struct run *r, struct lift_binary *binary)
{
    const struct lift_runtime *rt = r->dev->runtime;
    struct lift_error failure = {0};

    for (int k = 0; k < r->m->kernel_count; k++) {
        const struct lift_kernel *kernel = &r->m->kernels[k];
        struct lift_arg args[16] = {0};

        for (int i = 0; i < kernel->arg_count; i++)
            args[i] = (struct lift_arg){.kind = LIFT_ARG_BUFFER,
                                        .buffer = r->buffers[kernel->args[i]]};
        if (!rt->launch(r->dev, binary,
                        &(struct lift_call){kernel->name, kernel->launch, args,
                                            kernel->arg_count},
                        &failure))
            fail_msg("%s\n%s", lift_str_get(&failure.text), r->m->source);
        assert_true(rt->finish(r->dev, NULL, &failure));
    }
}

/* The grid of a bind, to be freed. */
static float *read_grid(struct run *r, int bind, int64_t *count)
{
    struct place place = place_at(r, bind);
    struct lift_error failure = {0};
    void *whole = malloc(layout_bytes(&place));
    float *grid;

    *count = grid_count(&place);
    grid = malloc((size_t)*count * sizeof *grid);
    assert_true(r->dev->runtime->read(r->dev, r->buffers[bind], whole,
                                      layout_bytes(&place), &failure));
    if (!layout_read(&place, whole, grid))
        fail_msg("the kernel wrote around the grid\n%s", r->m->source);
    free(whole);
    return grid;
}

static void compare(struct run *r, const double *want, int64_t count, double bound)
{
    int64_t seen = 0, n;

    for (int b = 0; b < r->m->bind_count; b++) {
        const struct lift_bind *bind = &r->m->binds[b];
        float *got;

        if (bind->kind != LIFT_BIND_OUTPUT)
            continue;
        got = read_grid(r, bind->in_place < 0 ? b : bind->in_place, &n);
        for (int64_t i = 0; i < n; i++)
            if (!(fabs(got[i] - want[seen + i]) <= bound))
                fail_msg("element %lld of output %d is %g instead of %g\n%s",
                         (long long)i, bind->index, got[i], want[seen + i], r->m->source);
        seen += n;
        free(got);
    }
    assert_int_equal(seen, count);
}

static void run_module(struct world *w, lift_expr e, const struct lift_module *m,
                       struct lift_device *dev, double *const data[])
{
    struct run r = {dev, m, {0}};
    struct lift_error failure = {0};
    struct lift_binary *binary = dev->runtime->build(dev, m->source, "", NULL, &failure);
    double *want, biggest;
    int64_t count;

    if (!binary)
        fail_msg("%s\n%s", lift_str_get(&failure.text), m->source);
    for (int b = 0; b < m->bind_count; b++)
        fill(&r, b, m->binds[b].kind == LIFT_BIND_INPUT ? data[m->binds[b].index] : NULL);
    launch_all(&r, binary);
    biggest = reference_of(w, e, data, &want, &count);
    compare(&r, want, count, 1e-5 * (1 + biggest));
    free(want);
    for (int b = 0; b < m->bind_count; b++)
        dev->runtime->release(dev, r.buffers[b]);
    dev->runtime->unload(dev, binary);
}

/* Inputs are random multiples of 1/16, so that short sums of them are exact. */
static void make_data(struct world *w, double *data[MAX_IN])
{
    struct lift_rng rng;

    lift_rng_seed(&rng, 7);
    for (int i = 0; i < w->in_count; i++) {
        int64_t n;

        assert_true(lift_nat_is_const(lift_type_points(w->ir, w->in[i]->type), &n));
        data[i] = malloc((size_t)n * sizeof **data);
        for (int64_t k = 0; k < n; k++)
            data[i][k] = (double)lift_rng_range(&rng, -64, 64) / 16;
    }
}

/* The module of a term on the inputs of the world; the test fails without a module. */
static const struct lift_module *generate(struct world *w, lift_expr e,
                                          enum lift_dialect dialect, const int local[3])
{
    static const char *const outputs[] = {"out", "other"};
    struct lift_codegen_options o = {.dialect = dialect,
                                     .name = "test",
                                     .inputs = w->in,
                                     .input_count = w->in_count,
                                     .dying = w->dying,
                                     .outputs = outputs,
                                     .index_bits = local[0] == 4 ? 32 : 64};
    struct lift_str why = {0};
    const struct lift_module *m;

    o.output_count = e->type->kind == LIFT_TYPE_TUPLE ? e->type->count : 1;
    memcpy(o.local, local, sizeof o.local);
    m = lift_codegen(w->ir, e, &o, &why);
    if (!m)
        fail_msg("no code: %s", lift_str_get(&why));
    lift_str_fini(&why);
    return m;
}

static void assert_computes(struct world *w, lift_expr e, struct lift_device *dev,
                            const int local[3])
{
    double *data[MAX_IN];
    const struct lift_module *m = generate(w, e, lift_device_info(dev)->dialect, local);

    make_data(w, data);
    run_module(w, e, m, dev, data);
    for (int i = 0; i < w->in_count; i++)
        free(data[i]);
}

/* The test ends here, with the reason, if there is no such device. */
static struct lift_device *open_or_skip(const char *name)
{
    struct lift_error failure = {0};
    struct lift_device *dev = lift_device_open(name, &failure);

    if (!dev) {
        print_message("%s\n", lift_str_get(&failure.text));
        lift_error_fini(&failure);
        skip();
    }
    return dev;
}

#endif
