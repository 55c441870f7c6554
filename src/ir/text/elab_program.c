/* A program: its declarations, its stencil and its time loop. */
#include "base/bug.h"
#include "base/locale.h"
#include "base/sized.h"
#include "ir/spine.h"
#include "ir/text/elab_decl.h"
#include <stdio.h>
#include <string.h>

struct loading {
    struct elab el;
    struct decl_names names;
    struct lift_program *program;
    const struct syntax_decl *stencil, *time, *steps;
};

/* ---- inputs */

static bool is_grid(lift_type t)
{
    return lift_type_base(t)->kind == LIFT_TYPE_SCALAR &&
           lift_type_base(t)->scalar != LIFT_BOOL;
}

static void add_input(struct loading *l, const struct syntax_param *param)
{
    struct elab *el = &l->el;
    struct lift_program *p = l->program;
    struct lift_program_input *in = &p->inputs[p->input_count];

    if (!param->name || !param->type)
        elab_error(el, param->span, "an input needs a name and a type");
    decl_is_new(el, l->names.env, param->name, param->span);
    in->type = elab_type(el, l->names.env, param->type);
    if (!is_grid(in->type))
        elab_error(el, param->type->span,
                   "an input is an array of f32, f64, i32, f16 or bf16");
    in->name = lift_ir_name(el->ir, param->name);
    in->var = lift_expr_free(el->ir, in->name, in->type);
    p->input_count++;
    l->names.env = elab_bind_value(el, l->names.env, param->name,
                                   elab_make_data(el, in->var, param->span));
}

static void add_inputs(struct loading *l)
{
    const struct syntax_node *f = l->stencil->value;

    if (f->param_count > LIFT_MAX_ARGS)
        elab_error(&l->el, f->span, "more than %d inputs", LIFT_MAX_ARGS);
    for (int i = 0; i < f->param_count; i++)
        add_input(l, &f->params[i]);
}

/* ---- outputs */

static const char *output_name(struct loading *l, int i, int count)
{
    const struct syntax_names *names = &l->stencil->names;
    char name[16];

    if (names->count)
        return lift_ir_name(l->el.ir, names->items[i].text);
    snprintf(name, sizeof name, count == 1 ? "out" : "out%d", i);
    return lift_ir_name(l->el.ir, name);
}

static struct lift_span output_span(const struct loading *l, int i)
{
    return i < l->stencil->names.count ? l->stencil->names.items[i].span
                                       : l->stencil->name.span;
}

static void check_output(struct loading *l, const char *name, struct lift_span span)
{
    const struct lift_program *p = l->program;

    for (int i = 0; i < p->output_count; i++)
        if (strcmp(p->outputs[i].name, name) == 0)
            elab_error(&l->el, span, "output '%s' is declared twice", name);
    for (int i = 0; i < p->input_count; i++)
        if (strcmp(p->inputs[i].name, name) == 0)
            elab_error(&l->el, span, "'%s' is an input already", name);
}

static void add_output(struct loading *l, lift_type t, int i, int count)
{
    const char *name = output_name(l, i, count);

    check_output(l, name, output_span(l, i));
    if (!is_grid(t))
        elab_error(
            &l->el, output_span(l, i),
            "output '%s' is to be an array of f32, f64, i32, f16 or bf16, but is '%s'",
            name, elab_type_text(&l->el, t));
    l->program->outputs[l->program->output_count++] =
        (struct lift_program_output){name, t};
}

/* The type of an output, in a tuple of grids or a grid of tuples. */
static lift_type output_type(lift_type t, int i)
{
    lift_type base = lift_type_base(t);

    return base->kind == LIFT_TYPE_TUPLE ? base->parts[i] : t;
}

/* Converts outputs to their storage types. add_outputs reports a wrong number of
 * names. */
