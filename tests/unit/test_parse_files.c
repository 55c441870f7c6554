/* Texts of files: the shipped programs, malformed ones with their messages, texts broken
 * at random, and the reference of the language. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/rng.h"
#include "ir/expr.h"
#include "lift/program.h"
#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *source_path(const char *name)
{
    static char path[2048];

    snprintf(path, sizeof path, "%s/%s", getenv("LIFT_SOURCE_DIR"), name);
    return path;
}

static void load_file(const char *name, struct lift_source *out)
{
    struct lift_error errors = {0};

    if (!lift_source_load(source_path(name), out, &errors))
        lift_error_print(&errors, stderr);
    assert_int_equal(lift_error_count(&errors), 0);
}

typedef void visit_file(const char *name, const struct lift_source *source);

static int each_file(const char *folder, const char *suffix, visit_file *visit)
{
    DIR *dir = opendir(source_path(folder));
    struct dirent *entry;
    int count = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        struct lift_source source;
        char name[512];
        size_t len = strlen(entry->d_name);

        if (len < strlen(suffix) ||
            strcmp(entry->d_name + len - strlen(suffix), suffix) != 0)
            continue;
        snprintf(name, sizeof name, "%s/%s", folder, entry->d_name);
        load_file(name, &source);
        visit(name, &source);
        lift_source_free(&source);
        count++;
    }
    closedir(dir);
    return count;
}

/* NN-name.lift gives exactly one message, the text of NN-name.expected. */
static void check_error(const char *name, const struct lift_source *source)
{
    struct lift_source expected, named = *source;
    struct lift_ir *ir = lift_ir_create();
    struct lift_error errors = {0};
    struct lift_str message = {0};
    char other[600];

    named.name = strrchr(name, '/') + 1;
    snprintf(other, sizeof other, "%.*s.expected", (int)(strlen(name) - 5), name);
    load_file(other, &expected);
    assert_null(lift_program_load(ir, &named, NULL, &errors));
    assert_int_equal(lift_error_count(&errors), 1);
    lift_error_format(&errors, &message);
    assert_string_equal(lift_str_get(&message), expected.text);
    lift_str_fini(&message);
    lift_error_fini(&errors);
    lift_source_free(&expected);
    lift_ir_destroy(ir);
}

static void test_errors(void **state)
{
    (void)state;
    assert_true(each_file("tests/errors", ".lift", check_error) >= 20);
}

/* 'count' operators in a row; the message is 'error', or NULL. */
static void check_chain(const char *first, const char *more, const char *last, int count,
                        const char *error)
{
    struct lift_ir *ir = lift_ir_create();
    struct lift_str text = {0}, printed = {0};
    struct lift_error errors = {0};
    struct lift_source source = {.name = "chain.lift"};
    const struct lift_program *p;

    lift_str_addf(&text, "size n = 16\nstencil f(x: [f32]n) = %s", first);
    for (int i = 0; i < count; i++)
        lift_str_add(&text, more);
    lift_str_add(&text, last);
    source.text = text.data;
    source.len = text.len;
    p = lift_program_load(ir, &source, NULL, &errors);
    assert_int_equal(p == NULL, error != NULL);
    if (p)
        lift_expr_print(p->body, &printed);
    else if (error)
        assert_non_null(strstr(lift_str_get(&errors.text), error));
    lift_str_fini(&text);
    lift_str_fini(&printed);
    lift_error_fini(&errors);
    lift_ir_destroy(ir);
}

static void test_chains(void **state)
{
    (void)state;
    check_chain("map(fun(e => e", " + e", "), x)", 2100, NULL);
    check_chain("map(fun(e => e", " - e * 2.0", "), x)", 2100, NULL);
    check_chain("map(fun(e => if e < 1.0", " && e > 2.0", " then e else 0.0), x)", 2100,
                NULL);
    check_chain("map(fun(e => e", " + e", "), x)", 20000, "operators in a row");
    check_chain("map(fun(e => e", " / e", "), x)", 100000, "operators in a row");
    check_chain("x", " |> map(fun(e => e))", "", 20000, "operators in a row");
    check_chain("map(fun(e => e", " + (e", "), x)", 20000, "nested more than 850 deep");
}

