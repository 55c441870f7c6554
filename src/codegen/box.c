/* TMA copies: boxes of an array in global memory, which the hardware copies by their
 * position. The generator reads the copied array at variables that stand for all of its
 * indices. The resulting load shows the position of the box.
 *
 * TMA copies yield zero outside the array in global memory. So pads by zero and halos
 * that hold zero need no boundary check. If the program itself has physical pads, the
 * planes around the array count as its own planes. */
#include "codegen/gen.h"

/* ---- the array */

static void find_strides(struct lift_tensor *t, const struct lift_layout *layout)
{
    int64_t stride = 1;

    for (int d = t->dims - 1; d >= 0; d--) {
        t->stride[d] = layout ? layout->stride[d] : stride;
        stride *= t->length[d];
    }
    t->offset = layout ? layout->offset : 0;
}

static bool is_whole(int64_t elements, int bytes)
{
    return elements * bytes % LIFT_BOX_BYTES == 0;
}

/* A row that does not begin at a multiple of 16 bytes is extended to the left. The added
 * elements must be halo or never read. */
static const char *begin_earlier(struct gen *g, struct box *b,
                                 const struct lift_layout *layout, lift_nat *at,
                                 int bytes)
{
    struct lift_tensor *t = &b->shape;
    int last = t->dims - 1;

    while (t->offset > 0 && !is_whole(t->offset, bytes)) {
        b->before++;
        t->offset--;
        t->length[last]++;
    }
    if (b->before && !(layout && layout->fill) &&
        !lift_nat_proves_ge0(at[last], g->facts, g->fact_count))
        return "rows that begin on 16 bytes (alignRows)";
    at[last] = lift_nat_add_const(at[last], b->before);
    return is_whole(t->offset, bytes) ? NULL : "rows that begin on 16 bytes (alignRows)";
}

/* Describes the array that 'load' reads, and stores the indices of the load in 'at'.
 * Returns NULL, or a requirement of TMA copies that the array violates. */
static const char *find_array(struct gen *g, kx load, struct box *b, lift_nat *at)
{
    const struct lift_layout *layout = load->load.buffer->layout;
    int bytes = lift_scalar_bytes(load->load.buffer->scalar);
    struct lift_tensor *t = &b->shape;
    lift_type type = load->load.mem->type;

    for (lift_access p = load->load.path; p; p = p->next) {
        if (p->index && t->dims < LIFT_TENSOR_DIMS) {
            at[t->dims] = cg_by_facts(g, p->index);
            t->length[t->dims] = cg_const(g, type->len, "an array length");
        }
        if (p->index)
            t->dims++;
        type = p->index ? type->elem : type->parts[p->member];
    }
    if (t->dims < 2 || t->dims > LIFT_BOX_DIMS || type->kind != LIFT_TYPE_SCALAR ||
        bytes < 4)
        return "arrays of two or three dimensions of f32, f64 or i32";
    find_strides(t, layout);
    if (layout && g->options->stored) {
        t->offset -= layout->before[0] * layout->stride[0];
        t->length[0] += layout->before[0] + layout->after[0];
        at[0] = lift_nat_add_const(at[0], layout->before[0]);
    }
    if (layout && layout->fill && !cg_is_zero(layout->fill))
        return "a halo that holds zero";
    for (int d = 0; d < t->dims - 1; d++)
        if (!is_whole(t->stride[d], bytes))
            return "arrays whose rows are whole 16 bytes (alignRows)";
    return begin_earlier(g, b, layout, at, bytes);
}

/* ---- the position */

/* Variables that stand for the indices of the copied array. */
struct indices {
    lift_nat var[LIFT_TENSOR_DIMS];
    int64_t length[LIFT_TENSOR_DIMS];
    int count;
};

static lift_access stand_for_all(struct gen *g, lift_type t, struct indices *x)
{
    int i = x->count++;

    if (t->kind != LIFT_TYPE_ARRAY)
        return NULL;
    if (i == LIFT_TENSOR_DIMS)
        return NULL;
    x->length[i] = cg_const(g, t->len, "an array length");
    x->var[i] = cg_index_var(g, "b", x->length[i]);
    return cg_index(g, x->var[i], stand_for_all(g, t->elem, x));
}

/* Finds the position and size of the box. Each index must belong to one dimension, in
 * order, and the last dimension must have an index. Returns NULL, or the violated
 * requirement. */
static const char *find_place(struct gen *g, const struct indices *x, const lift_nat *at,
                              struct box *b)
{
    int next = 0, last = -1;

    for (int d = 0; d < b->shape.dims; d++) {
        b->from[d] = at[d];
        b->shape.box[d] = 1;
        for (int i = 0; i < x->count; i++) {
            lift_nat first =
                lift_nat_with(b->from[d], x->var[i], lift_nat_const(g->nats, 0));

            if (first == b->from[d])
                continue;
            if (i < next || b->shape.box[d] > 1 ||
                lift_nat_add(first, x->var[i]) != b->from[d])
                return "contiguous elements in their order, which 'wrap' has not beyond "
                       "the ends";
            if (x->length[i] > LIFT_BOX_SIDE)
                return "TMA copies of at most 256 elements along a dimension";
            b->from[d] = first;
            b->shape.box[d] = (int)x->length[i];
            next = i + 1;
            last = d;
        }
    }
    return last == b->shape.dims - 1 ? NULL : "rows of the array";
}

/* True if each position in a pad by zero is also outside the array in global memory, so
 * that the TMA copy yields zero. */
