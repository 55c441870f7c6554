/* From a low-level term to a module: its buffers, its kernels, their launches, the text.
 */
#include "codegen/passes/passes.h"
#include "codegen/text/dialect.h"
#include "lift/spine.h"

enum { MAX_BINDS = 96 };

struct module {
    struct gen g;
    struct kernel *kernels;
    int kernel_count, kernel_cap;
    int temps; /* that are bound */
    int loops; /* of kernels, */
    int loop;  /* the one that is being made; 0: none */
    int64_t times;
    const struct mem *output;
    const char *step;
};

static int add_bind(struct gen *g, struct lift_bind bind)
{
    if (g->bind_count == MAX_BINDS) {
        cg_fail(g, lift_type_scalar(g->ir, LIFT_I32),
                "more than %d buffers and parameters", MAX_BINDS);
        return 0;
    }
    g->binds[g->bind_count] = bind;
    return g->bind_count++;
}

/* Binds the buffers of a value; '*index' counts those of its kind. */
static void bind_mem(struct gen *g, const struct mem *mem, enum lift_bind_kind kind,
                     int *index)
{
    for (int i = 0; i < mem->leaf_count; i++) {
        struct kbuffer *b = mem->leaves[i];
        const char *label = b->name;

        if (kind != LIFT_BIND_TEMP)
            b->name = cg_identifier(g, label);
        b->bind = add_bind(g, (struct lift_bind){.kind = kind,
                                                 .index = (*index)++,
                                                 .name = b->name,
                                                 .label = label,
                                                 .scalar = b->scalar,
                                                 .count = b->count,
                                                 .layout = b->layout,
                                                 .in_place = -1});
    }
}

static void bind_inputs(struct gen *g)
{
    const struct lift_codegen_options *o = g->options;
    int index = 0;

    g->inputs = LIFT_NEW_ARRAY(g->arena, struct mem, o->input_count);
    for (int i = 0; i < o->input_count; i++) {
        g->inputs[i] =
            *cg_mem(g, o->inputs[i]->type, KSPACE_GLOBAL, o->inputs[i]->u.name);
        cg_lay_out(g, &g->inputs[i], true);
        bind_mem(g, &g->inputs[i], LIFT_BIND_INPUT, &index);
    }
}

/* Names the buffers of the result after the program's outputs. */
static void bind_output(struct module *m, lift_type type)
{
    const struct lift_codegen_options *o = m->g.options;
    const struct mem *mem = cg_mem(&m->g, type, KSPACE_GLOBAL, "out");
    int index = 0;

    for (int i = 0; i < mem->leaf_count && mem->leaf_count == o->output_count; i++)
        mem->leaves[i]->name = o->outputs[i];
    cg_lay_out(&m->g, mem, true);
    bind_mem(&m->g, mem, LIFT_BIND_OUTPUT, &index);
    m->output = mem;
}

static void bind_params(struct gen *g)
{
    const struct lift_codegen_options *o = g->options;

    g->param_bind = g->bind_count;
    for (int i = 0; i < o->param_count; i++)
        add_bind(g, (struct lift_bind){.kind = LIFT_BIND_PARAM,
                                       .index = i,
                                       .name = cg_identifier(g, o->params[i]->u.name),
                                       .label = o->params[i]->u.name,
                                       .scalar = o->params[i]->type->scalar,
                                       .count = 1,
                                       .in_place = -1});
}

/* Kernels before it move: none of them is in the making any more. */
static struct kernel *add_kernel(struct module *m)
{
    struct gen *g = &m->g;
    struct kernel *k;

    if (m->kernel_count == m->kernel_cap) {
        struct kernel *old = m->kernels;

        m->kernel_cap = m->kernel_cap ? 2 * m->kernel_cap : 8;
        m->kernels = LIFT_NEW_ARRAY(g->arena, struct kernel, m->kernel_cap);
        for (int i = 0; i < m->kernel_count; i++)
            m->kernels[i] = old[i];
    }
    k = &m->kernels[m->kernel_count++];
    k->loop = m->loop;
    k->times = m->times;
    k->name = cg_identifier(
        g, lift_arena_printf(g->arena, "%s_%d", g->options->name, m->kernel_count));
    return k;
}

