/* NULL arguments: where the headers build.h, parse.h, program.h, chosen.h and db.h reject
 * NULL, the error says so. Where they call it a bug, the process aborts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ir/sizes.h"
#include "lift/build.h"
#include "lift/chosen.h"
#include "lift/parse.h"
#include "rules/rule.h"
#include "tuner/db.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char text[] =
    "size n = 8\nstencil s(x: [f32]n) -> y = map(v -> v + 1.0f, x)\n";

/* ---- the builder */

static void test_builder(void **state)
{
    struct lift_ir *ir = lift_ir_create();
    lift_type f32 = lift_type_scalar(ir, LIFT_F32);
    lift_nat n = lift_nat_const(lift_ir_nats(ir), 8), one[] = {n, n}, half[] = {n, NULL};
    lift_expr x =
        lift_expr_free(ir, "x", lift_type_array(ir, lift_type_array(ir, f32, n), n));
    lift_expr zero = lift_expr_float(ir, LIFT_F32, 0);
    const lift_nat *const wrong[] = {NULL, half};

    (void)state;
    for (int i = 0; i < 2; i++) {
        const lift_nat *w = wrong[i];

        assert_null(lift_slide_n(ir, 2, w, one, x));
        assert_null(lift_slide_n(ir, 2, one, w, x));
        assert_null(lift_slide_shift_n(ir, 2, w, one, x));
        assert_null(lift_slide_shift_n(ir, 2, one, w, x));
        assert_null(lift_inset_n(ir, 2, w, one, x, x));
        assert_null(lift_inset_n(ir, 2, one, w, x, x));
        assert_null(lift_pad_n(ir, 2, w, one, LIFT_PAD_CLAMP, x));
        assert_null(lift_pad_n(ir, 2, one, w, LIFT_PAD_CLAMP, x));
        assert_null(lift_pad_const_n(ir, 2, w, one, zero, x));
        assert_null(lift_pad_const_n(ir, 2, one, w, zero, x));
        assert_null(lift_tile_n(ir, 2, w, x));
        assert_null(lift_take_n(ir, 2, w, x));
        assert_null(lift_join_shift_n(ir, 2, w, x));
        assert_null(lift_array_n(ir, 2, w, x));
    }
    assert_null(lift_slide_n(ir, 1, half + 1, one, x));
    assert_non_null(lift_slide_n(ir, 1, half, one, x));
    assert_null(lift_slide_n(ir, 2, one, one, NULL));
    assert_null(lift_inset_n(ir, 2, one, one, NULL, x));
    lift_ir_destroy(ir);
}

/* ---- texts */

static void assert_said(struct lift_error *errors, const char *words)
{
    struct lift_str out = {0};

    assert_int_equal(lift_error_count(errors), 1);
    lift_error_format(errors, &out);
    if (!strstr(lift_str_get(&out), words))
        fail_msg("no '%s' in: %s", words, lift_str_get(&out));
    lift_str_fini(&out);
    lift_error_fini(errors);
    *errors = (struct lift_error){0};
}

static void test_texts(void **state)
{
    static const struct lift_source nameless = {NULL, text, sizeof text - 1};
    static const struct lift_source empty = {"name", NULL, 0};
    static const struct {
        const struct lift_source *source;
        const char *words;
    } table[] = {{NULL, "the source is NULL"},
                 {&nameless, "the source has no name"},
                 {&empty, "the source has no text"}};
    struct lift_ir *ir = lift_ir_create();
    struct lift_error errors = {0};
    struct lift_str out = {0};

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const struct lift_source *source = table[i].source;
        struct lift_source copy = source ? *source : (struct lift_source){NULL};

        assert_null(lift_expr_parse(ir, NULL, source, &errors));
        assert_said(&errors, table[i].words);
        assert_null(lift_type_parse(ir, NULL, source, &errors));
        assert_said(&errors, table[i].words);
        assert_null(lift_nat_parse(ir, NULL, source, &errors));
        assert_said(&errors, table[i].words);
        assert_null(lift_term_parse(ir, source, &errors));
        assert_said(&errors, table[i].words);
        assert_null(lift_program_load(ir, source, NULL, &errors));
        assert_said(&errors, table[i].words);
        assert_null(lift_program_load_general(&ir, source, NULL, &errors));
        assert_said(&errors, table[i].words);
        assert_false(lift_format(source, &errors, &out));
        assert_said(&errors, table[i].words);
        assert_false(lift_source_precision(source ? &copy : NULL, LIFT_F64, &errors));
        assert_said(&errors, table[i].words);
    }
    assert_int_equal(out.len, 0);
    lift_ir_destroy(ir);
}

