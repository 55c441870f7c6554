/* The kernels of bench/reference: all compile, if there is a compiler, and some run on
 * the host and equal the interpreter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "bench/reference.h"
#include "explore/trial/interpret.h"
#include "problem_world.h"
#include "scratch.h"
#include <dirent.h>
#include <string.h>
#include <unistd.h>

enum { A_FEW_BYTES = 32 };
#define FLAGS "-std=c++17 -O1 -w"

static const char *shelf_folder(void)
{
    static char path[512];

    snprintf(path, sizeof path, "%s/bench/reference", getenv("LIFT_SOURCE_DIR"));
    return path;
}

static void release(struct bench_reference *list, int count)
{
    for (int i = 0; i < count; i++)
        runner_unload(NULL, &list[i].module);
}

/* ---- compiling */

/* Every so many-th variant of a program; how many are for this device, and compile with
 * hardly a spill: compilers differ. */
static int build_program(struct lift_device *device, const char *name, int step)
{
    static struct bench_reference list[REFERENCE_MOST];
    const struct lift_device_info *info = lift_device_info(device);
    struct explore_problem *p = load_program(name, NULL, 0);
    int count =
            bench_references(&(struct bench_shelf){shelf_folder(), NULL}, p, info, list),
        built = 0;

    for (int i = 0; i < count; i += step) {
        struct lift_error failure = {0};
        struct runner_module *m = &list[i].module;
        struct lift_resources r;

        if (*list[i].refused)
            continue;
        if (!runner_build(device, m, "", NULL, &failure))
            fail_msg("%s: %s", list[i].name, lift_str_get(&failure.text));
        for (int k = 0; k < m->module->kernel_count; k++) {
            r = device->runtime->resources(device, m->binary, m->module->kernels[k].name);
            assert_true(r.registers > 0 && r.spill_bytes <= A_FEW_BYTES);
        }
        built++;
        runner_unload(device, m);
    }
    release(list, count);
    explore_problem_destroy(p);
    return built;
}

/* One program of each file. */
static int build_all(const char *target, int step)
{
    static const char *const programs[] = {
        "acoustic", "acoustic_iso", "star3d2r",  "heat",      "box2d2r",   "box3d1r",
        "srad1",    "srad2",        "hotspot3d", "hotspot2d", "jacobi2d5", "gradient",
        "srad",     "elastic2d",    "elastic3d", NULL};
    struct lift_error failure = {0};
    struct lift_device *device = lift_device_open(target, &failure);
    int built = 0;

    if (!device) {
        printf("skipped '%s': %s\n", target, lift_str_get(&failure.text));
        lift_error_fini(&failure);
        return -1;
    }
    for (int i = 0; programs[i]; i++)
        built += build_program(device, programs[i], step);
    lift_device_close(device);
    return built;
}

/* Those that are in no way NVIDIA's. */
static void test_compile_for_amd(void **state)
{
    int built = build_all("hip:gfx90a", 4);

    (void)state;
    if (built < 0)
        skip();
    assert_true(built >= 10);
}

static void test_compile(void **state)
{
    int old = build_all("cuda:sm_80", 4), new = build_all("cuda:sm_90", 2);

    (void)state;
    if (old < 0 || new < 0)
        skip();
    assert_true(old >= 15);
    assert_true(new > 2 * old);
}

/* ---- running on the host */

struct on_host {
    struct bench_reference *reference;
    struct lift_device *device; /* the host */
    struct runner_data data;
    char work[64];
};

static void path_in(const struct on_host *h, const char *name, int number, char out[128])
{
    snprintf(out, 128, "%s/%s%d", h->work, name, number);
}

static struct lift_buffer *buffer_of(struct on_host *h, const struct lift_bind *b)
{
    return b->kind == LIFT_BIND_INPUT ? h->data.in[b->index] : h->data.out[b->index];
}

/* Between the buffer of a bind and a file. */
static void move(struct on_host *h, const struct lift_bind *b, const char *path, bool out)
{
    size_t bytes = (size_t)b->count * (size_t)lift_scalar_bytes(b->scalar);
    FILE *file = fopen(path, out ? "wbe" : "rbe");
    struct lift_error failure = {0};
    void *data = malloc(bytes);

    assert_true(file && data);
    if (out) {
        assert_true(
            h->device->runtime->read(h->device, buffer_of(h, b), data, bytes, &failure));
        assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    } else {
        assert_int_equal(fread(data, 1, bytes, file), bytes);
        assert_true(
            h->device->runtime->write(h->device, buffer_of(h, b), data, bytes, &failure));
    }
    assert_int_equal(fclose(file), 0);
    free(data);
}

