/* Plans: their results against the interpreter, on arrays of all kinds, and their
 * rejections. */
#include "chosen_world.h"
#include "explore/trial/interpret.h"
#include "plan_of.h"
#include "run/plan.h"
#include "tuner/db_query.h"
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sys/wait.h>

static const char blur[] =
    "size nx = 17, ny = 11\n"
    "stencil blur(g: [[f32]nx]ny) -> out =\n"
    "    inset2(1, 1, g, map2(w -> 0.2f * (w[0][1] + w[1][0] + w[1][1] + w[1][2]\n"
    "        + w[2][1]), slide2(3, 1, g)))\n"
    "time (g) <- (out)\n";

static const char pairs[] =
    "size n = 41\n"
    "stencil pairs(x: [f64]n, k: [i32]n) -> (sum, twice) =\n"
    "    (map(w -> w[0] + w[1] + w[2], slide(3, 1, pad(1, 1, clamp, x))),\n"
    "     map(i -> 2 * i, k))\n";

static const char fields[] = "size n = 23\n"
                             "stencil fields(u: [f32]n, v: [f32]n) -> (a, b) =\n"
                             "    map(t -> (t.0 + t.1, t.0 - t.1), zip(u, v))\n"
                             "time (u, v) <- (b, a)\n";

static const char cubes[] =
    "size n = 7\n"
    "stencil cubes(g: [[[f64]n]n]n) -> out =\n"
    "    map3(w -> w[0][1][1] + w[1][1][2] + w[2][1][0] - w[1][1][1],\n"
    "        slide3(3, 1, pad3(1, 1, wrap, g)))\n";

/* ---- plans and data */

static struct lift_planner *planner_of(const char *db)
{
    struct lift_planner *planner =
        lift_planner_create(&(struct lift_planner_options){.database = db}, &error);

    if (!planner)
        fail_msg("%s", lift_error_text(&error));
    return planner;
}

/* The program's result for random inputs. */
struct truth {
    struct explore_problem *problem;
    struct explore_answer answer;
    void *in[EXPLORE_MAX_LEAVES], *out[EXPLORE_MAX_LEAVES];
    struct explore_leaf inputs[EXPLORE_MAX_LEAVES];
    int input_count;
};

static void fill(struct truth *t)
{
    for (int i = 0; i < t->input_count; i++)
        explore_fill(t->problem, 7, i, &t->inputs[i], t->in[i]);
}

static void begin(struct truth *t, const char *text, const char *sizes)
{
    struct lift_str why = {0};

    *t = (struct truth){.problem = problem_of(text, sizes)};
    assert_true(
        explore_interpret(&(struct explore_question){.problem = t->problem,
                                                     .term = t->problem->root,
                                                     .numbers = &t->problem->sizes,
                                                     .seed = 7},
                          &t->answer, &why));
    t->input_count = explore_input_leaves(t->problem, &t->problem->sizes, t->inputs);
    for (int i = 0; i < t->input_count; i++)
        t->in[i] = calloc((size_t)t->inputs[i].count, 8);
    for (int i = 0; i < t->answer.count; i++)
        t->out[i] = calloc((size_t)t->answer.leaves[i].count, 8);
    fill(t);
}

static void end(struct truth *t)
{
    for (int i = 0; i < t->input_count; i++)
        free(t->in[i]);
    for (int i = 0; i < t->answer.count; i++)
        free(t->out[i]);
    explore_answer_fini(&t->answer);
    explore_problem_destroy(t->problem);
}

static void check_output(const struct truth *t, int i, const void *got)
{
    const struct explore_leaf *leaf = &t->answer.leaves[i];
    double most = explore_magnitude(t->answer.data[i], LIFT_F64, leaf->count);
    struct explore_verdict v = {.bound =
                                    explore_bound(t->problem, i, leaf->scalar, most)};

    explore_compare(
        &v,
        (struct explore_pair){leaf->scalar, got, t->answer.data[i], true, leaf->count},
        0);
    assert_int_equal(v.bad, 0);
}

static void check_inputs(const struct truth *t)
{
    for (int i = 0; i < t->input_count; i++)
        for (int64_t k = 0; k < t->inputs[i].count; k++)
            assert_true(explore_element(t->in[i], t->inputs[i].scalar, k) ==
                        explore_datum(t->problem, 7, i, t->inputs[i].scalar, k));
}

