/* Which kernel is taken for a problem, and the programs that are written around it. */
#include "chosen_world.h"
#include "lift/chosen.h"
#include "points.h"
#include "rules/strategy.h"
#include <jansson.h>

static const char blur[] =
    "size nx = 40, ny = 30\n"
    "stencil blur(g: [[f32]nx]ny) -> out =\n"
    "    map2(w -> 0.2f * (w[0][1] + w[1][0] + w[1][1] + w[1][2] + w[2][1]),\n"
    "        slide2(3, 1, pad2(1, 1, clamp, g)))\n";

static const struct lift_device_info here = {.name = "Test CPU",
                                             .vendor = "Acme",
                                             .runtime = "host",
                                             .driver = "",
                                             .arch = "x86_64",
                                             .compiler = "",
                                             .dialect = LIFT_DIALECT_OPENMP,
                                             .compute_units = 4,
                                             .local_bytes = 1 << 20,
                                             .global_bytes = 1 << 30};

/* ---- choosing */

struct question {
    struct lift_rules *rules;
    struct lift_db *db;
};

static void open_question(struct question *q, const char *db)
{
    struct lift_error error = {0};

    *q = (struct question){.rules = lift_rules_shipped()};
    if (db)
        q->db = lift_db_open(db, LIFT_DB_READ, &error);
    assert_true(!db || q->db);
}

static void close_question(struct question *q)
{
    if (q->db)
        lift_db_close(q->db);
    lift_rules_destroy(q->rules);
}

static struct lift_chosen *choose(const struct question *q, const char *text,
                                  const char *sizes,
                                  const struct lift_device_info *device)
{
    struct lift_arena *arena = lift_arena_create();
    struct lift_source source = {"program", text, strlen(text)};
    struct lift_choose_options o = {
        .source = &source, .rules = q->rules, .db = q->db, .device = device};
    struct lift_error errors = {0};
    struct lift_chosen *chosen;

    if (sizes)
        assert_true(lift_sizes_parse(arena, sizes, &o.sizes, &o.size_count, &errors));
    chosen = lift_choose(&o, &errors);
    if (!chosen)
        fail_msg("%s", lift_error_text(&errors));
    lift_arena_destroy(arena);
    return chosen;
}

static void expect(const struct question *q, const char *sizes,
                   const struct lift_device_info *device, enum lift_chosen_how how,
                   const char *words)
{
    struct lift_chosen *chosen = choose(q, blur, sizes, device);
    const struct lift_chosen_facts *f = lift_chosen_facts(chosen);

    assert_int_equal(f->how, how);
    if (!strstr(f->words, words))
        fail_msg("no '%s' in: %s", words, f->words);
    assert_true(how == LIFT_CHOSEN_DEFAULT ? f->step_count == 0 : f->step_count > 0);
    lift_chosen_destroy(chosen);
}

static void put_blur(const char *db, const char *sizes)
{
    put_kernel(db, &(struct wanted){.text = blur,
                                    .sizes = sizes,
                                    .ops = {LIFT_SLIDE_SHIFT, LIFT_OP_COUNT},
                                    .device = &here});
}

static void test_order(void **state)
{
    const char *db = path_of("order.db");
    struct lift_device_info twin = here, stranger = here;
    struct question q;

    (void)state;
    twin.name = "Other CPU";
    stranger.arch = "riscv64";
    put_blur(db, NULL);
    put_blur(db, "nx=400,ny=300");
    open_question(&q, db);
    expect(&q, NULL, &here, LIFT_CHOSEN_EXACT, "these sizes");
    expect(&q, "nx=300,ny=300", &here, LIFT_CHOSEN_SIZE, "\"nx\":400");
    expect(&q, "nx=50,ny=50", &here, LIFT_CHOSEN_SIZE, "\"nx\":40,");
    expect(&q, NULL, &twin, LIFT_CHOSEN_ARCH, "Test CPU");
    expect(&q, "nx=500,ny=500", &twin, LIFT_CHOSEN_ARCH, "\"nx\":400");
    expect(&q, NULL, &stranger, LIFT_CHOSEN_DEFAULT, "no kernel");
    expect(&q, NULL, &board, LIFT_CHOSEN_DEFAULT, "no kernel");
    close_question(&q);
    open_question(&q, NULL);
    expect(&q, NULL, &here, LIFT_CHOSEN_DEFAULT, "no database");
    close_question(&q);
}

