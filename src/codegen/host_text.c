/* Definitions for kernels of processors: stores past the caches, and what orders them. */
#include "dialect.h"

/* At a multiple of the vector's size; plain where there is nothing so wide. */
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

void cg_add_stores(const struct printer *p, struct lift_str *out)
{
    if (p->stores)
        lift_str_add(out, "\n/* Stores past the caches. */");
    for (int s = 0; s < 3; s++)
        for (int i = 1; i <= 6; i++)
            if (p->stores & 1ull << (s * 8 + i))
                add_store(p, (enum lift_scalar)s, 1 << i, out);
    if (p->uses_fence)
        lift_str_addf(out,
                      "\n/* What was stored so is there for other threads. */\n"
                      "%svoid lift_fence(void)\n{\n"
                      "#ifdef __SSE__\n    __builtin_ia32_sfence();\n#endif\n}\n",
                      p->d->helper);
}
