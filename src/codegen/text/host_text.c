/* Definitions for CPU kernels: the lanes of two adjacent vectors, non-temporal stores and
 * their fence. */
#include "codegen/text/dialect.h"
#include <stdio.h>
#include <string.h>

/* A store to an aligned vector. The store is plain if the CPU has no such wide
 * non-temporal store. */
static void add_store(const struct printer *p, enum lift_scalar scalar, int width,
                      struct lift_str *out)
{
    static const struct {
        int bytes;
        const char *feature, *store;
    } of_gcc[] = {{16, "__SSE__", "movntps"},
                  {32, "__AVX__", "movntps256"},
                  {64, "__AVX512F__", "movntps512"}};
    const char *name = lift_scalar_name(scalar);
    int bytes = lift_scalar_bytes(scalar) * width;

    lift_str_addf(
        out,
        "\n%svoid lift_store_%sx%d(%s *at, lift_%sx%d value)\n{\n"
        "    typedef float bits __attribute__((vector_size(%d), may_alias));\n\n"
        "#if defined(__clang__)\n"
        "    __builtin_nontemporal_store((bits)value, (bits *)at);\n",
        p->d->helper, name, width, cg_scalar_type(scalar, false), name, width, bytes);
    for (size_t i = 0; i < sizeof of_gcc / sizeof *of_gcc; i++)
        if (of_gcc[i].bytes == bytes)
            lift_str_addf(out,
                          "#elif defined(%s)\n"
                          "    __builtin_ia32_%s((float *)at, (bits)value);\n",
                          of_gcc[i].feature, of_gcc[i].store);
    lift_str_add(out, "#else\n    *(bits *)at = (bits)value;\n#endif\n}\n");
}

/* An instruction of AVX-512 for the lanes of two vectors. gcc would emit a general
 * shuffle, whose pattern needs a register. */
static void add_row_of_gcc(const char *type, enum lift_scalar scalar, int bytes, int from,
                           struct lift_str *out)
{
    bool wide = lift_scalar_bytes(scalar) == 8;

    lift_str_addf(out,
                  "#if defined(%s) && !defined(__clang__)\n"
                  "    typedef %s bits __attribute__((vector_size(%d), may_alias));\n\n"
                  "    return (%s)__builtin_ia32_align%c%d_mask((bits)b, (bits)a, %d, "
                  "(bits)a, -1);\n#else\n",
                  bytes == 64 ? "__AVX512F__" : "__AVX512VL__",
                  wide ? "long long" : "int", bytes, type, wide ? 'q' : 'd', bytes * 8,
                  from);
}

static void add_row(const struct printer *p, enum lift_scalar scalar, int width, int from,
                    struct lift_str *out)
{
    int bytes = lift_scalar_bytes(scalar) * width;
    bool of_gcc = (bytes == 32 || bytes == 64) && lift_scalar_bytes(scalar) >= 4;
    char type[24];

    snprintf(type, sizeof type, "lift_%sx%d", lift_scalar_name(scalar), width);
    lift_str_addf(out, "\n%s%s lift_row%d_%s(%s a, %s b)\n{\n", p->d->helper, type, from,
                  type + strlen("lift_"), type, type);
    if (of_gcc)
        add_row_of_gcc(type, scalar, bytes, from, out);
    lift_str_add(out, "    return __builtin_shufflevector(a, b");
    for (int i = 0; i < width; i++)
        lift_str_addf(out, ", %d", from + i);
    lift_str_addf(out, ");\n%s}\n", of_gcc ? "#endif\n" : "");
}

static void add_comment(struct helpers *h, const char *comment)
{
    struct lift_str text = {0};

    lift_str_addf(&text, "\n/* %s */", comment);
    cg_add_helper(h, &text);
}

/* Adds one helper per type, since another module of the same file may use some of these
 * helpers. */
void cg_add_rows(const struct printer *p, struct helpers *h)
{
    bool any = false;

    for (int t = 0; t < (int)(sizeof p->rows / sizeof *p->rows); t++)
        for (int from = 1; from < 64; from++) {
            struct lift_str text = {0};

            if (!(p->rows[t] & 1ull << from))
                continue;
            if (!any)
                add_comment(h, "The lanes from one on of two vectors side by side.");
            any = true;
            add_row(p, (enum lift_scalar)(t / 8), 1 << t % 8, from, &text);
            cg_add_helper(h, &text);
        }
}

void cg_add_stores(const struct printer *p, struct helpers *h)
{
    struct lift_str text = {0};

    if (p->stores)
        add_comment(h, "Stores past the caches.");
    for (int s = 0; s < LIFT_SCALARS; s++)
        for (int i = 1; i <= 6; i++) {
            struct lift_str store = {0};

            if (!(p->stores & 1ull << (s * 8 + i)))
                continue;
            add_store(p, (enum lift_scalar)s, 1 << i, &store);
            cg_add_helper(h, &store);
        }
    if (p->uses_fence)
        lift_str_addf(&text,
                      "\n/* What was stored so is there for other threads. */\n"
                      "%svoid lift_fence(void)\n{\n"
                      "#ifdef __SSE__\n    __builtin_ia32_sfence();\n#endif\n}\n",
                      p->d->helper);
    cg_add_helper(h, &text);
}
