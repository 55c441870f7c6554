/* Invalid calls of lift/plan.h, table by table: each is rejected with a text that names
 * the expected argument. No call crashes, hangs or writes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "lift/chosen.h"
#include "lift/plan.h"
#include "patience.h"
#include "scratch.h"
#include "tuner/db/db_internal.h"
#include <cmocka.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 23, BYTES = 4 * N };

static const char fields[] =
    "size n = 23\n"
    "param a: f32 = 1\n"
    "param k: i32 = 2\n"
    "param d: f64 = 3\n"
    "stencil fields(u: [f32]n, v: [f32]n) -> (s, t) =\n"
    "    map(z -> (z.0 + a * z.1, z.0 - z.1 + f32(k) + f32(d)),\n"
    "        zip(u, v))\n"
    "time (u, v) <- (t, s)\n";

static const char doubles[] = "size n = 9\n"
                              "stencil doubles(x: [f64]n) -> y = map(v -> 2.0 * v, x)\n"
                              "time (x) <- (y)\n";

static struct lift_error error;
static struct lift_planner *planner;

static struct lift_plan *plan_of(const char *program)
{
    struct lift_plan *plan = lift_plan_create(
        planner, &(struct lift_plan_options){.program = program}, &error);

    if (!plan)
        fail_msg("%s", lift_error_text(&error));
    return plan;
}

/* The last call gave that error. */
static void assert_refused(enum lift_error_code fault, const char *words)
{
    if (error.code != fault || !strstr(lift_error_text(&error), words))
        fail_msg("not fault %d with '%s', but %d: %s", fault, words, error.code,
                 lift_error_text(&error));
    lift_error_fini(&error);
}

/* ---- planners */