static bool run(struct lift_plan *plan, void **in, void **out)
{
    const void *inputs[EXPLORE_MAX_LEAVES];

    for (int i = 0; i < lift_plan_inputs(plan); i++)
        inputs[i] = in[i];
    return lift_plan_execute(plan, inputs, out, &error);
}

/* Twice on arrays apart, which must not change inputs, and then every output in place of
 * every input of its size. */
static void check_plan(struct lift_plan *plan, struct truth *t)
{
    assert_int_equal(lift_plan_inputs(plan), t->input_count);
    assert_int_equal(lift_plan_outputs(plan), t->answer.count);
    for (int n = 0; n < 2; n++) {
        assert_true(run(plan, t->in, t->out));
        for (int i = 0; i < t->answer.count; i++)
            check_output(t, i, t->out[i]);
        check_inputs(t);
    }
    for (int i = 0; i < t->input_count; i++)
        for (int o = 0; o < t->answer.count; o++) {
            void *out[EXPLORE_MAX_LEAVES];

            memcpy(out, t->out, sizeof out);
            if (t->answer.leaves[o].count != t->inputs[i].count ||
                t->answer.leaves[o].scalar != t->inputs[i].scalar)
                continue;
            out[o] = t->in[i];
            assert_true(run(plan, t->in, out));
            for (int k = 0; k < t->answer.count; k++)
                check_output(t, k, out[k]);
            fill(t);
        }
}

static bool has_device(const char *name)
{
    struct lift_error failure = {0};
    struct lift_device *device = lift_device_open(name, &failure);

    lift_error_fini(&failure);
    lift_device_close(device);
    return device != NULL;
}

/* ---- plans that measure */

struct seen {
    struct lift_hash problem, device;
    int by_phase[LIFT_TRIAL_PHASES];
};

static bool see_problem(void *user, const struct lift_db_explored *row)
{
    struct seen *s = user;

    s->problem = row->problem;
    s->device = row->device_id;
    return true;
}

static bool see_trial(void *user, const struct lift_db_tried *row)
{
    struct seen *s = user;

    assert_int_equal(row->status, LIFT_TRIAL_OK);
    s->by_phase[row->phase]++;
    return true;
}

static struct seen look(const char *path)
{
    struct lift_db *db = lift_db_open(path, LIFT_DB_READ, NULL);
    const struct lift_db_filter all = {.program = NULL};
    struct seen s = {.by_phase = {0}};

    assert_non_null(db);
    assert_true(lift_db_explored(db, &all, see_problem, &s));
    assert_true(lift_db_tried(db, s.problem, s.device, see_trial, &s));
    lift_db_close(db);
    return s;
}

static lift_expr term_of(const struct lift_plan *plan)
{
    return plan->chosen->candidate.candidates.term;
}

/* The second plan takes the winner of the first; the third one times it again. */
static void test_measured_is_kept(void **state)
{
    const char *path = path_of("kept.db");
    struct lift_planner *planner = lift_planner_create(
        &(struct lift_planner_options){.database = path, .create = true}, &error);
    struct lift_plan_options measure = {.program = blur, .effort = LIFT_MEASURE},
                             estimate = {.program = blur};
    struct lift_plan *first, *second, *third;
    struct seen seen;

    (void)state;
    assert_non_null(planner);
    first = plan_of(planner, &measure);
    assert_string_equal(lift_plan_facts(first)->chosen, "exact");
    assert_true(lift_plan_facts(first)->measured);
    second = plan_of(planner, &estimate);
    assert_string_equal(lift_plan_facts(second)->chosen, "exact");
    assert_false(lift_plan_facts(second)->measured);
    assert_null(lift_plan_facts(first)->unkept);
    assert_true(lift_hash_equal(term_of(first)->hash, term_of(second)->hash));
    assert_string_equal(lift_plan_facts(first)->tunables,
                        lift_plan_facts(second)->tunables);
    third = plan_of(planner, &measure);
    lift_plan_destroy(first);
    lift_plan_destroy(second);
    lift_plan_destroy(third);
    lift_planner_destroy(planner);
    seen = look(path);
    assert_true(seen.by_phase[LIFT_TRIAL_PHASE_SEARCH] > 0);
    assert_true(seen.by_phase[LIFT_TRIAL_PHASE_RECHECK] > 0);
    assert_int_equal(seen.by_phase[LIFT_TRIAL_PHASE_SEED], 0);
}

