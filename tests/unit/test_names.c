/* Names of programs in generated text: whatever means something in one of the languages,
 * or is a name of our own, as grid, output, parameter and stencil. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codegen/gen.h"
#include "codegen/kernel.h"
#include "device/device.h"
#include "lift/parse.h"
#include "only.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const lists[] = {
    /* C17 */
    "auto break case char const continue default do double enum extern float for goto "
    "inline int long register restrict short signed sizeof static struct switch typedef "
    "union unsigned void volatile while _Alignas _Alignof _Atomic _Bool _Complex "
    "_Generic _Imaginary _Noreturn _Static_assert _Thread_local asm typeof",
    /* C++20 */
    "alignas alignof and and_eq bitand bitor bool catch char8_t char16_t char32_t class "
    "compl concept consteval constexpr constinit const_cast co_await co_return co_yield "
    "decltype delete dynamic_cast explicit export final friend mutable namespace new "
    "noexcept not not_eq nullptr operator or or_eq override private protected public "
    "reinterpret_cast requires static_assert static_cast template this thread_local "
    "throw try typeid typename using virtual wchar_t xor xor_eq import module",
    /* macros of compilers and of headers */
    "linux unix i386 NULL EOF NAN INFINITY HUGE_VAL HUGE_VALF M_PI M_PI_2 M_PI_F M_E I "
    "complex imaginary stdin stdout stderr errno assert offsetof alloca "
    "math_errhandling INT_MAX FLT_EPSILON MAXFLOAT RAND_MAX BUFSIZ SEEK_SET "
    "CLOCK_MONOTONIC MAP_FAILED PROT_READ CLK_LOCAL_MEM_FENCE CL_SUCCESS _OPENMP "
    "__FILE__ __LINE__ __func__ __STDC__ __GNUC__ __x86_64__ __CUDA_ARCH__ __restrict__ "
    "__attribute__ __builtin_inff __asm__ __int128 __m256 _Float16 __half",
    /* libraries of C, functions of devices */
    "abs labs sqrt sqrtf rsqrt cbrt exp exp2 expf exp10 log log2 log10 logf sin sinf cos "
    "cosf tan pow powf fmin fminf fmax fmaxf fabs fabsf floor floorf ceil round trunc "
    "fma fmod hypot erf tgamma lgamma gamma y0 y1 yn j0 j1 jn isnan isinf signbit div "
    "index rindex time signal read write link sync wait malloc free memcpy memset printf "
    "exit main clamp mix step smoothstep sign dot cross length normalize select any all "
    "min max mad half_sqrt native_sqrt vload4 vstore4 convert_float4 barrier mem_fence "
    "prefetch async_work_group_copy atomic_add atomicAdd __syncthreads __ldg "
    "__shfl_sync get_global_id get_local_id get_group_id get_global_size popcount",
    /* OpenCL C, CUDA, HIP */
    "kernel global local constant __kernel __global __local __private half float2 float4 "
    "float16 int4 uint uint2 uchar ushort ulong long4 double2 double4 bool4 size_t "
    "image2d_t sampler_t event_t read_only write_only pipe generic threadIdx blockIdx "
    "blockDim gridDim warpSize dim3 __global__ __shared__ __device__ __host__ "
    "__launch_bounds__ __grid_constant__ __align__ hipThreadIdx_x texture surface quad "
    "cl_mem cl_float cl_int cl_event clSetKernelArg clFinish",
    /* our own */
    "g0 g1 g2 g3 g7 i0 i1 i2 i3 i4 p0 p1 p2 l0 l1 w0 x_1 x_2 x_3 x_4 val_1 val_2 acc_1 "
    "acc_2 acc_3 reg_1 win_1 row_1 lanes_1 temp_1 ring_1 bars_1 v_1 v_2 i1_end g0_turn "
    "out temp local_1 global_1 code_ queue_ kernels_ events_ args lift lift_div "
    "lift_mod lift_f32x4 lift_load lift_map lift_local LIFT_MIN LIFT_MAX lift_fence "
    "lift_step f32 f64 i32 test_1 test_1_call test_step step_ u u_ u__ u_1 u_map u_map1",
    /* of the language, but for its keywords */
    "map reduce zip slide pad split join take drop add sub mul mod neg eq ne lt le at "
    "get tuple let_ array concat size param input const_ type stencil exact relaxed pi "
    "inf nan wrap mirror value fill mapSeq mapGlb slide3 map2 unzip nat splat userFun",
};

enum { MAX_WORDS = 800, ROLE = 10 };

