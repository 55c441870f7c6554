/* parse . print is the identity: on random terms, on all programs, and on texts that are
 * easily got wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "gen.h"
#include "ir/expr.h"
#include "lift/build.h"
#include "lift/parse.h"
#include "lift/program.h"
#include <cmocka.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct lift_source source_of(const struct lift_str *text)
{
    return (struct lift_source){"text", lift_str_get(text), text->len};
}

/* The variables of a term, for lift_expr_parse. */
struct vars {
    lift_expr frees[512];
    lift_nat nats[4];
    int free_count;
};

static void collect(struct vars *v, lift_expr e)
{
    for (int i = 0; e->kind == LIFT_EXPR_FREE && i < v->free_count; i++)
        if (v->frees[i] == e)
            return;
    if (e->kind == LIFT_EXPR_FREE) {
        assert_true(v->free_count < 512);
        v->frees[v->free_count++] = e;
    }
    for (int i = 0; i < lift_expr_child_count(e); i++)
        collect(v, lift_expr_child(e, i));
}

static void fail_on(const struct lift_error *errors, const struct lift_str *text)
{
    lift_error_print(errors, stderr);
    fputs(lift_str_get(text), stderr);
    fail_msg("not read back");
}

static void check_term(struct lift_ir *ir, lift_expr e)
{
    struct lift_error errors = {0};
    struct lift_str text = {0};
    struct lift_source source;

    lift_term_print(e, &text);
    source = source_of(&text);
    if (lift_term_parse(ir, &source, &errors) != e)
        fail_on(&errors, &text);
    assert_int_equal(lift_error_count(&errors), 0);
    lift_error_fini(&errors);
    lift_str_fini(&text);
}

static void check_line(struct lift_ir *ir, lift_expr e)
{
    struct lift_error errors = {0};
    struct lift_str text = {0};
    struct lift_source source;
    struct vars vars = {.free_count = 0};
    struct lift_scope scope = {.vars = vars.frees, .nats = vars.nats};

    collect(&vars, e);
    scope.var_count = vars.free_count;
    for (const char *name = "nk"; *name; name++) {
        lift_nat nat = lift_nat_find_var(lift_ir_nats(ir), (char[]){*name, '\0'});

        if (nat)
            vars.nats[scope.nat_count++] = nat;
    }
    lift_expr_print(e, &text);
    assert_null(strchr(lift_str_get(&text), '\n'));
    source = source_of(&text);
    if (lift_expr_parse(ir, &scope, &source, &errors) != e)
        fail_on(&errors, &text);
    lift_error_fini(&errors);
    lift_str_fini(&text);
}

static bool seen[LIFT_OP_COUNT];

static void mark_seen(lift_expr e)
{
    if (e->kind == LIFT_EXPR_PRIM)
        seen[e->op] = true;
    for (int i = 0; i < lift_expr_child_count(e); i++)
        mark_seen(lift_expr_child(e, i));
}

static void check_random(int terms, uint64_t seed, const struct gen_options *options)
{
    struct lift_ir *ir = lift_ir_create();
    struct lift_rng rng;
    struct gen g;

    lift_rng_seed(&rng, seed);
    tgen_init(&g, ir, &rng, options);
    for (int i = 0; i < terms; i++) {
        lift_expr e = tgen_term(&g);

        check_term(ir, e);
        check_line(ir, e);
        mark_seen(e);
        if (i % 1000 == 999) { /* old terms are of no use */
            lift_ir_destroy(ir);
            g.ir = ir = lift_ir_create();
        }
    }
    lift_ir_destroy(ir);
}

static void test_random_high(void **state)
{
    (void)state;
    check_random(8000, 1, &(struct gen_options){.budget = 60});
}

static void test_random_low(void **state)
{
    (void)state;
    check_random(
        8000, 2,
        &(struct gen_options){.budget = 60, .low_level = true, .user_funs = true});
}

static void test_random_symbolic(void **state)
{
    (void)state;
    check_random(
        8000, 3,
        &(struct gen_options){
            .budget = 60, .low_level = true, .symbolic = true, .user_funs = true});
}

/* No primitive escapes the tests above. */
static void test_all_seen(void **state)
{
    (void)state;
    for (int op = 0; op < LIFT_OP_COUNT; op++)
        if (!seen[op])
            fail_msg("no random term has '%s'", lift_prim_info((enum lift_op)op)->name);
}

