/* Footprints: the places that sketch_places visits, grouped by how they depend on a grid
 * point. */
#include "base/bug.h"
#include "explore/cost/sketch.h"
#include "explore/explore_footprint.h"
#include "explore/explore_ops.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OFFSETS = 4096, MOST_FOOTPRINTS = 512 };

/* A footprint under construction: its elements, as offsets from the grid point. */
struct entry {
    struct lift_footprint f;
    int64_t *offsets; /* 'dim_count' each */
    int count;        /* -1: too many, or unknown */
};

struct gatherer {
    struct entry *entries;
    int count;
    bool full;
};

/* ---- one place */

static const char *pad_kind(lift_expr pad)
{
    if (pad->op == LIFT_PAD)
        return lift_prim_info(LIFT_PAD)->attrs[0].words[pad->u.prim.attrs.pad.kind];
    if (pad->op == LIFT_PAD_VALUE &&
        lift_expr_uses_bound(pad->u.prim.args[0]->u.lambda.body, 0, 2))
        return "value";
    return "constant";
}

static void add_pad(struct lift_footprint_dim *dim, struct lift_footprint_pad pad)
{
    for (int i = 0; i < dim->pad_count; i++)
        if (!strcmp(dim->pads[i].kind, pad.kind) && dim->pads[i].before == pad.before &&
            dim->pads[i].after == pad.after)
            return;
    if (dim->pad_count < LIFT_FOOTPRINT_PADS)
        dim->pads[dim->pad_count++] = pad;
}

static void note_origins(struct lift_footprint_dim *dim, const struct sketch_origin *from)
{
    for (; from; from = from->next)
        if (from->kind == SKETCH_UNKNOWN)
            dim->kind = LIFT_FOOTPRINT_ANYWHERE;
        else if (from->kind == SKETCH_PAD)
            add_pad(dim, (struct lift_footprint_pad){pad_kind(from->pad),
                                                     (int64_t)from->before,
                                                     (int64_t)from->after});
        else if (dim->kind == LIFT_FOOTPRINT_EXACT)
            dim->kind = LIFT_FOOTPRINT_ABOUT;
}

/* Skips rounded indices that are constant, or advance by fractions of an element. */
static void find_dim(const struct sketch_place *place, int d,
                     struct lift_footprint_dim *dim)
{
    const struct sketch_index *at = place->at[d];
    double step = 0;

    *dim = (struct lift_footprint_dim){.follows = -1};
    note_origins(dim, at->from);
    for (int i = 0; i < at->depth && i < place->rank; i++) {
        if (at->by[i] == 0)
            continue;
        if (dim->follows >= 0)
            dim->kind = LIFT_FOOTPRINT_ANYWHERE;
        dim->follows = i;
        step = at->by[i];
    }
    if (step != floor(step) || (dim->kind == LIFT_FOOTPRINT_ABOUT && step == 0))
        dim->kind = LIFT_FOOTPRINT_ANYWHERE;
    if (dim->kind == LIFT_FOOTPRINT_ANYWHERE) {
        dim->follows = -1;
        return;
    }
    dim->step = (int64_t)step;
    dim->from = (int64_t)floor(at->base + place->lo[d]);
    dim->to = (int64_t)ceil(at->base + place->hi[d]);
}

/* ---- elements */

static void add_offset(struct entry *e, const int64_t *offset)
{
    size_t dims = (size_t)e->f.dim_count;

    for (int i = 0; i < e->count; i++)
        if (!memcmp(e->offsets + (size_t)i * dims, offset, dims * sizeof *offset))
            return;
    if (e->count == MOST_OFFSETS) {
        e->count = -1;
        return;
    }
    if (e->count == 0 || (e->count & (e->count - 1)) == 0) {
        e->offsets = realloc(e->offsets, (e->count ? 2 * (size_t)e->count : 1) * dims *
                                             sizeof *offset);
        LIFT_ASSERT(e->offsets);
    }
    memcpy(e->offsets + (size_t)e->count++ * dims, offset, dims * sizeof *offset);
}

/* Adds the elements for all iterations of the inner loops, from 'loop' on. */
static void add_offsets(struct entry *e, const struct sketch_place *place, int loop,
                        double *at)
{
    int depth = place->rank + loop;
    int64_t offset[LIFT_FOOTPRINT_DIMS] = {0};
    bool moves = false;

    if (loop == place->inner) {
        for (int d = 0; d < place->dims; d++)
            offset[d] = (int64_t)floor(at[d]);
        add_offset(e, offset);
        return;
    }
    for (int d = 0; d < place->dims; d++)
        moves |= depth < place->at[d]->depth && place->at[d]->by[depth] != 0;
    for (double i = 0; i < (moves ? place->extent[depth] : 1) && e->count >= 0; i++) {
        double inner[LIFT_FOOTPRINT_DIMS];

        for (int d = 0; d < place->dims; d++)
            inner[d] =
                at[d] + (depth < place->at[d]->depth ? place->at[d]->by[depth] * i : 0);
        add_offsets(e, place, loop + 1, inner);
    }
}