static const struct lift_program *load_shipped(struct lift_ir *ir, const char *name)
{
    const struct lift_program *p;
    struct lift_error errors = {0};
    struct lift_source source;
    char path[64];

    snprintf(path, sizeof path, "programs/%s.lift", name);
    load_file(path, &source);
    p = lift_program_load(ir, &source, NULL, &errors);
    assert_non_null(p);
    lift_source_free(&source);
    return p;
}

/* The sizes of the publication, and the time loops. */
static const struct {
    const char *name;
    int64_t nx, ny, nz;
    int targets; /* inputs that change from step to step */
} shipped[] = {
    {"acoustic", 512, 512, 404, 2},
    {"stencil2d", 4098, 4098, 1, 1},
    {"srad1", 458, 504, 1, 0},
    {"srad2", 458, 504, 1, 0},
    {"srad", 458, 504, 1, 1},
    {"hotspot2d", 8192, 8192, 1, 1},
    {"hotspot3d", 512, 512, 8, 1},
    {"gaussian", 4096, 4096, 1, 1},
    {"gradient", 4096, 4096, 1, 1},
    {"jacobi2d5", 4096, 4096, 1, 1},
    {"jacobi2d9", 4096, 4096, 1, 1},
    {"jacobi3d7", 256, 256, 256, 1},
    {"jacobi3d13", 256, 256, 256, 1},
    {"jacobi3d19", 256, 256, 256, 1},
    {"jacobi3d27", 256, 256, 256, 1},
    {"poisson", 256, 256, 256, 1},
    {"heat", 256, 256, 256, 1},
    {"elastic2d", 8192, 8192, 1, 5},
    {"elastic3d", 400, 400, 400, 9},
    {"acoustic_vd", 512, 512, 512, 2},
    {"acoustic_pml", 1000, 1000, 1000, 3},
    {"acoustic_vti", 512, 512, 512, 4},
    {"acoustic_tti", 512, 512, 512, 6},
    {"lbm_d2q9", 4096, 4096, 1, 9},
    {"shallow_water", 4096, 4096, 1, 3},
    {"lbm_d3q19", 256, 256, 256, 19},
};

static void test_shipped(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
        struct lift_ir *ir = lift_ir_create();
        const struct lift_program *p = load_shipped(ir, shipped[i].name);
        int64_t points = shipped[i].nx * shipped[i].ny * shipped[i].nz;
        int targets = 0;

        for (int k = 0; k < p->input_count; k++)
            targets += p->inputs[k].next != LIFT_NEXT_SAME;
        assert_int_equal(targets, shipped[i].targets);
        assert_int_equal(p->iterative, targets > 0);
        assert_false(p->exact);
        assert_int_equal(p->sizes[0].value, shipped[i].nx);
        assert_true(lift_nat_is(lift_type_points(ir, p->outputs[0].type), points));
        assert_ptr_equal(p->outputs[0].type, p->inputs[0].type);
        lift_ir_destroy(ir);
    }
}

/* ---- precision */

/* The program in the precision that its text has by now, as a text; to be freed. */
static char *printed_as(struct lift_source *source, enum lift_scalar scalar)
{
    struct lift_ir *ir = lift_ir_create();
    struct lift_error errors = {0};
    struct lift_str out = {0};
    const struct lift_program *p;

    assert_true(lift_source_precision(source, scalar, &errors));
    p = lift_program_load(ir, source, NULL, &errors);
    lift_error_print(&errors, stderr);
    assert_non_null(p);
    lift_program_print(p, &out);
    lift_error_fini(&errors);
    lift_ir_destroy(ir);
    return lift_str_take(&out);
}