static void test_random_large(void **state)
{
    (void)state;
    check_random(500, 4, &(struct gen_options){.budget = 400, .low_level = true});
}

/* Programs. */

static const struct lift_program *load(struct lift_ir *ir,
                                       const struct lift_source *source, bool symbolic)
{
    struct lift_error errors = {0};
    const struct lift_program *p = lift_program_load(
        ir, source, &(struct lift_program_options){.symbolic = symbolic}, &errors);

    if (!p)
        lift_error_print(&errors, stderr);
    assert_non_null(p);
    lift_error_fini(&errors);
    return p;
}

static void same_program(const struct lift_program *a, const struct lift_program *b)
{
    assert_string_equal(a->name, b->name);
    assert_ptr_equal(a->body, b->body);
    assert_int_equal(a->exact, b->exact);
    assert_int_equal(a->size_count, b->size_count);
    assert_int_equal(a->param_count, b->param_count);
    assert_int_equal(a->input_count, b->input_count);
    assert_int_equal(a->output_count, b->output_count);
    for (int i = 0; i < a->size_count; i++)
        assert_int_equal(a->sizes[i].value, b->sizes[i].value);
    for (int i = 0; i < a->param_count; i++)
        assert_true((float)a->params[i].value == (float)b->params[i].value);
    for (int i = 0; i < a->input_count; i++) {
        assert_ptr_equal(a->inputs[i].var, b->inputs[i].var);
        assert_int_equal(a->inputs[i].next, b->inputs[i].next);
        assert_int_equal(a->inputs[i].next_index, b->inputs[i].next_index);
    }
    for (int i = 0; i < a->output_count; i++) {
        assert_string_equal(a->outputs[i].name, b->outputs[i].name);
        assert_ptr_equal(a->outputs[i].type, b->outputs[i].type);
    }
}

static void check_program(const struct lift_source *source, bool symbolic)
{
    struct lift_ir *ir = lift_ir_create();
    const struct lift_program *p = load(ir, source, symbolic);
    struct lift_str text = {0};
    struct lift_source printed;

    lift_program_print(p, &text);
    printed = source_of(&text);
    same_program(p, load(ir, &printed, symbolic));
    check_term(ir, p->body);
    lift_str_fini(&text);
    lift_ir_destroy(ir);
}

/* Formatting twice is formatting once, and changes no meaning. */
static void check_format(const struct lift_source *source)
{
    struct lift_ir *ir = lift_ir_create();
    struct lift_str once = {0}, twice = {0};
    struct lift_error errors = {0};
    struct lift_source formatted;

    assert_true(lift_format(source, &errors, &once));
    formatted = source_of(&once);
    formatted.name = source->name;
    assert_true(lift_format(&formatted, &errors, &twice));
    assert_string_equal(lift_str_get(&once), lift_str_get(&twice));
    same_program(load(ir, source, false), load(ir, &formatted, false));
    lift_str_fini(&once);
    lift_str_fini(&twice);
    lift_ir_destroy(ir);
}

typedef void visit_source(const struct lift_source *source);

static int each_program(visit_source *visit)
{
    char folder[1024], path[2048];
    struct dirent *entry;
    int count = 0;
    DIR *dir;

    snprintf(folder, sizeof folder, "%s/programs", getenv("LIFT_SOURCE_DIR"));
    dir = opendir(folder);
    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        struct lift_error errors = {0};
        struct lift_source source;

        if (!strstr(entry->d_name, ".lift"))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        assert_true(lift_source_load(path, &source, &errors));
        visit(&source);
        lift_source_free(&source);
        count++;
    }
    closedir(dir);
    return count;
}

static void program_both_ways(const struct lift_source *source)
{
    check_program(source, false);
    check_program(source, true);
}

static void test_programs(void **state)
{
    (void)state;
    assert_true(each_program(program_both_ways) >= 16);
}

/* The shipped programs are formatted. */
static void is_formatted(const struct lift_source *source)
{
    struct lift_error errors = {0};
    struct lift_str text = {0};

    check_format(source);
    assert_true(lift_format(source, &errors, &text));
    assert_string_equal(lift_str_get(&text), source->text);
    lift_str_fini(&text);
}