/* 160 by 300 points have a fifth of the bytes of 800 by 300. */
static void put_slow_blur(const char *db, const char *sizes, double seconds)
{
    put_kernel(db, &(struct wanted){.text = blur,
                                    .sizes = sizes,
                                    .ops = {LIFT_SLIDE_SHIFT, LIFT_OP_COUNT},
                                    .device = &here,
                                    .seconds = seconds});
}

static void test_slow(void **state)
{
    const char *large = path_of("large.db"), *small = path_of("small.db");
    struct question q;

    (void)state;
    put_slow_blur(large, "nx=800,ny=300", 1e-3);
    put_slow_blur(large, "nx=160,ny=300", 1e-3);
    put_slow_blur(large, "nx=400,ny=300", 1.5e-3);
    put_slow_blur(large, "nx=16,ny=30", 1e-3);
    open_question(&q, large);
    expect(
        &q, "nx=160,ny=300", &here, LIFT_CHOSEN_SIZE,
        "\"nx\":800,\"ny\":300}; the kernel explored at these sizes is 5 times slower");
    expect(&q, "nx=400,ny=300", &here, LIFT_CHOSEN_EXACT, "these sizes");
    expect(&q, "nx=16,ny=30", &here, LIFT_CHOSEN_EXACT, "these sizes");
    close_question(&q);
    put_slow_blur(small, "nx=160,ny=300", 1e-5);
    put_slow_blur(small, "nx=800,ny=300", 1e-3);
    open_question(&q, small);
    expect(&q, "nx=800,ny=300", &here, LIFT_CHOSEN_EXACT, "these sizes");
    close_question(&q);
}

/* Tiles of the large problem do not fit the small one: they become smaller, and the
 * conditions of the rules hold. */
static void test_refit(void **state)
{
    const char *db = path_of("refit.db");
    struct question q;

    (void)state;
    put_kernel(db, &(struct wanted){.text = blur,
                                    .sizes = "nx=4000,ny=3000",
                                    .ops = {LIFT_SLIDE_SHIFT, LIFT_OP_COUNT},
                                    .device = &here});
    open_question(&q, db);
    for (int n = 3; n < 40; n += 6) {
        char sizes[40];
        struct lift_chosen *chosen;
        const struct lift_chosen *c;
        struct explore_numbers numbers;

        snprintf(sizes, sizeof sizes, "nx=%d,ny=%d", n, n + 1);
        c = chosen = choose(&q, blur, sizes, &here);
        explore_numbers_of(c->problem, &c->candidate.candidates, c->candidate.point,
                           &numbers);
        assert_null(explore_broken(&c->candidate.candidates, &numbers.env));
        lift_chosen_destroy(chosen);
    }
    close_question(&q);
}

static void test_json(void **state)
{
    struct question q;
    struct lift_chosen *chosen;
    struct lift_str text = {0};
    json_t *json, *buffer;

    (void)state;
    open_question(&q, NULL);
    chosen = choose(&q, wave, "nx=64,ny=32", &board);
    lift_chosen_json(chosen, &text);
    json = json_loads(lift_str_get(&text), 0, NULL);
    assert_non_null(json);
    assert_string_equal(json_string_value(json_object_get(json, "chosen")), "default");
    assert_true(json_is_null(json_object_get(json, "measured")));
    assert_int_equal(json_array_size(json_object_get(json, "buffers")), 4);
    buffer = json_array_get(json_object_get(json, "buffers"), 2);
    assert_string_equal(json_string_value(json_object_get(buffer, "kind")), "output");
    assert_int_equal(json_integer_value(json_object_get(buffer, "elements")), 64 * 32);
    assert_true(json_array_size(json_object_get(
                    json_array_get(json_object_get(json, "kernels"), 0), "global_size")) >
                0);
    assert_non_null(
        strstr(json_string_value(json_object_get(json, "source")), "__kernel"));
    json_decref(json);
    lift_str_fini(&text);
    lift_chosen_destroy(chosen);
    close_question(&q);
}