static struct words {
    char text[MAX_WORDS][32];
    int count;
} words;

static void add_word(const char *word, size_t len)
{
    for (int i = 0; i < words.count; i++)
        if (strlen(words.text[i]) == len && memcmp(words.text[i], word, len) == 0)
            return;
    assert_true(words.count < MAX_WORDS && len < sizeof words.text[0]);
    memcpy(words.text[words.count++], word, len);
}

static int read_words(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (const char *at = lists[i]; *at; at += strspn(at, " ")) {
            size_t len = strcspn(at, " ");

            add_word(at, len);
            at += len;
        }
    return 0;
}

static const char *word(int i)
{
    return words.text[i % words.count];
}

/* ---- modules named by words from 'first' on, each list in another role */

struct module_of {
    struct lift_ir *ir;
    lift_expr body, inputs[ROLE], params[ROLE];
    const char *outputs[ROLE];
    struct lift_codegen_options options;
};

static const char *input_word(int first, int k)
{
    return word(first + k);
}

static const char *param_word(int first, int k)
{
    return word(first + ROLE + k);
}

static const char *output_word(int first, int k)
{
    return word(first + 2 * ROLE + k);
}

/* Each output is a sum over a window of an input, times a parameter; pads, loops,
 * accumulators and minima take names of our own. */
static void write_text(int first, const char *level, struct lift_str *out)
{
    for (int k = 0; k < ROLE; k++)
        lift_str_addf(out, "input %s: [f32]70; param %s: f32; ", input_word(first, k),
                      param_word(first, k));
    lift_str_addf(out, "@%sfun(t => (", level);
    for (int k = 0; k < ROLE; k++)
        lift_str_addf(out, "%s@%s(fun(a, e => @%s(a * e) + @min(a, e)), %s, t.%d)",
                      k ? ", " : "", k % 2 ? "reduceSeq" : "reduceUnroll",
                      k ? "abs" : "sqrt", param_word(first, k), k);
    lift_str_add(out, ")), @zip(");
    for (int k = 0; k < ROLE; k++)
        lift_str_addf(out, "%s@slide(3, 1, @pad(1, 1, %s, %s))", k ? ", " : "",
                      k % 3 ? "wrap" : "clamp", input_word(first, k));
    lift_str_add(out, "))");
}

static lift_expr find_free(lift_expr e, const char *name)
{
    lift_expr found = NULL;

    if (e->kind == LIFT_EXPR_FREE)
        return strcmp(e->u.name, name) == 0 ? e : NULL;
    for (int i = 0; !found && i < lift_expr_child_count(e); i++)
        found = find_free(lift_expr_child(e, i), name);
    return found;
}

static lift_expr read_text(struct lift_ir *ir, const char *text)
{
    struct lift_error errors = {0};
    struct lift_source source = {.name = "term", .text = text, .len = strlen(text)};
    lift_expr e = lift_term_parse(ir, &source, &errors);

    lift_error_print(&errors, stderr);
    lift_error_fini(&errors);
    assert_non_null(e);
    return e;
}

/* The printed term reads back, whatever primitives its names hide. */
static void assert_round_trip(struct lift_ir *ir, lift_expr e)
{
    struct lift_str text = {0};

    lift_term_print(e, &text);
    if (read_text(ir, lift_str_get(&text)) != e)
        fail_msg("another term is read from\n%s", lift_str_get(&text));
    lift_str_fini(&text);
}

static void open_module(struct module_of *m, int first, enum lift_dialect dialect)
{
    struct lift_str text = {0};

    *m = (struct module_of){.ir = lift_ir_create()};
    write_text(first, lift_dialect_has_groups(dialect) ? "mapGlb(0, " : "mapSeq(", &text);
    m->body = read_text(m->ir, lift_str_get(&text));
    assert_round_trip(m->ir, m->body);
    for (int k = 0; k < ROLE; k++) {
        m->inputs[k] = find_free(m->body, input_word(first, k));
        m->params[k] = find_free(m->body, param_word(first, k));
        m->outputs[k] = output_word(first, k);
    }
    m->options = (struct lift_codegen_options){.dialect = dialect,
                                               .name = word(first),
                                               .inputs = m->inputs,
                                               .input_count = ROLE,
                                               .params = m->params,
                                               .param_count = ROLE,
                                               .outputs = m->outputs,
                                               .output_count = ROLE,
                                               .local = {4, 1, 1}};
    lift_str_fini(&text);
}