static void write_list(FILE *out, const char *name, const int64_t *numbers, int count)
{
    fprintf(out, ".%s = {", name);
    for (int d = count - 1; d >= 0; d--)
        fprintf(out, "%lld, ", (long long)numbers[d]);
    fprintf(out, "}, ");
}

static void write_tensor(FILE *out, const struct lift_tensor *t, int number)
{
    int64_t box[LIFT_TENSOR_DIMS];

    for (int d = 0; d < t->dims; d++)
        box[d] = t->box[d];
    fprintf(out, "tensor t%d = {.at = b%d + %lld, ", number, t->bind,
            (long long)t->offset);
    write_list(out, "length", t->length, t->dims);
    write_list(out, "stride", t->stride, t->dims);
    write_list(out, "box", box, t->dims);
    fprintf(out, "};\n");
}

static bool has_buffer(const struct lift_bind *b)
{
    return b->kind != LIFT_BIND_PARAM && b->kind != LIFT_BIND_TEMP && b->in_place < 0;
}

static void write_binds(FILE *out, const struct on_host *h, bool load)
{
    const struct lift_module *m = h->reference->module.module;
    char path[128];

    for (int i = 0; i < m->bind_count; i++) {
        const struct lift_bind *b = &m->binds[i];

        path_in(h, "buffer", i, path);
        if (has_buffer(b))
            fprintf(out,
                    load ? "REAL *b%d = from_file(\"%s\", %lld);\n"
                         : "to_file(b%d, \"%s\", %lld);\n",
                    i, path, (long long)b->count);
        else if (b->kind == LIFT_BIND_TEMP && load)
            fprintf(out, "static REAL b%d[%lld];\n", i, (long long)b->count);
        else if (b->kind == LIFT_BIND_PARAM && load)
            fprintf(out, "REAL b%d = %.17g;\n", i,
                    h->data.problem->param_values[b->index]);
    }
}

static void write_launch(FILE *out, const struct lift_kernel *k)
{
    const struct lift_launch *l = &k->launch;

    for (int i = 0; i < k->tensor_count; i++)
        write_tensor(out, &k->tensors[i], i);
    fprintf(out, "launch({%zu, %zu, %zu}, {%zu, %zu, %zu}, [&] { %s(",
            l->global[0] / l->local[0], l->global[1] / l->local[1],
            l->global[2] / l->local[2], l->local[0], l->local[1], l->local[2], k->name);
    for (int i = 0; i < k->arg_count; i++)
        fprintf(out, "%sb%d", i ? ", " : "", k->args[i]);
    for (int i = 0; i < k->tensor_count; i++)
        fprintf(out, ", t%d", i);
    fprintf(out, "); });\n");
}

static void write_program(const struct on_host *h)
{
    const struct lift_module *m = h->reference->module.module;
    char path[128];
    FILE *out;

    path_in(h, "main.cpp", 0, path);
    out = fopen(path, "we");
    assert_non_null(out);
    fprintf(out, "#include \"reference_on_host.hpp\"\n%s\n", m->source);
    fprintf(out, "int main(int argc, char **argv) { copies_are_done = argc > 1 ? LATE : "
                 "AT_ONCE;\n");
    write_binds(out, h, true);
    for (int k = 0; k < m->kernel_count; k++)
        write_launch(out, &m->kernels[k]);
    write_binds(out, h, false);
    fprintf(out, "}\n");
    assert_int_equal(fclose(out), 0);
}

/* Compiles functions of kernels once for each element type; returns the object file. */
static const char *compile_runtime(const char *real)
{
    const char *object = path_of(real);
    char command[1024];

    if (access(object, F_OK) == 0)
        return object;
    snprintf(command, sizeof command,
             "c++ " FLAGS
             " -DREAL=%s -c -o %s -x c++ %s/tests/unit/reference_on_host.cpp",
             real, object, getenv("LIFT_SOURCE_DIR"));
    assert_int_equal(system(command), 0);
    return object;
}