/* ---- programs around kernels */

static bool device_of(const char *name, struct lift_explore_device *out)
{
    struct lift_str why = {0};
    bool good = lift_explore_device(name, false, out, &why);

    lift_str_fini(&why);
    return good;
}

/* Compiles without a warning and passes its own check; 'spoilt' programs fail it. */
static void check_program(const char *text, const char *libraries, bool spoilt)
{
    const char *source = path_of("kernel.c"), *program = path_of("kernel");
    FILE *file = fopen(source, "w");
    char command[1024];
    int status;

    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    snprintf(command, sizeof command,
             "${LIFT_CC:-cc} -O1 -Wall -Wextra -Werror -o %s %s %s", program, source,
             libraries);
    assert_int_equal(system(command), 0);
    snprintf(command, sizeof command, "%s --runs 2 --warmup 0 >%s", program,
             path_of("said"));
    status = system(command);
    assert_int_equal(WEXITSTATUS(status), spoilt);
    snprintf(command, sizeof command, "grep -q '^%s' %s", spoilt ? "FAILED" : "PASSED",
             path_of("said"));
    assert_int_equal(system(command), 0);
}

static void check_host(const struct wanted *w, const char *sizes, const char *contract)
{
    char db[256];
    bool openmp = w->device->dialect == LIFT_DIALECT_OPENMP;
    struct question q;
    struct lift_chosen *chosen;
    struct lift_str text = {0};
    struct lift_error errors = {0};

    snprintf(db, sizeof db, "%s", path_of("host.db"));
    put_kernel(db, w);
    open_question(&q, db);
    chosen = choose(&q, w->text, sizes, w->device);
    assert_int_equal(lift_chosen_facts(chosen)->how,
                     sizes ? LIFT_CHOSEN_SIZE : LIFT_CHOSEN_EXACT);
    assert_true(lift_chosen_host(chosen, NULL, 0, &text, &errors));
    if (!strstr(lift_str_get(&text), contract))
        fail_msg("no '%s' in: %s", contract, strstr(lift_str_get(&text), "One step"));
    check_program(lift_str_get(&text), openmp ? "-fopenmp -lm" : "-lOpenCL -lm", false);
    lift_str_fini(&text);
    lift_chosen_destroy(chosen);
    close_question(&q);
    unlink(db);
}

static void check_layouts(const char *device)
{
    struct lift_explore_device probed;
    struct wanted w = {.text = wave};

    if (!device_of(device, &probed))
        skip();
    w.device = &probed.info;
    w.ops[0] = LIFT_IN_PLACE;
    w.ops[1] = LIFT_OP_COUNT;
    check_host(&w, NULL, "stored in the buffer of 'prev', which is lost");
    w.ops[0] = LIFT_PAD_STORED;
    check_host(&w, "nx=20,ny=14", "is read and must be 0");
    w.ops[1] = LIFT_ALIGN_ROWS;
    w.ops[2] = LIFT_OP_COUNT;
    check_host(&w, NULL, "lies at a multiple of");
    lift_explore_device_fini(&probed);
}

static void test_layouts_host(void **state)
{
    (void)state;
    check_layouts("host");
}

static void test_layouts_opencl(void **state)
{
    (void)state;
    check_layouts("opencl");
}

