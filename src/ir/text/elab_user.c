/* Functions in C: 'userFun("f32 f(f32 a, i32 n) { ... }", x, 3)', and 'cfun', which
 * declares a function by name. The elaborator reads only the first line of the text,
 * which gives the types. */
#include "base/locale.h"
#include "ir/text/elab_t.h"
#include <string.h>

static const char *skip_space(const char *s)
{
    while (lift_is_space(*s))
        s++;
    return s;
}

/* The end of an identifier; NULL if there is none. */
static const char *skip_name(const char *s)
{
    if (!lift_is_alpha(*s) && *s != '_')
        return NULL;
    while (lift_is_alnum(*s) || *s == '_')
        s++;
    return s;
}

/* The end of 'f32 name'; NULL if the text has another form. */
static const char *skip_typed_name(const char *s, int *scalar)
{
    static const char *const words[] = {"f32", "f64", "i32"};

    for (int i = 0; i < 3; i++)
        if (strncmp(s, words[i], 3) == 0 && s[3] == ' ') {
            *scalar = i;
            return skip_name(skip_space(s + 3));
        }
    return NULL;
}

bool lift_user_types(const char *s, struct lift_user_types *h)
{
    h->count = 0;
    h->name = skip_space(s + strcspn(s, " "));
    s = skip_typed_name(s, &h->result);
    if (!s || *skip_space(s) != '(')
        return false;
    h->name_length = (int)(s - h->name);
    s = skip_space(s);
    do {
        if (h->count == LIFT_MAX_ARGS)
            return false;
        s = skip_typed_name(skip_space(s + 1), &h->params[h->count++]);
        s = s ? skip_space(s) : NULL;
    } while (s && *s == ',');
    return s && *s == ')' && *skip_space(s + 1) == '{';
}

/* Elaborates an argument; literals become numbers of the parameter's type. */
static lift_expr read_arg(struct elab *el, const struct value *v, enum lift_scalar scalar)
{
    lift_expr e = elab_settle_as(el, v, scalar);

    if (!lift_type_is_scalar(e->type, scalar))
        elab_error(el, v->span, "the C function expects '%s', but got '%s'",
                   lift_scalar_name(scalar), elab_type_text(el, e->type));
    return e;
}

static struct value make_user_fun(struct elab *el, const char *text,
                                  const struct lift_user_types *h,
                                  const struct value *values, int count,
                                  struct lift_span span)
{
    struct lift_prim_args args = {.text = text, .arg_count = count};

    if (el->stored)
        elab_error(el, span,
                   "a C function of a program from a database is not compiled, since "
                   "anybody may have written it: give the program's file");
    if (count != h->count)
        elab_error(el, span, "the C function expects %d argument%s, but got %d", h->count,
                   h->count == 1 ? "" : "s", count);
    for (int i = 0; i < count; i++)
        args.args[i] = read_arg(el, &values[i], (enum lift_scalar)h->params[i]);
    return elab_prim(el, LIFT_USER_FUN, &args, NULL, span);
}

/* Records a C function of the program once, although each inlining elaborates the
 * function again. Functions of a database are not recorded, since they are never
 * compiled. */
static void note_function(struct elab *el, const char *text, struct lift_span place,
                          size_t begin)
{
    const char *own = lift_ir_name(el->ir, text);

    for (int i = 0; i < el->function_count; i++)
        if (el->functions[i].text == own)
            return;
    if (el->stored)
        return;
    LIFT_ARENA_ROOM(lift_ir_arena(el->ir), el->functions, el->function_count,
                    el->function_cap);
    el->functions[el->function_count++] =
        (struct lift_program_function){own, place, (int)begin};
}

struct value elab_user_fun(struct elab *el, const struct call *c)
{
    const struct syntax_node *text = call_syntax(el, c, 0);
    struct value values[LIFT_MAX_ARGS] = {0};
    struct lift_user_types h;
    int count = call_count(c) - 1;

    if (text->kind != NODE_STRING || !lift_user_types(text->text, &h))
        elab_error(el, text->span,
                   "expected the text of a C function, \"f32 name(f32 a, ...) { ... }\"");
    note_function(el, text->text, text->span, 0);
    for (int i = 0; i < count && i < LIFT_MAX_ARGS; i++)
        values[i] = call_value(el, c, i + 1);
    return make_user_fun(el, text->text, &h, values, count, text->span);
}

struct value elab_apply_cfun(struct elab *el, const struct closure *f,
                             const struct value *args, int count, struct lift_span span)
{
    struct lift_user_types h = {.count = f->param_count};

    for (int i = 0; i < f->param_count; i++)
        h.params[i] = (int)f->params[i];
    return make_user_fun(el, f->text, &h, args, count, span);
}

static enum lift_scalar scalar_of(struct elab *el, const struct env *env,
                                  const struct syntax_node *n)
{
    lift_type t = elab_type(el, env, n);

    if (t->kind != LIFT_TYPE_SCALAR || t->scalar == LIFT_BOOL ||
        lift_scalar_is_storage(t->scalar))
        elab_error(el, n->span, "a C function works on f32, f64 and i32 only");
    return t->scalar;
}

struct value elab_cfun(struct elab *el, const struct env *env,
                       const struct syntax_decl *d)
{
    enum lift_scalar *params = LIFT_NEW_ARRAY(el->arena, enum lift_scalar, LIFT_MAX_ARGS);
    struct closure c = {
        .kind = CLOSURE_CFUN, .params = params, .param_count = d->param_count};
    const char *result = lift_scalar_name(scalar_of(el, env, d->type)), *head;

    head = lift_arena_printf(el->arena, "%s %s(", result, d->name.text);
    for (int i = 0; i < d->param_count; i++) {
        params[i] = scalar_of(el, env, d->params[i].type);
        head = lift_arena_printf(el->arena, "%s%s%s %s", head, i ? ", " : "",
                                 lift_scalar_name(params[i]), d->params[i].name);
    }
    head = lift_arena_printf(el->arena, "%s) { ", head);
    c.text = lift_arena_printf(el->arena, strstr(d->text, "//") ? "%s%s\n}" : "%s%s }",
                               head, d->text);
    note_function(el, c.text, d->text_span, strlen(head));
    return elab_make_fun(el, c, d->name.span);
}
