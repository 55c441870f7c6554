/* Streams: terms with mapSeqSlide as text, run on devices and compared with the
 * interpreter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel_world.h"
#include "lift/parse.h"
#include <stdio.h>

/* '@' in a term is the level that shares the columns out, with its bracket. */
static const struct stream_case {
    const char *name, *text;
    /* stand in the source of a kernel, or do not; NULL: not looked at */
    const char *shows, *hides;
} cases[] = {
    {"a partial sum is kept from its plane to the last one",
     "input x: [[f32]7]13;"
     "transpose(@fun(col => mapSeqSlide(fun(w => w[1].0 + 3.0f * w[3].1 + w[4].1), 5, 1,"
     "  zip(map(fun(v => toPrivate(v[0] + 2.0f * v[1] - v[2])),"
     "          slide(3, 1, pad(2, 0, clamp, col))), col))), transpose(x)))",
     "win_7 = win_1 + 2.0f * win_2 - win_3;", NULL},
    {"the same, unrolled",
     "input x: [[f32]7]13;"
     "transpose(@fun(col => mapSeqSlide[window=unroll](fun(w => w[1].0 + 3.0f * w[3].1 + "
     "w[4].1), 5, 1,"
     "  zip(map(fun(v => toPrivate(v[0] + 2.0f * v[1] - v[2])),"
     "          slide(3, 1, pad(2, 0, clamp, col))), col))), transpose(x)))",
     NULL, NULL},
    {"a chain of partial sums, the first of them no member of the zip",
     "input x: [[f32]7]13;"
     "transpose(@fun(col => mapSeqSlide(fun(w => 0.5f * (w[2].0 + w[2].1)), 3, 1,"
     "  zip(map(fun(t => toPrivate(t[0].0 + 2.0f * t[1].1)), slide(2, 1, zip("
     "        pad(1, 0, clamp, map(fun(v => toPrivate(v[0] - 3.0f * v[1])),"
     "                             slide(2, 1, pad(1, 0, clamp, col)))),"
     "        pad(1, 0, clamp, col)))), col))), transpose(x)))",
     "win_5 = win_3 + 2.0f * win_2;", NULL},
    {"a chain that is read late",
     "input x: [[f32]5]11;"
     "transpose(@fun(col => mapSeqSlide(fun(w => 0.5f * (w[0].0 + w[1].0 + w[3].1)), 4, "
     "1,"
     "  zip(map(fun(t => toPrivate(t[0].0 + 2.0f * t[1].1)), slide(2, 1, zip("
     "        pad(1, 0, clamp, map(fun(v => toPrivate(v[0] - 3.0f * v[1])),"
     "                             slide(2, 1, pad(1, 0, clamp, col)))),"
     "        pad(1, 0, clamp, col)))), col))), transpose(x)))",
     "win_8 = win_3 + 2.0f * win_2;", NULL},
    {"several sums at once, and one stream alone",
     "input x: [[f32]6]9;"
     "transpose(@fun(col => mapSeqSlide(fun(w => w[0].0 * w[2].1), 3, 1,"
     "  map(fun(v => toPrivate((v[0] + v[1], v[0] - v[1]))), slide(2, 1, col)))),"
     "  transpose(x)))",
     NULL, NULL},
    {"windows that step over elements",
     "input x: [[f32]6]14;"
     "transpose(@fun(col => mapSeqSlide(fun(w => w[0].0 + w[3].0 * w[4].1), 5, 2,"
     "  zip(map(fun(v => toPrivate(v[0] + 2.0f * v[1])), slide(2, 1, pad(1, 0, clamp, "
     "col))), col))),"
     "  transpose(x)))",
     NULL, NULL},
    {"windows that step, unrolled",
     "input x: [[f32]6]17;"
     "transpose(@fun(col => mapSeqSlide[window=unroll](fun(w => w[0].0 + w[3].0 * "
     "w[4].1), "
     "5, 2,"
     "  zip(map(fun(v => toPrivate(v[0] + 2.0f * v[1])), slide(2, 1, pad(1, 0, clamp, "
     "col))), col))),"
     "  transpose(x)))",
     NULL, NULL},
    {"one step",
     "input x: [[f32]6]3;"
     "transpose(@fun(col => mapSeqSlide(fun(w => w[0].0 + w[2].1), 3, 1,"
     "  zip(map(fun(v => toPrivate(v[0] + 2.0f * v[1])), slide(2, 1, pad(1, 0, clamp, "
     "col))), col))),"
     "  transpose(x)))",
     NULL, NULL},
    {"rotations of different lengths, made equal",
     "input x: [[f32]6]40;"
     "transpose(@fun(col => mapSeqSlide[window=unroll](fun(w => w[4].0 + w[0].1 * "
     "w[8].1), "
     "9, 1,"
     "  zip(map(fun(v => toPrivate(v[0] + 2.0f * v[4])), slide(5, 1, pad(4, 0, clamp, "
     "col))), col))),"
     "  transpose(x)))",
     NULL, NULL},
    {"a stored array: two points a work-item",
     "input x: [[f32]8]13;"
     "join(map(fun(t => join(transpose(t))), split(1, transpose(@fun(cols => "
     "  mapSeqSlide(fun(w => mapUnroll(fun(j => j), map(fun(p => p.0 + p.1), "
     "zip(w[1].0, w[2].1)))), 3, 1,"
     "  zip(map(fun(v => toPrivate(mapUnroll(fun(q => q.0 - 2.0f * q.1), zip(v[0], "
     "v[1])))), slide(2, 1, pad(1, 0, clamp, cols))), cols))),"
     "  split(2, transpose(x)) |> map(transpose))))))",
     NULL, NULL},
};