static bool edges_are_its_own(const struct edges *z, const struct box *b,
                              const lift_nat *at)
{
    const struct lift_tensor *t = &b->shape;

    for (int i = 0; i < z->count; i++) {
        bool found = false;
        int64_t n;

        for (int d = 0; d < t->dims && !found; d++) {
            int before = d == t->dims - 1 ? b->before : 0;

            found = at[d] == lift_nat_add_const(z->at[i], before) &&
                    lift_nat_is_const(z->length[i], &n) && n + before == t->length[d];
        }
        if (!found)
            return false;
    }
    return z->count < CG_EDGES;
}

/* Extends rows to whole vectors, which begin at multiples of LIFT_BOX_LEAD in local and
 * global memory. On Hopper, a copy that begins inside a vector is an illegal instruction.
 */
static const char *widen(struct box *b)
{
    int last = b->shape.dims - 1, lead = 0;

    while (lead < LIFT_BOX_LEAD &&
           !kx_is_aligned(lift_nat_add_const(b->from[last], -lead), LIFT_BOX_LEAD))
        lead++;
    if (lead == LIFT_BOX_LEAD)
        return "TMA copies of tiles that begin at whole vectors of a row";
    b->lead = lead;
    b->from[last] = lift_nat_add_const(b->from[last], -b->lead);
    b->shape.box[last] = (b->lead + b->shape.box[last] + LIFT_BOX_LEAD - 1) /
                         LIFT_BOX_LEAD * LIFT_BOX_LEAD;
    return b->shape.box[last] > LIFT_BOX_SIDE
               ? "TMA copies of at most 256 elements along a dimension"
               : NULL;
}

/* Reads the element at variable indices. NULL if the read needs statements or boundary
 * checks. */
static kx read_all(struct gen *g, lift_expr e, lift_env env, struct indices *indices,
                   struct edges *edges)
{
    struct kblock trial = {0};
    struct scope scope = cg_enter(g, &trial);
    struct wishes *outer = g->wishes, own = {.zeroes = edges};
    int buffers = g->kernel->buffer_count;
    kx load;

    g->wishes = &own;
    load = cg_read(g, e, env, stand_for_all(g, e->type, indices));
    g->wishes = outer;
    g->kernel->buffer_count = buffers;
    indices->count--;
    cg_leave(g, scope);
    return trial.first || own.count > 0 || load->kind != KX_LOAD || !load->load.mem
               ? NULL
               : load;
}

bool cg_find_box(struct gen *g, lift_expr e, lift_env env, struct box *out,
                 const char **why)
{
    struct indices indices = {.count = 0};
    struct edges edges = {.count = 0};
    lift_nat at[LIFT_TENSOR_DIMS];
    kx load = read_all(g, e, env, &indices, &edges);

    *out = (struct box){.buffer = load ? load->load.buffer : NULL};
    *why = "elements that are read without a predicate, but for a pad by zero";
    if (!load)
        return false;
    *why = "arrays that the kernels do not write";
    if (load->load.buffer->bind < 0 || cg_is_overwritten(g, load->load.buffer))
        return false;
    *why = find_array(g, load, out, at);
    if (!*why && !edges_are_its_own(&edges, out, at))
        *why = "pads by zero around the whole array";
    if (!*why)
        *why = find_place(g, &indices, at, out);
    if (!*why)
        *why = widen(out);
    return !*why;
}

/* ---- copies */

int64_t cg_box_row(const struct box *b)
{
    return b->shape.box[b->shape.dims - 1];
}

static bool same_shape(const struct lift_tensor *a, const struct lift_tensor *b)
{
    bool same = a->dims == b->dims;

    for (int d = 0; same && d < a->dims; d++)
        same = a->box[d] == b->box[d];
    return same;
}

/* The number of the kernel's tensor with the array and size of the box. Adds the tensor
 * if it is new. */
static int tensor_of(struct gen *g, const struct box *b)
{
    struct kernel *k = g->kernel;
    int of_buffer = 0;

    for (int i = 0; i < k->tensor_count; i++) {
        if (k->tensors[i].buffer != b->buffer)
            continue;
        of_buffer++;
        if (same_shape(&k->tensors[i].shape, &b->shape))
            return i;
    }
    if (k->tensor_count == CG_TENSORS) {
        cg_fail(g, lift_type_scalar(g->ir, b->buffer->scalar),
                "TMA copies of more than %d shapes", CG_TENSORS);
        return 0;
    }
    if (!k->tensors)
        k->tensors = LIFT_NEW_ARRAY(g->arena, struct ktensor, CG_TENSORS);
    k->tensors[k->tensor_count] = (struct ktensor){
        b->shape, b->buffer,
        cg_identifier(
            g, of_buffer
                   ? lift_arena_printf(g->arena, "%s_map%d", b->buffer->name, of_buffer)
                   : lift_arena_printf(g->arena, "%s_map", b->buffer->name))};
    k->tensors[k->tensor_count].shape.bind = b->buffer->bind;
    return k->tensor_count++;
}

struct ks *cg_copy_box(struct gen *g, const struct box *b, struct kbuffer *buffer,
                       lift_nat at, struct kbatch batch)
{
    struct kbox from = {.tensor = tensor_of(g, b)};

    for (int d = 0; d < b->shape.dims; d++)
        from.from[d] = b->from[d];
    return ks_box(g->arena, buffer, cg_by_facts(g, at), batch, from);
}