/* A plan is good without its database, and says that nothing was kept in it. */
static void test_measured_and_not_kept(void **state)
{
    const char *path = path_of("nowhere/kept.db");
    struct lift_planner *planner = lift_planner_create(
        &(struct lift_planner_options){.database = path, .create = true}, &error);
    struct lift_plan_options measure = {.program = blur, .effort = LIFT_MEASURE};
    struct lift_plan *plan;

    (void)state;
    assert_non_null(planner);
    plan = plan_of(planner, &measure);
    assert_true(lift_plan_facts(plan)->measured);
    assert_non_null(lift_plan_facts(plan)->unkept);
    assert_non_null(strstr(lift_plan_facts(plan)->unkept, path));
    assert_non_null(strstr(lift_plan_facts(plan)->unkept, "unable to open"));
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
}

/* ---- plans without a database */

static void check_default(const char *device)
{
    static const char *const programs[] = {wave, blur, pairs, fields, cubes};
    struct lift_planner *planner = planner_of(NULL);

    for (int i = 0; i < 5; i++) {
        struct lift_plan *plan =
            plan_of(planner, &(struct lift_plan_options){.program = programs[i],
                                                         .device = device});
        struct truth t;

        begin(&t, programs[i], NULL);
        assert_string_equal(lift_plan_facts(plan)->chosen, "default");
        check_plan(plan, &t);
        end(&t);
        lift_plan_destroy(plan);
    }
    lift_planner_destroy(planner);
}

static void test_default_host(void **state)
{
    (void)state;
    check_default("host");
}

static void test_default_opencl(void **state)
{
    (void)state;
    if (!has_device("opencl"))
        skip();
    check_default("opencl");
}

/* ---- time loops */

/* Steps by the caller, who exchanges the arrays as 'time' says. */
static void check_advance(struct lift_plan *plan, struct truth *t, int steps)
{
    const struct lift_plan *p = plan;
    void *state[EXPLORE_MAX_LEAVES], *next[EXPLORE_MAX_LEAVES];

    for (int i = 0; i < t->input_count; i++) {
        state[i] = malloc(p->in[i].bytes);
        next[i] = malloc(p->in[i].bytes);
        memcpy(state[i], t->in[i], p->in[i].bytes);
    }
    assert_true(lift_plan_advance(plan, state, NULL, steps, &error));
    for (int n = 0; n < steps; n++) {
        assert_true(run(plan, t->in, t->out));
        for (int i = 0; i < t->input_count; i++)
            memcpy(next[i],
                   p->in[i].next == LIFT_NEXT_INPUT    ? t->in[p->in[i].next_index]
                   : p->in[i].next == LIFT_NEXT_OUTPUT ? t->out[p->in[i].next_index]
                                                       : t->in[i],
                   p->in[i].bytes);
        for (int i = 0; i < t->input_count; i++)
            memcpy(t->in[i], next[i], p->in[i].bytes);
    }
    for (int i = 0; i < t->input_count; i++) {
        assert_memory_equal(state[i], t->in[i], p->in[i].bytes);
        free(state[i]);
        free(next[i]);
    }
    fill(t);
}

static void check_loops(const char *device)
{
    static const char *const programs[] = {wave, blur, fields};
    struct lift_planner *planner = planner_of(NULL);

    for (int i = 0; i < 3; i++) {
        struct lift_plan *plan =
            plan_of(planner, &(struct lift_plan_options){.program = programs[i],
                                                         .device = device});
        struct truth t;

        begin(&t, programs[i], NULL);
        assert_true(lift_plan_iterates(plan));
        check_advance(plan, &t, 1);
        check_advance(plan, &t, 7);
        end(&t);
        lift_plan_destroy(plan);
    }
    lift_planner_destroy(planner);
}

static void test_loops_host(void **state)
{
    (void)state;
    check_loops("host");
}

static void test_loops_opencl(void **state)
{
    (void)state;
    if (!has_device("opencl"))
        skip();
    check_loops("opencl");
}

/* ---- plans of stored kernels: in place, with a halo, with aligned rows */

static void check_stored(const char *name, const char *text, enum lift_op first,
                         enum lift_op second, const char *sizes, const char *chosen)
{
    struct lift_error failure = {0};
    struct lift_device *device = lift_device_open(name, &failure);
    char db[64];