/* Kernels that pass scratch memory on to each other. */
static void check_temporaries(const struct lift_device_info *device)
{
    static const char text[] =
        "size n = 1000\n"
        "stencil two(x: [f32]n) -> y =\n"
        "    let t = map(p -> if p > 0.0f then 2.0f * p else p * p, x);\n"
        "    map(w -> w[0] + w[1] + w[2], slide(3, 1, pad(1, 1, clamp, t)))\n";
    struct lift_source source = {"program", text, sizeof text - 1};
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error errors = {0};
    struct lift_chosen *c = chosen_open(&(struct lift_choose_options){.source = &source,
                                                                      .rules = rules,
                                                                      .device = device},
                                        &errors);
    struct chosen_candidate k = {.how = LIFT_CHOSEN_DEFAULT};
    struct lift_path root = {.count = 0};
    struct lift_rewrite stored;
    lift_expr term;
    struct lift_str out = {0}, why = {0};

    assert_true(lift_rewrite_at(c->problem->ir, lift_rules_find(rules, "letGlobal"),
                                c->problem->root, &root, 0, &stored));
    term = lift_strategy_run(
        c->problem->ir,
        point_strategy(lift_ir_arena(c->problem->ir), rules,
                       device->dialect == LIFT_DIALECT_OPENMP ? "omp_rows" : "gmem"),
        stored.term, NULL);
    assert_non_null(term);
    assert_true(derive_is_lowered(term, device->dialect, NULL));
    assert_true(candidate_space_make(
                    &(struct candidate_space_request){
                        .problem = c->problem, .device = device, .term = term},
                    &k.candidates, &why) &&
                candidate_space_nearest(&k.candidates, "{}", k.point));
    assert_true(chosen_take(c, &k, &why) && chosen_finish(c, &errors));
    assert_true(lift_chosen_host(c, NULL, 0, &out, &errors));
    assert_non_null(strstr(lift_str_get(&out), "scratch, f32, 1000 elements"));
    check_program(
        lift_str_get(&out),
        device->dialect == LIFT_DIALECT_OPENMP ? "-fopenmp -lm" : "-lOpenCL -lm", false);
    lift_str_fini(&out);
    lift_chosen_destroy(c);
    lift_rules_destroy(rules);
}

static void test_temporaries(void **state)
{
    struct lift_explore_device probed;

    (void)state;
    check_temporaries(&here);
    if (device_of("opencl", &probed))
        check_temporaries(&probed.info);
    lift_explore_device_fini(&probed);
}

/* The program finds a kernel that is wrong. */
static void test_wrong_kernel(void **state)
{
    struct question q;
    struct lift_chosen *chosen;
    struct lift_str text = {0};
    struct lift_error errors = {0};
    char *at;

    (void)state;
    open_question(&q, NULL);
    chosen = choose(&q, blur, NULL, &here);
    assert_true(lift_chosen_host(chosen, NULL, 0, &text, &errors));
    at = strstr(strstr(text.data, "static void blur_1"), "0.2");
    assert_non_null(at);
    at[2] = '3';
    check_program(lift_str_get(&text), "-fopenmp -lm", true);
    lift_str_fini(&text);
    lift_chosen_destroy(chosen);
    close_question(&q);
}

static void expect_words(const struct lift_str *text, const char *const *words)
{
    for (; *words; words++)
        if (!strstr(lift_str_get(text), *words))
            fail_msg("no '%s' in: %s", *words, lift_str_get(text));
}

