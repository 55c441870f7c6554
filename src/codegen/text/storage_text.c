/* Conversions of f16 and bf16: the texts are in storage.inc. */
#include "codegen/text/dialect.h"
#include <stdio.h>
#include <string.h>

/* Instructions for f16 of x86, for vectors of this width. */
static const struct {
    int width;
    const char *feature, *to, *from;
} instructions[] = {
    {8, "__F16C__", "    return (lift_f32x8)__builtin_ia32_vcvtph2ps256((halves)v);\n",
     "    return (lift_f16x8)__builtin_ia32_vcvtps2ph256((numbers)v, 0);\n"},
    {16, "__AVX512F__",
     "    return (lift_f32x16)__builtin_ia32_vcvtph2ps512_mask((halves)v, (numbers){0}, "
     "-1, "
     "4);\n",
     "    return (lift_f16x16)__builtin_ia32_vcvtps2ph512_mask((numbers)v, 0, "
     "(halves){0}, "
     "-1);\n"},
};

/* One of the four texts from 'first' on. */
static const char *text_of(enum cg_text first, enum lift_scalar scalar, bool narrows)
{
    return cg_texts[(int)first + (scalar == LIFT_F16 ? 0 : 2) + narrows];
}

/* Appends a text with a letter replaced. */
static void add_for(struct lift_str *out, const char *text, char letter, const char *with)
{
    for (; *text; text++)
        if (*text == letter)
            lift_str_add(out, with);
        else
            lift_str_addc(out, *text);
}

/* Declares the types that a body uses. */
static void add_types(struct lift_str *out, const char *body, const char *halves,
                      int width)
{
    const struct {
        const char *name, *type;
        int bytes;
    } types[] = {{"bits", "unsigned", 4},
                 {"whole", "int", 4},
                 {"numbers", "float", 4},
                 {"halves", halves, 2}};
    bool any = false;

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strstr(body, types[i].name)) {
            lift_str_addf(out, "    typedef %s %s __attribute__((vector_size(%d)));\n",
                          types[i].type, types[i].name, types[i].bytes * width);
            any = true;
        }
    lift_str_add(out, any ? "\n" : "");
}

/* Adds the body for C compilers with vector types. */
static void add_body(struct lift_str *out, enum lift_scalar scalar, int width,
                     bool narrows)
{
    const char *body = text_of(CG_VECTORS_F16_TO, scalar, narrows);
    char number[8];
    bool other = false;

    for (size_t i = 0; i < sizeof instructions / sizeof *instructions; i++) {
        const char *own = narrows ? instructions[i].from : instructions[i].to;

        if (instructions[i].width != width || scalar != LIFT_F16)
            continue;
        lift_str_addf(out, "#if defined(%s)\n", instructions[i].feature);
        add_types(out, own, "short", width);
        lift_str_addf(out, "%s#else\n", own);
        other = true;
    }
    snprintf(number, sizeof number, "%d", width);
    add_types(out, body, "unsigned short", width);
    add_for(out, body, 'W', number);
    lift_str_add(out, other ? "#endif\n" : "");
}

/* Adds a body that converts lane by lane. */
static void add_lanes(struct lift_str *out, const char *to, const char *from, int width)
{
    lift_str_addf(out,
                  "    lift_%sx%d to;\n\n"
                  "    for (int i = 0; i < %d; i++)\n"
                  "        to[i] = lift_%s_of_%s(v[i]);\n"
                  "    return to;\n",
                  to, width, width, to, from);
}

static void add_vector(const struct printer *p, struct lift_str *out,
                       enum lift_scalar scalar, int width, bool narrows)
{
    const char *name = lift_scalar_name(scalar), *to = narrows ? name : "f32",
               *from = narrows ? "f32" : name;
    char number[8];

    snprintf(number, sizeof number, "%d", width);
    if (p->d->vectors == VECTORS_OPENCL) {
        lift_str_addf(out, "\n%s%d lift_%sx%d_of_%s(%s%d v)\n{\n",
                      narrows ? "ushort" : "float", width, to, width, from,
                      narrows ? "float" : "ushort", width);
        add_for(out, text_of(CG_OPENCL_VECTORS_F16_TO, scalar, narrows), 'W', number);
    } else {
        lift_str_addf(out, "\n%slift_%sx%d lift_%sx%d_of_%s(lift_%sx%d v)\n{\n",
                      p->d->helper, to, width, to, width, from, from, width);
        if (p->d->call_entry)
            add_body(out, scalar, width, narrows);
        else
            add_lanes(out, to, from, width);
    }
    lift_str_add(out, "}\n");
}

static void add_conversions(const struct printer *p, struct helpers *h,
                            enum lift_scalar scalar, bool narrows)
{
    uint64_t bits = narrows ? p->narrowed : p->widened;

    if (bits >> (scalar * 8) & 1) {
        struct lift_str text = {0};

        add_for(&text, text_of(p->d->storage, scalar, narrows), '@', p->d->helper);
        cg_add_helper(h, &text);
    }
    for (int i = 1; i <= 6; i++) {
        struct lift_str text = {0};

        if (bits >> (scalar * 8 + i) & 1)
            add_vector(p, &text, scalar, 1 << i, narrows);
        cg_add_helper(h, &text);
    }
}

void cg_add_storage(const struct printer *p, struct helpers *h)
{
    static const enum lift_scalar scalars[] = {LIFT_F16, LIFT_BF16};

    for (int i = 0; i < 2; i++) {
        add_conversions(p, h, scalars[i], false);
        add_conversions(p, h, scalars[i], true);
    }
}

void cg_print_storage(struct printer *p, kx e)
{
    lift_type stored =
        lift_scalar_is_storage(e->type->scalar) ? e->type : e->args[0]->type;
    uint64_t bit = kx_is_vector(e) ? cg_vector_bit(stored) : 0;
    bool narrows = stored == e->type;

    *(narrows ? &p->narrowed : &p->widened) |= bit | 1ull << (stored->scalar * 8);
    if (bit)
        p->vector_types |= bit | cg_vector_bit(narrows ? e->args[0]->type : e->type);
    lift_str_addf(p->out, "lift_%s", lift_scalar_name(e->type->scalar));
    if (bit)
        lift_str_addf(p->out, "x%d", e->type->count);
    cg_put(p, "_of_%s(%x)", lift_scalar_name(e->args[0]->type->scalar), e->args[0]);
}