static void find_inputs(struct world *w, lift_expr e)
{
    if (e->kind == LIFT_EXPR_FREE) {
        for (int i = 0; i < w->in_count; i++)
            if (w->in[i] == e)
                return;
        assert_true(w->in_count < MAX_IN);
        w->in[w->in_count++] = e;
    }
    for (int i = 0; i < lift_expr_child_count(e); i++)
        find_inputs(w, lift_expr_child(e, i));
}

/* The term with its level. */
static lift_expr read_term(struct world *w, const char *text, const char *level)
{
    struct lift_diags diags = {0};
    struct lift_str with = {0};
    struct lift_source source = {.name = "term"};
    lift_expr e;

    for (; *text; text++)
        if (*text == '@')
            lift_str_add(&with, level);
        else
            lift_str_addc(&with, *text);
    source.text = lift_str_get(&with);
    source.len = strlen(source.text);
    e = lift_term_parse(w->ir, &source, &diags);
    lift_diags_print(&diags, stderr);
    assert_non_null(e);
    lift_diags_fini(&diags);
    lift_str_fini(&with);
    find_inputs(w, e);
    return e;
}

static void check(const struct stream_case *c, struct lift_device *dev, const char *level,
                  const int local[3])
{
    struct world w = {.ir = lift_ir_create()};
    enum lift_dialect dialect = lift_device_info(dev)->dialect;
    const struct lift_module *m;
    lift_expr e;

    w.nats = lift_ir_nats(w.ir);
    w.f32 = lift_type_scalar(w.ir, LIFT_F32);
    print_message("%s\n", c->name);
    e = read_term(&w, c->text, level);
    m = generate(&w, e, dialect, local);
    if (c->shows && !strstr(m->source, c->shows))
        fail_msg("no '%s' in\n%s", c->shows, m->source);
    if (c->hides && strstr(m->source, c->hides))
        fail_msg("'%s' in\n%s", c->hides, m->source);
    if (getenv("LIFT_TEST_SHOW"))
        puts(m->source);
    assert_computes(&w, e, dev, local);
    lift_ir_destroy(w.ir);
}

static void check_device(const char *name, const char *level, const int local[][3],
                         int locals)
{
    struct lift_failure failure = {0};
    struct lift_device *dev = lift_device_open(name, &failure);

    if (!dev) {
        print_message("%s\n", lift_str_get(&failure.text));
        lift_failure_fini(&failure);
        skip();
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int l = 0; l < locals; l++)
            check(&cases[i], dev, level, local[l]);
    lift_device_close(dev);
}

static void test_host(void **state)
{
    static const int local[][3] = {{1, 1, 1}};

    (void)state;
    check_device("host", "mapPar(", local, 1);
}

static void test_opencl(void **state)
{
    static const int local[][3] = {{1, 1, 1}, {4, 2, 1}};

    (void)state;
    check_device("opencl", "mapGlb(0, ", local, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_host),
                                       cmocka_unit_test(test_opencl)};

    return cmocka_run_group_tests_name("streams", tests, NULL, NULL);
}