/* By the runtime's own compiler and calls; tests/cli/emit.sh compiles them. */
static void test_programs_of_gpus(void **state)
{
    static const struct {
        const char *runtime;
        enum lift_dialect dialect;
        const char *words[5];
    } targets[] = {
        {"cuda",
         LIFT_DIALECT_CUDA,
         {"nvcc -O3", "#include <cuda_runtime.h>", "<<<dim3(", "cudaStream_t"}},
        {"hip",
         LIFT_DIALECT_HIP,
         {"hipcc -O3", "#include <hip/hip_runtime.h>", "<<<dim3(", "hipStream_t"}}};
    struct question q;

    (void)state;
    open_question(&q, NULL);
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        struct lift_device_info device = board;
        struct lift_str text = {0};
        struct lift_error errors = {0};
        struct lift_chosen *chosen;

        device.runtime = targets[i].runtime;
        device.dialect = targets[i].dialect;
        chosen = choose(&q, blur, NULL, &device);
        assert_true(lift_chosen_host(chosen, NULL, 0, &text, &errors));
        expect_words(&text, targets[i].words);
        expect_words(&text, (const char *const[]){"int main(", NULL});
        lift_str_clear(&text);
        assert_true(lift_chosen_header(chosen, NULL, 0, &text, &errors));
        expect_words(&text, targets[i].words);
        assert_null(strstr(lift_str_get(&text), "int main("));
        lift_str_clear(&text);
        /* A kernel for the remainder has fewer steps. */
        assert_false(lift_chosen_host(chosen, (const struct lift_chosen *const[]){chosen},
                                      1, &text, &errors));
        expect_words(&errors.text, (const char *const[]){"kernel 0 of 'rest'", NULL});
        assert_false(lift_chosen_header(chosen, NULL, 1, &text, &errors));
        assert_int_equal(text.len, 0);
        lift_str_fini(&text);
        lift_error_fini(&errors);
        lift_chosen_destroy(chosen);
    }
    close_question(&q);
}

static void assert_not_lowered(const char *text, const char *reason)
{
    struct lift_source source = {"program", blur, strlen(blur)};
    struct lift_rules *rules = lift_rules_create();
    struct lift_choose_options o = {.source = &source, .rules = rules, .device = &here};
    struct lift_error errors = {0};

    assert_true(lift_rules_load(rules, "few.rules", text, &errors));
    assert_null(lift_choose(&o, &errors));
    assert_int_equal(errors.code, LIFT_ERROR_KERNEL);
    if (!strstr(lift_error_text(&errors), reason))
        fail_msg("%s", lift_error_text(&errors));
    lift_error_fini(&errors);
    lift_rules_destroy(rules);
}

struct layouts {
    struct lift_chosen *chosen;
    int count, laid_out;
};

static bool count_layouts(void *user, const struct chosen_candidate *candidate)
{
    struct layouts *l = user;
    struct lift_str why = {0};

    l->count++;
    l->laid_out += chosen_take(l->chosen, candidate, &why) &&
                   l->chosen->module.module->binds[0].layout != NULL;
    lift_str_fini(&why);
    return true;
}

/* Without a database, where not any kernel will do: those with halos, too. */
static void test_near(void **state)
{
    struct lift_source source = {"program", wave, sizeof wave - 1};
    struct lift_rules *rules = lift_rules_shipped();
    struct lift_error errors = {0};
    struct lift_str why = {0};
    struct layouts any = {NULL, 0, 0}, near = {NULL, 0, 0};

    (void)state;
    any.chosen = near.chosen = chosen_open(
        &(struct lift_choose_options){.source = &source, .rules = rules, .device = &here},
        &errors);
    assert_true(chosen_each(&any.chosen->chooser, count_layouts, &any, &why));
    near.chosen->chooser.near = "{}";
    assert_true(chosen_each(&near.chosen->chooser, count_layouts, &near, &why));
    assert_int_equal(any.laid_out, 0);
    assert_true(near.count > any.count && near.laid_out > 0);
    lift_str_fini(&why);
    lift_chosen_destroy(any.chosen);
    lift_rules_destroy(rules);
}

/* No rule lowers the program: the reason is reported. */
static void test_not_lowered(void **state)
{
    (void)state;
    assert_not_lowered("", ": no kernel family supports this device");
    assert_not_lowered("decision level default none\n"
                       "family bare = level none\n  explore default\n",
                       ": some of its loops have no level");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_slow),
        cmocka_unit_test(test_refit),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_layouts_host),
        cmocka_unit_test(test_layouts_opencl),
        cmocka_unit_test(test_wrong_kernel),
        cmocka_unit_test(test_temporaries),
        cmocka_unit_test(test_programs_of_gpus),
        cmocka_unit_test(test_near),
        cmocka_unit_test(test_not_lowered),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