typedef void write_fn(struct gen *g, lift_expr e, const struct env *env, lift_dest dest);

/* One kernel that computes 'e', or what 'write' does of it. */
static void make_kernel(struct module *m, lift_expr e, const struct env *env,
                        lift_dest dest, write_fn *write)
{
    struct gen *g = &m->g;
    struct kernel *k = add_kernel(m);
    struct scope scope;

    g->kernel = k;
    scope = cg_enter(g, &k->body);
    write(g, e, env, dest);
    cg_leave(g, scope);
    cg_note_written(k);
    if (!g->failed)
        cg_run_passes(g, k);
}

/* Parts of the result that no loop holds together are kernels of their own: each has the
 * launch and the registers that it needs, and no test that tells it from the others. */
static void make_parts(struct module *m, lift_expr e, const struct env *env,
                       lift_dest dest)
{
    bool parts = lift_moves_each(e);
    int moved = lift_moved_slot(e);

    if (!parts && moved < 0) {
        make_kernel(m, e, env, dest, cg_write);
        return;
    }
    for (int i = 0; i < e->arg_count && !m->g.failed; i++)
        if (parts || i == moved)
            make_parts(m, e->u.prim.args[i], env, lift_dest_into(m->g.arena, e, i, dest));
    if (e->op == LIFT_INJECT && !m->g.failed)
        make_kernel(m, e, env, dest, cg_write_injected);
}

static void make_kernels(struct module *m, lift_expr e, const struct env *env,
                         const struct mem *to);

static bool reads(lift_expr e, int index)
{
    int inside = e->kind == LIFT_EXPR_LAMBDA ? index + e->arg_count : index;
    bool found = e->kind == LIFT_EXPR_BOUND && (int)e->u.index == index;

    for (int i = 0; e->loose > index && i < lift_expr_child_count(e) && !found; i++)
        found = reads(lift_expr_child(e, i), inside);
    return found;
}

/* Whether what an iteration ends with reads what it began with, but for what it stored of
 * it on the way. */
static bool overwrites_what_it_reads(lift_expr body)
{
    int index = 0;

    for (; lift_expr_is(body, LIFT_LET); body = body->u.prim.args[1]->u.lambda.body)
        if (!lift_expr_is(body->u.prim.args[0], LIFT_TO_GLOBAL) &&
            reads(body->u.prim.args[0], index))
            return true;
        else
            index++;
    return reads(body, index);
}

/* What an iteration begins with is where it puts its result, the first one's too; what it
 * stores on the way is in other buffers. */
static void make_loop(struct module *m, lift_expr e, const struct env *env,
                      const struct mem *to)
{
    struct gen *g = &m->g;
    struct value v = {.kind = VALUE_MEM, .mem = to};

    if (m->loop) {
        cg_fail(g, e->type, "repeated kernels inside of others that are repeated");
        return;
    }
    if (overwrites_what_it_reads(e->u.prim.args[0]->u.lambda.body)) {
        cg_fail(g, e->type,
                "the last kernel of a repeated step reads what it overwrites: 'toGlobal' "
                "is expected around all that reads the parameter of 'iterate'");
        return;
    }
    make_kernels(m, e->u.prim.args[1], env, to);
    m->times = cg_const(g, e->u.prim.nats[0], "a number of iterations");
    m->loop = ++m->loops;
    if (!g->failed && m->times > 0)
        make_kernels(m, e->u.prim.args[0]->u.lambda.body, cg_bind(g, env, v), to);
    m->loop = 0;
}

