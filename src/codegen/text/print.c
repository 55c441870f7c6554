/* Prints kernels and modules as text. */
#include "codegen/text/dialect.h"
#include <stdio.h>
#include <stdlib.h>

static bool is_written(const struct kernel *k, int bind)
{
    for (int i = 0; i < k->buffer_count; i++)
        if (k->buffers[i]->bind == bind)
            return k->buffers[i]->written;
    return false;
}

static void print_params(struct gen *g, struct printer *p, const struct kernel *k,
                         const struct lift_kernel *info)
{
    for (int i = 0; i < info->arg_count; i++) {
        const struct lift_bind *b = &g->binds[info->args[i]];
        const char *type = cg_scalar_type(b->scalar, b->kind != LIFT_BIND_PARAM);

        lift_str_add(p->out, i ? ", " : "(");
        if (b->kind == LIFT_BIND_PARAM)
            lift_str_addf(p->out, "%s %s", type, b->name);
        else
            lift_str_addf(p->out, "%s%s *%s%s",
                          is_written(k, info->args[i]) ? p->d->output : p->d->input, type,
                          p->d->restrict_word, b->name);
    }
    for (int i = 0; i < k->tensor_count; i++)
        lift_str_addf(p->out, "%sconst __grid_constant__ lift_map %s",
                      i || info->arg_count ? ", " : "(", k->tensors[i].name);
    lift_str_add(p->out, info->arg_count || k->tensor_count ? ")" : "(void)");
}

/* Declares local arrays as parts of one dynamic array, whose size the launch sets. */
static void print_dynamic_locals(struct printer *p, const struct kernel *k)
{
    int64_t used = 0;

    cg_line(p);
    lift_str_addf(p->out, "extern %sunsigned char lift_local[];", p->d->local_array);
    for (int i = 0; i < k->buffer_count; i++) {
        const struct kbuffer *b = k->buffers[i];
        const char *type = cg_scalar_type(b->scalar, true);

        if (b->space != KSPACE_LOCAL || b->over)
            continue;
        used = cg_local_start(used);
        cg_line(p);
        lift_str_addf(p->out, "%s *const %s = (%s *)(lift_local + %lld);", type, b->name,
                      type, (long long)used);
        used += b->count * lift_scalar_bytes(b->scalar);
    }
}

/* Declares arrays that share the memory of other arrays. */
static void print_over(struct printer *p, const struct kernel *k)
{
    const char *space = p->d->local_space ? p->d->local_space : "";

    for (int i = 0; i < k->buffer_count; i++) {
        const struct kbuffer *b = k->buffers[i], *under = b;

        while (under->over)
            under = under->over;
        if (under == b)
            continue;
        cg_line(p);
        lift_str_addf(p->out, "%s%s *const %s = %s;", space,
                      cg_scalar_type(b->scalar, true), b->name, under->name);
    }
}

static void print_locals(struct printer *p, const struct kernel *k)
{
    for (int i = 0; p->d->local_at_top && i < k->buffer_count; i++)
        if (k->buffers[i]->space == KSPACE_LOCAL && !k->buffers[i]->over) {
            cg_line(p);
            cg_print_array(p, k->buffers[i]);
        }
}

static void print_call_entry(struct gen *g, struct printer *p,
                             const struct lift_kernel *info)
{
    lift_str_addf(p->out, "\nvoid %s_call(void *const *args)\n{\n%s    %s(", info->name,
                  p->ieee ? "    lift_ieee();\n" : "", info->name);
    for (int i = 0; i < info->arg_count; i++) {
        const struct lift_bind *b = &g->binds[info->args[i]];

        if (b->kind == LIFT_BIND_PARAM)
            lift_str_addf(p->out, "%s*(const %s *)args[%d]", i ? ", " : "",
                          cg_scalar_type(b->scalar, false), i);
        else
            lift_str_addf(p->out, "%sargs[%d]", i ? ", " : "", i);
    }
    lift_str_add(p->out, ");\n}\n");
}

static bool is_local(const struct gen *g)
{
    return g->options->local_functions && !lift_dialect_has_groups(g->options->dialect);
}

enum { MOST_LANES = 64 }; /* maximum of lanes in a wave */

/* Prints the group size and the register limit: the number of resident groups per compute
 * unit, or for HIP the number of waves per SIMD unit. */
static void print_group_size(const struct gen *g, struct printer *p,
                             const struct lift_launch *l)
{
    char bound[32] = "";
    int resident = g->options->resident, warp = g->options->warp;
    size_t waves = l->local[0] * l->local[1] * l->local[2];

    warp = warp > 0 ? warp : MOST_LANES;
    waves = (waves + (size_t)warp - 1) / (size_t)warp * (size_t)resident;
    if (p->d->wave_units)
        resident = (int)(waves + (size_t)p->d->wave_units - 1) / p->d->wave_units;
    if (resident > 0)
        snprintf(bound, sizeof bound, ", %d", resident);
    lift_str_addf(p->out, p->d->group_size, l->local[0], l->local[1], l->local[2], bound);
}

static void print_body(struct printer *p, const struct kernel *k,
                       const struct lift_launch *l)
{
    if (k->team) {
        cg_line(p);
        cg_open_team(p);
    }
    cg_print_stmts(p, &k->body, l);
    if (k->team)
        cg_close_block(p);
}

