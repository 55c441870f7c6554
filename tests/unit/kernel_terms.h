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
    struct lift_diags diags = {0};
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
    e = lift_term_parse(w->ir, &source, &diags);
    lift_diags_print(&diags, stderr);
    assert_non_null(e);
    lift_diags_fini(&diags);
    lift_str_fini(&with);
    find_inputs(w, e);
    return e;
}

#endif
