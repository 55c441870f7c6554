/* Terms and rules as text, for the tests of rules. */
#ifndef RULE_WORLD_H
#define RULE_WORLD_H

#include "lift/build.h"
#include "lift/parse.h"
#include "rules/rule.h"
#include <string.h>

struct world {
    struct lift_ir *ir;
    lift_expr vars[8];
    int var_count;
};

static void add_var(struct world *w, const char *name, int rank, const int64_t *len)
{
    lift_type t = lift_type_scalar(w->ir, LIFT_F32);

    for (int i = rank - 1; i >= 0; i--)
        t = lift_type_array(w->ir, t, lift_nat_const(lift_ir_nats(w->ir), len[i]));
    w->vars[w->var_count++] = lift_expr_free(w->ir, name, t);
}

/* c: f32; x, y: [f32]12; q: [[f32]3]3; m: [[f32]6]4; b: [[[f32]2]3]4 */
static struct world make_world(void)
{
    struct world w = {.ir = lift_ir_create()};

    add_var(&w, "c", 0, NULL);
    add_var(&w, "x", 1, (int64_t[]){12});
    add_var(&w, "y", 1, (int64_t[]){12});
    add_var(&w, "q", 2, (int64_t[]){3, 3});
    add_var(&w, "m", 2, (int64_t[]){4, 6});
    add_var(&w, "b", 3, (int64_t[]){4, 3, 2});
    return w;
}

static lift_expr parse(const struct world *w, const char *text)
{
    struct lift_scope scope = {.vars = w->vars, .var_count = w->var_count};
    struct lift_source source = {"term", text, strlen(text)};
    struct lift_error errors = {0};
    lift_expr e = lift_expr_parse(w->ir, &scope, &source, &errors);

    lift_error_print(&errors, stderr);
    lift_error_fini(&errors);
    assert_non_null(e);
    return e;
}

static void assert_same(lift_expr got, lift_expr want)
{
    struct lift_str a = {0}, b = {0};

    if (got == want)
        return;
    lift_expr_print(got, &a);
    lift_expr_print(want, &b);
    print_message("got      %s\nexpected %s\n", lift_str_get(&a), lift_str_get(&b));
    lift_str_fini(&a);
    lift_str_fini(&b);
    fail();
}

#endif