static lift_expr store_outputs(struct loading *l, lift_expr body)
{
    const struct syntax_names *names = &l->stencil->names;
    lift_type base = lift_type_base(body->type);
    struct elab_storage s = {.count = base->kind == LIFT_TYPE_TUPLE ? base->count : 1};

    if (s.count != names->count)
        return body;
    for (int i = 0; i < s.count; i++)
        if (names->items[i].store)
            elab_storage(&l->el, &s, i, output_type(body->type, i), names->items[i].store,
                         names->items[i].store_span);
    return s.any ? elab_checked(&l->el, elab_stored(l->el.ir, body, &s),
                                l->stencil->value->args[0]->span)
                 : body;
}

/* Converts a grid of tuples to a tuple of grids. */
static lift_expr separate(struct loading *l, lift_expr body)
{
    lift_expr e = body;

    if (body->type->kind == LIFT_TYPE_ARRAY &&
        lift_type_base(body->type)->kind == LIFT_TYPE_TUPLE)
        e = lift_unzip_n(l->el.ir, lift_type_rank(body->type), body);
    return elab_checked(&l->el, e, l->stencil->value->args[0]->span);
}

static void add_outputs(struct loading *l, lift_expr body)
{
    int named = l->stencil->names.count;
    bool many = body->type->kind == LIFT_TYPE_TUPLE;
    int count = many ? body->type->count : 1;

    if (named && named != count)
        elab_error(&l->el, l->stencil->names.items[0].span,
                   "%d output%s named, but the result has %d", named,
                   named == 1 ? " is" : "s are", count);
    for (int i = 0; i < count; i++)
        add_output(l, many ? body->type->parts[i] : body->type, i, count);
}

static lift_expr with_globals_named(struct loading *l, lift_expr body)
{
    body = lift_hoist_globals(l->el.ir, body);
    if (lift_has_inner_globals(body))
        elab_error(
            &l->el, l->el.bound_global.end ? l->el.bound_global : l->el.global,
            "'toGlobal' of a single number, of a value that depends on the parameter of "
            "a function, or in one branch of 'if': a separate kernel stores an array "
            "before other kernels read it");
    return body;
}

static void add_stencil(struct loading *l, const struct syntax_decl *d)
{
    struct lift_program *p = l->program;
    lift_expr body;

    if (l->stencil)
        elab_error(&l->el, d->span, "a second stencil; a program has one");
    l->stencil = d;
    if (*d->name.text && strcmp(d->name.text, "stencil") != 0)
        p->name = lift_ir_name(l->el.ir, d->name.text);
    add_inputs(l);
    body = elab_data(&l->el, l->names.env, d->value->args[0]);
    body = with_globals_named(l, separate(l, store_outputs(l, body)));
    add_outputs(l, body);
    p->body = body;
}

/* ---- the time loop */

static int find_input(const struct lift_program *p, const char *name)
{
    int i = 0;

    while (i < p->input_count && strcmp(p->inputs[i].name, name) != 0)
        i++;
    return i;
}

static int find_output(const struct lift_program *p, const char *name)
{
    int i = 0;

    while (i < p->output_count && strcmp(p->outputs[i].name, name) != 0)
        i++;
    return i;
}

static void connect(struct loading *l, const struct syntax_name *to,
                    const struct syntax_name *from)
{
    struct lift_program *p = l->program;
    int target = find_input(p, to->text);
    int input = find_input(p, from->text), output = find_output(p, from->text);
    struct lift_program_input *in = &p->inputs[target];
    lift_type t;

    if (target == p->input_count)
        elab_error(&l->el, to->span, "no input is named '%s'", to->text);
    if (in->next != LIFT_NEXT_SAME)
        elab_error(&l->el, to->span, "'%s' is given twice", to->text);
    if (input == p->input_count && output == p->output_count)
        elab_error(&l->el, from->span, "no input or output is named '%s'", from->text);
    in->next = input < p->input_count ? LIFT_NEXT_INPUT : LIFT_NEXT_OUTPUT;
    in->next_index = in->next == LIFT_NEXT_INPUT ? input : output;
    t = in->next == LIFT_NEXT_INPUT ? p->inputs[input].type : p->outputs[output].type;
    if (t != in->type)
        elab_error(&l->el, from->span,
                   "the input is of type '%s', but this is of type '%s'",
                   elab_type_text(&l->el, in->type), elab_type_text(&l->el, t));
}

