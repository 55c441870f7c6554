/* Declarations: each adds a name to the environment, and its content to the program. */
#include "ir/text/elab_decl.h"
#include "ir/cut.h"
#include "ir/expr.h"
#include "ir/sizes.h"
#include "ir/tunable.h"
#include <string.h>

/* Conditions of kernels refer to sizes and launch tunables by name. So no size may have
 * such a name. */
static bool is_of_launch(const char *name)
{
    for (int d = 0; d < 3; d++)
        if (strcmp(name, lift_local_names[d]) == 0)
            return true;
    return strcmp(name, lift_resident_name) == 0;
}

/* A program may redefine names of primitives and numbers of the language. */
void decl_is_new(struct elab *el, const struct env *env, const char *name,
                 struct lift_span span)
{
    const struct env *known = elab_lookup(env, name);

    if (known && !known->builtin)
        elab_error(el, span, "'%s' is declared twice", name);
}

static bool in_bounds(int64_t n)
{
    return n == INT64_MIN || n == INT64_MAX || (n > -LIFT_NAT_MOST && n < LIFT_NAT_MOST);
}

static int64_t least(const struct syntax_decl *d, int64_t otherwise)
{
    return d->lo != INT64_MIN ? d->lo : otherwise;
}

/* Checks that the range is valid, and equal to the range of a known variable. */
static void check_range(struct elab *el, const struct syntax_decl *d,
                        enum lift_var_kind kind, int64_t lo)
{
    lift_nat known = lift_nat_find_var(lift_ir_nats(el->ir), d->name.text);
    enum lift_var_kind known_kind;

    if (known && (!lift_nat_is_var(known, &known_kind) || known_kind != kind ||
                  lift_nat_lo(known) != lo || lift_nat_hi(known) != d->hi))
        elab_error(el, d->name.span, "'%s' is known with another range", d->name.text);
    if (d->hi < lo)
        elab_error(el, d->name.span, "the range of '%s' is empty", d->name.text);
    if (!in_bounds(lo) || !in_bounds(d->hi))
        elab_error(el, d->name.span, "the range of '%s' is too large", d->name.text);
}

static const struct lift_size_setting *setting_of(const struct decl_names *names,
                                                  const char *name)
{
    for (int i = 0; i < names->setting_count; i++)
        if (strcmp(names->settings[i].name, name) == 0)
            return &names->settings[i];
    return NULL;
}

/* The number of a size: its setting, or its default; 0: neither. */
static void size_number(struct elab *el, const struct decl_names *names,
                        const struct syntax_decl *d, struct lift_program_size *size)
{
    const struct lift_size_setting *setting = setting_of(names, d->name.text);
    struct lift_span span = d->value ? d->value->span : d->name.span;
    int64_t lo = size->lo > 1 ? size->lo : 1;
    int64_t hi = size->hi < INT32_MAX ? size->hi : INT32_MAX;

    if (d->value &&
        !lift_nat_is_const(elab_nat(el, names->env, d->value), &size->fallback) &&
        !names->symbolic)
        elab_error(el, d->value->span, "the default of a size is a number");
    size->value = setting ? setting->value : size->fallback;
    if ((d->value || setting) && (size->value < lo || size->value > hi))
        elab_error(el, span, "size '%s' is %lld, which is not from %lld to %lld",
                   d->name.text, (long long)size->value, (long long)lo, (long long)hi);
    if (names->program && !names->symbolic && !size->value)
        elab_error(el, d->name.span, "size '%s' has no default and is not given",
                   d->name.text);
}

/* Rejects sizes called like launch tunables, and types called like scalar types, which
 * are printed by their names. */
static void check_name(struct elab *el, const struct syntax_decl *d)
{
    const char *name = d->name.text;
    enum lift_scalar scalar;

    if (d->kind == DECL_SIZE && is_of_launch(name))
        elab_error(el, d->name.span, "'%s' is a tunable, not a size: try '%s_'", name,
                   name);
    if (d->kind == DECL_TYPE && elab_scalar_word(name, &scalar))
        elab_error(el, d->name.span, "'%s' is a type of the language: try '%s_'", name,
                   name);
}

static lift_nat size_var(struct elab *el, const struct syntax_decl *d)
{
    int64_t lo = least(d, 1);

    check_range(el, d, LIFT_VAR_SIZE, lo);
    return lift_nat_var(lift_ir_nats(el->ir), d->name.text, LIFT_VAR_SIZE, lo, d->hi);
}

static void declare_size(struct elab *el, struct decl_names *names,
                         const struct syntax_decl *d)
{
    struct lift_program *p = names->program;
    struct lift_program_size size = {.name = lift_ir_name(el->ir, d->name.text),
                                     .lo = d->lo == INT64_MIN ? 1 : d->lo,
                                     .hi = d->hi};

    size_number(el, names, d, &size);
    size.nat = names->symbolic || !size.value
                   ? size_var(el, d)
                   : lift_nat_const(lift_ir_nats(el->ir), size.value);
    names->env = elab_bind_nat(el, names->env, d->name.text, size.nat);
    if (p && p->size_count == LIFT_MAX_SIZES)
        elab_error(el, d->name.span, "more than %d sizes", LIFT_MAX_SIZES);
    if (p)
        p->sizes[p->size_count++] = size;
}

