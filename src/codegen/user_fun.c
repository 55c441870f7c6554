/* C functions of the program. In the text, each function has a generated name, so the
 * program may use any C identifier. Inside the function, the original name has its
 * meaning in the target language. */
#include "base/bug.h"
#include "base/locale.h"
#include "base/memory.h"
#include "codegen/text/dialect.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The number of a function in the text, from 1 on. */
static int number_of(struct printer *p, const char *text)
{
    struct user_funs *f = &p->user_funs;
    int i = 0;

    while (i < f->count && f->texts[i] != text)
        i++;
    if (i < f->count)
        return i + 1;
    LIFT_ROOM(f->texts, f->count, f->cap);
    f->texts[f->count++] = text;
    return f->count;
}

static void add_name(const struct printer *p, const struct lift_user_types *head,
                     int number, struct lift_str *out)
{
    lift_str_addf(out, "lift_%s%sfn%d_%.*s", p->beside ? p->beside : "",
                  p->beside ? "_" : "", number, head->name_length, head->name);
}

static void read_head(const char *text, struct lift_user_types *head)
{
    bool known = lift_user_types(text, head);

    LIFT_ASSERT(known);
}

void cg_print_user_name(struct printer *p, const char *text)
{
    struct lift_user_types head;

    read_head(text, &head);
    add_name(p, &head, number_of(p, text), p->out);
}

static bool in_a_word(char c)
{
    return lift_is_alnum(c) || c == '_';
}

static bool mentions(const struct printer *p, const char *word)
{
    size_t len = strlen(word);

    for (int i = 0; i < p->user_funs.count; i++) {
        const char *text = p->user_funs.texts[i];

        for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
            if (!in_a_word(at[len]) && (at == text || !in_a_word(at[-1])))
                return true;
    }
    return false;
}

/* C functions on f32. OpenCL uses the names of the f64 functions for them. 'n' is an int.
 */
static const struct {
    const char *name, *with;
} f32_functions[] = {
    {"acos", "a"},         {"acosh", "a"},       {"asin", "a"},         {"asinh", "a"},
    {"atan", "a"},         {"atan2", "a, b"},    {"atanh", "a"},        {"cbrt", "a"},
    {"ceil", "a"},         {"copysign", "a, b"}, {"cos", "a"},          {"cosh", "a"},
    {"erf", "a"},          {"erfc", "a"},        {"exp", "a"},          {"exp2", "a"},
    {"expm1", "a"},        {"fabs", "a"},        {"fdim", "a, b"},      {"floor", "a"},
    {"fma", "a, b, c"},    {"fmax", "a, b"},     {"fmin", "a, b"},      {"fmod", "a, b"},
    {"hypot", "a, b"},     {"ldexp", "a, n"},    {"lgamma", "a"},       {"log", "a"},
    {"log10", "a"},        {"log1p", "a"},       {"log2", "a"},         {"logb", "a"},
    {"nextafter", "a, b"}, {"pow", "a, b"},      {"remainder", "a, b"}, {"rint", "a"},
    {"round", "a"},        {"sin", "a"},         {"sinh", "a"},         {"sqrt", "a"},
    {"tan", "a"},          {"tanh", "a"},        {"tgamma", "a"},       {"trunc", "a"},
};

static void add_f32_function(const char *name, const char *with, struct lift_str *out)
{
    lift_str_addf(out, "#define %sf(%s) %s(", name, with, name);
    for (const char *c = with; *c; c++)
        if (*c == ',')
            lift_str_addc(out, ',');
        else if (*c != ' ')
            lift_str_addf(out, "%s%s(%c)", c == with ? "" : " ",
                          *c == 'n' ? "" : "(float)", *c);
    lift_str_add(out, ")\n");
}

static void add_f32_functions(const struct printer *p, struct lift_str *out)
{
    for (size_t i = 0; i < sizeof f32_functions / sizeof *f32_functions; i++) {
        char name[16];

        snprintf(name, sizeof name, "%sf", f32_functions[i].name);
        if (mentions(p, name))
            add_f32_function(f32_functions[i].name, f32_functions[i].with, out);
    }
}

/* Defines only the types that the functions use: not every device has f64. */
static void add_types(const struct printer *p, struct lift_str *out)
{
    for (int s = LIFT_F32; s <= LIFT_I32; s++) {
        const char *name = lift_scalar_name((enum lift_scalar)s);

        if (mentions(p, name))
            lift_str_addf(out, "typedef %s %s;\n",
                          cg_scalar_type((enum lift_scalar)s, false), name);
    }
}

static void add_function(const struct printer *p, int number, struct lift_str *out)
{
    const char *text = p->user_funs.texts[number - 1];
    struct lift_user_types head;

    read_head(text, &head);
    lift_str_addf(out, "\n%s%.*s", p->d->helper, (int)(head.name - text), text);
    add_name(p, &head, number, out);
    lift_str_addf(out, "%s\n", head.name + head.name_length);
}

void cg_add_user_types(const struct printer *p, struct lift_str *out)
{
    if (p->user_funs.count == 0)
        return;
    add_types(p, out);
    if (!p->d->suffix_f32)
        add_f32_functions(p, out);
}

void cg_add_user_funs(const struct printer *p, struct lift_str *out)
{
    for (int i = 1; i <= p->user_funs.count; i++)
        add_function(p, i, out);
}