/* No value is of f32 then, and the former types come back. */
static void test_precision(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
        char path[64], *single, *wide, *again;
        struct lift_source source;

        snprintf(path, sizeof path, "programs/%s.lift", shipped[i].name);
        load_file(path, &source);
        single = printed_as(&source, LIFT_F32);
        wide = printed_as(&source, LIFT_F64);
        again = printed_as(&source, LIFT_F32);
        assert_non_null(strstr(wide, "f64"));
        assert_null(strstr(wide, "f32"));
        assert_null(strstr(single, "f64"));
        assert_string_equal(single, again);
        free(single);
        free(wide);
        free(again);
        lift_source_free(&source);
    }
}

static void check_precision(const char *text, const char *wanted)
{
    struct lift_ir *ir = lift_ir_create();
    struct lift_source source = {"text", text, strlen(text)};
    struct lift_error errors = {0};
    const struct lift_program *program = lift_program_load(ir, &source, NULL, &errors);

    lift_error_print(&errors, stderr);
    assert_non_null(program);
    assert_string_equal(lift_program_precision(program), wanted);
    lift_ir_destroy(ir);
}

/* Includes programs whose results do not show the precision. */
static void test_precision_of_program(void **state)
{
    (void)state;
    check_precision("size n = 8 stencil s(x: [f32]n) -> y = map(a => a * 2.0, x)", "f32");
    check_precision("double size n = 8 stencil s(x: [f64]n) -> y = map(a => a * 2.0, x)",
                    "f64");
    check_precision("size n = 8 stencil s(x: [f32]n) -> y = map(a => f64(a) * 2.0d, x)",
                    "f32+f64");
    check_precision("size n = 8 stencil s(x: [f64]n) -> y = map(a => i32(a), x)", "f64");
    check_precision("size n = 8 stencil s(x: [i32]n) -> y = map(a => a + 1i, x)", "");
    check_precision("size n = 8 stencil s(x: [f32]n, k: [i32]n) -> (y, z) = "
                    "(map(a => a + 1i, k), map(a => f32(f64(a) + 1.0d), x))",
                    "f32+f64");
}

/* Letters, words in C, comments; numbers that nothing tells the type of. */
static void test_precision_of_text(void **state)
{
    static const char text[] =
        "size n = 8 // f32\n"
        "cfun f32 half(Float a) \"float b = a; return b / 2;\"\n"
        "stencil s(x: [f32]n) = map(e => half(e) + 1.5f * f32(2i), x)\n";
    static const char wanted[] =
        "size n = 8 // f32\n"
        "cfun f64 half(Double a) \"double b = a; return b / 2;\"\n"
        "stencil s(x: [f64]n) = map(e => half(e) + 1.5d * f64(2i), x)\n"
        "\ndouble\n";
    struct lift_source source = {strdup("text"), strdup(text), sizeof text - 1};
    struct lift_error errors = {0};

    (void)state;
    assert_true(lift_source_precision(&source, LIFT_F64, &errors));
    assert_string_equal(source.text, wanted);
    assert_true(lift_source_precision(&source, LIFT_F64, &errors));
    assert_string_equal(source.text, wanted);
    lift_source_free(&source);
    source = (struct lift_source){strdup("text"), strdup("size n = 8 #"), 12};
    assert_false(lift_source_precision(&source, LIFT_F64, &errors));
    assert_int_equal(lift_error_count(&errors), 1);
    lift_error_fini(&errors);
    lift_source_free(&source);
}