static void add_time(struct loading *l)
{
    const struct syntax_decl *d = l->time;

    if (d->names.count != d->sources.count)
        elab_error(&l->el, d->sources.items[0].span,
                   "%d inputs are given, but %d sources", d->names.count,
                   d->sources.count);
    for (int i = 0; i < d->names.count; i++)
        connect(l, &d->names.items[i], &d->sources.items[i]);
    l->program->iterative = true;
}

static void add_steps(struct loading *l)
{
    const struct syntax_decl *d = l->steps;

    if (d->integer < 1 || d->integer > LIFT_MAX_STEPS)
        elab_error(&l->el, d->name.span, "the number of steps is from 1 to %d",
                   LIFT_MAX_STEPS);
    if (!l->time)
        elab_error(&l->el, d->span, "steps are those of a time loop, which is missing");
    l->program->steps = (int)d->integer;
}

/* ---- loading */

static void add_decl(struct loading *l, const struct syntax_decl *d)
{
    if (d->kind == DECL_STENCIL)
        add_stencil(l, d);
    else if (d->kind == DECL_TIME && l->time)
        elab_error(&l->el, d->span, "a second time loop");
    else if (d->kind == DECL_TIME)
        l->time = d;
    else if (d->kind == DECL_STEPS && l->steps)
        elab_error(&l->el, d->span, "a second number of steps");
    else if (d->kind == DECL_STEPS)
        l->steps = d;
    else if (d->kind != DECL_PRECISION) /* see find_precision */
        decl_add(&l->el, &l->names, d);
}

/* Converts a file name to a name of the language, without the folder, and without the
 * part from the first dot on. */
static const char *base_name(struct lift_ir *ir, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t len = strcspn(name, ".");
    char *text;

    if (!len)
        return "program";
    text = lift_arena_printf(lift_ir_arena(ir), "%s%.*s", lift_is_digit(*name) ? "_" : "",
                             (int)len, name);
    for (char *c = text; *c; c++)
        if (!lift_is_alnum(*c))
            *c = '_';
    return text;
}

static void check_settings(struct loading *l)
{
    const struct lift_program *p = l->program;
    const char *known = p->size_count ? p->sizes[0].name : "none";

    for (int i = 1; i < p->size_count; i++)
        known = lift_arena_printf(l->el.arena, "%s, %s", known, p->sizes[i].name);
    for (int i = 0; i < l->names.setting_count; i++) {
        const char *name = l->names.settings[i].name;
        int k = 0;

        while (k < p->size_count && strcmp(p->sizes[k].name, name) != 0)
            k++;
        if (k < p->size_count)
            continue;
        l->el.source = NULL; /* the name is not in the text */
        elab_error(&l->el, (struct lift_span){0},
                   "program '%s' has no size '%s' (it has: %s)", p->name, name, known);
    }
}

/* Finds the precision before other declarations are elaborated; its declaration may be
 * anywhere. */
static void find_precision(struct loading *l, const struct syntax_file *file)
{
    bool found = false;

    for (int i = 0; i < file->count; i++) {
        const struct syntax_decl *d = &file->decls[i];

        if (d->kind != DECL_PRECISION)
            continue;
        if (found)
            elab_error(&l->el, d->span, "a second precision");
        found = true;
        l->el.real = d->integer ? LIFT_F64 : LIFT_F32;
    }
}

/* Returns false after an error. */
static bool load(struct loading *l)
{
    struct syntax_file file;

    if (setjmp(l->el.failed))
        return false;
    file = syntax_program(
        syntax_open(l->el.arena, l->el.source, l->el.errors, &l->el.failed));
    l->names.env = elab_prelude(&l->el);
    find_precision(l, &file);
    for (int i = 0; i < file.count; i++)
        add_decl(l, &file.decls[i]);
    if (!l->stencil)
        elab_error(&l->el, (struct lift_span){l->el.source->len, l->el.source->len},
                   "the program has no stencil");
    if (l->time)
        add_time(l);
    if (l->steps)
        add_steps(l);
    check_settings(l);
    l->program->functions = l->el.functions;
    l->program->function_count = l->el.function_count;
    return true;
}