static void add_elements(struct entry *e, const struct sketch_place *place)
{
    double at[LIFT_FOOTPRINT_DIMS], all = 1;

    for (int d = 0; d < place->dims; d++) {
        at[d] = place->at[d]->base;
        all *= place->hi[d] - place->lo[d] + 1;
        if (e->f.dims[d].kind != LIFT_FOOTPRINT_EXACT)
            e->count = -1;
    }
    if (all > MOST_OFFSETS)
        e->count = -1;
    if (e->count >= 0)
        add_offsets(e, place, 0, at);
}

/* ---- entries */

static bool follows_alike(const struct lift_footprint *a, const struct lift_footprint *b)
{
    for (int d = 0; d < a->dim_count; d++)
        if (a->dims[d].follows != b->dims[d].follows ||
            a->dims[d].step != b->dims[d].step ||
            (a->dims[d].kind == LIFT_FOOTPRINT_ANYWHERE) !=
                (b->dims[d].kind == LIFT_FOOTPRINT_ANYWHERE))
            return false;
    return a->rank == b->rank;
}

static void widen(struct lift_footprint *f, const struct lift_footprint *by)
{
    f->outputs |= by->outputs;
    for (int d = 0; d < f->dim_count; d++) {
        struct lift_footprint_dim *a = &f->dims[d];
        const struct lift_footprint_dim *b = &by->dims[d];

        if (b->kind > a->kind)
            a->kind = b->kind;
        a->from = b->from < a->from ? b->from : a->from;
        a->to = b->to > a->to ? b->to : a->to;
        for (int i = 0; i < b->pad_count; i++)
            add_pad(a, b->pads[i]);
    }
}

static struct entry *entry_for(struct gatherer *g, const struct lift_footprint *f)
{
    for (int i = 0; i < g->count; i++)
        if (g->entries[i].f.input == f->input && follows_alike(&g->entries[i].f, f)) {
            widen(&g->entries[i].f, f);
            return &g->entries[i];
        }
    if (g->count == MOST_FOOTPRINTS) {
        g->full = true;
        return NULL;
    }
    g->entries[g->count] = (struct entry){.f = *f};
    return &g->entries[g->count++];
}

static void visit(void *user, const struct sketch_place *place)
{
    struct gatherer *g = user;
    struct lift_footprint f = {.input = place->input,
                               .outputs = 1u << place->output,
                               .rank = place->rank,
                               .dim_count = place->dims};
    struct entry *e;

    if (place->dims > LIFT_FOOTPRINT_DIMS) {
        g->full = true;
        return;
    }
    for (int d = 0; d < f.dim_count; d++)
        find_dim(place, d, &f.dims[d]);
    e = entry_for(g, &f);
    if (e)
        add_elements(e, place);
}

/* ---- the whole */

static void name_shape(struct entry *e)
{
    int64_t box = 1;
    int long_dims = 0;

    e->f.points = e->count > 0 ? e->count : 0;
    e->f.star = e->count > 1;
    for (int d = 0; d < e->f.dim_count; d++) {
        box *= e->f.dims[d].to - e->f.dims[d].from + 1;
        long_dims += e->f.dims[d].to > e->f.dims[d].from;
    }
    for (int i = 0; i < e->count; i++) {
        int off = 0;

        for (int d = 0; d < e->f.dim_count; d++)
            off += e->offsets[i * e->f.dim_count + d] != 0;
        e->f.star &= off <= 1;
    }
    e->f.star &= long_dims > 1;
    e->f.box = long_dims > 1 && e->count == box;
}

static int by_input(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return x->f.input - y->f.input;
}

static void take_items(struct gatherer *g, struct lift_arena *arena,
                       struct lift_footprints *out)
{
    struct lift_footprint *items =
        LIFT_NEW_ARRAY(arena, struct lift_footprint, g->count + 1);

    if (g->count)
        qsort(g->entries, (size_t)g->count, sizeof *g->entries, by_input);
    for (int i = 0; i < g->count; i++) {
        name_shape(&g->entries[i]);
        items[i] = g->entries[i].f;
    }
    out->items = items;
    out->count = g->count;
}

static void find_items(const struct explore_problem *p, struct lift_footprints *out)
{
    LIFT_OWNED(lift_arena) *scratch = lift_arena_create();
    struct sketch_request request = {.problem = p, .term = p->root, .numbers = &p->sizes};
    struct gatherer g = {.count = 0};
    struct sketch_extent extent;

    g.entries = calloc(MOST_FOOTPRINTS, sizeof *g.entries);
    LIFT_ASSERT(g.entries);
    out->complete = sketch_places(&request, scratch, visit, &g, &extent) && !g.full;
    if (out->complete && extent.inside >= 1)
        out->inside = (int64_t)extent.inside;
    if (out->complete)
        take_items(&g, lift_ir_arena(p->ir), out);
    for (int i = 0; i < g.count; i++)
        free(g.entries[i].offsets);
    free(g.entries);
}