/* The dynamic shared memory is an array of the program's own. */
static void compile(const struct on_host *h)
{
    const struct lift_module *m = h->reference->module.module;
    const char *real = m->binds[0].scalar == LIFT_F64 ? "double" : "float";
    char command[1024];

    snprintf(command, sizeof command,
             "cd %s && sed 's/extern __shared__ \\([a-z0-9]*\\) shared\\[\\]/static \\1 "
             "shared[%zu]/; /#pragma unroll/d' main.cpp0 >main.cpp && c++ " FLAGS
             " -DREAL=%s -I %s/tests/unit -o main main.cpp %s",
             h->work, m->kernels[0].launch.dynamic_bytes + 16, real,
             getenv("LIFT_SOURCE_DIR"), compile_runtime(real));
    assert_int_equal(system(command), 0);
}

static void compare(struct on_host *h, const struct explore_answer *answer)
{
    for (int i = 0; i < answer->count; i++) {
        struct lift_error failure = {0};
        enum lift_scalar scalar = h->data.outputs[i].scalar;
        int64_t count = answer->leaves[i].count;
        struct explore_verdict v = {
            .bound = explore_bound(h->data.problem, i, scalar,
                                   explore_magnitude(answer->data[i], LIFT_F64, count))};

        if (!runner_read(h->device, &h->data, i, &failure))
            fail_msg("%s: %s", h->reference->name, lift_str_get(&failure.text));
        explore_compare(
            &v,
            (struct explore_pair){scalar, runner_result(), answer->data[i], true, count},
            0);
        if (v.bad)
            fail_msg("%s: %lld values of output %d are wrong, first %lld, by up to %g",
                     h->reference->name, (long long)v.bad, i, (long long)v.first_bad,
                     v.max_error);
    }
}

/* Buffers to files, the program, files to buffers: only outputs have changed. */
static void run(struct on_host *h, bool late, const struct explore_answer *answer)
{
    const struct lift_module *m = h->reference->module.module;
    struct runner_module *module = &h->reference->module;
    struct lift_error failure = {0};
    char path[128];

    assert_true(runner_fit(h->device, module, &h->data, &failure) &&
                runner_poison(h->device, &h->data, &failure));
    for (int i = 0; i < m->bind_count; i++) {
        path_in(h, "buffer", i, path);
        if (has_buffer(&m->binds[i]))
            move(h, &m->binds[i], path, true);
    }
    snprintf(path, sizeof path, "%s/main%s", h->work, late ? " late" : "");
    if (system(path) != 0)
        fail_msg("%s: it failed", h->reference->name);
    for (int i = 0; i < m->bind_count; i++) {
        path_in(h, "buffer", i, path);
        if (has_buffer(&m->binds[i]))
            move(h, &m->binds[i], path, false);
    }
    for (int o = 0; o < h->data.output_count; o++) /* as runner_launch does */
        if (h->data.stored_in[o] >= 0)
            h->data.spent[h->data.stored_in[o]] = true;
    compare(h, answer);
    if (!runner_inspect(h->device, &h->data, true, &failure))
        fail_msg("%s: %s", h->reference->name, lift_str_get(&failure.text));
}

static void check(struct bench_reference *reference, const struct explore_problem *p)
{
    struct on_host h = {.reference = reference, .work = "/tmp/lift-reference-XXXXXX"};
    struct explore_question question = {
        .problem = p, .term = p->root, .numbers = &p->sizes, .seed = 1};
    struct explore_answer answer;
    struct lift_error failure = {0};
    struct lift_str why = {0};
    char command[128];

    h.device = lift_device_open("host", &failure);
    assert_true(h.device && mkdtemp(h.work));
    assert_true(runner_data_create(p, h.device, &p->sizes, 1, &h.data, &failure));
    assert_true(explore_interpret(&question, &answer, &why));
    write_program(&h);
    compile(&h);
    run(&h, false, &answer);
    run(&h, true, &answer);
    explore_answer_fini(&answer);
    runner_data_destroy(h.device, &h.data);
    lift_device_close(h.device);
    snprintf(command, sizeof command, "rm -r %s", h.work);
    assert_int_equal(system(command), 0);
}