static void test_planners(void **state)
{
    static const char *const rules[] = {NULL};
    static const struct {
        struct lift_planner_options options;
        const char *words;
    } table[] = {
        {{.rule_count = 2}, "'rules' is NULL"},
        {{.rule_count = -1}, "rule_count is -1"},
        {{.rules = rules, .rule_count = 1}, "rules[0] is NULL"},
        {{.database = ""}, "'database' is an empty text"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_null(lift_planner_create(&table[i].options, &error));
        assert_refused(LIFT_ERROR_ARGUMENT, table[i].words);
        assert_null(lift_planner_create(&table[i].options, NULL));
    }
    lift_planner_destroy(NULL);
}

/* Whatever a name stands for that is no database, no program, no rules. */
static void test_files(void **state)
{
    static char longest[5000];
    const char *names[] = {"/", "/dev/null", "/nowhere/at/all", longest};

    (void)state;
    memset(longest, 'x', sizeof longest - 1);
    for (int i = 0; i < 4; i++) {
        const char *rules[] = {names[i]};

        assert_null(lift_planner_create(
            &(struct lift_planner_options){.database = names[i]}, &error));
        assert_refused(LIFT_ERROR_DATABASE, "'");
        if (i == 1)
            continue;
        assert_null(lift_planner_create(
            &(struct lift_planner_options){.rules = rules, .rule_count = 1}, &error));
        assert_refused(LIFT_ERROR_PROGRAM, i == 3 ? "too long" : names[i]);
        assert_null(lift_plan_create(
            planner, &(struct lift_plan_options){.file = names[i]}, &error));
        assert_refused(LIFT_ERROR_PROGRAM, i == 3 ? "too long" : names[i]);
    }
}

/* A text in place of a database, a locked database, and one that disappears while it is
 * open. */
static void test_databases(void **state)
{
    char path[256];
    struct lift_db *db;
    struct lift_planner *own;
    struct lift_plan *plan;

    (void)state;
    snprintf(path, sizeof path, "%s", path_of("misuse.db"));
    write_file(path, "this is no database, but long enough to look like one: "
                     "................................................\n");
    assert_null(
        lift_planner_create(&(struct lift_planner_options){.database = path}, &error));
    assert_refused(LIFT_ERROR_DATABASE, "misuse.db");
    unlink(path);
    db = lift_db_open(path, LIFT_DB_WRITE, NULL);
    assert_non_null(db);
    db_busy_ms = 50;
    assert_int_equal(sqlite3_exec(db->handle,
                                  "PRAGMA journal_mode=delete;PRAGMA "
                                  "locking_mode=exclusive;BEGIN EXCLUSIVE",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_null(
        lift_planner_create(&(struct lift_planner_options){.database = path}, &error));
    assert_refused(LIFT_ERROR_DATABASE, "locked");
    lift_db_close(db);
    own = lift_planner_create(&(struct lift_planner_options){.database = path}, &error);
    assert_non_null(own);
    unlink(path);
    plan = lift_plan_create(own, &(struct lift_plan_options){.program = doubles}, &error);
    assert_non_null(plan);
    lift_plan_destroy(plan);
    lift_planner_destroy(own);
}

/* ---- options */

/* Structures of a program compiled with other headers: 'size' bytes, followed by garbage.
 */
static const void *sized(const void *options, size_t own, size_t size)
{
    static _Alignas(16) unsigned char bytes[512];

    memset(bytes, 0xa5, sizeof bytes);
    memset(bytes, 0, size);
    memcpy(bytes, options, size < own ? size : own);
    return bytes;
}

static bool make_planner(const void *options, size_t size)
{
    struct lift_planner *made = lift_planner_create_sized(options, size, &error);

    lift_planner_destroy(made);
    return made != NULL;
}

static bool make_plan(const void *options, size_t size)
{
    struct lift_plan *made = lift_plan_create_sized(planner, options, size, &error);

    lift_plan_destroy(made);
    return made != NULL;
}

static bool make_parts(const void *options, size_t size)
{
    struct lift_parts *made = lift_parts_create_sized(planner, options, size, &error);

    lift_parts_destroy(made);
    return made != NULL;
}

static bool make_choice(const void *options, size_t size)
{
    struct lift_chosen *made = lift_choose_sized(options, size, &error);

    lift_chosen_destroy(made);
    return made != NULL;
}

static bool load_program(const void *options, size_t size)
{
    const struct lift_source source = {"d.lift", doubles, strlen(doubles)};
    struct lift_error errors = {0};
    struct lift_ir *ir = lift_ir_create();
    bool good = lift_program_load_sized(ir, &source, options, size, &errors) != NULL &&
                lift_program_load_general_sized(&ir, &source, options, size, &errors);

    if (errors.code)
        lift_fail(&error, LIFT_ERROR_ARGUMENT, "%s", lift_error_text(&errors));
    lift_error_fini(&errors);
    lift_ir_destroy(ir);
    return good;
}

static void test_sizes_of_options(void **state)
{
    struct lift_source source = {"d.lift", doubles, strlen(doubles)};
    struct lift_rules *rules = lift_rules_shipped();
    static const struct lift_device_info none = {.name = "none",
                                                 .vendor = "",
                                                 .runtime = "host",
                                                 .driver = "",
                                                 .arch = "",
                                                 .compiler = ""};
    const struct lift_planner_options where = {.database = NULL};
    const struct lift_plan_options what = {.program = doubles};
    const struct lift_parts_options parts = {.program = doubles};
    const struct lift_choose_options choose = {
        .source = &source, .rules = rules, .device = &none};
    const struct lift_program_options load = {.sizes = NULL};
    const struct {
        const char *name;
        const void *options;
        size_t own;
        bool (*make)(const void *options, size_t size);
    } table[] = {
        {"lift_planner_options", &where, sizeof where, make_planner},
        {"lift_plan_options", &what, sizeof what, make_plan},
        {"lift_parts_options", &parts, sizeof parts, make_parts},
        {"lift_choose_options", &choose, sizeof choose, make_choice},
        {"lift_program_options", &load, sizeof load, load_program},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const void *options = table[i].options;
        size_t own = table[i].own;
        unsigned char *longer;

        for (size_t size = 0; size <= 9; size += 9) {
            assert_false(table[i].make(sized(options, own, size), size));
            assert_refused(LIFT_ERROR_ARGUMENT, table[i].name);
        }
        assert_false(table[i].make(sized(options, own, 0), 0));
        assert_refused(LIFT_ERROR_ARGUMENT, "of 0 bytes: pass sizeof");
        if (!table[i].make(sized(options, own, own), own) ||
            !table[i].make(sized(options, own, own + 16), own + 16))
            fail_msg("%s: %s", table[i].name, lift_error_text(&error));
        longer = (unsigned char *)sized(options, own, own + 16);
        longer[own + 15] = 1;
        assert_false(table[i].make(longer, own + 16));
        assert_refused(LIFT_ERROR_ARGUMENT, "sets a member beyond the");
    }
    /* As they were before 'steps' and 'stream'. */
    assert_true(
        make_plan(sized(&what, sizeof what, offsetof(struct lift_plan_options, steps)),
                  offsetof(struct lift_plan_options, steps)));
    assert_true(
        make_plan(sized(&what, sizeof what, offsetof(struct lift_plan_options, go_on)),
                  offsetof(struct lift_plan_options, go_on)));
    lift_rules_destroy(rules);
}

static void test_options(void **state)
{
#define WITH(...)                                                                        \
    {                                                                                    \
        .program = fields, __VA_ARGS__                                                   \
    }
    static const struct {
        struct lift_plan_options options;
        enum lift_error_code fault;
        const char *words;
    } table[] = {
        {{.program = NULL}, LIFT_ERROR_ARGUMENT, "none is given"},
        {WITH(.file = "heat.lift"), LIFT_ERROR_ARGUMENT, "both are given"},
        {{.program = ""}, LIFT_ERROR_PROGRAM, "program:1"},
        {WITH(.effort = (enum lift_plan_effort)3), LIFT_ERROR_ARGUMENT, "the number 3"},
        {WITH(.effort = (enum lift_plan_effort) - 1), LIFT_ERROR_ARGUMENT,
         "the number -1"},
        {WITH(.seconds = -1), LIFT_ERROR_ARGUMENT, "seconds is -1"},
        {WITH(.seconds = NAN), LIFT_ERROR_ARGUMENT, "nan"},
        {WITH(.seconds = INFINITY), LIFT_ERROR_ARGUMENT, "seconds is inf"},
        {WITH(.seconds = 1e300), LIFT_ERROR_ARGUMENT, "at most 1e+09"},
        {WITH(.precision = ""), LIFT_ERROR_ARGUMENT, "single or double"},
        {WITH(.precision = "half"), LIFT_ERROR_ARGUMENT, "single or double"},
        {WITH(.device = ""), LIFT_ERROR_DEVICE, "no device ''"},
        {WITH(.device = "host:7"), LIFT_ERROR_DEVICE, "host:7"},
        {WITH(.device = "host:"), LIFT_ERROR_DEVICE, "no number"},
        {WITH(.types = ""), LIFT_ERROR_ARGUMENT, "'types'"},
        {WITH(.types = "f32,"), LIFT_ERROR_ARGUMENT, "'types'"},
        {WITH(.types = "=f32"), LIFT_ERROR_ARGUMENT, "'=f32' in 'types'"},
        {WITH(.types = "u="), LIFT_ERROR_ARGUMENT, "'u=' in 'types'"},
        {WITH(.types = "f8"), LIFT_ERROR_ARGUMENT, "'f8' in 'types'"},
        {WITH(.types = "w=f32"), LIFT_ERROR_ARGUMENT, "no array of that name"},
        {WITH(.types = "u=f32,v=f64"), LIFT_ERROR_ARGUMENT,
         "'v' of the program is of f32"},
        {WITH(.sizes = ""), LIFT_ERROR_PROGRAM, "sizes"},
        {WITH(.sizes = "n"), LIFT_ERROR_PROGRAM, "sizes"},
        {WITH(.sizes = "n="), LIFT_ERROR_PROGRAM, "sizes"},
        {WITH(.sizes = " n=5"), LIFT_ERROR_PROGRAM, "sizes"},
        {WITH(.sizes = "n=5,"), LIFT_ERROR_PROGRAM, "sizes"},
        {WITH(.sizes = "n=5;n=6"), LIFT_ERROR_PROGRAM, "sizes"},
        {WITH(.sizes = "n=5,n=6"), LIFT_ERROR_PROGRAM, "sizes"},
        {WITH(.sizes = "n=1e3"), LIFT_ERROR_PROGRAM, "sizes"},
        {WITH(.sizes = "n=-5"), LIFT_ERROR_PROGRAM, "sizes"},
        {WITH(.sizes = "n=99999999999999999999"), LIFT_ERROR_PROGRAM, "sizes"},
        {WITH(.sizes = "n=0"), LIFT_ERROR_PROGRAM, "'n'"},
        {WITH(.sizes = "m=4"), LIFT_ERROR_PROGRAM, "'m'"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_null(lift_plan_create(planner, &table[i].options, &error));
        assert_refused(table[i].fault, table[i].words);
        assert_null(lift_plan_create(planner, &table[i].options, NULL));
    }
}

/* ---- NULL in every place */

static void test_nulls(void **state)
{
    struct lift_plan *plan = plan_of(fields);
    float memory[4][N] = {{0}};
    const void *in[] = {memory[0], memory[1]};
    void *out[] = {memory[2], memory[3]};
    struct lift_plan_array array;

    (void)state;
    assert_null(
        lift_plan_create(NULL, &(struct lift_plan_options){.program = fields}, &error));
    assert_refused(LIFT_ERROR_ARGUMENT, "planner is NULL");
    assert_null(lift_plan_create(planner, NULL, &error));
    assert_refused(LIFT_ERROR_ARGUMENT, "options are NULL");
    assert_false(lift_plan_execute(NULL, in, out, &error));
    assert_refused(LIFT_ERROR_ARGUMENT, "plan is NULL");
    assert_false(lift_plan_execute(plan, NULL, out, &error));
    assert_refused(LIFT_ERROR_ARGUMENT, "'inputs' is NULL: 2 pointers are expected");
    assert_false(lift_plan_execute(plan, in, NULL, &error));
    assert_refused(LIFT_ERROR_ARGUMENT, "'outputs' is NULL: 2 pointers are expected");
    assert_false(lift_plan_advance(NULL, out, NULL, 1, &error));
    assert_refused(LIFT_ERROR_ARGUMENT, "plan is NULL");
    assert_false(lift_plan_advance(plan, NULL, NULL, 1, &error));
    assert_refused(LIFT_ERROR_ARGUMENT, "'arrays' is NULL");
    for (int64_t steps = -1; steps <= 0; steps++) {
        assert_false(lift_plan_advance(plan, out, NULL, steps, &error));
        assert_refused(LIFT_ERROR_ARGUMENT, "at least 1 is expected");
    }
    assert_false(lift_plan_set_param(NULL, "a", 1, &error));
    assert_refused(LIFT_ERROR_ARGUMENT, "plan is NULL");
    assert_false(lift_plan_set_param(plan, NULL, 1, &error));
    assert_refused(LIFT_ERROR_ARGUMENT, "name is NULL");
    assert_false(lift_plan_execute(NULL, NULL, NULL, NULL));
    assert_int_equal(lift_plan_inputs(NULL) + lift_plan_outputs(NULL), 0);
    assert_false(lift_plan_input(NULL, 0, &array) || lift_plan_output(NULL, 0, &array));
    assert_false(lift_plan_input(plan, 0, NULL) || lift_plan_output(plan, 0, NULL));
    assert_false(lift_plan_input(plan, -1, &array) || lift_plan_output(plan, 2, &array));
    assert_false(lift_plan_iterates(NULL));
    assert_null(lift_plan_facts(NULL));
    lift_plan_destroy(NULL);
    lift_plan_destroy(plan);
}

/* ---- parameters */

static void test_parameters(void **state)
{
    static const struct {
        const char *name;
        double value;
        const char *words; /* NULL: it is legal */
    } table[] = {
        {"a", 1e300, "'a' is of f32 and cannot be 1e+300"},
        {"a", -3.5e38, "of at most 3.40282347e+38"},
        {"a", 3.4028234663852886e38, NULL},
        {"a", 1e-300, NULL},
        {"a", INFINITY, NULL},
        {"a", NAN, NULL},
        {"d", 1e300, NULL},
        {"k", 2147483648.0, "'k' is of i32"},
        {"k", -2147483649.0, "'k' is of i32"},
        {"k", 0.5, "a whole number"},
        {"k", NAN, "cannot be nan"},
        {"k", INFINITY, "cannot be inf"},
        {"k", -2147483648.0, NULL},
        {"k", 2147483647.0, NULL},
        {"", 1, "no parameter ''"},
        {"u", 1, "no parameter 'u'"},
    };
    struct lift_plan *plan = plan_of(fields);
    const float u[N] = {1}, v[N] = {2};
    float s[N], t[N];
    const void *in[] = {u, v};
    void *out[] = {s, t};

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        bool good = lift_plan_set_param(plan, table[i].name, table[i].value, &error);

        assert_int_equal(good, !table[i].words);
        if (!good)
            assert_refused(LIFT_ERROR_ARGUMENT, table[i].words);
    }
    assert_true(lift_plan_set_param(plan, "a", 4, &error));
    assert_false(lift_plan_set_param(plan, "a", 1e300, &error));
    assert_true(lift_plan_execute(plan, in, out, &error));
    assert_true(s[0] == 9); /* rejected calls have changed nothing */
    lift_plan_destroy(plan);
}

/* ---- memory */

enum { NONE = -1, ROOM = 512 };

static void *at(char *memory, int offset)
{
    return offset == NONE ? NULL : memory + offset;
}

/* Offsets in bytes of the inputs u and v and of the outputs s and t. */
static void test_memory(void **state)
{
    static const struct {
        bool advance;
        int u, v, s, t;
        const char *words; /* NULL: it is legal */
    } table[] = {
        {false, 0, 128, 256, 384, NULL},
        {false, 4, 132, 260, 388, NULL},
        {false, 0, 128, 0, 128, NULL},
        {false, 0, 128, 128, 0, NULL},
        {false, 0, 0, 256, 384, NULL},
        {false, 0, 40, 256, 384, NULL},
        {false, 0, 128, 0, 0, "outputs 's' and 't' overlap"},
        {false, 0, 128, 256, 256 + BYTES - 4, "outputs 's' and 't' overlap"},
        {false, 0, 128, 256, 256 + BYTES, NULL},
        {false, 0, 128, BYTES - 4, 256, "output 's' overlaps input 'u' in part"},
        {false, 0, 128, 256, 132, "output 't' overlaps input 'v' in part"},
        {false, NONE, 128, 256, 384, "input 'u' is NULL"},
        {false, 0, 128, 256, NONE, "output 't' is NULL"},
        {false, 2, 128, 256, 384, "a multiple of 4 bytes"},
        {false, 0, 129, 256, 384, "input 'v' is at"},
        {false, 0, 128, 257, 384, "output 's' is at"},
        {true, 0, 128, NONE, NONE, NULL},
        {true, 0, 128, 256, NONE, NULL},
        {true, 0, 128, 256, 384, NULL},
        {true, 0, 128, 128, 0, NULL}, /* the new state itself */
        {true, 0, 128, 0, NONE, "output 's' overlaps array 'u': pass separate memory"},
        {true, 0, 128, NONE, 128, "output 't' overlaps array 'v': pass separate memory"},
        {true, 0, 128, 4, NONE, "output 's' overlaps array 'u' in part"},
        {true, 0, 128, NONE, 124, "output 't' overlaps array 'v' in part"},
        {true, 0, 128, 256, 260, "outputs 's' and 't' overlap"},
        {true, 0, 0, NONE, NONE, "arrays 'u' and 'v' overlap"},
        {true, 0, 40, NONE, NONE, "arrays 'u' and 'v' overlap"},
        {true, 0, NONE, NONE, NONE, "array 'v' is NULL"},
        {true, 1, 128, NONE, NONE, "array 'u' is at"},
        {true, 0, 128, 258, NONE, "output 's' is at"},
    };
    struct lift_plan *plan = plan_of(fields);
    char *memory = aligned_alloc(64, ROOM);

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        void *in[] = {at(memory, table[i].u), at(memory, table[i].v)};
        void *out[] = {at(memory, table[i].s), at(memory, table[i].t)};
        char before[ROOM];
        bool good;

        memset(memory, 0, ROOM);
        memcpy(before, memory, ROOM);
        good = table[i].advance
                   ? lift_plan_advance(plan, in, out, 2, &error)
                   : lift_plan_execute(plan, (const void *const *)in, out, &error);
        if (good != !table[i].words)
            fail_msg("row %zu: %s", i, good ? "not refused" : lift_error_text(&error));
        if (good)
            continue;
        assert_refused(LIFT_ERROR_ARGUMENT, table[i].words);
        assert_memory_equal(memory, before, ROOM);
    }
    free(memory);
    lift_plan_destroy(plan);
}

/* Doubles that are aligned as floats only. */
static void test_alignment_of_doubles(void **state)
{
    struct lift_plan *plan = plan_of(doubles);
    double memory[20] = {0};
    const void *in[] = {(const char *)memory + 4};
    void *out[] = {memory + 10};

    (void)state;
    assert_false(lift_plan_execute(plan, in, out, &error));
    assert_refused(LIFT_ERROR_ARGUMENT, "a multiple of 8 bytes");
    lift_plan_destroy(plan);
}

/* ---- lives, threads, processes */

/* A plan without its planner. */
static void test_plan_after_planner(void **state)
{
    struct lift_planner *own = lift_planner_create(NULL, &error);
    struct lift_plan *plan =
        lift_plan_create(own, &(struct lift_plan_options){.program = fields}, &error);
    float u[N] = {1}, v[N] = {2}, s[N], t[N];
    void *in[] = {u, v}, *out[] = {s, t};

    (void)state;
    assert_non_null(plan);
    lift_planner_destroy(own);
    assert_true(lift_plan_set_param(plan, "a", 3, &error));
    assert_true(lift_plan_execute(plan, (const void *const *)in, out, &error));
    assert_true(s[0] == 7);
    assert_true(lift_plan_advance(plan, in, NULL, 1, &error));
    assert_true(v[0] == 7);
    assert_string_equal(lift_plan_facts(plan)->program, "fields");
    lift_plan_destroy(plan);
}

static void *execute_shared(void *user)
{
    LIFT_SCOPED(lift_error) mine = {0};
    float memory[4][N] = {{0}};
    const void *in[] = {memory[0], memory[1]};
    void *out[] = {memory[2], memory[3]};
    intptr_t wrong = 0;

    for (int n = 0; n < 200; n++)
        if (!lift_plan_execute(user, in, out, &mine))
            wrong += mine.code != LIFT_ERROR_ARGUMENT ||
                     !strstr(lift_error_text(&mine), "another thread uses the plan");
    return (void *)wrong;
}

/* Two threads and one plan: each call succeeds or is rejected. */
static void test_shared_plan(void **state)
{
    struct lift_plan *plan = plan_of(fields);
    pthread_t threads[2];
    void *wrong;

    (void)state;
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, execute_shared, plan), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
    lift_plan_destroy(plan);
}

#define CHILD_SECONDS (unsigned)patient(120)

/* Returns 0 if impossible calls in a child are rejected, without waiting for ever. */
static int be_child(struct lift_plan *plan, const void *const *in, void *const *out)
{
    struct lift_planner *own;
    struct lift_plan *fresh;

    alarm(CHILD_SECONDS);
    if (lift_plan_execute(plan, in, out, &error) ||
        !strstr(lift_error_text(&error), "child"))
        return 1;
    if (lift_plan_advance(plan, out, NULL, 1, &error) ||
        !strstr(lift_error_text(&error), "child"))
        return 2;
    if (lift_plan_set_param(plan, "a", 1, &error) ||
        !strstr(lift_error_text(&error), "child"))
        return 3;
    if (lift_plan_create(planner, &(struct lift_plan_options){.program = fields}, &error))
        return 4;
    own = lift_planner_create(NULL, &error);
    fresh = lift_plan_create(own, &(struct lift_plan_options){.program = fields}, &error);
    if (!fresh)
        return 5;
    if (!lift_plan_execute(fresh, in, out, &error) &&
        !strstr(lift_error_text(&error), "OpenMP"))
        return 6; /* with one core there are no threads that could be missing */
    lift_plan_destroy(fresh);
    lift_planner_destroy(own);
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
    return 0;
}

static void test_child(void **state)
{
    struct lift_plan *plan = plan_of(fields);
    float memory[4][N] = {{0}};
    const void *in[] = {memory[0], memory[1]};
    void *out[] = {memory[2], memory[3]};
    pid_t child;
    int status;

    (void)state;
    assert_true(lift_plan_execute(plan, in, out, &error));
    child = fork();
    if (child == 0)
        _exit(be_child(plan, in, out));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_true(lift_plan_execute(plan, in, out, &error)); /* the parent continues */
    lift_plan_destroy(plan);
}

static int be_child_of_driver(void)
{
    alarm(CHILD_SECONDS);
    if (lift_plan_create(
            lift_planner_create(NULL, NULL),
            &(struct lift_plan_options){.program = fields, .device = "opencl"}, &error))
        return 1;
    return error.code == LIFT_ERROR_DEVICE && strstr(lift_error_text(&error), "driver")
               ? 0
               : 2;
}

static void test_child_of_driver(void **state)
{
    struct lift_plan *plan = lift_plan_create(
        planner, &(struct lift_plan_options){.program = fields, .device = "opencl"},
        &error);
    pid_t child;
    int status;

    (void)state;
    if (!plan)
        skip();
    child = fork();
    if (child == 0)
        _exit(be_child_of_driver());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    lift_plan_destroy(plan);
}

static int begin(void **state)
{
    planner = lift_planner_create(NULL, &error);
    return planner ? make_folder(state) : -1;
}

static int finish(void **state)
{
    lift_planner_destroy(planner);
    return drop_folder(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_planners),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_databases),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_sizes_of_options),
        cmocka_unit_test(test_nulls),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_alignment_of_doubles),
        cmocka_unit_test(test_plan_after_planner),
        cmocka_unit_test(test_shared_plan),
        cmocka_unit_test(test_child),
        cmocka_unit_test(test_child_of_driver),
    };

    return cmocka_run_group_tests(tests, begin, finish);
}
