/* Adds parameters of the launch and of the compiler. */
#include "explore/candidate/space_maker.h"
#include "rules/rule_loops.h"
#include <assert.h>
#include <string.h>

const char explore_flags_name[] = "fast_math";
const char explore_index_name[] = "index_bits";
const char explore_width_name[] = "simd_bits";
const char explore_compiler_name[] = "compiler";

enum {
    SOME_GROUP_SIZE = 256, /* if the device reports no limit */
    START_BLOCK = 256,     /* threads of a block without a tile */
    START_ROW = 64,        /* along dimension 0, which is contiguous in memory */
    LEAST_PART = 32,       /* least divisor of a row that is a block size */
    ANY_NUMBER = 1 << 24,  /* exceeds every device; range of variables */
    ITEM_BYTES = 255 * 4,  /* register bytes of a thread of a GPU */
    LIVE_PLANES = 2,       /* of a stream: one is read, the next arrives */
};

/* The dimensions in which a block has several threads: dimensions of mapLcl in kernels
 * with loops over tiles, otherwise those of mapGlb. Boundary regions are ignored: they
 * are too small. */
struct dims {
    bool used[3];
    bool tiled;                  /* the kernel has loops over tiles */
    struct space_values lengths; /* row lengths of mapGlb in kernels without tiles */
    const char *points[3]; /* the tunable for the number of points of a plane that a block
                              keeps in registers, or NULL */
};

/* A loop of threads that keep the values of each plane in registers. */
static bool keeps_points(const struct lift_loop *loop)
{
    int dim = lift_map_dim(loop->map);

    return loop->map->op == LIFT_MAP_LCL && loop->streams > 0 && dim >= 0 && dim < 3;
}

static struct dims find_dims(struct space_maker *m, lift_expr term)
{
    LIFT_SCOPED(lift_loops) all = {0};
    struct dims dims = {.lengths = {.count = 0}};

    lift_loops_find(term, false, &all);
    for (int i = 0; i < all.count; i++)
        dims.tiled |= all.items[i].map->op == LIFT_MAP_WRG;
    for (int i = 0; i < all.count; i++) {
        const struct lift_loop *loop = &all.items[i];
        int dim = lift_map_dim(loop->map);
        int64_t length;

        if (loop->map->op == (dims.tiled ? LIFT_MAP_LCL : LIFT_MAP_GLB) && dim >= 0 &&
            dim < 3 &&
            (!loop->copies || loop->streams > 0 || loop->storage != LIFT_OP_COUNT)) {
            dims.used[dim] = true;
            if (loop->map->op == LIFT_MAP_GLB && dim == 0 &&
                lift_nat_is_const(maker_at_sizes(m, loop->map->type->len), &length))
                maker_add_value(&dims.lengths, length, 1, INT64_MAX);
        }
        if (keeps_points(loop))
            dims.points[dim] = lift_nat_is_var(loop->map->type->len, NULL);
    }
    return dims;
}

/* Adds the row's length and its divisors. With such block sizes no thread is outside the
 * row, and the kernel needs no predicate for the row. */
static void add_row_parts(const struct space_maker *m, const struct dims *dims,
                          struct space_values *v, int64_t most)
{
    for (int i = 0; m->traits->rows_divided && i < dims->lengths.count; i++)
        maker_add_divisors(v, dims->lengths.items[i], LEAST_PART, most);
}

/* The values of a tunable, NULL for none. */
static void add_values_of(const struct space_maker *m, const char *tunable,
                          struct space_values *v, int64_t most)
{
    for (int i = 0; tunable && i < m->param_count; i++)
        for (int k = 0; !strcmp(m->params[i].name, tunable) && k < m->params[i].count;
             k++)
            maker_add_value(v, m->params[i].values[k], 1, most);
}

/* The default length of a block. Blocks without a tile are 64x4x1 threads, or 256 in one
 * dimension: the first choice of a CUDA programmer. Tiles choose their blocks; these
 * start with one row of threads. */
static int64_t start_length(const struct dims *dims, int d)
{
    bool rows = dims->used[0] && dims->used[1];

    if (d == 0)
        return dims->tiled || rows ? START_ROW : START_BLOCK;
    return d == 1 && rows && !dims->tiled ? START_BLOCK / START_ROW : 1;
}