static const struct mem *make_stored(struct module *m, lift_expr value,
                                     const struct env *env)
{
    struct gen *g = &m->g;
    const struct mem *mem = cg_mem(g, value->type, KSPACE_GLOBAL, cg_name(g, "temp"));

    cg_lay_out(g, mem, false);
    bind_mem(g, mem, LIFT_BIND_TEMP, &m->temps);
    if (lift_is_repeated(value->u.prim.args[0]))
        make_loop(m, value->u.prim.args[0], env, mem);
    else
        make_parts(m, value->u.prim.args[0], env, lift_dest_mem(g->arena, mem));
    return mem;
}

/* The lets at the root whose values are stored in global memory are kernels of their own.
 */
static void make_kernels(struct module *m, lift_expr e, const struct env *env,
                         const struct mem *to)
{
    struct gen *g = &m->g;

    for (e = cg_below_layout(e); lift_expr_is(e, LIFT_LET) && !g->failed;
         e = cg_below_layout(e->u.prim.args[1]->u.lambda.body)) {
        lift_expr value = e->u.prim.args[0];
        struct value v = {.kind = VALUE_EXPR, .expr = value, .env = env};

        if (lift_expr_is(value, LIFT_TO_GLOBAL))
            v = (struct value){.kind = VALUE_MEM, .mem = make_stored(m, value, env)};
        env = cg_bind(g, env, v);
    }
    if (g->failed)
        return;
    if (lift_is_repeated(e))
        make_loop(m, e, env, to);
    else
        make_parts(m, e, env, lift_dest_mem(g->arena, to));
}

struct extents {
    int64_t glb[3], wrg[3];
    bool used[3];
    bool grouped; /* there are loops over groups, or over the items of one */
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

/* Loops that know of no groups get none that are larger than they are long: borders would
 * be work-items without work, most of them. */
static size_t local_of(const struct gen *g, const struct extents *x, int d)
{
    int64_t local = g->options->local[d] > 0 ? g->options->local[d] : 1;

    return (size_t)(!x->grouped && x->glb[d] < local ? x->glb[d] : local);
}

static size_t groups_of(const struct extents *x, int d, size_t local)
{
    if (x->wrg[0] > 0 || x->wrg[1] > 0 || x->wrg[2] > 0)
        return x->wrg[d] > 0 ? (size_t)x->wrg[d] : 1;
    return x->glb[d] > 0 ? ((size_t)x->glb[d] + local - 1) / local : 1;
}

/* As many groups as the longest mapWrg has, a tile for each, or else enough work-items
 * for the longest mapGlb. Beside a mapWrg a mapGlb makes do with its groups: more of them
 * would put the barriers of the tiles under a condition, which some drivers compile
 * wrongly. */
static struct lift_launch launch_of(const struct gen *g, const struct kernel *k)
{
    struct lift_launch l = {0, {1, 1, 1}, {1, 1, 1}, 0};
    struct extents x = {0};