/* Printed terms declare their tunables in the order of their keys. */
static lift_nat tunable_var(struct elab *el, struct decl_names *names,
                            const struct syntax_decl *d)
{
    const struct lift_tunable_word *row = lift_tunable_word_of(d->name.text);
    struct lift_nats *nats = lift_ir_nats(el->ir);
    int64_t lo = least(d, INT64_MIN);
    char key[LIFT_TUNABLE_NAME];

    check_range(el, d, LIFT_VAR_TUNABLE, lo);
    if (!row || row->kind == LIFT_TUNABLE_LAUNCH)
        return lift_nat_var(nats, d->name.text, LIFT_VAR_TUNABLE, lo, d->hi);
    lift_tunable_key(key, row->former, names->tunables[row->former[0] - 'a']++, lo,
                     d->hi);
    return lift_nat_tunable(nats, d->name.text, key, lo, d->hi);
}

static void declare_tunable(struct elab *el, struct decl_names *names,
                            const struct syntax_decl *d)
{
    if (names->program)
        elab_error(el, d->span, "a program has no tunables; they come from rules");
    names->env = elab_bind_nat(el, names->env, d->name.text, tunable_var(el, names, d));
}

static void declare_param(struct elab *el, struct decl_names *names,
                          const struct syntax_decl *d)
{
    lift_type t = elab_type(el, names->env, d->type);
    struct lift_program_param param = {.name = lift_ir_name(el->ir, d->name.text)};
    struct lift_program *p = names->program;

    if (t->kind != LIFT_TYPE_SCALAR || t->scalar == LIFT_BOOL ||
        lift_scalar_is_storage(t->scalar))
        elab_error(el, d->type->span, "a parameter is of type f32, f64 or i32");
    if (p && !d->value)
        elab_error(el, d->name.span, "parameter '%s' needs a default", d->name.text);
    if (d->value)
        param.value = elab_const_number(el, names->env, d->value, t->scalar);
    param.scalar = t->scalar;
    param.var = lift_expr_free(el->ir, param.name, t);
    names->env = elab_bind_value(el, names->env, d->name.text,
                                 elab_make_data(el, param.var, d->name.span));
    if (p && p->param_count == LIFT_MAX_SCALARS)
        elab_error(el, d->name.span, "more than %d parameters", LIFT_MAX_SCALARS);
    if (p)
        p->params[p->param_count++] = param;
}

static void declare_input(struct elab *el, struct decl_names *names,
                          const struct syntax_decl *d)
{
    lift_type t = elab_type(el, names->env, d->type);

    if (names->program)
        elab_error(el, d->span,
                   "the inputs of a program are the parameters of its stencil");
    if (!lift_type_is_data(t))
        elab_error(el, d->type->span, "an input is data");
    names->env = elab_bind_value(
        el, names->env, d->name.text,
        elab_make_data(el, lift_expr_free(el->ir, d->name.text, t), d->name.span));
}

static void declare_type(struct elab *el, struct decl_names *names,
                         const struct syntax_decl *d)
{
    names->env =
        elab_bind_type(el, names->env, d->name.text, elab_type(el, names->env, d->type));
}

static void declare_value(struct elab *el, struct decl_names *names,
                          const struct syntax_decl *d)
{
    struct value v = d->kind == DECL_CFUN    ? elab_cfun(el, names->env, d)
                     : d->kind == DECL_CONST ? elab_const(el, names->env, d->value)
                                             : elab_expr(el, names->env, d->value);

    names->env = elab_bind_value(el, names->env, d->name.text, v);
}

static void declare_contract(struct elab *el, struct decl_names *names,
                             const struct syntax_decl *d)
{
    if (names->has_contract)
        elab_error(el, d->span, "a second floating-point contract");
    names->has_contract = true;
    if (names->program)
        names->program->exact = d->integer;
}

void decl_add(struct elab *el, struct decl_names *names, const struct syntax_decl *d)
{
    static void (*const add[])(struct elab *, struct decl_names *,
                               const struct syntax_decl *) = {
        [DECL_CONTRACT] = declare_contract, [DECL_SIZE] = declare_size,
        [DECL_TUNABLE] = declare_tunable,   [DECL_PARAM] = declare_param,
        [DECL_INPUT] = declare_input,       [DECL_CONST] = declare_value,
        [DECL_TYPE] = declare_type,         [DECL_FUN] = declare_value,
        [DECL_CFUN] = declare_value,
    };

    if (d->name.text) {
        check_name(el, d);
        decl_is_new(el, names->env, d->name.text, d->name.span);
    }
    add[d->kind](el, names, d);
}