struct sample {
    const char *program, *reference;
    int dims, sizes[3];
    enum lift_scalar scalar;
};

static const struct sample samples[] = {
    {"acoustic_iso", "acoustic_iso_ring.cu 16x8-3", 3, {72, 13, 9}},
    {"acoustic_iso", "acoustic_iso_ring.cu bulk32x8-3", 3, {140, 13, 6}},
    {"star3d2r", "star3d_plain.cu 32x4x2", 3, {37, 11, 7}},
    {"hotspot3d", "hotspot3d_plain.cu 64x4", 3, {70, 9, 5}},
    {"srad1", "srad1_plain.cu 32x8", 2, {70, 17}},
    {"srad2", "srad2_plain.cu 64x4", 2, {70, 17}},
    {"star2d3r", "star2d_vector.cu 64x2-4", 2, {264, 19}},
    {"acoustic_iso", "acoustic_iso_tensor.cu 16x16-3", 3, {72, 19, 6}},
    {"star3d3r", "star3d_vector.cu 32x8-4", 3, {132, 11, 9}},
    {"star3d1r", "star3d_tensor.cu 32x8-3-64", 3, {132, 9, 67}},
    {"jacobi3d13", "star3d_tensor.cu 32x8-4-128", 3, {132, 11, 9}},
    {"acoustic", "acoustic_vector.cu 32x4-8", 3, {132, 9, 11}},
    {"box2d1r", "box2d_vector.cu 128-8", 2, {516, 11}},
    {"gaussian", "box2d_vector.cu 64x2-4", 2, {264, 19}},
    {"box3d2r", "box3d_vector.cu 32x4-16", 3, {132, 7, 19}},
    {"jacobi3d19", "box3d_vector.cu 32x8-4", 3, {132, 9, 7}},
    {"hotspot2d", "hotspot2d_vector.cu 64x2-4", 2, {264, 19}},
    {"srad1", "srad1_vector.cu 64x2-4", 2, {264, 19}},
    {"srad", "srad_plain.cu 32x8", 2, {70, 17}},
    {"srad", "srad_tile.cu 32x16", 2, {70, 17}},
    {"srad", "srad_tile.cu 64x4-4", 2, {70, 37}},
    {"elastic2d", "elastic2d_plain.cu 32x8", 2, {70, 17}},
    {"elastic3d", "elastic3d_plain.cu 32x4x2", 3, {37, 7, 5}},
    {"gradient", "gradient_vector.cu 64x2-4", 2, {264, 19}},
    {"poisson", "box3d_plain.cu 32x4x2", 3, {37, 7, 5}},
    {"jacobi2d9", "box2d_plain.cu 32x8", 2, {37, 19}},
    {"acoustic_iso", "acoustic_iso_tensor.cu 16x16-3", 3, {36, 19, 6}, LIFT_F64},
    {"star3d1r", "star3d_vector.cu 32x8-4", 3, {68, 11, 9}, LIFT_F64},
    {"box2d1r", "box2d_vector.cu 64x2-4", 2, {132, 19}, LIFT_F64},
};

static void check_sample(const struct sample *s)
{
    static const char *const names[] = {"nx", "ny", "nz"};
    static struct bench_reference list[REFERENCE_MOST];
    const struct lift_device_info info = {.dialect = LIFT_DIALECT_CUDA, .arch = "sm_90"};
    struct lift_size_setting sizes[3];
    struct explore_problem *p;
    int count, found = 0;

    for (int d = 0; d < s->dims; d++)
        sizes[d] = (struct lift_size_setting){names[d], s->sizes[d]};
    p = load_precise(s->program, s->scalar, sizes, s->dims);
    count = bench_references(&(struct bench_shelf){shelf_folder(), NULL}, p, &info, list);
    for (int i = 0; i < count; i++)
        if (strcmp(list[i].name, s->reference) == 0) {
            assert_string_equal(list[i].refused, "");
            check(&list[i], p);
            found++;
        }
    assert_int_equal(found, 1);
    release(list, count);
    explore_problem_destroy(p);
}

static void test_right(void **state)
{
    (void)state;
    if (system("command -v c++ >/dev/null") != 0)
        skip();
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++)
        check_sample(&samples[i]);
}

/* ---- C by hand */