static void test_programs_formatted(void **state)
{
    (void)state;
    assert_true(each_program(is_formatted) >= 16);
}

/* The same tokens with random white space and comments between them. */
static void shuffle_space(struct lift_rng *rng, const struct lift_source *source,
                          struct lift_str *out)
{
    static const char *const gaps[] = {" ",          "  ",    "\n",        "\n\n\n",
                                       "\t",         " \n ",  " /* c */ ", " // d\n",
                                       "\n  // e\n", " /**/ "};

    for (size_t i = 0; i < source->len; i++) {
        char c = source->text[i];

        if (c == '/' && source->text[i + 1] == '/') {
            size_t end = i + strcspn(source->text + i, "\n");

            lift_str_addn(out, source->text + i, end - i + 1);
            i = end;
        } else if (c == ' ' || c == '\n') {
            lift_str_add(out, gaps[lift_rng_below(rng, 10)]);
        } else {
            lift_str_addc(out, c);
        }
    }
}

static void format_shuffled(const struct lift_source *source)
{
    struct lift_rng rng;

    lift_rng_seed(&rng, source->len);
    for (int i = 0; i < 20; i++) {
        struct lift_str text = {0};
        struct lift_source shuffled;

        shuffle_space(&rng, source, &text);
        shuffled = source_of(&text);
        shuffled.name = source->name;
        check_format(&shuffled);
        lift_str_fini(&text);
    }
}

static void test_format_any_space(void **state)
{
    (void)state;
    each_program(format_shuffled);
}

static const struct {
    const char *from, *to;
} formatted[] = {
    {"stencil f(x:[f32]8)=x", "stencil f(x: [f32]8) = x\n"},
    {"exact\n\n\n\nstencil f ( x : [f32<4>] ( n + 2 ) ) -> ( u , v ) {\nval "
     "y=-x\nreturn(y,x)}",
     "exact\n\nstencil f(x: [f32<4>](n + 2)) -> (u, v) {\n    val y = -x\n    return (y, "
     "x) }\n"},
    {"stencil f(x:[f32]n)=map ( fun ( a=>a<- 2.0?a:- a ) , x )  // why\ntime(x)<-(out)",
     "stencil f(x: [f32]n) = map(fun(a => a < -2.0 ? a : -a), x)  // why\n"
     "time (x) <- (out)\n"},
    {"fun f(x)=x|>mapPar [ collapse = 2 ] ( g )>>join\nsize n=2,m=3",
     "fun f(x) = x |> mapPar[collapse=2](g) >> join\nsize n = 2, m = 3\n"},
    {"fun f(x)=x.1 [0] . 2+reduce((+),0,x)", "fun f(x) = x.1[0].2 + reduce((+), 0, x)\n"},
    {"fun f(x) = 0 . 1 + x . 2 . 1 + 1.5  .  2", "fun f(x) = 0 . 1 + x.2.1 + 1.5 . 2\n"},
    {"// only this", "// only this\n"},
    {"fun f(x) =\nx +\n1\nfun g(x) = (\nx\n)",
     "fun f(x) =\n    x +\n    1\nfun g(x) = (\n    x\n)\n"},
    {"size n=8 in 3 ..\nsize m in\n2\n..\n7\ntime(x)<-(out)",
     "size n = 8 in 3..\nsize m in\n    2\n    ..\n    7\ntime (x) <- (out)\n"},
};

static void test_format_examples(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof formatted / sizeof *formatted; i++) {
        struct lift_source source = {"f", formatted[i].from, strlen(formatted[i].from)};
        struct lift_error errors = {0};
        struct lift_str text = {0};

        if (!lift_format(&source, &errors, &text))
            lift_error_print(&errors, stderr);
        assert_string_equal(lift_str_get(&text), formatted[i].to);
        lift_str_fini(&text);
    }
}

