/* Conversions of f16 and bf16, which are stored as their bits: by instructions where a
 * language has them, else in whole numbers. Rounding is to nearest, ties to even, as in
 * src/base/half.c. */
#include "codegen/text/dialect.h"
#include <stdio.h>
#include <string.h>

/* In whole numbers, which all compilers of C have. */
#define WHOLE_BF16_TO                                                                    \
    "\n@float lift_f32_of_bf16(unsigned short h)\n{\n"                                   \
    "    const unsigned bits = (unsigned)h << 16;\n"                                     \
    "    float x;\n\n"                                                                   \
    "    __builtin_memcpy(&x, &bits, 4);\n"                                              \
    "    return x;\n}\n"
#define WHOLE_BF16_FROM                                                                  \
    "\n@unsigned short lift_bf16_of_f32(float x)\n{\n"                                   \
    "    unsigned bits, near;\n\n"                                                       \
    "    __builtin_memcpy(&bits, &x, 4);\n"                                              \
    "    near = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;\n"                           \
    "    near = (bits & 0x7fffffffu) > 0x7f800000u ? bits >> 16 | 0x40u : near;\n"       \
    "    return (unsigned short)near;\n}\n"

/* Without branches, so that compilers make vectors of loops. A sum with 0.5 rounds a
 * number below 2^-14 to the last place of subnormals, 2^-24. */
const struct cg_storage cg_storage_of_threads = {
    .f16_to = "\n@float lift_f32_of_f16(unsigned short h)\n{\n"
              "    const unsigned sign = (h & 0x8000u) << 16, size = h & 0x7fffu;\n"
              "    const unsigned large = (size << 13) + (size < 0x7c00u ? 0x38000000u : "
              "0x70000000u);\n"
              "    float x = (float)(int)size * 5.9604644775390625e-8f;\n"
              "    unsigned bits;\n\n"
              "    __builtin_memcpy(&bits, &x, 4);\n"
              "    bits = sign | (size < 0x400u ? bits : large);\n"
              "    __builtin_memcpy(&x, &bits, 4);\n"
              "    return x;\n}\n",
    .f16_from = "\n@unsigned short lift_f16_of_f32(float x)\n{\n"
                "    unsigned bits, size, small, large;\n"
                "    float sum;\n\n"
                "    __builtin_memcpy(&bits, &x, 4);\n"
                "    size = bits & 0x7fffffffu;\n"
                "    __builtin_memcpy(&sum, &size, 4);\n"
                "    sum += 0.5f;\n"
                "    __builtin_memcpy(&small, &sum, 4);\n"
                "    large = (size - 0x37fff001u + (size >> 13 & 1u)) >> 13;\n"
                "    large = size < 0x47800000u ? large : size > 0x7f800000u ? 0x7e00u : "
                "0x7c00u;\n"
                "    small = size < 0x38800000u ? small - 0x3f000000u : large;\n"
                "    return (unsigned short)((bits >> 16 & 0x8000u) | small);\n}\n",
    .bf16_to = WHOLE_BF16_TO,
    .bf16_from = WHOLE_BF16_FROM,
};

const struct cg_storage cg_storage_of_opencl = {
    .f16_to = "\n@float lift_f32_of_f16(ushort h)\n{\n"
              "    return vload_half(0, (const __private half *)&h);\n}\n",
    .f16_from = "\n@ushort lift_f16_of_f32(float x)\n{\n"
                "    ushort h;\n\n"
                "    vstore_half_rte(x, 0, (__private half *)&h);\n"
                "    return h;\n}\n",
    .bf16_to = "\n@float lift_f32_of_bf16(ushort h)\n{\n"
               "    return as_float((uint)h << 16);\n}\n",
    .bf16_from = "\n@ushort lift_bf16_of_f32(float x)\n{\n"
                 "    const uint bits = as_uint(x);\n"
                 "    const uint near = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;\n\n"
                 "    return (ushort)((bits & 0x7fffffffu) > 0x7f800000u ? bits >> 16 | "
                 "0x40u : near);\n}\n",
};

/* cuda_fp16.h is not there wherever NVRTC is. */
const struct cg_storage cg_storage_of_cuda = {
    .f16_to = "\n@float lift_f32_of_f16(unsigned short h)\n{\n"
              "    float x;\n\n"
              "    asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(x) : \"h\"(h));\n"
              "    return x;\n}\n",
    .f16_from = "\n@unsigned short lift_f16_of_f32(float x)\n{\n"
                "    unsigned short h;\n\n"
                "    asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(x));\n"
                "    return h;\n}\n",
    .bf16_to = "\n@float lift_f32_of_bf16(unsigned short h)\n{\n"
               "    return __int_as_float((int)((unsigned)h << 16));\n}\n",
    .bf16_from =
        "\n@unsigned short lift_bf16_of_f32(float x)\n{\n"
        "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n"
        "    unsigned short h;\n\n"
        "    asm(\"cvt.rn.bf16.f32 %0, %1;\" : \"=h\"(h) : \"f\"(x));\n"
        "    return h;\n"
        "#else\n"
        "    const unsigned bits = (unsigned)__float_as_int(x);\n"
        "    const unsigned near = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;\n\n"
        "    return (unsigned short)((bits & 0x7fffffffu) > 0x7f800000u\n"
        "                                ? bits >> 16 | 0x40u\n"
        "                                : near);\n"
        "#endif\n}\n",
};