static lift_nat add_groups(struct space_maker *m, const struct dims *dims)
{
    int64_t most =
        m->device->max_group_size ? m->device->max_group_size : SOME_GROUP_SIZE;
    lift_nat product = lift_nat_const(m->nats, 1);

    if (m->traits->group_most && most > m->traits->group_most)
        most = m->traits->group_most;
    for (int d = 0; d < 3; d++) {
        int64_t limit =
            m->device->max_group_dims[d] ? m->device->max_group_dims[d] : most;
        struct space_values v = {.count = 0};
        lift_nat var;

        if (!dims->used[d])
            continue;
        var = lift_nat_var(m->nats, lift_local_names[d], LIFT_VAR_TUNABLE, 1, ANY_NUMBER);
        for (int64_t n = 1; n <= limit && n <= most; n *= 2)
            maker_add_value(&v, n, 1, most);
        if (d == 0)
            add_row_parts(m, dims, &v, limit < most ? limit : most);
        add_values_of(m, dims->points[d], &v, limit < most ? limit : most);
        maker_add_param(m,
                        &(struct lift_tunable){
                            .name = lift_local_names[d], .lo = 1, .hi = ANY_NUMBER},
                        &v, start_length(dims, d));
        product = lift_nat_mul(product, var);
    }
    maker_constrain(m, LIFT_CONSTRAINT_LE, product, lift_nat_const(m->nats, most),
                    "work-group size");
    return product;
}

/* Adds the tunable for the number of blocks that must be resident in a compute unit. The
 * compiler then limits registers to this number and spills the others: more loads are in
 * flight. 0: the compiler's heuristics decide. */
static void add_resident(struct space_maker *m, lift_nat items)
{
    struct space_values v = {.items = {0, 1, 2, 3, 4, 6, 8}, .count = 7};
    int64_t most = m->device->unit_items;
    lift_nat groups;

    if (most <= 0)
        return;
    groups = lift_nat_var(m->nats, lift_resident_name, LIFT_VAR_TUNABLE, 0, ANY_NUMBER);
    maker_add_param(
        m, &(struct lift_tunable){.name = lift_resident_name, .hi = ANY_NUMBER}, &v, 0);
    m->params[m->param_count - 1].tacit = true;
    maker_constrain(m, LIFT_CONSTRAINT_LE, lift_nat_mul(groups, items),
                    lift_nat_const(m->nats, most), "work-items of a compute unit");
}

/* Blocks that share the planes of a stream must be resident together. */
static void limit_groups(struct space_maker *m, lift_expr term, lift_nat items)
{
    LIFT_SCOPED(lift_loops) all = {0};
    int64_t most = (int64_t)m->device->compute_units * m->device->unit_items;
    bool known[3] = {false}, any = false;

    lift_loops_find(term, false, &all);
    for (int i = 0; i < all.count; i++) {
        const struct lift_loop *loop = &all.items[i];
        int dim = lift_map_dim(loop->map);

        if (loop->map->op != LIFT_MAP_WRG || !loop->streams || known[dim])
            continue;
        known[dim] = any = true;
        items = lift_nat_mul(items, maker_at_sizes(m, loop->map->type->len));
    }
    if (any && most > 0)
        maker_constrain(m, LIFT_CONSTRAINT_LE, items, lift_nat_const(m->nats, most),
                        "work-items of groups that must be resident together");
}

/* The grid points of a thread in such a loop. */
static lift_nat points_of(struct space_maker *m, const struct lift_loop *loop)
{
    lift_type t = loop->map->type->elem;

    return t->kind == LIFT_TYPE_ARRAY ? maker_at_sizes(m, t->len)
                                      : lift_nat_const(m->nats, 1);
}

/* Adds conditions for threads that keep grid points of each plane in registers: a block
 * has a thread for each grid point. If a row of threads exchanges neighbours, the row has
 * no further threads. Returns the grid points of a thread across rows; NULL: no rows
 * exchange values. */
static lift_nat add_own_points(struct space_maker *m, lift_expr term,
                               const struct dims *dims)
{
    LIFT_SCOPED(lift_loops) all = {0};
    bool row = false;
    lift_nat across = NULL;

    lift_loops_find(term, false, &all);
    for (int i = 0; i < all.count; i++)
        row |=
            keeps_points(&all.items[i]) &&
            lift_nat_is(maker_at_sizes(m, all.items[i].map->type->len), LIFT_ROW_ITEMS);
    for (int i = 0; i < all.count; i++) {
        const struct lift_loop *loop = &all.items[i];
        int dim = lift_map_dim(loop->map);
        lift_nat var, len;

        if (!keeps_points(loop) || !dims->used[dim])
            continue;
        var = lift_nat_find_var(m->nats, lift_local_names[dim]);
        len = maker_at_sizes(m, loop->map->type->len);
        if (dim > 0)
            across = lift_nat_mul(across ? across : lift_nat_const(m->nats, 1),
                                  points_of(m, loop));
        maker_constrain(m, LIFT_CONSTRAINT_LE, len, var,
                        "a work-item for each grid point of a plane");
        if (row)
            maker_constrain(m, LIFT_CONSTRAINT_LE, var, len,
                            "no work-items without a grid point of a plane");
    }
    return row ? across : NULL;
}