/* Sizes are odd where the references allow it; tuned references need multiples of a
 * vector along x. */
struct c_sample {
    const char *program;
    int dims, sizes[3];
    enum lift_scalar scalar;
    bool tuned;
};

static const struct c_sample c_samples[] = {
    {"acoustic_iso", 3, {48, 37, 11}, LIFT_F32, true},
    {"acoustic_iso", 3, {304, 5, 6}, LIFT_F64, true},
    {"acoustic_iso", 3, {17, 1, 5}},
    {"jacobi3d7", 3, {48, 35, 9}, LIFT_F32, true},
    {"star3d1r", 3, {32, 33, 8}, LIFT_F64, true},
    {"heat", 3, {16, 3, 3}, LIFT_F32, true},
    {"star3d2r", 3, {37, 11, 7}},
    {"star3d4r", 3, {37, 11, 13}, LIFT_F64},
    {"jacobi3d13", 3, {37, 11, 7}},
    {"leggy13", 3, {37, 11, 7}},
    {"leggy19", 3, {37, 11, 9}},
    {"box3d1r", 3, {37, 11, 7}},
    {"box3d2r", 3, {37, 11, 7}, LIFT_F64},
    {"jacobi3d27", 3, {37, 11, 7}},
    {"jacobi3d19", 3, {37, 11, 7}},
    {"poisson", 3, {37, 11, 7}},
    {"j3d27pt", 3, {37, 11, 7}},
    {"dense19", 3, {37, 11, 7}},
    {"dense27", 3, {37, 11, 7}},
    {"fd_x", 3, {17, 3, 5}},
    {"fd_y", 3, {17, 3, 5}},
    {"fd_z", 3, {17, 3, 5}},
    {"fd_xy", 3, {17, 3, 5}, LIFT_F64},
    {"fd_xyz", 3, {17, 3, 5}},
    {"acoustic", 3, {37, 11, 7}},
    {"acoustic", 3, {5, 1, 1}, LIFT_F64},
    {"hotspot3d", 3, {37, 11, 7}},
    {"hotspot3d", 3, {1, 1, 3}},
    {"star2d3r", 2, {37, 19}},
    {"star2d4r", 2, {37, 19}, LIFT_F64},
    {"jacobi2d5", 2, {37, 19}},
    {"j2d5pt", 2, {37, 19}},
    {"j2d9pt", 2, {37, 19}},
    {"box2d2r", 2, {37, 19}},
    {"jacobi2d9", 2, {37, 19}},
    {"gaussian", 2, {37, 19}},
    {"stencil2d", 2, {37, 19}},
    {"j2d9pt-gol", 2, {37, 19}},
    {"gradient", 2, {37, 19}},
    {"hotspot2d", 2, {37, 19}},
    {"hotspot2d", 2, {2, 1}, LIFT_F64},
    {"srad1", 2, {37, 19}},
    {"srad2", 2, {37, 19}},
    {"srad", 2, {37, 19}},
    {"srad", 2, {2, 3}, LIFT_F64},
    {"srad2", 2, {1, 1}, LIFT_F64},
    {"elastic2d", 2, {37, 19}},
    {"elastic2d", 2, {1, 3}, LIFT_F64},
    {"elastic3d", 3, {37, 11, 7}},
    {"elastic3d", 3, {5, 1, 2}, LIFT_F64},
    {"acoustic_vd", 3, {37, 11, 7}},
    {"acoustic_vd", 3, {5, 1, 2}, LIFT_F64},
    {"acoustic_pml", 3, {39, 34, 35}},
    {"acoustic_pml", 3, {37, 1, 7}, LIFT_F64},
    {"acoustic_vti", 3, {37, 11, 7}},
    {"acoustic_tti", 3, {39, 34, 35}},
    {"acoustic_tti", 3, {5, 1, 2}, LIFT_F64},
    {"lbm_d2q9", 2, {37, 19}},
    {"lbm_d2q9", 2, {1, 2}, LIFT_F64},
    {"lbm_d3q19", 3, {37, 3, 7}},
    {"lbm_d3q19", 3, {1, 2, 1}, LIFT_F64},
    {"shallow_water", 2, {37, 19}},
    {"shallow_water", 2, {2, 1}, LIFT_F64},
    {"bench/unseen/staggered_shot", 3, {37, 11, 7}},
    {"bench/unseen/plane_shot", 2, {37, 19}},
    {"bench/unseen/surface_shot", 3, {37, 11, 7}},
};