static bool take_options(const struct lift_program_options *given, size_t size,
                         struct lift_program_options *out, struct lift_error *errors)
{
    static const struct lift_sized kind = {"lift_program_options", {sizeof *out}};

    return lift_sized_take(&kind, given, size, out, errors);
}

const struct lift_program *
lift_program_load_sized(struct lift_ir *ir, const struct lift_source *source,
                        const struct lift_program_options *options, size_t size,
                        struct lift_error *errors)
{
    struct loading l = {.program = NULL};
    LIFT_OWNED(lift_arena) *arena = lift_arena_create();
    struct lift_program_options o;
    bool good;

    LIFT_ASSERT(ir);
    if (!take_options(options, size, &o, errors) || !lift_source_given(source, errors))
        return NULL;
    l.program = LIFT_NEW(lift_ir_arena(ir), struct lift_program);
    l.program->name = base_name(ir, source->name);
    l.program->steps = 1;
    elab_init(&l.el, ir, arena, source, errors);
    l.el.stored = o.stored;
    l.names = (struct decl_names){.program = l.program,
                                  .settings = o.sizes,
                                  .setting_count = o.size_count,
                                  .symbolic = o.symbolic};
    good = load(&l);
    elab_fini(&l.el);
    return good ? l.program : NULL;
}

const struct lift_program *
lift_program_load_general_sized(struct lift_ir **ir, const struct lift_source *source,
                                const struct lift_program_options *options, size_t size,
                                struct lift_error *errors)
{
    struct lift_program_options o;
    struct lift_error ignored = {0};
    const struct lift_program *program;

    if (!take_options(options, size, &o, errors))
        return NULL;
    o.symbolic = true;
    program = lift_program_load(*ir, source, &o, &ignored);
    lift_error_fini(&ignored);
    if (program)
        return program;
    lift_ir_destroy(*ir);
    *ir = lift_ir_create();
    o.symbolic = false;
    return lift_program_load(*ir, source, &o, errors);
}

bool lift_program_input_dies(const struct lift_program *program, int input)
{
    bool dies = input >= 0 && input < program->input_count && program->iterative &&
                program->inputs[input].next != LIFT_NEXT_SAME;

    for (int i = 0; i < program->input_count && dies; i++)
        dies = program->inputs[i].next != LIFT_NEXT_INPUT ||
               program->inputs[i].next_index != input;
    return dies;
}

static bool dies(const struct lift_program *program, lift_expr input)
{
    for (int i = 0; lift_expr_is(input, LIFT_TUPLE) && i < input->arg_count; i++)
        if (!dies(program, lift_expr_arg(input, i)))
            return false;
    for (int i = 0; input->kind == LIFT_EXPR_FREE && i < program->input_count; i++)
        if (strcmp(program->inputs[i].name, input->u.name) == 0)
            return lift_program_input_dies(program, i);
    return lift_expr_is(input, LIFT_TUPLE);
}

struct overwriting {
    const struct lift_program *program;
    bool allowed;
};

static bool check_overwriting(void *overwriting, lift_expr e)
{
    struct overwriting *o = overwriting;

    if (lift_expr_is(e, LIFT_IN_PLACE))
        o->allowed &= dies(o->program, e->u.prim.args[0]);
    return lift_expr_mentions(e, LIFT_IN_PLACE);
}

bool lift_program_may_overwrite(const struct lift_program *program, lift_expr term)
{
    struct overwriting o = {program, true};

    if (lift_expr_mentions(term, LIFT_IN_PLACE))
        lift_expr_each(term, check_overwriting, &o);
    return o.allowed;
}