/* Its compiler has the type, and an instruction each way. */
const struct cg_storage cg_storage_of_hip = {
    .f16_to = "\n@float lift_f32_of_f16(unsigned short h)\n{\n"
              "    return (float)__builtin_bit_cast(_Float16, h);\n}\n",
    .f16_from = "\n@unsigned short lift_f16_of_f32(float x)\n{\n"
                "    return __builtin_bit_cast(unsigned short, (_Float16)x);\n}\n",
    .bf16_to = WHOLE_BF16_TO,
    .bf16_from = WHOLE_BF16_FROM,
};

/* ---- vectors */

/* Of 'W' lanes, with types of as many: bits, whole, numbers. */
static const struct cg_storage of_vectors = {
    .f16_to = "    const bits h = __builtin_convertvector(v, bits), size = h & 0x7fff;\n"
              "    const bits far = (bits)((whole)size >= 0x7c00) & 0x38000000;\n"
              "    const bits is_small = (bits)((whole)size < 0x400);\n"
              "    const bits large = (size << 13) + 0x38000000 + far;\n"
              "    const bits small =\n"
              "        (bits)(__builtin_convertvector((whole)size, numbers) * "
              "5.9604644775390625e-8f);\n\n"
              "    return (lift_f32xW)((h & 0x8000) << 16 | (small & is_small) |\n"
              "                        (large & ~is_small));\n",
    .f16_from =
        "    const bits b = (bits)v, size = b & 0x7fffffff;\n"
        "    const bits is_small = (bits)((whole)size < 0x38800000);\n"
        "    const bits is_large = (bits)((whole)size >= 0x47800000);\n"
        "    const bits quiet = (bits)((whole)size > 0x7f800000) & 0x200;\n"
        "    const bits small = (bits)((numbers)size + 0.5f) - 0x3f000000;\n"
        "    const bits normal = (size - 0x37fff001 + (size >> 13 & 1)) >> 13;\n"
        "    const bits rest = (is_large & (0x7c00 | quiet)) | (~is_large & normal);\n"
        "    const bits all = (b >> 16 & 0x8000) | (is_small & small) | (~is_small & "
        "rest);\n"
        "\n"
        "    return (lift_f16xW)__builtin_convertvector(all, halves);\n",
    .bf16_to = "    return (lift_f32xW)(__builtin_convertvector(v, bits) << 16);\n",
    .bf16_from =
        "    const bits b = (bits)v;\n"
        "    const bits is_nan = (bits)((whole)(b & 0x7fffffff) > 0x7f800000);\n"
        "    const bits near = (b + 0x7fff + (b >> 16 & 1)) >> 16;\n"
        "    const bits all = (~is_nan & near) | (is_nan & (b >> 16 | 0x40));\n\n"
        "    return (lift_bf16xW)__builtin_convertvector(all, halves);\n",
};

static const struct cg_storage of_opencl_vectors = {
    .f16_to = "    return vload_halfW(0, (const __private half *)&v);\n",
    .f16_from = "    ushortW h;\n\n"
                "    vstore_halfW_rte(v, 0, (__private half *)&h);\n"
                "    return h;\n",
    .bf16_to = "    return as_floatW(convert_uintW(v) << 16);\n",
    .bf16_from =
        "    const uintW bits = as_uintW(v);\n"
        "    const uintW near = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;\n\n"
        "    return convert_ushortW((bits & 0x7fffffffu) > 0x7f800000u ? bits >> 16 | "
        "0x40u : near);\n",
};

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

static const char *text_of(const struct cg_storage *s, enum lift_scalar scalar,
                           bool narrows)
{
    if (scalar == LIFT_F16)
        return narrows ? s->f16_from : s->f16_to;
    return narrows ? s->bf16_from : s->bf16_to;
}

/* A text in which a letter stands for another. */
static void add_for(struct lift_str *out, const char *text, char letter, const char *with)
{
    for (; *text; text++)
        if (*text == letter)
            lift_str_add(out, with);
        else
            lift_str_addc(out, *text);
}

/* The types that a body names. */
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

/* The body for the compilers of C that have vectors. */
static void add_body(struct lift_str *out, enum lift_scalar scalar, int width,
                     bool narrows)
{
    const char *body = text_of(&of_vectors, scalar, narrows);
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

/* The lanes one by one. */
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
        add_for(out, text_of(&of_opencl_vectors, scalar, narrows), 'W', number);
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