    if (!device)
        skip();
    snprintf(db, sizeof db, "%s", path_of("stored.db"));
    put_kernel(db, &(struct wanted){.text = text,
                                    .sizes = NULL,
                                    .ops = {first, second, LIFT_OP_COUNT},
                                    .device = lift_device_info(device)});
    lift_device_close(device);
    {
        struct lift_planner *planner = planner_of(db);
        struct lift_plan *plan = plan_of(
            planner,
            &(struct lift_plan_options){.program = text, .device = name, .sizes = sizes});
        struct truth t;

        begin(&t, text, sizes);
        assert_string_equal(lift_plan_facts(plan)->chosen, chosen);
        assert_true(contains(plan->chosen->candidate.candidates.term, first));
        check_plan(plan, &t);
        check_advance(plan, &t, 5);
        end(&t);
        lift_plan_destroy(plan);
        lift_planner_destroy(planner);
    }
    unlink(db);
}

static void test_in_place(void **state)
{
    (void)state;
    check_stored("host", wave, LIFT_IN_PLACE, LIFT_OP_COUNT, NULL, "exact");
    check_stored("host", wave, LIFT_IN_PLACE, LIFT_OP_COUNT, "nx=20,ny=6",
                 "nearest size");
}

static void test_halo(void **state)
{
    (void)state;
    check_stored("host", wave, LIFT_PAD_STORED, LIFT_ALIGN_ROWS, NULL, "exact");
    check_stored("host", wave, LIFT_PAD_STORED, LIFT_IN_PLACE, "nx=31,ny=8",
                 "nearest size");
}

static void test_halo_opencl(void **state)
{
    (void)state;
    check_stored("opencl", wave, LIFT_PAD_STORED, LIFT_IN_PLACE, NULL, "exact");
}

/* A parameter gives the value of the halo: each value needs new buffers, and the buffers
 * of the former value are freed. */
static void test_halo_of_a_parameter(void **state)
{
    static const char text[] = "size nx = 12, ny = 5\nparam b: f32 = 0\n"
                               "stencil edge(x: [[f32]nx]ny) -> y =\n"
                               "    map2(w -> w[1][0] + w[1][2],\n"
                               "    slide2(3, 1, pad2(1, 1, constant b, x)))\n"
                               "time (x) <- (y)\n";
    struct lift_error failure = {0};
    struct lift_device *device = lift_device_open("host", &failure);
    char db[64];
    struct lift_planner *planner;
    struct lift_plan *plan;

    (void)state;
    assert_non_null(device);
    snprintf(db, sizeof db, "%s", path_of("edge.db"));
    put_kernel(db, &(struct wanted){.text = text,
                                    .ops = {LIFT_PAD_STORED, LIFT_OP_COUNT},
                                    .device = lift_device_info(device)});
    lift_device_close(device);
    planner = planner_of(db);
    plan = plan_of(planner, &(struct lift_plan_options){.program = text});
    assert_true(contains(plan->chosen->candidate.candidates.term, LIFT_PAD_STORED));
    for (int k = 0; k < 2 * ROTATION_BUFFERS; k++) {
        float x[60] = {0};
        void *arrays[] = {x};

        assert_true(lift_plan_set_param(plan, "b", k, &error));
        assert_true(lift_plan_advance(plan, arrays, NULL, 1, &error));
        assert_true(x[0] == (float)k && x[5] == 0 && x[11] == (float)k);
    }
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
    unlink(db);
}

/* ---- parameters, facts, mistakes */

static void test_parameters(void **state)
{
    static const char text[] = "size n = 5\nparam a: f32 = 2\n"
                               "stencil scale(x: [f32]n) -> y = map(v -> a * v, x)\n";
    struct lift_planner *planner = planner_of(NULL);
    struct lift_plan *plan =
        plan_of(planner, &(struct lift_plan_options){.program = text});
    const float x[] = {1, 2, 3, 4, 5};
    float y[5];
    const void *in[] = {x};
    void *out[] = {y};

    (void)state;
    assert_true(lift_plan_execute(plan, in, out, &error));
    assert_true(y[4] == 10);
    assert_true(lift_plan_set_param(plan, "a", 0.5, &error));
    assert_true(lift_plan_execute(plan, in, out, &error));
    assert_true(y[4] == 2.5f);
    assert_false(lift_plan_set_param(plan, "b", 1, &error));
    assert_int_equal(error.code, LIFT_ERROR_ARGUMENT);
    assert_non_null(strstr(lift_error_text(&error), "'b'"));
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
}

