/* The entry points of lift/parse.h. */
#include "ir/text/elab_decl.h"
#include "lift/bug.h"
#include "lift/expr.h"
#include "lift/parse.h"

/* One text under elaboration. */
struct reading {
    struct lift_arena *arena;
    struct syntax_parser *parser;
    struct elab el;
    const struct env *env;
};

static void open_reading(struct reading *r, struct lift_ir *ir,
                         const struct lift_scope *scope, const struct lift_source *source,
                         struct lift_diags *diags)
{
    LIFT_ASSERT(ir);
    r->arena = lift_arena_create();
    r->parser = syntax_open(r->arena, source, diags);
    elab_init(&r->el, ir, r->arena, source, diags);
    r->env = elab_prelude(&r->el);
    for (int i = 0; scope && i < scope->nat_count; i++)
        r->env = elab_bind_nat(&r->el, r->env, lift_nat_is_var(scope->nats[i], NULL),
                               scope->nats[i]);
    for (int i = 0; scope && i < scope->var_count; i++)
        r->env = elab_bind_value(
            &r->el, r->env, scope->vars[i]->u.name,
            elab_make_data(&r->el, scope->vars[i], (struct lift_span){0}));
}

static void close_reading(struct reading *r)
{
    elab_fini(&r->el);
    lift_arena_destroy(r->arena);
}

static const struct syntax_node *whole(struct reading *r, const struct syntax_node *n)
{
    return n && syntax_expect(r->parser, TOKEN_END, "the end of the text") ? n : NULL;
}

static lift_expr data_or_lambda(struct reading *r, const struct syntax_node *n)
{
    struct value v = elab_expr(&r->el, r->env, n);

    return v.kind == VALUE_FUN ? elab_typed_lambda(&r->el, &v) : elab_settled(&r->el, &v);
}

lift_expr lift_expr_parse(struct lift_ir *ir, const struct lift_scope *scope,
                          const struct lift_source *source, struct lift_diags *diags)
{
    struct reading r;
    const struct syntax_node *n;
    lift_expr e;

    if (!lift_source_given(source, diags))
        return NULL;
    open_reading(&r, ir, scope, source, diags);
    n = whole(&r, syntax_expr(r.parser));
    e = n ? data_or_lambda(&r, n) : NULL;
    close_reading(&r);
    return e;
}

lift_type lift_type_parse(struct lift_ir *ir, const struct lift_scope *scope,
                          const struct lift_source *source, struct lift_diags *diags)
{
    struct reading r;
    const struct syntax_node *n;
    lift_type t;

    if (!lift_source_given(source, diags))
        return NULL;
    open_reading(&r, ir, scope, source, diags);
    n = whole(&r, syntax_type(r.parser));
    t = n ? elab_type(&r.el, r.env, n) : NULL;
    close_reading(&r);
    return t;
}

lift_nat lift_nat_parse(struct lift_ir *ir, const struct lift_scope *scope,
                        const struct lift_source *source, struct lift_diags *diags)
{
    struct reading r;
    const struct syntax_node *n;
    lift_nat nat;

    if (!lift_source_given(source, diags))
        return NULL;
    open_reading(&r, ir, scope, source, diags);
    n = whole(&r, syntax_expr(r.parser));
    nat = n ? elab_nat(&r.el, r.env, n) : NULL;
    close_reading(&r);
    return nat;
}

lift_expr lift_term_parse(struct lift_ir *ir, const struct lift_source *source,
                          struct lift_diags *diags)
{
    struct reading r;
    struct decl_names names = {0};
    struct syntax_file file;
    lift_expr e = NULL;

    if (!lift_source_given(source, diags))
        return NULL;
    open_reading(&r, ir, NULL, source, diags);
    if (syntax_term(r.parser, &file)) {
        names.env = r.env;
        for (int i = 0; i < file.count; i++)
            decl_add(&r.el, &names, &file.decls[i]);
        r.env = names.env;
        e = r.el.failed ? NULL : data_or_lambda(&r, file.body);
    }
    close_reading(&r);
    return e;
}
