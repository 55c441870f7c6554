/* Names, numbers and texts of terms. */
#include "base/locale.h"
#include "base/memory.h"
#include "ir/text/elab_t.h"
#include "ir/text/print_t.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- names */

/* True for names of sizes, tunables and free variables. */
static bool is_declared(const struct printer *p, const char *name)
{
    for (int i = 0; i < p->vars.nat_count; i++)
        if (strcmp(p->vars.nats[i].name, name) == 0)
            return true;
    for (int i = 0; i < p->vars.free_count; i++)
        if (strcmp(p->vars.frees[i]->u.name, name) == 0)
            return true;
    for (int i = 0; i < p->scope_count; i++)
        if (strcmp(p->scope[i], name) == 0)
            return true;
    return false;
}

static bool is_taken(const struct printer *p, const char *name)
{
    for (int i = 0; i < p->count; i++)
        if (strcmp(p->names[i], name) == 0)
            return true;
    return is_declared(p, name);
}

void print_own(struct printer *p, const char *name)
{
    if (is_declared(p, name))
        lift_str_addc(p->out, '@');
    lift_str_add(p->out, name);
}

static bool is_word(const char *name)
{
    enum lift_scalar scalar;

    return syntax_is_keyword(name) || elab_is_primitive(name) ||
           elab_scalar_word(name, &scalar) || strcmp(name, "inf") == 0 ||
           strcmp(name, "nan") == 0 || strcmp(name, "pi") == 0;
}

static bool is_name(const char *name)
{
    if (!lift_is_alpha(*name) && *name != '_')
        return false;
    while (lift_is_alnum(*name) || *name == '_')
        name++;
    return *name == '\0';
}

const char *print_new_name(struct printer *p, const char *hint)
{
    const char *name = is_name(hint) && !is_word(hint) ? hint : "x";
    const char *base = name;

    for (int i = 1; is_taken(p, name); i++)
        name = lift_arena_printf(p->arena, "%s_%d", base, i);
    return name;
}

void print_push_name(struct printer *p, const char *name)
{
    LIFT_ROOM(p->names, p->count, p->cap);
    p->names[p->count++] = name;
}

/* ---- pieces */

bool print_is_over(const struct printer *p)
{
    return p->limit && p->out->len > p->limit;
}

void print_newline(struct printer *p, int indent)
{
    lift_str_addf(p->out, "\n%*s", indent, "");
}

/* Infinities and NaN are printed by names of the language. */
static void print_float(struct printer *p, double number, int digits, char suffix)
{
    struct lift_str *out = p->out;
    char text[40];

    if (!isfinite(number)) {
        print_own(p, suffix == 'f' ? "f32" : "f64");
        lift_str_add(out, number < 0 ? "(-" : "(");
        print_own(p, isnan(number) ? "nan" : "inf");
        lift_str_addc(out, ')');
        return;
    }
    for (int n = 1; n <= digits; n++) {
        double back;

        lift_snprintf(text, sizeof text, "%.*g", n, number);
        back = suffix == 'f' ? (double)lift_strtof(text, NULL) : lift_strtod(text, NULL);
        if (back == number)
            break;
    }
    lift_str_add(out, text);
    if (!strpbrk(text, ".e"))
        lift_str_add(out, ".0");
    lift_str_addc(out, suffix);
}

/* Prints a converted literal of open type, which the parser reads as a literal. */
static void print_storage(struct printer *p, enum lift_scalar scalar, double number)
{
    char text[40];

    print_own(p, lift_scalar_name(scalar));
    lift_str_addc(p->out, '(');
    lift_snprintf(text, sizeof text, "%.9g", number);
    if (isfinite(number)) {
        lift_str_addf(p->out, "%s%s", text, strpbrk(text, ".e") ? "" : ".0");
    } else {
        lift_str_add(p->out, number < 0 ? "-" : "");
        print_own(p, isnan(number) ? "nan" : "inf");
    }
    lift_str_addc(p->out, ')');
}

static void print_scalar(struct printer *p, enum lift_scalar scalar, double number)
{
    if (scalar == LIFT_F32)
        print_float(p, number, 9, 'f');
    else if (scalar == LIFT_F64)
        print_float(p, number, 17, 'd');
    else if (lift_scalar_is_storage(scalar))
        print_storage(p, scalar, number);
    else
        lift_str_addf(p->out, "%" PRId64, (int64_t)number);
}

void print_number(enum lift_scalar scalar, double number, const char *const *scope,
                  int scope_count, struct lift_str *out)
{
    print_scalar(
        &(struct printer){.out = out, .scope = scope, .scope_count = scope_count}, scalar,
        number);
}

void print_literal(struct printer *p, lift_expr e)
{
    if (e->type->scalar == LIFT_BOOL)
        lift_str_add(p->out, e->u.integer ? "true" : "false");
    else if (e->type->scalar == LIFT_I32)
        lift_str_addf(p->out, "%" PRId64, e->u.integer);
    else
        print_scalar(p, e->type->scalar, e->u.number);
}

void print_bound(struct printer *p, int index)
{
    if (index < p->count)
        lift_str_add(p->out, p->names[p->count - 1 - index]);
    else
        lift_str_addf(p->out, "#%d", index - p->count);
}