static void test_facts(void **state)
{
    struct lift_planner *planner = planner_of(NULL);
    struct lift_plan *plan =
        plan_of(planner, &(struct lift_plan_options){
                             .program = pairs, .sizes = "n=50", .types = "x=f64,k=i32"});
    const struct lift_plan_facts *facts = lift_plan_facts(plan);
    struct lift_plan_array a;

    (void)state;
    assert_string_equal(facts->program, "pairs");
    assert_string_equal(facts->sizes, "{\"n\":50}");
    assert_int_equal(facts->copied, 0);
    assert_non_null(strstr(facts->source, "pairs_1"));
    assert_true(lift_plan_input(plan, 1, &a));
    assert_string_equal(a.name, "k");
    assert_int_equal(a.type, LIFT_PLAN_I32);
    assert_int_equal(a.dims, 1);
    assert_int_equal(a.length[0], 50);
    assert_int_equal(a.bytes, 200);
    assert_true(lift_plan_output(plan, 0, &a));
    assert_int_equal(a.type, LIFT_PLAN_F64);
    assert_false(lift_plan_output(plan, 2, &a));
    assert_false(lift_plan_iterates(plan));
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
}

static void test_precision(void **state)
{
    struct lift_planner *planner = planner_of(NULL);
    struct lift_plan *plan =
        plan_of(planner, &(struct lift_plan_options){
                             .program = blur, .precision = "double", .types = "f64"});
    struct lift_plan_array a;

    (void)state;
    assert_true(lift_plan_output(plan, 0, &a));
    assert_int_equal(a.type, LIFT_PLAN_F64);
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
}

static void refuse(struct lift_planner *planner, struct lift_plan_options options,
                   enum lift_error_code fault, const char *word)
{
    error.code = LIFT_ERROR_NONE;
    assert_null(lift_plan_create(planner, &options, &error));
    assert_int_equal(error.code, fault);
    if (!strstr(lift_error_text(&error), word))
        fail_msg("no '%s' in: %s", word, lift_error_text(&error));
    assert_null(lift_plan_create(planner, &options, NULL));
}

static void test_mistakes(void **state)
{
    struct lift_planner *planner = planner_of(NULL);

    (void)state;
    refuse(planner, (struct lift_plan_options){.program = NULL}, LIFT_ERROR_ARGUMENT,
           "program");
    refuse(planner, (struct lift_plan_options){.program = "stencil"}, LIFT_ERROR_PROGRAM,
           "program:1");
    refuse(planner, (struct lift_plan_options){.file = "/nowhere.lift"},
           LIFT_ERROR_PROGRAM, "/nowhere.lift");
    refuse(planner, (struct lift_plan_options){.program = blur, .sizes = "nz=4"},
           LIFT_ERROR_PROGRAM, "nz");
    refuse(planner, (struct lift_plan_options){.program = blur, .device = "tpu"},
           LIFT_ERROR_DEVICE, "tpu");
    refuse(planner, (struct lift_plan_options){.program = blur, .types = "f64"},
           LIFT_ERROR_ARGUMENT, "'g'");
    refuse(planner, (struct lift_plan_options){.program = blur, .types = "half"},
           LIFT_ERROR_ARGUMENT, "half");
    refuse(planner, (struct lift_plan_options){.program = blur, .precision = "triple"},
           LIFT_ERROR_ARGUMENT, "triple");
    lift_planner_destroy(planner);
    assert_null(lift_planner_create(
        &(struct lift_planner_options){.database = "/nowhere/x.db"}, &error));
    assert_int_equal(error.code, LIFT_ERROR_DATABASE);
}

static void test_overlaps(void **state)
{
    struct lift_planner *planner = planner_of(NULL);
    struct lift_plan *plan =
        plan_of(planner, &(struct lift_plan_options){.program = blur});
    float memory[400] = {0};
    const void *in[] = {memory};
    void *out[] = {memory + 100};

    (void)state;
    assert_false(lift_plan_execute(plan, in, out, &error));
    assert_int_equal(error.code, LIFT_ERROR_ARGUMENT);
    assert_non_null(strstr(lift_error_text(&error), "overlaps"));
    out[0] = NULL;
    assert_false(lift_plan_execute(plan, in, out, &error));
    assert_non_null(strstr(lift_error_text(&error), "'out' is NULL"));
    assert_false(lift_plan_advance(plan, out, NULL, 3, &error));
    assert_non_null(strstr(lift_error_text(&error), "'g' is NULL"));
    out[0] = memory;
    assert_false(lift_plan_advance(plan, out, NULL, 0, &error));
    lift_plan_destroy(plan);
    plan = plan_of(planner, &(struct lift_plan_options){.program = pairs});
    assert_false(lift_plan_advance(plan, out, NULL, 1, &error));
    assert_non_null(strstr(lift_error_text(&error), "no time loop"));
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
}