/* True if the footprint is only the grid point itself. */
static bool is_point(const struct lift_footprint *f)
{
    bool same = f->rank == f->dim_count;

    for (int d = 0; d < f->dim_count && same; d++)
        same = f->dims[d].kind == LIFT_FOOTPRINT_EXACT && f->dims[d].follows == d &&
               f->dims[d].step == 1 && f->dims[d].from == 0 && f->dims[d].to == 0;
    return same;
}

static void find_in_place(const struct lift_program *program, struct lift_footprints *out)
{
    for (int i = 0; i < program->input_count && out->complete; i++) {
        bool may = lift_program_input_dies(program, i);

        for (int k = 0; k < out->count; k++)
            may &= out->items[k].input != i || is_point(&out->items[k]);
        for (int o = 0; o < program->output_count && may; o++)
            if (program->outputs[o].type == program->inputs[i].type)
                out->in_place[i] |= 1u << o;
    }
}

/* ---- operations */

struct picked {
    enum lift_op op; /* LIFT_OP_COUNT: no arithmetic on floats */
};

static bool is_flop(lift_expr e)
{
    switch (e->op) {
    case LIFT_ADD:
    case LIFT_SUB:
    case LIFT_MUL:
    case LIFT_DIV:
    case LIFT_MOD:
    case LIFT_NEG:
    case LIFT_MIN:
    case LIFT_MAX:
    case LIFT_ABS:
    case LIFT_SQRT:
    case LIFT_EXP:
    case LIFT_LOG:
    case LIFT_SIN:
    case LIFT_COS:
    case LIFT_POW:
    case LIFT_FLOOR:
        return lift_type_is_float(e->type);
    default:
        return false;
    }
}

static double lanes_of(lift_expr e)
{
    return e->type->kind == LIFT_TYPE_VECTOR ? e->type->count : 1;
}

static double pick(void *user, lift_expr e)
{
    const struct picked *p = user;

    if (p->op != LIFT_OP_COUNT)
        return e->op == p->op && (is_flop(e) || e->op == LIFT_USER_FUN) ? lanes_of(e) : 0;
    return is_flop(e) || e->op == LIFT_USER_FUN || e->op == LIFT_NAT ||
                   e->op == LIFT_SPLAT
               ? 0
               : lanes_of(e);
}

static void count_ops(const struct explore_problem *p, double points,
                      struct lift_footprint_ops *out)
{
    struct picked picked = {LIFT_OP_COUNT};

    out->others = lift_ops_total(p->ir, p->root, &p->sizes, pick, &picked) / points;
    for (int op = 0; op < LIFT_OP_COUNT; op++) {
        picked.op = (enum lift_op)op;
        if (!lift_expr_mentions(p->root, picked.op))
            continue;
        out->by[op] = lift_ops_total(p->ir, p->root, &p->sizes, pick, &picked) / points;
        if (op != LIFT_USER_FUN)
            out->flops += out->by[op];
    }
    out->calls = out->by[LIFT_USER_FUN];
    out->by[LIFT_USER_FUN] = 0;
}

int64_t lift_footprint_bytes(lift_type type)
{
    const struct lift_nat_env none = {NULL, NULL, 0};
    struct explore_leaf leaves[EXPLORE_MAX_LEAVES];
    int count = explore_leaves(type, &none, leaves);
    int64_t bytes = 0, each;

    for (int i = 0; i < count; i++)
        if (__builtin_mul_overflow(leaves[i].count, lift_scalar_bytes(leaves[i].scalar),
                                   &each) ||
            __builtin_add_overflow(bytes, each, &bytes))
            return -1;
    return count < 0 ? -1 : bytes;
}

bool lift_footprints_find(struct lift_ir *ir, const struct lift_program *program,
                          struct lift_footprints *out, struct lift_str *why)
{
    struct explore_problem p = {.ir = ir,
                                .program = program,
                                .name = program->name,
                                .root = program->body,
                                .input_count = program->input_count,
                                .output_count = program->output_count};

    for (int i = 0; i < p.input_count; i++)
        p.inputs[i] = program->inputs[i].var;
    *out = (struct lift_footprints){.points = 0};
    if (!explore_problem_measure(&p, why))
        return false;
    out->points = out->inside = p.points / program->steps;
    out->read = p.read;
    out->written = p.bytes - p.read;
    find_items(&p, out);
    count_ops(&p, (double)out->inside, &out->ops);
    out->intensity = out->ops.flops * (double)out->inside / (double)p.bytes;
    find_in_place(program, out);
    return true;
}
