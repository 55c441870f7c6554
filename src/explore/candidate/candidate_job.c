/* Converts a candidate to bytes for another process. One walk over the members either
 * writes or reads them. */
#include "base/bug.h"
#include "explore/candidate.h"
#include "lift/parse.h"
#include <string.h>

struct walk {
    struct lift_str *out; /* NULL: the walk reads from 'at' */
    const char *at;
    struct lift_ir *ir; /* context of the terms that the walk reads */
};

/* Writes items, or reads a copy whose pointers are not yet set. */
static void *items(struct walk *w, const void *data, size_t size)
{
    if (w->out) {
        lift_str_addn(w->out, data, size);
        return (void *)data;
    }
    data = lift_arena_copy(lift_ir_arena(w->ir), w->at, size);
    w->at += size;
    return (void *)data;
}

static const char *text(struct walk *w, const char *of)
{
    const char *from = w->out ? of : w->at;

    LIFT_ASSERT(from);
    return items(w, of, strlen(from) + 1);
}

/* The fill of a halo: a term of literals and parameters. */
static lift_expr term(struct walk *w, lift_expr of)
{
    LIFT_SCOPED(lift_str) printed = {0};
    LIFT_SCOPED(lift_error) error = {0};
    struct lift_source source = {.name = "fill"};
    lift_expr e;

    if (w->out) {
        lift_term_print(of, &printed);
        text(w, lift_str_get(&printed));
        return of;
    }
    source.text = text(w, NULL);
    source.len = strlen(source.text);
    e = lift_term_parse(w->ir, &source, &error);
    LIFT_ASSERT(e);
    return e;
}

static void bind(struct walk *w, struct lift_bind *b)
{
    struct lift_layout *layout;

    b->name = text(w, b->name);
    b->label = text(w, b->label);
    if (!b->layout)
        return;
    b->layout = layout = items(w, b->layout, sizeof *layout);
    if (layout->fill)
        layout->fill = term(w, layout->fill);
}

/* 'source' is stored separately; its parts are omitted. */
static const struct lift_module *module(struct walk *w, const struct lift_module *of,
                                        const char *source)
{
    struct lift_module *m = items(w, of, sizeof *m);
    struct lift_bind *binds;
    struct lift_kernel *kernels;

    m->binds = binds = items(w, m->binds, (size_t)m->bind_count * sizeof *binds);
    m->kernels = kernels =
        items(w, m->kernels, (size_t)m->kernel_count * sizeof *kernels);
    for (int i = 0; i < m->bind_count; i++)
        bind(w, &binds[i]);
    for (int i = 0; i < m->kernel_count; i++) {
        struct lift_kernel *k = &kernels[i];

        k->name = text(w, k->name);
        k->args = items(w, k->args, (size_t)k->arg_count * sizeof *k->args);
        k->tensors = items(w, k->tensors, (size_t)k->tensor_count * sizeof *k->tensors);
    }
    if (w->out)
        return m;
    m->source = source;
    m->comment = m->text = m->step = "";
    m->helper_count = 0;
    return m;
}

void candidate_write(const struct candidate *c, struct lift_str *out)
{
    struct walk w = {.out = out};
    const struct explore_numbers *n = &c->small_numbers;
    char small = c->small.module != NULL;

    text(&w, c->full.module->source);
    text(&w, c->flags);
    module(&w, c->full.module, NULL);
    items(&w, &small, sizeof small);
    if (!small)
        return;
    items(&w, n->values, (size_t)n->size_count * sizeof *n->values);
    text(&w, c->small.module->source);
    module(&w, c->small.module, NULL);
}

void candidate_read(const char *job, const struct explore_problem *p,
                    struct candidate *out)
{
    struct walk w = {.at = job, .ir = lift_ir_create()};
    struct explore_numbers *n = &out->small_numbers;
    const char *source;

    *out = (struct candidate){.full.ir = w.ir};
    source = text(&w, NULL);
    out->flags = text(&w, NULL);
    out->full.module = module(&w, NULL, source);
    if (!*(char *)items(&w, NULL, 1))
        return;
    explore_numbers_of(p, NULL, NULL, n);
    memcpy(n->values, w.at, (size_t)n->size_count * sizeof *n->values);
    w.at += (size_t)n->size_count * sizeof *n->values;
    w.ir = out->small.ir = lift_ir_create();
    source = text(&w, NULL);
    out->small.module = module(&w, NULL, source);
}