/* ---- threads */

static void *work_alone(void *user)
{
    LIFT_SCOPED(lift_error) mine = {0};
    struct lift_planner *planner = lift_planner_create(NULL, &mine);
    struct lift_plan *plan = NULL;
    int *wrong = user;
    float x[23], y[23], a[23], b[23];
    const void *in[] = {x, y};
    void *out[] = {a, b};

    if (planner)
        plan = lift_plan_create(planner, &(struct lift_plan_options){.program = fields},
                                &mine);
    *wrong = !plan;
    for (int n = 0; plan && n < 50; n++) {
        for (int i = 0; i < 23; i++) {
            x[i] = (float)(i + n);
            y[i] = (float)(3 * i);
        }
        *wrong += !lift_plan_execute(plan, in, out, &mine);
        for (int i = 0; i < 23; i++)
            *wrong += a[i] != (float)(4 * i + n) || b[i] != (float)(n - 2 * i);
    }
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t threads[2];
    int wrong[2];

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work_alone, &wrong[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(wrong[i], 0);
    }
}

static void *sleep_on(void *user)
{
    char c;
    ssize_t got = read(*(int *)user, &c, 1);

    (void)got;
    return NULL;
}

/* While another thread runs, and after kernels ran here. */
static void test_measure_with_threads(void **state)
{
    struct lift_planner *planner = planner_of(NULL);
    struct lift_plan *plan;
    struct truth t;
    pthread_t thread;
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pthread_create(&thread, NULL, sleep_on, &ends[0]), 0);
    for (int i = 0; i < 2; i++) {
        plan = plan_of(planner, &(struct lift_plan_options){.program = blur,
                                                            .effort = LIFT_MEASURE});
        assert_true(lift_plan_facts(plan)->measured);
        begin(&t, blur, NULL);
        check_plan(plan, &t);
        end(&t);
        lift_plan_destroy(plan);
    }
    close(ends[1]);
    pthread_join(thread, NULL);
    close(ends[0]);
    lift_planner_destroy(planner);
}

/* The measuring child program returns errors unchanged. */
static void test_program_that_measures(void **state)
{
    struct lift_planner *planner = planner_of(NULL);
    const struct lift_plan_options wrong = {
        .program = "size n = 9\nstencil s(x: [f32]n) = map(f -> g, x)\n",
        .effort = LIFT_MEASURE};
    char *named = strdup(getenv("LIFT_PROGRAM"));

    (void)state;
    refuse(planner, wrong, LIFT_ERROR_PROGRAM, "'g'");
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 33);
    assert_non_null(strstr(error.excerpt, "^"));
    setenv("LIFT_PROGRAM", "/nowhere/lift", 1);
    refuse(planner, (struct lift_plan_options){.program = blur, .effort = LIFT_MEASURE},
           LIFT_ERROR_KERNEL, "'/nowhere/lift'");
    setenv("LIFT_PROGRAM", "/bin/false", 1);
    refuse(planner, (struct lift_plan_options){.program = blur, .effort = LIFT_PATIENT},
           LIFT_ERROR_KERNEL, "'/bin/false'");
    setenv("LIFT_PROGRAM", named, 1);
    free(named);
    lift_planner_destroy(planner);
}

static bool five_times(void *user)
{
    return ++*(int *)user < 5;
}

/* The caller ends an exploration, and no process is left. */
static void test_stopped(void **state)
{
    struct lift_planner *planner = planner_of(NULL);
    int calls = 0;
    const struct lift_plan_options options = {.program = blur,
                                              .effort = LIFT_PATIENT,
                                              .seconds = 1000,
                                              .go_on = five_times,
                                              .user = &calls};

    (void)state;
    assert_null(lift_plan_create(planner, &options, &error));
    assert_int_equal(error.code, LIFT_ERROR_STOPPED);
    assert_int_equal(calls, 5);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    lift_planner_destroy(planner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured_is_kept),
        cmocka_unit_test(test_measured_and_not_kept),
        cmocka_unit_test(test_default_host),
        cmocka_unit_test(test_default_opencl),
        cmocka_unit_test(test_loops_host),
        cmocka_unit_test(test_loops_opencl),
        cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_halo),
        cmocka_unit_test(test_halo_opencl),
        cmocka_unit_test(test_halo_of_a_parameter),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_facts),
        cmocka_unit_test(test_precision),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_overlaps),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_measure_with_threads),
        cmocka_unit_test(test_program_that_measures),
        cmocka_unit_test(test_stopped),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
