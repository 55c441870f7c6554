/* Makes a module from a low-level term: buffers, kernels, launches and text. */
#include "codegen/passes/passes.h"
#include "codegen/rotate.h"
#include "codegen/text/dialect.h"
#include "ir/spine.h"
#include <stdlib.h>

enum { MAX_BINDS = 96 };

struct module {
    struct gen g;
    struct kernel *kernels;
    int kernel_count, kernel_cap;
    int loops; /* number of loops of kernels */
    int loop;  /* the current loop; 0: none */
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

/* Binds the buffers of a value; '*index' counts the buffers of this kind. */
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

static int temp_count(const struct gen *g)
{
    int count = 0;

    for (int i = 0; i < g->bind_count; i++)
        count += g->binds[i].kind == LIFT_BIND_TEMP;
    return count;
}

void cg_bind_temp(struct gen *g, struct kbuffer *b)
{
    int index = temp_count(g);

    b->space = KSPACE_GLOBAL;
    bind_mem(g, &(struct mem){.leaves = &b, .leaf_count = 1}, LIFT_BIND_TEMP, &index);
    g->binds[b->bind].layout = NULL;
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

/* Adds a kernel. The array of kernels may move, so callers keep no pointers to earlier
 * kernels. */
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

typedef void write_fn(struct gen *g, lift_expr e, lift_env env, lift_dest dest);

/* Makes one kernel by calling 'write', normally to compute 'e'. */
static void make_kernel(struct module *m, lift_expr e, lift_env env, lift_dest dest,
                        write_fn *write)
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

static const struct mem *make_temp(struct module *m, lift_type type)
{
    struct gen *g = &m->g;
    const struct mem *mem = cg_mem(g, type, KSPACE_GLOBAL, cg_name(g, "temp"));
    int index = temp_count(g);

    cg_lay_out(g, mem, false);
    bind_mem(g, mem, LIFT_BIND_TEMP, &index);
    return mem;
}

/* Makes the kernels that add the points of an 'inject' to its grid, which 'dest' already
 * holds. */
static void make_injected(struct module *m, lift_expr e, lift_env env, lift_dest dest)
{
    struct gen *g = &m->g;
    lift_type blocks = cg_injected_blocks(g, e);
    const struct mem *mem = blocks ? make_temp(m, blocks) : NULL;

    if (mem)
        make_kernel(m, e, env, lift_dest_mem(g->arena, mem), cg_write_blocks);
    g->point_blocks = mem;
    if (!g->failed)
        make_kernel(m, e, env, dest, cg_write_injected);
    g->point_blocks = NULL;
}

/* Parts of the result without a common loop become separate kernels. Each has a suitable
 * launch and register count, and needs no test that selects the part. */
static void make_parts(struct module *m, lift_expr e, lift_env env, lift_dest dest)
{
    bool parts = lift_moves_each(e);
    int moved = lift_moved_slot(e);

    if (cg_is_passed(e, env))
        return;
    if (!parts && moved < 0) {
        make_kernel(m, e, env, dest, cg_write);
        return;
    }
    for (int i = 0; i < e->arg_count && !m->g.failed; i++)
        if (parts || i == moved)
            make_parts(m, e->u.prim.args[i], env, lift_dest_into(m->g.arena, e, i, dest));
    if (e->op == LIFT_INJECT && !m->g.failed)
        make_injected(m, e, env, dest);
}

/* ---- repeated kernels */

static lift_env make_named(struct module *m, lift_expr *e, lift_env env, lift_dest to);

/* The memory of 'count' grids as a value of this type. */
static const struct mem *mem_of(struct gen *g, lift_type type,
                                const struct mem *const *grids, int count)
{
    struct mem *mem = LIFT_NEW(g->arena, struct mem);

    *mem = (struct mem){
        .type = type,
        .leaves = LIFT_NEW_ARRAY(g->arena, struct kbuffer *, cg_leaf_count(type))};
    for (int i = 0; i < count; i++)
        for (int l = 0; l < grids[i]->leaf_count; l++)
            mem->leaves[mem->leaf_count++] = grids[i]->leaves[l];
    return mem;
}

/* A repeated kernel: the steps of a state that rotates among buffers. */
struct steps {
    struct module *m;
    lift_expr e;
    lift_env env;
    struct rotation r;
    const struct mem *buffers[3 * ROTATE_PARTS];
};

/* Assigns the buffers of the result to the state after step n, the last step. */
static void find_buffers(struct steps *s, int64_t n, const struct mem *to)
{
    int leaf = 0;

    for (int i = 0; i < s->r.count; i++) {
        struct mem *grid = LIFT_NEW(s->m->g.arena, struct mem);

        *grid = (struct mem){.type = s->r.type[i],
                             .leaves = to->leaves + leaf,
                             .leaf_count = cg_leaf_count(s->r.type[i])};
        s->buffers[cg_rotation_buffer(&s->r, n, i)] = grid;
        leaf += grid->leaf_count;
    }
}

static void state_after(struct steps *s, int64_t t, const struct mem **grids)
{
    for (int i = 0; i < s->r.count; i++) {
        const struct mem **b = &s->buffers[cg_rotation_buffer(&s->r, t, i)];

        if (!*b)
            *b = make_temp(s->m, s->r.type[i]);
        grids[i] = *b;
    }
}

static void make_loop(struct module *m, lift_expr e, lift_env env, const struct mem *to);

/* Makes the kernels for the grids that a step changes, from grid '*grid' on. */
static void make_state(struct steps *s, lift_expr e, lift_env env,
                       const struct mem *const *grids, bool passes, int *grid)
{
    int first = *grid;

    if (lift_expr_is(e, LIFT_TUPLE)) {
        for (int i = 0; i < e->arg_count; i++)
            make_state(s, e->u.prim.args[i], env, grids, passes, grid);
        return;
    }
    for (int leaves = 0; *grid < s->r.count && leaves < cg_leaf_count(e->type); ++*grid)
        leaves += grids[*grid]->leaf_count;
    if (lift_is_repeated(e))
        make_loop(s->m, e, env, mem_of(&s->m->g, e->type, grids + first, *grid - first));
    else if (!passes || s->r.from[first] < 0)
        make_parts(s->m, e, env,
                   lift_dest_mem(s->m->g.arena, mem_of(&s->m->g, e->type, grids + first,
                                                       *grid - first)));
}

static void make_step(struct steps *s, int64_t t)
{
    struct gen *g = &s->m->g;
    lift_expr e = s->e->u.prim.args[0]->u.lambda.body->u.prim.args[0];
    const struct mem *old[ROTATE_PARTS] = {NULL}, *now[ROTATE_PARTS] = {NULL};
    struct lift_bound v = {
        .kind = LIFT_BOUND_EXPR, .expr = s->e->u.prim.args[1], .env = s->env};
    lift_env env;
    int grid = 0;

    if (t > 1) {
        state_after(s, t - 1, old);
        v = (struct lift_bound){.kind = LIFT_BOUND_MEM,
                                .mem = mem_of(g, s->e->type, old, s->r.count)};
    }
    state_after(s, t, now);
    env = make_named(s->m, &e, lift_walk_bind(&g->walker, s->env, v),
                     lift_dest_mem(g->arena, mem_of(g, s->e->type, now, s->r.count)));
    if (!g->failed)
        make_state(s, e, env, now, t > 1, &grid);
}

/* Makes the first steps, then a loop of launches over one cycle of the rotation. */
static void make_loop(struct module *m, lift_expr e, lift_env env, const struct mem *to)
{
    struct gen *g = &m->g;
    struct steps *s = LIFT_NEW(g->arena, struct steps);
    int64_t n = cg_const(g, e->u.prim.nats[0], "a number of iterations"), before, times;
    bool inner = m->loop > 0;

    s->m = m, s->e = e, s->env = env;
    if (!cg_rotation_find(&s->r, e->u.prim.args[0]) || n < 1 ||
        (inner && n > LIFT_MOST_NAMED)) {
        cg_fail(g, e->type,
                n < 1   ? "kernels that are run no times"
                : inner ? "repeated kernels inside of others that are repeated"
                        : "an 'iterate' of more than %d grids",
                ROTATE_PARTS);
        return;
    }
    find_buffers(s, n, to);
    before = inner ? n : cg_rotation_before(&s->r, n);
    times = (n - before) / s->r.cycle;
    for (int64_t t = 1; t <= before && !g->failed; t++)
        make_step(s, t);
    if (times > 1) {
        m->times = times;
        m->loop = ++m->loops;
    }
    for (int64_t t = 1; t <= s->r.cycle && times > 0 && !g->failed; t++)
        make_step(s, before + t);
    m->loop = inner ? m->loop : 0;
}

/* Computes the value of a let-bound name into memory. 'rest' is the body of the let; its
 * value goes to 'to'. */
static const struct mem *make_stored(struct module *m, lift_expr value, lift_env env,
                                     lift_expr rest, lift_dest to)
{
    const struct mem *mem = cg_pass_members(&m->g, make_temp(m, value->type), rest, to);

    if (lift_is_repeated(value->u.prim.args[0]))
        make_loop(m, value->u.prim.args[0], env, mem);
    else
        make_parts(m, value->u.prim.args[0], env, cg_dest_of(&m->g, mem));
    return mem;
}

/* Each let at the root whose value is stored in global memory becomes a separate kernel.
 * '*e' becomes the body of the innermost let. */
static lift_env make_named(struct module *m, lift_expr *e, lift_env env, lift_dest to)
{
    struct gen *g = &m->g;

    for (*e = cg_below_layout(*e); lift_expr_is(*e, LIFT_LET) && !g->failed;
         *e = cg_below_layout((*e)->u.prim.args[1]->u.lambda.body)) {
        lift_expr value = (*e)->u.prim.args[0];
        struct lift_bound v = {.kind = LIFT_BOUND_EXPR, .expr = value, .env = env};

        if (lift_expr_is(value, LIFT_TO_GLOBAL))
            v = (struct lift_bound){
                .kind = LIFT_BOUND_MEM,
                .mem =
                    make_stored(m, value, env, (*e)->u.prim.args[1]->u.lambda.body, to)};
        env = lift_walk_bind(&g->walker, env, v);
    }
    return env;
}

static void make_kernels(struct module *m, lift_expr e, const struct mem *to)
{
    lift_env env = make_named(m, &e, NULL, lift_dest_mem(m->g.arena, to));

    if (m->g.failed)
        return;
    if (lift_is_repeated(e))
        make_loop(m, e, env, to);
    else
        make_parts(m, e, env, lift_dest_mem(m->g.arena, to));
}

static bool uses_bind(const struct kernel *k, int bind)
{
    for (int i = 0; i < k->buffer_count; i++)
        if (k->buffers[i]->bind == bind)
            return true;
    return false;
}

static struct lift_kernel describe(const struct gen *g, const struct kernel *k)
{
    struct lift_kernel out = {.name = k->name, .launch = cg_launch(g, k)};
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
    cg_measure_local(g, k, &out);
    cg_measure_moved(g, k, &out);
    return out;
}

/* Describes the loop of kernel 'k', if 'k' is its last kernel. Kernels of a loop are
 * consecutive. */
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

const struct lift_module *lift_codegen(struct lift_ir *ir, lift_expr body,
                                       const struct lift_codegen_options *options,
                                       struct lift_str *why)
{
    struct module *m = LIFT_NEW(lift_ir_arena(ir), struct module);
    const struct lift_module *out;
    struct gen *g = &m->g;

    body = lift_hoist_globals(ir, cg_without_idle(ir, body));
    g->ir = ir;
    g->arena = lift_ir_arena(ir);
    g->walker = (struct lift_walker){&cg_code_ops, {&cg_index_ops, g, g->arena}};
    g->nats = lift_ir_nats(ir);
    g->options = options;
    g->why = why;
    g->binds = LIFT_NEW_ARRAY(g->arena, struct lift_bind, MAX_BINDS);
    cg_find_layouts(g, body);
    bind_inputs(g);
    bind_output(m, body->type);
    bind_params(g);
    m->step = cg_identifier(g, lift_arena_printf(g->arena, "%s_step", g->options->name));
    if (!g->failed)
        cg_share_buffers(g, m->output, body);
    if (!g->failed)
        make_kernels(m, body, m->output);
    if (!g->failed)
        m->kernel_count = cg_reuse_buffers(g, m->output, m->kernels, m->kernel_count);
    if (!g->failed)
        cg_check_in_place(g, m->output, m->kernels, m->kernel_count);
    if (!g->failed)
        cg_check_nontemporal(g);
    out = g->failed ? NULL : finish(m, body);
    free((void *)g->memo_stack);
    return out;
}