/* Limits registers. Returns the bytes of shared memory through which rows exchange
 * registers: of each thread the points next to other rows. */
static lift_nat add_registers(struct space_maker *m, lift_expr term,
                              const struct dims *dims, const struct maker_storage *stored,
                              lift_nat items)
{
    lift_nat shown = lift_nat_const(m->nats, 0), across;

    if (lift_nat_is(stored->points, 0))
        return shown;
    across = add_own_points(m, term, dims);
    if (across) {
        shown =
            lift_nat_mul(lift_nat_div(stored->shown, across),
                         lift_nat_min(across, lift_nat_const(m->nats, 2 * stored->half)));
        maker_limit_local(m, lift_nat_add(stored->local, shown));
    }
    maker_constrain(m, LIFT_CONSTRAINT_LE,
                    lift_nat_mul_const(stored->points, LIVE_PLANES),
                    lift_nat_mul_const(items, ITEM_BYTES), "registers of a work-item");
    return shown;
}

/* 32-bit indices take fewer registers; 64-bit indices need no sign extension, which
 * compilers vectorise better on processors. */
lift_nat maker_add_launch(struct space_maker *m, lift_expr term,
                          const struct maker_storage *stored)
{
    struct space_values bits = {.items = {32, 64}, .count = 2};
    struct dims dims;
    lift_nat items, shown;

    if (!lift_dialect_has_groups(m->device->dialect))
        return lift_nat_const(m->nats, 0);
    dims = find_dims(m, term);
    items = add_groups(m, &dims);
    add_resident(m, items);
    limit_groups(m, term, items);
    shown = add_registers(m, term, &dims, stored, items);
    maker_add_param(m, &(struct lift_tunable){.name = explore_index_name, .hi = -1},
                    &bits, 64);
    return shown;
}

/* ---- the compiler */

const char *const *explore_flag_sets(const struct explore_problem *p,
                                     const struct lift_device_info *device)
{
    const struct lift_traits *traits = lift_device_traits(device);

    return p->relaxed ? traits->relaxed_flags : traits->exact_flags;
}

static void add_flags(struct space_maker *m)
{
    const char *const *sets = explore_flag_sets(m->p, m->device);
    struct space_values v = {.count = 0};

    while (sets[v.count])
        maker_add_value(&v, v.count, 0, MAKER_VALUES);
    if (v.count > 1)
        maker_add_param(m, &(struct lift_tunable){.name = explore_flags_name, .hi = -1},
                        &v, 0);
}

static void add_width(struct space_maker *m)
{
    const struct lift_traits *t = m->traits;
    struct space_values v = {.items = {t->vector_bits_fewer, t->vector_bits}, .count = 2};

    if (t->vector_feature && m->device->arch &&
        strstr(m->device->arch, t->vector_feature))
        maker_add_param(m, &(struct lift_tunable){.name = explore_width_name, .hi = -1},
                        &v, t->vector_bits);
}

static_assert(LIFT_GCC == 1 && LIFT_CLANG == 2, "as lift_tunable_value_word says");

/* Adds both compilers if the device's information does not name the available ones: the
 * device was read from a database. */
static void add_compiler(struct space_maker *m)
{
    struct space_values v = {.count = 0};
    unsigned all = 1u << LIFT_GCC | 1u << LIFT_CLANG;
    unsigned known = m->device->compilers ? m->device->compilers : all;

    if (!m->traits->has_compilers)
        return;
    for (int i = LIFT_GCC; i < LIFT_COMPILERS; i++)
        if (known >> i & 1)
            maker_add_value(&v, i, 0, LIFT_COMPILERS);
    maker_add_param(m, &(struct lift_tunable){.name = explore_compiler_name, .hi = -1},
                    &v, LIFT_GCC);
    m->params[m->param_count - 1].settled = true;
}

void maker_add_build(struct space_maker *m)
{
    add_flags(m);
    add_width(m);
    add_compiler(m);
}
