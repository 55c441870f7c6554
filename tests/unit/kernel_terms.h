/* Terms for devices as text: '@', '%' and '#' stand for levels, with their brackets. */
#ifndef KERNEL_TERMS_H
#define KERNEL_TERMS_H

#include "kernel_world.h"
#include "lift/parse.h"
#include <stdio.h>

static void find_inputs(struct world *w, lift_expr e)
{
    if (e->kind == LIFT_EXPR_FREE) {
        for (int i = 0; i < w->in_count; i++)
            if (w->in[i] == e)
                return;
        assert_true(w->in_count < MAX_IN);
        w->in[w->in_count++] = e;
    }
    for (int i = 0; i < lift_expr_child_count(e); i++)
        find_inputs(w, lift_expr_child(e, i));
}

/* The term with its levels; its inputs become those of the world. */
static lift_expr read_term(struct world *w, const char *text, const char *const levels[3])
{
    static const char symbols[] = "@%#";
    struct lift_error errors = {0};
    struct lift_str with = {0};
    struct lift_source source = {.name = "term"};
    lift_expr e;

    for (; *text; text++) {
        const char *at = strchr(symbols, *text);

        if (at)
            lift_str_add(&with, levels[at - symbols]);
        else
            lift_str_addc(&with, *text);
    }
    source.text = lift_str_get(&with);
    source.len = strlen(source.text);
    e = lift_term_parse(w->ir, &source, &errors);
    lift_error_print(&errors, stderr);
    assert_non_null(e);
    lift_error_fini(&errors);
    lift_str_fini(&with);
    find_inputs(w, e);
    return e;
}

/* Opens a separate world for the term. */
static inline lift_expr open_term(struct world *w, const char *text,
                                  const char *const levels[3])
{
    *w = (struct world){.ir = lift_ir_create()};
    w->nats = lift_ir_nats(w->ir);
    w->f32 = lift_type_scalar(w->ir, LIFT_F32);
    return read_term(w, text, levels);
}

/* 'shows' is in the source and 'hides' is not; NULL: it is not looked at. */
static inline void assert_texts(const char *source, const char *shows, const char *hides)
{
    if (shows && !strstr(source, shows))
        fail_msg("no '%s' in\n%s", shows, source);
    if (hides && strstr(source, hides))
        fail_msg("'%s' in\n%s", hides, source);
}

struct term_case {
    const char *name, *text;
    const char *shows, *hides;
};

/* The host's kernel of the term contains these texts, and computes the term's value. */
static inline void check_on_host(const struct term_case *c, struct lift_device *dev)
{
    static const char *const levels[] = {"", "", ""};
    static const int local[] = {1, 1, 1};
    struct world w;
    lift_expr e = open_term(&w, c->text, levels);

    print_message("%s\n", c->name);
    assert_texts(generate(&w, e, LIFT_DIALECT_OPENMP, local)->source, c->shows, c->hides);
    assert_computes(&w, e, dev, local);
    lift_ir_destroy(w.ir);
}

static inline void check_all_on_host(const struct term_case *cases, size_t count)
{
    struct lift_device *dev = open_or_skip("host");

    for (size_t i = 0; i < count; i++)
        check_on_host(&cases[i], dev);
    lift_device_close(dev);
}

#endif
