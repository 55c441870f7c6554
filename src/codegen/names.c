/* Identifiers of generated text: names of the program, and names that the generator adds.
 *
 * A name of the program is kept unless it is reserved in one of the languages. Then '_'
 * is appended in all languages, so a kernel has the same arguments on each device. A name
 * of the generator never equals a name of the program, nor the part of one before a '_'.
 * So names derived from it ('g0_end', 'win_3_1') are unique, too. The prefixes 'lift_'
 * and 'LIFT_' belong to the generator. */
#include "base/locale.h"
#include "codegen/gen.h"
#include <stdio.h>
#include <string.h>

/* Reserved words and identifiers that kernels and their programs use. Names that look
 * like macros (see below) are not listed. */
static const char *const words[] = {
    /* C and C++ */
    "alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto "
    "bitand bitor bool break case catch char char8_t char16_t char32_t class co_await "
    "co_return co_yield compl concept const const_cast consteval constexpr constinit "
    "continue decltype default delete do double dynamic_cast else enum explicit export "
    "extern false final float for friend goto if import inline int long module mutable "
    "namespace new noexcept not not_eq nullptr operator or or_eq override private "
    "protected public reflexpr register reinterpret_cast requires restrict return short "
    "signed sizeof static static_assert static_cast struct switch synchronized template "
    "this thread_local throw true try typedef typeid typename typeof typeof_unqual union "
    "unsigned using virtual void volatile wchar_t while xor xor_eq",
    /* macros of compilers and of headers that look like names */
    "I L_ctermid L_cuserid L_tmpnam P_tmpdir alloca assert complex errno far i386 "
    "imaginary linux main math_errhandling near noreturn offsetof stderr stdin stdout "
    "unix unreachable",
    /* functions and types that our text uses, and its macros */
    "abs barrier cos cosf exp expf fabs fabsf floor floorf fmax fmaxf fmin fminf log "
    "logf "
    "pow powf sin sinf sqrt sqrtf f32 f64 i32 int8_t int16_t int32_t int64_t uint8_t "
    "uint16_t uint32_t uint64_t size_t ptrdiff_t intptr_t uintptr_t",
    /* OpenCL C */
    "atomic_double atomic_flag atomic_float atomic_int atomic_long clk_event_t complex "
    "constant event_t generic get_global_id get_global_offset get_global_size "
    "get_group_id get_local_id get_local_size get_num_groups get_work_dim global half "
    "image1d_array_t image1d_buffer_t image1d_t image2d_array_t image2d_t image3d_t "
    "kernel local ndrange_t pipe quad queue_t read_only read_write reserve_id_t "
    "sampler_t uchar uint uint_t ulong ushort vec_step write_only",
    /* CUDA and HIP */
    "blockDim blockIdx gridDim threadIdx warpSize cudaError_t cudaStream_t dim3",
    "cluster_group",
};

static bool has_word(const char *list, const char *word)
{
    size_t len = strlen(word);

    for (const char *at = strstr(list, word); at; at = strstr(at + 1, word))
        if ((at == list || at[-1] == ' ') && (at[len] == ' ' || at[len] == '\0'))
            return true;
    return false;
}

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

/* True for names with two capitals and no small letter, such as 'FLT_MAX', and for
 * families of macros, such as 'M_PIl'. */
static bool is_macro_like(const char *name)
{
    int capitals = 0, small = 0;

    for (const char *c = name; *c; c++) {
        capitals += lift_is_upper(*c) != 0;
        small += lift_is_lower(*c) != 0;
    }
    return (capitals > 1 && !small) || begins(name, "M_") || begins(name, "HUGE_VAL") ||
           begins(name, "CLK_");
}

/* True for words with a number of lanes: 'float4', 'vload4', 'convert_int8'. */
static bool is_vector_word(const char *name)
{
    static const char *const stems[] = {
        "char",   "uchar", "short",         "ushort",      "int",
        "uint",   "long",  "ulong",         "longlong",    "ulonglong",
        "half",   "float", "double",        "bool",        "vload",
        "vstore", "quad",  "convert_float", "convert_int", "convert_double"};

    for (size_t i = 0; i < sizeof stems / sizeof *stems; i++) {
        const char *rest = name + strlen(stems[i]);

        if (begins(name, stems[i]) && lift_is_digit(*rest) &&
            rest[strspn(rest, "0123456789")] == '\0')
            return true;
    }
    return false;
}

/* True for names of OpenCL's API, which an emitted program uses: 'cl_mem', 'clFinish'. */
static bool is_of_api(const char *name)
{
    return begins(name, "cl_") || begins(name, "cles_") ||
           (begins(name, "cl") && lift_is_upper(name[2]));
}

static bool is_word(const char *name)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(words[i], name))
            return true;
    return is_macro_like(name) || is_vector_word(name) || is_of_api(name);
}

const char *cg_escaped(struct lift_arena *arena, const char *name)
{
    if (*name == '_')
        return lift_arena_printf(arena, "u%s", name);
    if (begins(name, "lift_") || begins(name, "LIFT_"))
        return lift_arena_printf(arena, "u_%s", name);
    return is_word(name) ? lift_arena_printf(arena, "%s_", name) : name;
}

static bool is_taken(const struct gen *g, const char *name)
{
    for (const struct cg_taken *t = g->taken; t; t = t->next)
        if (strcmp(t->name, name) == 0)
            return true;
    return false;
}

const char *cg_identifier(struct gen *g, const char *wanted)
{
    struct cg_taken *t = LIFT_NEW(g->arena, struct cg_taken);
    const char *name = cg_escaped(g->arena, wanted);

    while (is_taken(g, name))
        name = lift_arena_printf(g->arena, "%s_", name);
    *t = (struct cg_taken){name, g->taken};
    g->taken = t;
    return name;
}

/* True if no taken name is equal to 'name' or begins with 'name' and '_'. */
static bool is_free(const struct gen *g, const char *name)
{
    size_t len = strlen(name);

    for (const struct cg_taken *t = g->taken; t; t = t->next)
        if (begins(t->name, name) && (t->name[len] == '\0' || t->name[len] == '_'))
            return false;
    return true;
}

const char *cg_name(struct gen *g, const char *hint)
{
    const char *name;

    do
        name = lift_arena_printf(g->arena, "%s_%d", hint, ++g->var_count);
    while (!is_free(g, name));
    return name;
}

/* An index variable of this name. A name has one range in the whole pool, so NULL if
 * another range has taken the name. */
static lift_nat index_named(struct gen *g, const char *name, int64_t extent)
{
    lift_nat known = lift_nat_find_var(g->nats, name);
    enum lift_var_kind kind;

    if (!is_free(g, name) ||
        (known && (!lift_nat_is_var(known, &kind) || kind != LIFT_VAR_INDEX ||
                   lift_nat_lo(known) != 0 || lift_nat_hi(known) != extent - 1)))
        return NULL;
    return lift_nat_var(g->nats, name, LIFT_VAR_INDEX, 0, extent - 1);
}

lift_nat cg_index_var(struct gen *g, const char *hint, int64_t extent)
{
    lift_nat var;

    do
        var = index_named(g, lift_arena_printf(g->arena, "%s%d", hint, g->buffer_count++),
                          extent);
    while (!var);
    return var;
}

lift_nat cg_item_var(struct gen *g, int dim, int64_t extent)
{
    lift_nat var = index_named(
        g, lift_arena_printf(g->arena, "l%d_of_%lld", dim, (long long)extent), extent);

    return var ? var : cg_index_var(g, "l", extent);
}