static const struct lift_module *generate_words(struct module_of *m)
{
    struct lift_str why = {0};
    const struct lift_module *module = lift_codegen(m->ir, m->body, &m->options, &why);

    if (!module)
        fail_msg("no code: %s", lift_str_get(&why));
    return module;
}

/* ---- all of them in one text */

static void add_once(struct lift_str *text, const char *helper)
{
    if (!strstr(lift_str_get(text), helper))
        lift_str_add(text, helper);
}

static void add_words(int first, enum lift_dialect dialect, struct lift_str *helpers,
                      struct lift_str *text)
{
    struct module_of m;
    const struct lift_module *module;

    open_module(&m, first, dialect);
    module = generate_words(&m);
    for (int i = 0; i < module->helper_count; i++)
        add_once(helpers, module->helpers[i]);
    lift_str_add(text, module->text);
    lift_ir_destroy(m.ir);
}

static bool compiles(const char *device, const char *flags)
{
    struct lift_str helpers = {0}, text = {0};
    struct lift_error failure = {0};
    struct lift_device *dev = lift_device_open(device, &failure);

    for (int first = 0; dev && first < words.count; first += ROLE)
        add_words(first, lift_device_info(dev)->dialect, &helpers, &text);
    lift_str_add(&helpers, lift_str_get(&text));
    if (dev && dev->runtime->build(dev, lift_str_get(&helpers), flags, NULL, &failure))
        return true;
    fprintf(stderr, "%.4000s\n", lift_str_get(&failure.text));
    return false;
}

/* Runs in a separate process: compilers of several devices load the same libraries, and
 * their leaks do not matter. */
