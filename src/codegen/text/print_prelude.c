/* Prints the prelude of a module: the types and functions that its kernels use. */
#include "base/bug.h"
#include "codegen/text/dialect.h"
#include <stdarg.h>
#include <string.h>

enum { MAX_HELPERS = 1024 };

void cg_add_helper(struct helpers *h, struct lift_str *text)
{
    LIFT_ASSERT(h->count < MAX_HELPERS);
    if (text->len)
        h->items[h->count++] = lift_arena_strdup(h->arena, lift_str_get(text));
    lift_str_fini(text);
}

static void add_helper(struct helpers *h, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add_helper(struct helpers *h, const char *format, ...)
{
    struct lift_str text = {0};
    va_list args;

    va_start(args, format);
    lift_str_vaddf(&text, format, args);
    va_end(args);
    cg_add_helper(h, &text);
}

static void add_vector_type(const struct printer *p, enum lift_scalar scalar, int width,
                            struct helpers *h)
{
    const char *type = cg_scalar_type(scalar, false), *name = lift_scalar_name(scalar);
    int bytes = lift_scalar_bytes(scalar);

    if (p->d->vectors == VECTORS_CUDA)
        add_helper(h, "typedef lift_vector<%s, %d> lift_%sx%d;\n", type, width, name,
                   width);
    else
        add_helper(h,
                   "typedef %s lift_%sx%d __attribute__((vector_size(%d), "
                   "aligned(%d), may_alias));\n",
                   type, name, width, bytes * width, bytes);
}

/* Silences gcc's warning about the ABI of vectors: helpers pass vectors only inside the
 * module. */
static const char own_vectors[] = "#pragma GCC diagnostic ignored \"-Wpsabi\"\n";

static void add_vector_types(const struct printer *p, struct helpers *h)
{
    if (p->vector_types && p->d->vectors == VECTORS_CUDA)
        add_helper(h, "%s", cg_texts[CG_CUDA_VECTORS]);
    else if (p->vector_types && p->d->vectors == VECTORS_GCC)
        add_helper(h, "%s", own_vectors);
    for (int s = 0; s < LIFT_SCALARS; s++)
        for (int i = 1; i <= 6; i++)
            if (p->vector_types & 1ull << (s * 8 + i))
                add_vector_type(p, (enum lift_scalar)s, 1 << i, h);
}

/* Adds a function that selects lanes of 'a' where the mask is set, and lanes of 'b'
 * elsewhere. */
static void add_select(const struct printer *p, enum lift_scalar scalar, int width,
                       struct helpers *h)
{
    const char *name = lift_scalar_name(scalar);
    int bytes = lift_scalar_bytes(scalar);

    add_helper(h,
               "\n%slift_%sx%d lift_select_%sx%d(lift_i32x%d m, lift_%sx%d a, lift_%sx%d "
               "b)\n{\n"
               "    typedef %s bits __attribute__((vector_size(%d)));\n"
               "    const bits of_a = __builtin_convertvector(m, bits);\n"
               "    return (lift_%sx%d)(((bits)a & of_a) | ((bits)b & ~of_a));\n}\n",
               p->d->helper, name, width, name, width, width, name, width, name, width,
               bytes == 8   ? "long"
               : bytes == 2 ? "short"
                            : "int",
               bytes * width, name, width);
}

static void add_selects(const struct printer *p, struct helpers *h)
{
    for (int s = 0; s < LIFT_SCALARS; s++)
        for (int i = 1; i <= 6; i++)
            if (p->selects & 1ull << (s * 8 + i))
                add_select(p, (enum lift_scalar)s, 1 << i, h);
}

static void add_text(void (*add)(const struct printer *, struct lift_str *),
                     const struct printer *p, struct helpers *h)
{
    struct lift_str text = {0};

    add(p, &text);
    cg_add_helper(h, &text);
}

/* Adds a function that sets IEEE arithmetic in all threads. Threads of other kernels may
 * treat subnormal numbers as 0. */
static void add_ieee(const struct printer *p, struct helpers *h)
{
    if (p->ieee)
        add_helper(h,
                   "#include <fenv.h>\n\nstatic inline void lift_ieee(void)\n{\n%s"
                   "    fesetenv(FE_DFL_ENV);\n}\n",
                   p->uses_threads ? "#pragma omp parallel\n" : "");
    if (p->d->vectors == VECTORS_OPENCL)
        add_helper(h, "#pragma OPENCL FP_CONTRACT OFF\n");
}

/* Adds calls that hide signs from gcc: see hides_sign in print_expr.c. */
static void add_hidden(const struct printer *p, struct helpers *h)
{
    for (int s = LIFT_F32; s <= LIFT_F64; s++)
        if (p->hidden & 1u << s) {
            const char *type = s == LIFT_F32 ? "float" : "double";

            add_helper(
                h,
                "\n/* Of 0 - x, gcc makes -x where it knows that x is never -0. */\n"
                "%s%s lift_signed_%s(%s x)\n{\n    return x;\n}\n",
                p->d->helper, type, lift_scalar_name((enum lift_scalar)s), type);
        }
}

/* Adds min and max of floats. A NaN yields the other operand, equal operands yield 'b'.
 */
static void add_leasts(const struct printer *p, struct helpers *h)
{
    static const char *const types[] = {"float", "double"};

    for (int s = LIFT_F32; s <= LIFT_F64; s++)
        if (p->leasts & 1u << s)
            for (int larger = 0; larger < 2; larger++)
                add_helper(h,
                           "\n%s%s lift_%s_%s(%s a, %s b)\n{\n"
                           "    return a %c b || b != b ? a : b;\n}\n",
                           p->d->helper, types[s], larger ? "max" : "min",
                           lift_scalar_name((enum lift_scalar)s), types[s], types[s],
                           larger ? '>' : '<');
}

/* Adds declarations of vector forms of functions, which glibc has in libmvec. gcc
 * vectorises them under another name than its built-in name. It fuses built-in sin and
 * cos into one call without a vector form. */
static void add_lane_functions(const struct printer *p, struct helpers *h)
{
    for (int i = 0; i < KX_LANE_FUNCTIONS; i++)
        for (int s = LIFT_F32; s <= LIFT_F64; s++) {
            const char *name = kx_lane_functions[i].name,
                       *type = s == LIFT_F32 ? "float" : "double";
            const char *suffix = s == LIFT_F32 ? "f" : "";

            if (p->lane_functions & cg_lane_bit(i, (enum lift_scalar)s))
                add_helper(
                    h,
                    "#if defined __GLIBC__ && defined __x86_64__ && !defined __clang__\n"
                    "__attribute__((const, simd(\"notinbranch\"))) %s lift_%s%s(%s%s)\n"
                    "    __asm__(\"%s%s\");\n"
                    "#else\n#define lift_%s%s %s%s\n#endif\n",
                    type, name, suffix, type,
                    strcmp(name, "pow") != 0 ? ""
                    : s == LIFT_F32          ? ", float"
                                             : ", double",
                    name, suffix, name, suffix, name, suffix);
        }
}

/* Adds a function of whole vectors. gcc makes few vector calls of a loop over lanes, but
 * none of adjacent scalar calls. */
static void add_vector_function(const struct printer *p, int function,
                                enum lift_scalar scalar, int width, struct helpers *h)
{
    const char *name = kx_lane_functions[function].name, *type = lift_scalar_name(scalar);
    bool two = !strcmp(name, "pow"),
         lanes = p->lane_functions & cg_lane_bit(function, scalar);
    struct lift_str vector = {0};

    lift_str_addf(&vector, "lift_%sx%d", type, width);
    add_helper(h,
               "\n%s%s lift_%s_%sx%d(%s a%s%s%s)\n{\n"
               "    %s c;\n\n%s"
               "    for (int i = 0; i < %d; i++)\n"
               "        c[i] = %s%s%s(a[i]%s);\n"
               "    return c;\n}\n",
               p->d->helper, lift_str_get(&vector), name, type, width,
               lift_str_get(&vector), two ? ", " : "", two ? lift_str_get(&vector) : "",
               two ? " b" : "", lift_str_get(&vector),
               lanes ? "    #pragma omp simd\n" : "", width, lanes ? "lift_" : "", name,
               scalar == LIFT_F32 ? "f" : "", two ? ", b[i]" : "");
    lift_str_fini(&vector);
}

static void add_vector_functions(const struct printer *p, struct helpers *h)
{
    for (int f = 0; f < KX_LANE_FUNCTIONS; f++)
        for (int s = LIFT_F32; s <= LIFT_F64; s++)
            for (int i = 1; i <= 6; i++)
                if (p->vector_functions[f] & 1ull << (s * 8 + i))
                    add_vector_function(p, f, (enum lift_scalar)s, 1 << i, h);
}

/* Adds LIFT_MIN and LIFT_MAX. The instructions of a language are for kernels with
 * shuffles, which are bound by instructions. Their gain in other kernels was not
 * measured. */
static void add_minmax(const struct printer *p, struct helpers *h)
{
    if (p->d->minmax && p->uses_beside && !strcmp(p->index_type, "int"))
        add_helper(h, "%s", p->d->minmax);
    else
        add_helper(h, "#define LIFT_MIN(a, b) ((a) < (b) ? (a) : (b))\n"
                      "#define LIFT_MAX(a, b) ((a) > (b) ? (a) : (b))\n");
}

/* OpenCL C has no non-temporal accesses. Compilers that are based on clang have its
 * functions. */
static const char nontemporal_of_opencl[] =
    "#ifndef __has_builtin\n"
    "#error this OpenCL compiler has no non-temporal stores and loads\n"
    "#elif !__has_builtin(__builtin_nontemporal_store)\n"
    "#error this OpenCL compiler has no non-temporal stores and loads\n"
    "#endif\n";

void cg_add_helpers(const struct printer *p, struct helpers *h)
{
    h->items = LIFT_NEW_ARRAY(h->arena, const char *, MAX_HELPERS);
    add_helper(h, "%s", p->d->headers);
    if (p->exact)
        add_ieee(p, h);
    add_hidden(p, h);
    add_leasts(p, h);
    add_lane_functions(p, h);
    add_vector_types(p, h);
    add_selects(p, h);
    add_vector_functions(p, h);
    cg_add_storage(p, h);
    if (p->d->vectors == VECTORS_GCC) {
        cg_add_rows(p, h);
        cg_add_stores(p, h);
    }
    if (p->uses_async)
        add_helper(h, "%s", cg_texts[CG_CUDA_COPIES]);
    if (p->uses_nontemporal && p->d->vectors == VECTORS_CUDA)
        add_helper(h, "%s", cg_texts[CG_CUDA_ONCE]);
    if (p->uses_nontemporal && p->d->vectors == VECTORS_OPENCL)
        add_helper(h, "%s", nontemporal_of_opencl);
    if (p->uses_fetch)
        add_helper(h, "%s", cg_texts[CG_CUDA_FETCH]);
    if (p->uses_boxes)
        add_helper(h, "%s", cg_texts[CG_CUDA_BOXES]);
    if (p->uses_readers)
        add_helper(h, "%s", cg_texts[CG_CUDA_READERS]);
    if (p->uses_parts)
        add_helper(h, "%s", cg_texts[CG_CUDA_PARTS]);
    if (p->uses_minmax)
        add_minmax(p, h);
    if (p->uses_div)
        add_helper(h,
                   "\n/* Division that rounds down. */\n"
                   "%slong lift_div(long a, long b)\n{\n"
                   "    return a / b - (a %% b != 0 && (a < 0) != (b < 0));\n}\n\n"
                   "%slong lift_mod(long a, long b)\n{\n"
                   "    return a - b * lift_div(a, b);\n}\n",
                   p->d->helper, p->d->helper);
    add_text(cg_add_user_types, p, h);
    add_text(cg_add_user_funs, p, h);
}