static void run_c(struct on_host *h, const struct explore_answer *answer)
{
    struct runner_module *m = &h->reference->module;
    struct lift_error failure = {0};

    if (!runner_build(h->device, m, "-ffast-math", NULL, &failure) ||
        !runner_fit(h->device, m, &h->data, &failure) ||
        !runner_poison(h->device, &h->data, &failure) ||
        !runner_launch(h->device, m, &h->data, 1, NULL, &failure) ||
        !runner_inspect(h->device, &h->data, true, &failure))
        fail_msg("%s: %s", h->reference->name, lift_str_get(&failure.text));
    compare(h, answer);
}

/* How many of its references are for these sizes, and right. */
static int check_c(struct lift_device *device, struct explore_problem *p, bool tuned)
{
    static struct bench_reference list[REFERENCE_MOST];
    struct on_host h = {.device = device};
    struct explore_question question = {
        .problem = p, .term = p->root, .numbers = &p->sizes, .seed = 1};
    struct explore_answer answer;
    struct lift_error failure = {0};
    struct lift_str why = {0};
    int right = 0, count = bench_references(&(struct bench_shelf){shelf_folder(), NULL},
                                            p, lift_device_info(device), list);

    assert_true(explore_interpret(&question, &answer, &why));
    for (int i = 0; i < count; i++) {
        if (*list[i].refused || list[i].plain == tuned)
            continue;
        assert_true(runner_data_create(p, device, &p->sizes, 1, &h.data, &failure));
        h.reference = &list[i];
        run_c(&h, &answer);
        runner_data_destroy(device, &h.data);
        runner_unload(device, &list[i].module);
        right++;
    }
    explore_answer_fini(&answer);
    release(list, count);
    return right;
}

static void test_c(void **state)
{
    static const char *const names[] = {"nx", "ny", "nz"};
    struct lift_error failure = {0};
    struct lift_device *device = lift_device_open("host", &failure);

    (void)state;
    assert_non_null(device);
    for (size_t i = 0; i < sizeof c_samples / sizeof c_samples[0]; i++) {
        const struct c_sample *s = &c_samples[i];
        struct lift_size_setting sizes[3];
        struct explore_problem *p;

        for (int d = 0; d < s->dims; d++)
            sizes[d] = (struct lift_size_setting){names[d], s->sizes[d]};
        p = load_precise(s->program, s->scalar, sizes, s->dims);
        if (check_c(device, p, false) != 1 || (s->tuned && check_c(device, p, true) != 1))
            fail_msg("%s: other references than expected", s->program);
        explore_problem_destroy(p);
    }
    lift_device_close(device);
}

/* Nothing that ships is without a plain loop nest to be measured by. */
static void test_all_have_plain_ones(void **state)
{
    static struct bench_reference list[REFERENCE_MOST];
    const struct lift_device_info info = {.dialect = LIFT_DIALECT_OPENMP};
    struct dirent **entries;
    char path[512];
    int count;

    (void)state;
    snprintf(path, sizeof path, "%s/programs", getenv("LIFT_SOURCE_DIR"));
    count = scandir(path, &entries, NULL, alphasort);
    assert_true(count > 0);
    for (int i = 0; i < count; i++) {
        char *end = strstr(entries[i]->d_name, ".lift");

        if (end) {
            struct explore_problem *p;
            int found = 0, some;

            *end = '\0';
            p = load_program(entries[i]->d_name, NULL, 0);
            some = bench_references(&(struct bench_shelf){shelf_folder(), NULL}, p, &info,
                                    list);
            for (int k = 0; k < some; k++)
                found += list[k].plain && !*list[k].refused;
            if (found != 1)
                fail_msg("%s has %d plain references", entries[i]->d_name, found);
            release(list, some);
            explore_problem_destroy(p);
        }
        free(entries[i]);
    }
    free(entries);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compile),
        cmocka_unit_test(test_compile_for_amd),
        cmocka_unit_test(test_right),
        cmocka_unit_test(test_c),
        cmocka_unit_test(test_all_have_plain_ones),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