/* Printed forms that are pinned: the database shows them. */
static const struct {
    const char *text, *printed;
} pinned[] = {
    {"map(fun(a => reduce(fun(x, y => x + y), 0, a)), slide(3, 1, x))",
     "map(reduce(add, 0.0f), slide(3, 1, x))"},
    {"-(2.0f) - -x[0] * neg(2.0f)", "neg(2.0f) - -x[0] * neg(2.0f)"},
    {"(1.0f - (x[0] - 2)) / (3 * x[1])", "(1.0f - (x[0] - 2.0f)) / (3.0f * x[1])"},
    {"map(map(fun(x => x)), split(4, x))", "map(map(fun(x_1 => x_1)), split(4, x))"},
    {"let a = x[0]; let b = a; (a, b).0", "let a = x[0]; let b = a; (a, b).0"},
    {"mapSeqSlide[window=unroll](w => w[1], 3, 1, x)",
     "mapSeqSlide[window=unroll](fun(w => w[1]), 3, 1, x)"},
    {"x[0] > 0 && !(x[1] >= 1) ? 1 : 2.5",
     "if 0.0f < x[0] && !(1.0f <= x[1]) then 1.0f else 2.5f"},
    {"reduce(fun(n, a => n + i32(a)), 0i, x)", "reduce(fun(n, a => n + i32(a)), 0i, x)"},
    {"x[0] * f64(0.1) + 1e300", "f64(x[0]) * 0.1d + 1e+300d"},
    {"inf * x[0]", "f32(inf) * x[0]"},
};

static void test_pinned(void **state)
{
    struct lift_ir *ir = lift_ir_create();
    lift_type f32 = lift_type_scalar(ir, LIFT_F32);
    lift_nat n = lift_nat_const(lift_ir_nats(ir), 16);
    lift_expr x = lift_expr_free(ir, "x", lift_type_array(ir, f32, n));
    struct lift_scope scope = {.vars = &x, .var_count = 1};

    (void)state;
    for (size_t i = 0; i < sizeof pinned / sizeof *pinned; i++) {
        struct lift_source source = {"t", pinned[i].text, strlen(pinned[i].text)};
        struct lift_error errors = {0};
        struct lift_str text = {0};
        lift_expr e = lift_expr_parse(ir, &scope, &source, &errors);

        lift_error_print(&errors, stderr);
        assert_non_null(e);
        lift_expr_print(e, &text);
        assert_string_equal(lift_str_get(&text), pinned[i].printed);
        check_line(ir, e);
        lift_str_fini(&text);
    }
    lift_ir_destroy(ir);
}

/* A chain of calls that does not fit on a line is printed from the data on. */
static void test_pipe(void **state)
{
    static const char text[] =
        "join(map(fun(c => map(fun(w => reduce(add, 0.0f, w) * 0.25f + w[1] * w[1]), "
        "slide(3, 1, pad(1, 1, clamp, c)))), split(4, pad(2, 2, mirror, x))))",
                      printed[] =
                          "x\n"
                          "|> pad(2, 2, mirror)\n"
                          "|> split(4)\n"
                          "|> map(fun(c =>\n"
                          "    map(fun(w => reduce(add, 0.0f, w) * 0.25f + w[1] * w[1]), "
                          "slide(3, 1, pad(1, 1, clamp, c)))))\n"
                          "|> join";
    struct lift_ir *ir = lift_ir_create();
    lift_nat n = lift_nat_const(lift_ir_nats(ir), 16);
    lift_expr x =
        lift_expr_free(ir, "x", lift_type_array(ir, lift_type_scalar(ir, LIFT_F32), n));
    struct lift_scope scope = {.vars = &x, .var_count = 1};
    struct lift_source source = {"t", text, strlen(text)},
                       again = {"p", printed, strlen(printed)};
    struct lift_error errors = {0};
    struct lift_str out = {0};
    lift_expr e = lift_expr_parse(ir, &scope, &source, &errors);

    (void)state;
    lift_error_print(&errors, stderr);
    assert_non_null(e);
    lift_expr_print_indented(e, 0, &out);
    assert_string_equal(lift_str_get(&out), printed);
    assert_ptr_equal(lift_expr_parse(ir, &scope, &again, &errors), e);
    lift_str_fini(&out);
    lift_error_fini(&errors);
    lift_ir_destroy(ir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pinned),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_random_high),
        cmocka_unit_test(test_random_low),
        cmocka_unit_test(test_random_symbolic),
        cmocka_unit_test(test_random_large),
        cmocka_unit_test(test_all_seen),
        cmocka_unit_test(test_programs),
        cmocka_unit_test(test_programs_formatted),
        cmocka_unit_test(test_format_any_space),
        cmocka_unit_test(test_format_examples),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