static void test_words(void **state)
{
    struct lift_ir *ir = lift_ir_create();
    struct lift_source source = {"text", text, strlen(text)};
    struct lift_error errors = {0};
    const struct lift_program *program = lift_program_load(ir, &source, NULL, &errors);
    const struct lift_size_setting *sizes;
    enum lift_scalar scalar;
    int count = 7;

    (void)state;
    assert_non_null(program);
    assert_false(lift_program_input_dies(program, -1));
    assert_false(lift_program_input_dies(program, 1));
    assert_false(lift_precision_parse(NULL, &scalar));
    assert_false(lift_sizes_parse(lift_ir_arena(ir), NULL, &sizes, &count, &errors));
    assert_int_equal(count, 0);
    assert_said(&errors, "is not a list of sizes");
    lift_ir_destroy(ir);
}

/* ---- kernels */

static void test_choosing(void **state)
{
    static const struct lift_device_info device = {.name = "host", .runtime = "host"};
    struct lift_source source = {"text", text, strlen(text)};
    struct lift_rules *rules = lift_rules_create();
    const struct {
        struct lift_choose_options options;
        const char *words;
    } table[] = {
        {{.rules = rules, .device = &device}, "'options.source' is NULL"},
        {{.source = &source, .device = &device}, "'options.rules' is NULL"},
        {{.source = &source, .rules = rules}, "'options.device' is NULL"},
        {{.source = &source, .rules = rules, .device = &device, .size_count = 1},
         "'options.sizes' is NULL"},
    };
    struct lift_error errors = {0};
    struct lift_str out = {0};

    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        assert_null(lift_choose(&table[i].options, &errors));
        assert_string_equal(lift_error_text(&errors), table[i].words);
    }
    assert_null(lift_choose(NULL, &errors));
    assert_string_equal(lift_error_text(&errors), "'options' is NULL");
    assert_int_equal(errors.code, LIFT_ERROR_ARGUMENT);
    assert_null(lift_chosen_facts(NULL));
    lift_chosen_json(NULL, &out);
    assert_false(lift_chosen_host(NULL, NULL, 0, &out, &errors));
    assert_non_null(strstr(lift_error_text(&errors), "'chosen' is NULL"));
    lift_error_fini(&errors);
    assert_false(lift_chosen_header(NULL, NULL, 0, &out, &errors));
    assert_non_null(strstr(lift_error_text(&errors), "'chosen' is NULL"));
    lift_error_fini(&errors);
    assert_int_equal(out.len, 0);
    assert_true(lift_chosen_sound(NULL, NULL, &errors));
    assert_int_equal(lift_error_count(&errors), 0);
    lift_chosen_destroy(NULL);
    lift_rules_destroy(rules);
}

/* ---- databases */

static void test_rows(void **state)
{
    struct lift_error error = {0};
    struct lift_hash id;
    struct lift_db *db = lift_db_open(":memory:", LIFT_DB_WRITE, &error);

    (void)state;
    assert_non_null(db);
    assert_false(lift_db_put_device(db, NULL));
    assert_false(lift_db_put_program(db, NULL));
    assert_false(lift_db_put_problem(db, NULL, &id));
    assert_false(lift_db_put_expr(db, NULL));
    assert_false(lift_db_put_deriv(db, NULL));
    assert_false(lift_db_put_macro(db, NULL));
    assert_false(lift_db_put_configuration(db, id, NULL, 1));
    assert_non_null(strstr(lift_db_error(db), "the row that is to be put is NULL"));
    lift_db_close(db);
    assert_null(lift_db_open(NULL, LIFT_DB_WRITE, &error));
    assert_string_equal(lift_error_text(&error), "the path of the database is NULL");
    assert_non_null(lift_db_error(NULL));
    assert_null(lift_db_network(NULL));
    lift_db_close(NULL);
    lift_error_fini(&error);
}

/* ---- bugs of the caller */

static void no_errors(void)
{
    lift_program_load(lift_ir_create(), NULL, NULL, NULL);
}

static void no_context(void)
{
    struct lift_source source = {"text", text, strlen(text)};
    struct lift_error errors = {0};

    lift_program_load(NULL, &source, NULL, &errors);
}

static void no_handle(void)
{
    lift_db_put_expr(NULL, &(struct lift_db_expr){.text = ""});
}

static void no_transaction(void)
{
    lift_db_begin(NULL);
}

static void test_bugs(void **state)
{
    static void (*const calls[])(void) = {no_errors, no_context, no_handle,
                                          no_transaction};

    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        pid_t child = fork();
        int status;

        if (child == 0) {
            if (!freopen("/dev/null", "w", stderr))
                _exit(1);
            signal(SIGABRT, SIG_DFL);
            calls[i]();
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builder), cmocka_unit_test(test_texts),
        cmocka_unit_test(test_words),   cmocka_unit_test(test_choosing),
        cmocka_unit_test(test_rows),    cmocka_unit_test(test_bugs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
