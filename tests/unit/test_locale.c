/* Programs, kernels and databases under unusual locales: a comma as decimal point, a
 * decimal point of two bytes, and letters beyond ASCII. Locales are compiled into the
 * folder of the suite. */
#include "scratch.h"

#include "base/guess.h"
#include "base/json.h"
#include "lift/parse.h"
#include "lift/plan.h"
#include "lift/program.h"
#include "plan_of.h"
#include <string.h>

static const char scaled[] =
    "size n = 5\n"
    "stencil scaled(x: [f32]n) -> (a, b) =\n"
    "    (map(w -> w * 0.375, x), map(w -> w * (1.25f + 1.25f) + f32(1.5e-3), x))\n";

/* The locale for the whole process, or the test is skipped. */
static void enter(const char *input, const char *charset)
{
    char command[400], name[80];

    snprintf(name, sizeof name, "%s.%s", input, charset);
    snprintf(command, sizeof command,
             "test -d '%s' || LC_ALL=C localedef -i %s -f %s '%s' >/dev/null 2>&1",
             path_of(name), input, charset, path_of(name));
    setenv("LOCPATH", folder, 1);
    if (system(command) != 0 && !setlocale(LC_ALL, name)) {
        print_message("localedef makes no locale '%s': are its sources (package "
                      "'locales') installed?\n",
                      name);
        skip();
    }
    assert_non_null(setlocale(LC_ALL, name));
}

static int leave(void **state)
{
    (void)state;
    setlocale(LC_ALL, "C");
    return 0;
}

/* The name of a program in databases. */
static struct lift_hash program_hash(const char *text)
{
    struct lift_source source = {"p.lift", text, strlen(text)};
    struct lift_error errors = {0};
    struct lift_ir *ir = lift_ir_create();
    const struct lift_program *program = lift_program_load(
        ir, &source, &(struct lift_program_options){.symbolic = true}, &errors);
    struct lift_hash hash;

    lift_error_print(&errors, stderr);
    assert_non_null(program);
    hash = lift_program_id(program);
    lift_error_fini(&errors);
    lift_ir_destroy(ir);
    return hash;
}

static void scales(const struct lift_plan_options *options,
                   const struct lift_planner_options *where)
{
    float x[5] = {1, 2, 3, 4, 5}, a[5] = {0}, b[5] = {0};
    struct lift_planner *planner = lift_planner_create(where, &error);
    struct lift_plan *plan;

    assert_non_null(planner);
    plan = plan_of(planner, options);
    if (!lift_plan_execute(plan, (const void *const[]){x}, (void *const[]){a, b}, &error))
        fail_msg("%s", lift_error_text(&error));
    for (int i = 0; i < 5; i++) {
        assert_float_equal(a[i], 0.375 * x[i], 1e-6);
        assert_float_equal(b[i], 2.5 * x[i] + 1.5e-3, 1e-5);
    }
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
}

static void numbers_have_a_point(void **state)
{
    double x = 0;
    char text[40], *end;
    struct lift_str out = {0};

    (void)state;
    enter("de_DE", "UTF-8");
    snprintf(text, sizeof text, "%.3f", 0.375);
    assert_string_equal(text, "0,375"); /* else nothing is tested */
    lift_snprintf(text, sizeof text, "%.3f", 0.375);
    assert_string_equal(text, "0.375");
    lift_str_addf(&out, "%g", 2.5);
    assert_string_equal(lift_str_get(&out), "2.5");
    lift_str_fini(&out);
    assert_true(lift_strtod("0.375,", &end) == 0.375 && *end == ',');
    assert_true(lift_strtof("0.375", NULL) == 0.375f);
    assert_true(lift_sscanf("1.5,2.5", "%lf", &x) == 1 && x == 1.5);
    snprintf(text, sizeof text, "%.1f", x);
    assert_string_equal(text, "1,5"); /* the caller's locale is as it was */
}

static void a_plan_computes_as_in_c(void **state)
{
    struct lift_hash before = program_hash(scaled);

    (void)state;
    enter("de_DE", "UTF-8");
    assert_true(lift_hash_equal(program_hash(scaled), before));
    scales(&(struct lift_plan_options){.program = scaled}, NULL);
}

/* A kernel that is measured in one locale is that of the same program in the other. */
static void databases_are_those_of_c(void **state)
{
    struct lift_planner_options where = {.database = path_of("de.db"), .create = true};
    struct lift_planner *planner;
    struct lift_plan *plan;

    (void)state;
    enter("de_DE", "UTF-8");
    scales(&(struct lift_plan_options){.program = scaled, .effort = LIFT_MEASURE},
           &where);
    leave(NULL);
    planner = lift_planner_create(&where, &error);
    plan = plan_of(planner, &(struct lift_plan_options){.program = scaled});
    assert_string_equal(lift_plan_facts(plan)->chosen, "exact");
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
}

/* Of which jansson knows one byte only. */
static void json_has_a_point(void **state)
{
    json_t *json;
    char *text;

    (void)state;
    enter("ps_AF", "UTF-8");
    assert_true(strlen(localeconv()->decimal_point) > 1);
    json = lift_json_read("{\"x\": 0.375}", 0);
    assert_non_null(json);
    assert_true(json_real_value(json_object_get(json, "x")) == 0.375);
    text = lift_json_print(json, JSON_COMPACT);
    assert_string_equal(text, "{\"x\":0.375}");
    free(text);
    json_decref(json);
}

static void letters_are_those_of_ascii(void **state)
{
    static const char umlaut[] = "size n = 5\nstencil s(\xe4: [f32]n) -> out = \xe4\n";
    struct lift_source source = {"p.lift", umlaut, strlen(umlaut)};
    struct lift_error errors = {0};
    struct lift_ir *ir = lift_ir_create();

    (void)state;
    enter("de_DE", "ISO-8859-1");
    assert_null(lift_program_load(ir, &source, NULL, &errors));
    lift_error_fini(&errors);
    lift_ir_destroy(ir);
}

static void the_i_of_turkish_is_an_i(void **state)
{
    (void)state;
    enter("tr_TR", "ISO-8859-9");
    assert_int_equal(lift_edit_distance("SIZE", "size"), 0);
    scales(&(struct lift_plan_options){.program = scaled}, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(databases_are_those_of_c, leave), /* forks: first */
        cmocka_unit_test_teardown(numbers_have_a_point, leave),
        cmocka_unit_test_teardown(a_plan_computes_as_in_c, leave),
        cmocka_unit_test_teardown(json_has_a_point, leave),
        cmocka_unit_test_teardown(letters_are_those_of_ascii, leave),
        cmocka_unit_test_teardown(the_i_of_turkish_is_an_i, leave),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