static void compile_all(const char *device, const char *flags)
{
    pid_t child = fork();
    int status;

    if (child == 0)
        _exit(!compiles(device, flags));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static bool can_open(const char *device, unsigned compilers)
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        struct lift_error failure = {0};
        struct lift_device *dev = lift_device_open(device, &failure);

        _exit(!dev ||
              (compilers && !(lift_device_info(dev)->compilers >> compilers & 1)));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void test_gcc(void **state)
{
    (void)state;
    if (!can_open("host", LIFT_GCC))
        skip();
    compile_all("host", "compiler=gcc -O0");
}

static void test_clang(void **state)
{
    (void)state;
    if (!can_open("host", LIFT_CLANG))
        skip();
    compile_all("host", "compiler=clang -O0");
}

static void test_opencl(void **state)
{
    (void)state;
    if (!can_open("opencl:0", 0))
        skip();
    compile_all("opencl:0", "-cl-opt-disable");
}

static void test_cuda(void **state)
{
    (void)state;
    if (!can_open("cuda:sm_90", 0))
        skip();
    compile_all("cuda:sm_90", "");
}

static void test_hip(void **state)
{
    (void)state;
    if (!can_open("hip:gfx90a", 0))
        skip();
    compile_all("hip:gfx90a", "-O0");
}

/* ---- single names */

/* Redefined macros may go unnoticed by compilers. */
static void check_macros(const char *command)
{
    struct lift_arena *arena = lift_arena_create();
    FILE *in = popen(command, "r");
    char line[4096], name[256], after;
    int count = 0, kept = 0;

    assert_non_null(in);
    while (fgets(line, sizeof line, in))
        if (sscanf(line, "#define %255[A-Za-z0-9_]%c", name, &after) == 2 &&
            after == ' ') {
            count++;
            if (strcmp(cg_escaped(arena, name), name) != 0)
                continue;
            print_message("'%s' is a macro\n", name);
            kept++;
        }
    lift_arena_destroy(arena);
    if (pclose(in) != 0 || count == 0)
        skip();
    assert_int_equal(kept, 0);
}

#define HEADERS                                                                          \
    "printf '#include <%s>\\n' math.h stdbool.h stdint.h stdio.h stdlib.h string.h "     \
    "sys/mman.h time.h | "

static void test_macros_of_gcc(void **state)
{
    (void)state;
    check_macros(HEADERS
                 "gcc -std=gnu17 -fopenmp -D_GNU_SOURCE -dM -E -x c - 2>/dev/null");
}

static void test_macros_of_clang(void **state)
{
    (void)state;
    check_macros(HEADERS "clang -std=gnu17 -D_GNU_SOURCE -dM -E -x c - 2>/dev/null");
}

static void test_macros_of_opencl(void **state)
{
    (void)state;
    check_macros("clang -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -dM -E "
                 "/dev/null 2>/dev/null");
}

static const struct {
    const char *name, *text;
} single[] = {
    /* names that mean nothing stay */
    {"u", "u"},
    {"u_old", "u_old"},
    {"temp", "temp"},
    {"Ex", "Ex"},
    {"T", "T"},
    {"x1", "x1"},
    {"integer", "integer"},
    {"float3d", "float3d"},
    {"clear", "clear"},
    /* others are the same with something behind or before them */
    {"restrict", "restrict_"},
    {"NAN", "NAN_"},
    {"M_PIl", "M_PIl_"},
    {"float4", "float4_"},
    {"get_global_id", "get_global_id_"},
    {"cl_mem", "cl_mem_"},
    {"lift_div", "u_lift_div"},
    {"__restrict__", "u__restrict__"},
};

static void test_single(void **state)
{
    struct lift_arena *arena = lift_arena_create();

    (void)state;
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        assert_string_equal(cg_escaped(arena, single[i].name), single[i].text);
    lift_arena_destroy(arena);
}

/* ---- adjacent names */

static const struct lift_module *with_names(struct module_of *m, const char *text,
                                            const char *input, const char *param,
                                            const char *output, const char *name)
{
    *m = (struct module_of){.ir = lift_ir_create()};
    m->body = read_text(m->ir, text);
    m->inputs[0] = find_free(m->body, input);
    m->params[0] = find_free(m->body, param);
    m->outputs[0] = output;
    m->options = (struct lift_codegen_options){.dialect = LIFT_DIALECT_OPENCL,
                                               .name = name,
                                               .inputs = m->inputs,
                                               .input_count = 1,
                                               .params = m->params,
                                               .param_count = 1,
                                               .outputs = m->outputs,
                                               .output_count = 1,
                                               .local = {4, 1, 1}};
    return generate_words(m);
}

static void assert_names(const struct lift_module *m, const char *input,
                         const char *param, const char *output, const char *kernel)
{
    assert_string_equal(m->binds[0].name, input);
    assert_string_equal(m->binds[1].name, output);
    assert_string_equal(m->binds[2].name, param);
    assert_string_equal(m->kernels[0].name, kernel);
}

static void test_alike(void **state)
{
    struct module_of m;
    const struct lift_module *module;

    (void)state;
    module = with_names(&m,
                        "input int: [f32]9; param int_: f32;"
                        "mapGlb(0, fun(x => x * int_), int)",
                        "int", "int_", "long", "step");
    assert_names(module, "int_", "int__", "long_", "step_1");
    assert_string_equal(module->binds[0].label, "int");
    assert_string_equal(module->binds[2].label, "int_");
    lift_ir_destroy(m.ir);
    /* an output may be called like a parameter, and anything like a kernel */
    module = with_names(&m,
                        "input f_1: [f32]9; param a: f32;"
                        "mapGlb(0, fun(x => x * a), f_1)",
                        "f_1", "a", "a", "f");
    assert_names(module, "f_1", "a_", "a", "f_1_");
    lift_ir_destroy(m.ir);
    module = with_names(&m,
                        "input g0: [f32]9; param x_1: f32;"
                        "mapGlb(0, fun(x => x * x * x_1), g0)",
                        "g0", "x_1", "g1", "acc");
    assert_names(module, "g0", "x_1", "g1", "acc_1");
    assert_non_null(strstr(module->text, "const long g2 = get_global_id(0)"));
    assert_non_null(strstr(module->text, "float x_2 = g0[g2]"));
    lift_ir_destroy(m.ir);
}

static void test_same_again(void **state)
{
    struct module_of m;
    char *first;

    (void)state;
    open_module(&m, 40, LIFT_DIALECT_CUDA);
    first = strdup(generate_words(&m)->source);
    assert_string_equal(generate_words(&m)->source, first);
    lift_ir_destroy(m.ir);
    open_module(&m, 40, LIFT_DIALECT_CUDA);
    assert_string_equal(generate_words(&m)->source, first);
    lift_ir_destroy(m.ir);
    free(first);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gcc),
        cmocka_unit_test(test_clang),
        cmocka_unit_test(test_opencl),
        cmocka_unit_test(test_cuda),
        cmocka_unit_test(test_hip),
        cmocka_unit_test(test_macros_of_gcc),
        cmocka_unit_test(test_macros_of_clang),
        cmocka_unit_test(test_macros_of_opencl),
        cmocka_unit_test(test_single),
        cmocka_unit_test(test_alike),
        cmocka_unit_test(test_same_again),
    };

    only(argc, argv);
    return cmocka_run_group_tests_name("names", tests, read_words, NULL);
}
