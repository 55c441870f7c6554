/* The entry points of lift/parse.h. */
#include "base/bug.h"
#include "ir/expr.h"
#include "ir/text/elab_decl.h"
#include "lift/parse.h"

/* A text during its elaboration. */
struct reading {
    const struct lift_scope *scope; /* NULL: an empty scope */
    struct syntax_parser *parser;
    struct elab el;
    const struct env *env;
    lift_expr e; /* the result: a term, a type or a size */
    lift_type t;
    lift_nat n;
};

static void bind_scope(struct reading *r)
{
    const struct lift_scope *scope = r->scope;

    r->env = elab_prelude(&r->el);
    for (int i = 0; scope && i < scope->nat_count; i++)
        r->env = elab_bind_nat(&r->el, r->env, lift_nat_is_var(scope->nats[i], NULL),
                               scope->nats[i]);
    for (int i = 0; scope && i < scope->var_count; i++)
        r->env = elab_bind_value(
            &r->el, r->env, scope->vars[i]->u.name,
            elab_make_data(&r->el, scope->vars[i], (struct lift_span){0}));
}

static void read_text(struct reading *r, struct lift_ir *ir,
                      const struct lift_source *source, struct lift_error *errors,
                      void (*read)(struct reading *r))
{
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();

    LIFT_ASSERT(ir);
    if (!lift_source_given(source, errors))
        return;
    elab_init(&r->el, ir, arena, source, errors);
    if (!setjmp(r->el.failed)) {
        r->parser = syntax_open(arena, source, errors, &r->el.failed);
        bind_scope(r);
        read(r);
    }
    elab_fini(&r->el);
}

/* Reads the whole text by 'read'. */
static const struct syntax_node *
whole(struct reading *r, const struct syntax_node *(*read)(struct syntax_parser *p))
{
    const struct syntax_node *n = read(r->parser);

    syntax_expect(r->parser, TOKEN_END, "the end of the text");
    return n;
}

static lift_expr data_or_lambda(struct reading *r, const struct syntax_node *n)
{
    struct value v = elab_expr(&r->el, r->env, n);

    return v.kind == VALUE_FUN ? elab_typed_lambda(&r->el, &v) : elab_settled(&r->el, &v);
}

static void read_expr(struct reading *r)
{
    r->e = data_or_lambda(r, whole(r, syntax_expr));
}

lift_expr lift_expr_parse(struct lift_ir *ir, const struct lift_scope *scope,
                          const struct lift_source *source, struct lift_error *errors)
{
    struct reading r = {.scope = scope};

    read_text(&r, ir, source, errors, read_expr);
    return r.e;
}

static void read_type(struct reading *r)
{
    r->t = elab_type(&r->el, r->env, whole(r, syntax_type));
}

lift_type lift_type_parse(struct lift_ir *ir, const struct lift_scope *scope,
                          const struct lift_source *source, struct lift_error *errors)
{
    struct reading r = {.scope = scope};

    read_text(&r, ir, source, errors, read_type);
    return r.t;
}

static void read_nat(struct reading *r)
{
    r->n = elab_nat(&r->el, r->env, whole(r, syntax_expr));
}

lift_nat lift_nat_parse(struct lift_ir *ir, const struct lift_scope *scope,
                        const struct lift_source *source, struct lift_error *errors)
{
    struct reading r = {.scope = scope};

    read_text(&r, ir, source, errors, read_nat);
    return r.n;
}

static void read_term(struct reading *r)
{
    struct syntax_file file = syntax_term(r->parser);
    struct decl_names names = {.env = r->env};

    for (int i = 0; i < file.count; i++)
        decl_add(&r->el, &names, &file.decls[i]);
    r->env = names.env;
    r->e = data_or_lambda(r, file.body);
}

lift_expr lift_term_parse(struct lift_ir *ir, const struct lift_source *source,
                          struct lift_error *errors)
{
    struct reading r = {.scope = NULL};

    read_text(&r, ir, source, errors, read_term);
    return r.e;
}