    ks_each(&k->body, find_extents, &x);
    for (int d = 0; d < 3; d++) {
        size_t local = local_of(g, &x, d);

        if (!x.used[d])
            continue;
        l.dims = d + 1;
        l.local[d] = local;
        l.global[d] = groups_of(&x, d, local) * local;
    }
    if (lift_dialect_has_groups(g->options->dialect) && l.dims == 0)
        l.dims = 1;
    return l;
}

static bool uses_bind(const struct kernel *k, int bind)
{
    for (int i = 0; i < k->buffer_count; i++)
        if (k->buffers[i]->bind == bind)
            return true;
    return false;
}

static void measure_local(const struct gen *g, const struct kernel *k,
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

static struct lift_kernel describe(const struct gen *g, const struct kernel *k)
{
    struct lift_kernel out = {.name = k->name, .launch = launch_of(g, k)};
    int *args = LIFT_NEW_ARRAY(g->arena, int, g->bind_count);
    struct lift_tensor *tensors =
        LIFT_NEW_ARRAY(g->arena, struct lift_tensor, k->tensor_count + 1);

    for (int i = 0; i < g->bind_count; i++)
        if (g->binds[i].kind == LIFT_BIND_PARAM || uses_bind(k, i))
            args[out.arg_count++] = i;
    out.args = args;
    out.tensors = tensors;
    out.tensor_count = k->tensor_count;
    for (int i = 0; i < k->tensor_count; i++)
        tensors[i] = k->tensors[i].shape;
    measure_local(g, k, &out);
    cg_measure_moved(g, k, &out);
    return out;
}

/* Kernels of a loop are in a row. */
static void describe_loop(const struct module *m, int k, struct lift_kernel *out)
{
    int loop = m->kernels[k].loop;

    out->first = k;
    out->times = 1;
    if (!loop || (k + 1 < m->kernel_count && m->kernels[k + 1].loop == loop))
        return;
    out->times = m->kernels[k].times;
    while (out->first > 0 && m->kernels[out->first - 1].loop == loop)
        out->first--;
}

int64_t lift_module_runs(const struct lift_module *module, int kernel)
{
    for (int k = kernel; k < module->kernel_count; k++)
        if (module->kernels[k].times > 1 && module->kernels[k].first <= kernel)
            return module->kernels[k].times;
    return 1;
}

static const struct lift_module *finish(struct module *m, lift_expr body)
{
    struct gen *g = &m->g;
    struct lift_module *out = LIFT_NEW(g->arena, struct lift_module);
    struct lift_kernel *kernels =
        LIFT_NEW_ARRAY(g->arena, struct lift_kernel, m->kernel_count);

    for (int i = 0; i < m->kernel_count; i++) {
        kernels[i] = describe(g, &m->kernels[i]);
        describe_loop(m, i, &kernels[i]);
    }
    out->dialect = g->options->dialect;
    out->step = m->step;
    out->binds = g->binds;
    out->bind_count = g->bind_count;
    out->kernels = kernels;
    out->kernel_count = m->kernel_count;
    cg_print_module(g, m->kernels, body, out);
    return out;
}

/* Each device has a program of its own, the function of the 'mapDevice'. */
static void refuse_devices(struct gen *g, lift_expr body)
{
    bool parts = lift_expr_mentions(body, LIFT_MAP_DEVICE);

    if (parts || lift_expr_mentions(body, LIFT_EXCHANGE))
        cg_fail(g, lift_type_scalar(g->ir, LIFT_I32),
                "'%s' is for several devices, and a kernel is for one: 'lift run "
                "--devices' cuts a program without it, and runs the parts",
                parts ? "mapDevice" : "exchange");
}

const struct lift_module *lift_codegen(struct lift_ir *ir, lift_expr body,
                                       const struct lift_codegen_options *options,
                                       struct lift_str *why)
{
    struct module *m = LIFT_NEW(lift_ir_arena(ir), struct module);
    struct gen *g = &m->g;

    body = lift_hoist_globals(ir, body);
    g->ir = ir;
    g->arena = lift_ir_arena(ir);
    g->indices = cg_indices(g);
    g->nats = lift_ir_nats(ir);
    g->options = options;
    g->why = why;
    g->binds = LIFT_NEW_ARRAY(g->arena, struct lift_bind, MAX_BINDS);
    refuse_devices(g, body);
    cg_find_layouts(g, body);
    bind_inputs(g);
    bind_output(m, body->type);
    bind_params(g);
    m->step = cg_identifier(g, lift_arena_printf(g->arena, "%s_step", g->options->name));
    if (!g->failed)
        cg_share_buffers(g, m->output, body);
    if (!g->failed)
        make_kernels(m, body, NULL, m->output);
    if (!g->failed)
        m->kernel_count = cg_reuse_buffers(g, m->output, m->kernels, m->kernel_count);
    if (!g->failed)
        cg_check_in_place(g, m->output, m->kernels, m->kernel_count);
    return g->failed ? NULL : finish(m, body);
}