/* Broken texts: any answer but a crash, a hang or a second message. */
static void try_text(const char *text, size_t len)
{
    struct lift_source source = {"broken", text, len};
    struct lift_ir *ir = lift_ir_create();
    struct lift_error errors = {0};
    struct lift_str printed = {0};
    const struct lift_program *p = lift_program_load(ir, &source, NULL, &errors);

    assert_int_equal(lift_error_count(&errors), p ? 0 : 1);
    if (p) {
        lift_program_print(p, &printed);
        source = (struct lift_source){"again", lift_str_get(&printed), printed.len};
        p = lift_program_load(ir, &source, NULL, &errors);
        if (!p)
            lift_error_print(&errors, stderr);
        assert_non_null(p);
    }
    lift_str_fini(&printed);
    lift_error_fini(&errors);
    lift_ir_destroy(ir);
}

static void mutate(struct lift_rng *rng, char *text, size_t len)
{
    static const char bytes[] = "()[]{}.,;:=<>+-*/%!&|?\"0123456789ntx \n\x80";

    for (uint64_t i = 1 + lift_rng_below(rng, 4); i > 0; i--) {
        size_t at = (size_t)lift_rng_below(rng, len);

        if (lift_rng_below(rng, 3))
            text[at] = bytes[lift_rng_below(rng, sizeof bytes - 1)];
        else
            text[at] = text[lift_rng_below(rng, len)];
    }
}

static void break_file(const char *name, const struct lift_source *source)
{
    char *text = malloc(source->len + 1);
    struct lift_rng rng;

    (void)name;
    lift_rng_seed(&rng, source->len);
    for (int i = 0; i < 60; i++) {
        size_t len = (size_t)lift_rng_below(&rng, source->len + 1);

        memcpy(text, source->text, source->len + 1);
        if (i % 3 == 0) {
            text[len] = '\0';
            try_text(text, len);
        } else {
            mutate(&rng, text, source->len);
            try_text(text, source->len);
        }
    }
    free(text);
}

static void test_broken(void **state)
{
    (void)state;
    each_file("programs", ".lift", break_file);
}

/* In a table, '|' is written with a backslash. */
static void add_cell(struct lift_str *row, const char *text)
{
    lift_str_add(row, " `");
    for (; *text; text++) {
        if (*text == '|')
            lift_str_addc(row, '\\');
        lift_str_addc(row, *text);
    }
    lift_str_add(row, "` |");
}

static void find_row(const struct lift_source *docs, struct lift_str *row)
{
    if (!strstr(docs->text, lift_str_get(row)))
        fail_msg("docs/language.md lacks the row '%s'", lift_str_get(row));
    lift_str_fini(row);
}

/* The row of an option with its words. */
static void find_option(const struct lift_source *docs, const char *name,
                        const struct lift_attr_info *attr)
{
    struct lift_str row = {0};

    lift_str_addf(&row, "| `%s` | `%s` | %s", name, attr->name,
                  attr->words ? "" : "a number");
    for (int i = 0; attr->words && attr->words[i]; i++)
        if (*attr->words[i])
            lift_str_addf(&row, "%s%s", i ? ", " : "", attr->words[i]);
    lift_str_add(&row, " |");
    find_row(docs, &row);
}

/* The reference of the language names every primitive with its type and its options. */
static void test_docs(void **state)
{
    struct lift_source docs;

    (void)state;
    load_file("docs/language.md", &docs);
    for (int op = 0; op < LIFT_OP_COUNT; op++) {
        const struct lift_prim_info *info = lift_prim_info((enum lift_op)op);
        struct lift_str row = {0};

        lift_str_add(&row, "|");
        add_cell(&row, info->name);
        add_cell(&row, info->scheme);
        find_row(&docs, &row);
        for (int i = 0; i < info->attr_count; i++)
            if (info->attrs[i].option)
                find_option(&docs, info->name, &info->attrs[i]);
    }
    lift_source_free(&docs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_shipped),
        cmocka_unit_test(test_precision),
        cmocka_unit_test(test_precision_of_text),
        cmocka_unit_test(test_precision_of_program),
        cmocka_unit_test(test_broken),
        cmocka_unit_test(test_docs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