static void print_kernel(struct gen *g, struct printer *p, const struct kernel *k,
                         const struct lift_kernel *info)
{
    const struct lift_launch *l = &info->launch;

    if (!cg_is_printable(k)) {
        cg_print_plain(k, p->out);
        return;
    }
    lift_str_addf(p->out, "\n%s%s", is_local(g) ? "static " : "", p->d->function);
    if (p->d->group_size && l->dims > 0)
        print_group_size(g, p, l);
    lift_str_addf(p->out, "void %s", k->name);
    p->kernel = k;
    cg_note_written(k);
    print_params(g, p, k, info);
    lift_str_add(p->out, "\n{");
    p->indent = 1;
    if (l->dynamic_bytes > 0)
        print_dynamic_locals(p, k);
    else
        print_locals(p, k);
    print_over(p, k);
    print_body(p, k, l);
    p->indent = 0;
    lift_str_add(p->out, "\n}\n");
    if (p->d->call_entry && !is_local(g))
        print_call_entry(g, p, info);
}

static void print_list(const char *word, const int64_t *list, int count,
                       struct lift_str *out)
{
    for (int d = count - 1; d >= 0; d--)
        lift_str_addf(out, "%s%lld", d == count - 1 ? word : ", ", (long long)list[d]);
}

/* Describes the tensor maps of a kernel for callers. As in the driver, the dimension of
 * rows comes first. */
static void print_maps(const struct kernel *k, struct lift_str *out)
{
    for (int i = 0; i < k->tensor_count; i++) {
        const struct ktensor *t = &k->tensors[i];
        int64_t box[LIFT_TENSOR_DIMS];

        for (int d = 0; d < t->shape.dims; d++)
            box[d] = t->shape.box[d];
        lift_str_addf(out, "\n%s of %s: CUtensorMap of %s from element %lld on", t->name,
                      k->name, t->buffer->name, (long long)t->shape.offset);
        print_list(", dimensions ", t->shape.length, t->shape.dims, out);
        print_list(", strides ", t->shape.stride, t->shape.dims - 1, out);
        print_list(" elements, box ", box, t->shape.dims, out);
        lift_str_add(out, ", zeros outside");
    }
}

static void print_comment(struct gen *g, lift_expr body, const struct kernel *kernels,
                          int count, struct lift_str *out)
{
    struct lift_str text = {0};

    if (g->options->comment)
        lift_str_addf(&text, "%s\n", g->options->comment);
    lift_expr_print_alike(body, &text);
    cg_print_layouts(g, &text);
    for (int i = 0; i < count; i++)
        print_maps(&kernels[i], &text);
    lift_str_add(out, "/* ");
    for (const char *c = lift_str_get(&text); *c; c++) {
        if (c[0] == '*' && c[1] == '/')
            lift_str_add(out, "* ");
        else if (c[0] == '\n')
            lift_str_add(out, c[1] ? "\n * " : "");
        else
            lift_str_addc(out, *c);
    }
    lift_str_add(out, " */\n");
    lift_str_fini(&text);
}

/* The type of indices. With buffers of at most 2^30 elements, 32 bits also suffice for
 * indices into pads and rounded tiles. */
static const char *index_type(const struct gen *g)
{
    for (int i = 0; i < g->bind_count; i++)
        if (g->binds[i].count > INT32_MAX / 2)
            return "long";
    return g->options->index_bits == 32 ? "int" : "long";
}

void cg_print_module(struct gen *g, const struct kernel *kernels, lift_expr body,
                     struct lift_module *out)
{
    struct lift_str text = {0}, comment = {0}, source = {0};
    struct helpers helpers = {.arena = g->arena};
    struct printer p = {.d = &cg_dialects[g->options->dialect],
                        .index_type = index_type(g),
                        .beside = g->options->beside,
                        .exact = g->options->exact,
                        .ieee = g->options->exact && !is_local(g) &&
                                cg_dialects[g->options->dialect].call_entry,
                        .out = &text};

    for (int i = 0; i < out->kernel_count; i++) {
        int64_t work = cg_work(&kernels[i].body);

        p.most_work = work > p.most_work ? work : p.most_work;
    }
    for (int i = 0; i < out->kernel_count; i++)
        print_kernel(g, &p, &kernels[i], &out->kernels[i]);
    print_comment(g, body, kernels, out->kernel_count, &comment);
    cg_add_helpers(&p, &helpers);
    lift_str_add(&source, lift_str_get(&comment));
    for (int i = 0; i < helpers.count; i++)
        lift_str_add(&source, helpers.items[i]);
    lift_str_add(&source, lift_str_get(&text));
    out->source = lift_arena_strdup(g->arena, lift_str_get(&source));
    out->comment = lift_arena_strdup(g->arena, lift_str_get(&comment));
    out->text = lift_arena_strdup(g->arena, lift_str_get(&text));
    out->helpers = helpers.items;
    out->helper_count = helpers.count;
    free(p.user_funs.texts);
    lift_str_fini(&source);
    lift_str_fini(&comment);
    lift_str_fini(&text);
}
