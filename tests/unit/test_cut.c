/* Programs cut along their planes, by the interpreter: parts with ghost planes, boundary
 * first, equal the whole. Random programs: LIFT_CUT_CASES of them (60). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "ir/cut.h"
#include "ir/eval.h"
#include "lift/build.h"
#include "random_cut.h"
#include "time_loop.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BINDINGS = LIFT_MAX_ARGS + LIFT_MAX_SCALARS, MOST_PARTS = 5 };

static struct lift_source source_of(const char *text)
{
    return (struct lift_source){lift_strdup("test"), lift_strdup(text), strlen(text)};
}

/* ---- running a program */

static void take_step(const struct lift_program *p, struct lift_arena *arena,
                      struct lift_binding *b)
{
    struct lift_eval_env env = {
        .values = b, .value_count = p->input_count + p->param_count, .round_f32 = true};

    advance_once(p, &env, arena, b);
}

static const struct lift_program *load(struct lift_ir *ir, const char *text,
                                       const char *size, int64_t value)
{
    struct lift_size_setting setting = {size, value};
    struct lift_program_options o = {.sizes = &setting, .size_count = size ? 1 : 0};
    struct lift_source source = source_of(text);
    struct lift_error errors = {0};
    const struct lift_program *p = lift_program_load(ir, &source, &o, &errors);

    lift_error_print(&errors, stderr);
    if (!p)
        fail_msg("%s", text);
    lift_source_free(&source);
    return p;
}

static void bind_all(const struct lift_program *p, struct lift_arena *arena,
                     struct lift_rng *rng, struct lift_binding *b)
{
    for (int i = 0; i < p->input_count; i++) {
        b[i].name = p->inputs[i].name;
        assert_true(
            lift_value_random(arena, p->inputs[i].type, NULL, NULL, rng, &b[i].value));
    }
    for (int i = 0; i < p->param_count; i++)
        b[p->input_count + i] = (struct lift_binding){
            p->params[i].name, p->params[i].scalar == LIFT_I32
                                   ? lift_value_int((int64_t)p->params[i].value)
                                   : lift_value_float(p->params[i].value)};
}

/* ---- parts */

struct part {
    int64_t first, planes, begin, length;
};

struct world {
    struct lift_arena *arena;
    struct lift_ir *general;
    struct lift_cut cut;
    int64_t planes;
    struct part parts[MOST_PARTS];
    int count, inputs;
    int beside; /* steps of parts, boundary first */
};

/* Elements begin .. begin + length of a grid, in a ring beyond its ends. */
static struct lift_value slice(const struct world *w, struct lift_value grid,
                               const struct part *part)
{
    struct lift_value *items = LIFT_NEW_ARRAY(w->arena, struct lift_value, part->length);

    for (int64_t i = 0; i < part->length; i++)
        items[i] = grid.u.items[(part->begin + i + w->planes) % w->planes];
    grid.count = part->length;
    grid.u.items = items;
    return grid;
}

static void place_parts(struct world *w, int launches)
{
    int64_t before = launches * w->cut.before, after = launches * w->cut.after;

    for (int i = 0; i < w->count; i++) {
        struct part *p = &w->parts[i];
        int64_t end;

        p->first = w->planes * i / w->count;
        p->planes = w->planes * (i + 1) / w->count - p->first;
        p->begin = i || w->cut.ring ? p->first - before : 0;
        end = p->first + p->planes + (i + 1 < w->count || w->cut.ring ? after : 0);
        p->length = end - p->begin;
    }
}

static void copy_grids(const struct world *w, const struct lift_binding *from,
                       struct lift_binding *to)
{
    memcpy(to, from, BINDINGS * sizeof *to);
    for (int i = 0; i < w->inputs; i++)
        if (w->cut.cut[i])
            to[i].value.u.items =
                lift_arena_copy(w->arena, from[i].value.u.items,
                                (size_t)from[i].value.count * sizeof(struct lift_value));
}

/* Arrays with the input planes that an opened program reads beyond its ends. */
struct beyond {
    struct lift_ir *ir;
    lift_expr from[LIFT_MAX_ARGS], to[LIFT_MAX_ARGS];
    int count;
};

static void find_beyond(struct beyond *f, lift_expr e)
{
    for (int i = 0; i < f->count; i++)
        if (f->from[i] == e)
            return;
    if (lift_expr_is(e, LIFT_PAD_STORED)) {
        f->from[f->count] = e;
        f->to[f->count++] = lift_fresh(f->ir, "beyond", e->type);
        return;
    }
    for (int i = 0;
         lift_expr_mentions(e, LIFT_PAD_STORED) && i < lift_expr_child_count(e); i++)
        find_beyond(f, lift_expr_child(e, i));
}

static struct lift_value some_planes(const struct world *w, struct lift_value grid,
                                     int64_t begin, int64_t length)
{
    const struct part planes = {.begin = begin, .length = length};
    const struct world local = {.arena = w->arena, .planes = grid.count};

    assert_true(begin >= 0 && begin + length <= grid.count);
    return slice(&local, grid, &planes);
}

static struct lift_binding bind_beyond(const struct world *w,
                                       const struct lift_program *p, lift_expr pad,
                                       lift_expr var, int64_t begin, int64_t length,
                                       const struct lift_binding *b)
{
    struct lift_binding out = {.name = var->u.name};
    int64_t before = 0, after = 0;

    assert_true(lift_nat_is_const(pad->u.prim.nats[0], &before) &&
                lift_nat_is_const(pad->u.prim.nats[1], &after));
    for (int i = 0; i < p->input_count; i++)
        if (p->inputs[i].var == lift_expr_arg(pad, 1))
            out.value =
                some_planes(w, b[i].value, begin - before, before + length + after);
    return out;
}

/* Computes planes begin .. begin + length of the arrays of a part one step later. Where
 * ends are open, the part's arrays include the grid's continuation. */
static void step_window(const struct world *w, const struct part *part, int64_t begin,
                        int64_t length, const bool *open, struct lift_binding *b)
{
    struct beyond f = {.ir = lift_ir_create()};
    struct lift_str text = {0}, why = {0};
    const struct lift_program *opened =
        lift_cut_open(w->general, &w->cut, w->cut.part, open, &why);
    struct lift_program p;
    int count;

    if (!opened)
        fail_msg("%s", lift_str_get(&why));
    lift_program_print(opened, &text);
    p = *load(f.ir, lift_str_get(&text), w->cut.size, length);
    count = p.input_count + p.param_count;
    find_beyond(&f, p.body);
    for (int i = 0; i < f.count; i++)
        b[count + i] =
            bind_beyond(w, &p, f.from[i], f.to[i], begin - part->begin, length, b);
    p.body = lift_expr_replace(f.ir, p.body, f.from, f.to, f.count);
    for (int i = 0; i < p.input_count; i++)
        if (w->cut.cut[i])
            b[i].value = some_planes(w, b[i].value, begin - part->begin, length);
    if (w->cut.first)
        b[count - 1] = (struct lift_binding){
            w->cut.first, lift_value_int((begin + w->planes) % w->planes)};
    advance_once(&p,
                 &(struct lift_eval_env){
                     .values = b, .value_count = count + f.count, .round_f32 = true},
                 w->arena, b);
    lift_str_fini(&text);
    lift_ir_destroy(f.ir);
}

/* A window of a part, from the arrays before the step, to those behind it. */
static void step_some(const struct world *w, const struct part *part, int64_t first,
                      int64_t planes, const bool *open, const struct lift_binding *old,
                      struct lift_binding *b)
{
    struct lift_binding window[BINDINGS];

    if (!planes)
        return;
    memcpy(window, old, sizeof window);
    step_window(w, part, first, planes, open, window);
    for (int i = 0; i < w->inputs; i++)
        for (int64_t k = 0; w->cut.cut[i] && k < planes; k++)
            ((struct lift_value *)b[i].value.u.items)[first + k - part->begin] =
                window[i].value.u.items[k];
}

/* Boundary first: planes at the ends that neighbours fetch by themselves, and then those
 * between, each once. False if there is nothing between them. */
static bool step_boundary_first(const struct world *w, const struct part *part,
                                int launches, struct lift_binding *b)
{
    int64_t before = w->cut.before, after = w->cut.after;
    int64_t end = part->first + part->planes, low = 0, high = 0;
    const bool all[] = {true, true};
    const bool open[] = {part->begin<part->first, part->begin + part->length> end};
    struct lift_binding old[BINDINGS];

    if (open[0])
        low = launches * after;
    if (open[1])
        high = launches * before;
    if (part->planes <= low + high || (!open[1] && part->planes < low + after) ||
        (!open[0] && part->planes < high + before))
        return false;
    memcpy(old, b, sizeof old);
    copy_grids(w, old, b);
    step_some(w, part, part->first, low, all, old, b);
    step_some(w, part, end - high, high, all, old, b);
    step_some(w, part, part->first + low, part->planes - low - high, open, old, b);
    return true;
}

/* Runs 'launches' launches of one part, and stores its planes in the grids of 'to'. */
static void run_part(struct world *w, const struct part *part, int launches,
                     const struct lift_binding *from, struct lift_binding *to)
{
    struct lift_ir *ir = lift_ir_create();
    struct lift_str text = {0};
    const struct lift_program *p;
    struct lift_binding b[BINDINGS];

    lift_program_print(w->cut.part, &text);
    p = load(ir, lift_str_get(&text), w->cut.size, part->length);
    memcpy(b, from, sizeof b);
    for (int i = 0; i < p->input_count; i++)
        if (w->cut.cut[i])
            b[i].value = slice(w, from[i].value, part);
    if (w->cut.first)
        b[p->input_count + p->param_count - 1] = (struct lift_binding){
            w->cut.first, lift_value_int((part->begin + w->planes) % w->planes)};
    for (int n = 1; n < launches; n++)
        take_step(p, w->arena, b);
    if (step_boundary_first(w, part, launches, b))
        w->beside++;
    else
        take_step(p, w->arena, b);
    for (int i = 0; i < p->input_count; i++)
        for (int64_t k = 0; w->cut.cut[i] && k < part->planes; k++)
            ((struct lift_value *)to[i].value.u.items)[part->first + k] =
                b[i].value.u.items[part->first - part->begin + k];
    lift_str_fini(&text);
    lift_ir_destroy(ir);
}

static void compare(const char *text, const struct lift_program *p,
                    const struct lift_binding *a, const struct lift_binding *b)
{
    struct lift_str where = {0};

    for (int i = 0; i < p->input_count; i++)
        if (!lift_value_same(a[i].value, b[i].value, &where))
            fail_msg("%s: %s\n%s", p->inputs[i].name, lift_str_get(&where), text);
}

/* Cuts a program of that size of planes, and compares; 0 if its parts are too small, 2 if
 * some of them made a step boundary first. */
static int try_parts(const char *text, int64_t planes, int parts, int launches,
                     struct lift_rng *rng)
{
    struct lift_ir *general = lift_ir_create(), *ir = lift_ir_create();
    struct lift_source source = source_of(text);
    struct lift_error errors = {0};
    struct lift_str why = {0};
    struct world w = {.arena = lift_arena_create(),
                      .general = general,
                      .planes = planes,
                      .count = parts};
    const struct lift_program *g, *p = load(ir, text, NULL, 0);
    struct lift_binding whole[BINDINGS], cut[BINDINGS], next[BINDINGS];
    bool fits;

    g = lift_program_load_general(&general, &source, NULL, &errors);
    assert_non_null(g);
    w.inputs = p->input_count;
    if (!lift_cut_find(general, g, 0, planes, &w.cut, &why))
        fail_msg("%s\n%s", lift_str_get(&why), text);
    bind_all(p, w.arena, rng, whole);
    memcpy(cut, whole, sizeof cut);
    fits = launches * (w.cut.before > w.cut.after ? w.cut.before : w.cut.after) <=
           planes * 3 / (5 * parts);
    place_parts(&w, launches);
    for (int n = 0; fits && n < 2 * launches; n += launches) {
        copy_grids(&w, cut, next);
        for (int i = 0; i < parts; i++)
            run_part(&w, &w.parts[i], launches, cut, next);
        memcpy(cut, next, sizeof cut);
        for (int k = 0; k < launches; k++)
            take_step(p, w.arena, whole);
    }
    compare(text, p, whole, cut);
    lift_arena_destroy(w.arena);
    lift_source_free(&source);
    lift_ir_destroy(general);
    lift_ir_destroy(ir);
    return fits + (w.beside > 0);
}

/* ---- random programs */

static void test_random(void **state)
{
    const char *asked = getenv("LIFT_CUT_CASES");
    int64_t cases = asked ? strtoll(asked, NULL, 10) : 60, done = 0;
    int64_t beside = 0;
    struct lift_rng rng;

    (void)state;
    lift_rng_seed(&rng, 11);
    for (int64_t i = 0; done < cases && i < 4 * cases; i++) {
        int64_t planes = lift_rng_range(&rng, 6, 40);
        struct lift_str text = {0};
        int tried;

        random_cut(&text, &rng, planes, 0);
        tried = try_parts(lift_str_get(&text), planes, 2 + (int)below(&rng, 4),
                          1 + (int)below(&rng, 3), &rng);
        done += tried > 0;
        beside += tried == 2;
        lift_str_fini(&text);
    }
    assert_int_equal(done, cases);
    assert_true(beside > cases / 2);
}

/* ---- programs that cannot be cut */

static const struct refused {
    const char *text, *why;
    int dim;
} refused[] = {
    {"size n = 8\nstencil s(u: [[f32]n]n) -> v = map2(a => a, u)\n", "and no other"},
    {"stencil s(u: [f32]8) -> v = map(a => a, u)\n", "no size of the program"},
    {"size n = 8\nstencil s(u: [f32]n) -> v = reorder(fun(i => n - 1 - i), u)\n",
     "'reorder'"},
    {"size n = 8\nstencil s(u: [f32]n) -> v = map(a => a + u[0], u)\n", "'at'"},
    {"size n = 8\nstencil s(u: [f32]n) -> v = map(a => a * reduce(add, 0.0, u), u)\n",
     "'reduce'"},
    {"size n = 8\nstencil s(u, w: [f32]n) -> v = map(fun((a, b) => a[0] + b[2]), "
     "zip(slide(3, 1, pad(1, 1, wrap, u)), slide(3, 1, pad(1, 1, clamp, w))))\n",
     "periodic"},
    {"size n = 8\nstencil s(u: [f32]n) -> v = map(a => a, u)\n",
     "the second length of the result is no size", 1},
    {"size n = 8, m = 4\nstencil s(u: [[f32]m]n) -> v = map(r => map(a => a + r[0], r), "
     "u)\n",
     "'at'", 1},
    {"size n = 8, m = 4\nstencil s(u: [[f32]m]n, c: [f32]m) -> v = "
     "map(r => map(fun((a, b) => a * b), zip(r, c)), u)\n",
     "'c' is not a grid whose second length", 1},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct lift_source source = source_of(refused[i].text);
        struct lift_ir *ir = lift_ir_create();
        struct lift_error errors = {0};
        struct lift_str why = {0};
        struct lift_cut cut;
        const struct lift_program *p =
            lift_program_load_general(&ir, &source, NULL, &errors);

        lift_error_print(&errors, stderr);
        assert_non_null(p);
        if (lift_cut_find(ir, p, refused[i].dim, 8, &cut, &why) ||
            !strstr(lift_str_get(&why), refused[i].why))
            fail_msg("%s: '%s'", refused[i].text, lift_str_get(&why));
        lift_str_fini(&why);
        lift_source_free(&source);
        lift_ir_destroy(ir);
    }
}

/* ---- fetched planes */

static void test_fetched(void **state)
{
    struct lift_source source = source_of(
        "size n = 8\n"
        "stencil s(u, w, c: [f32]n) -> v = map(fun((a, b, c) => a[0] + a[3] + b + c),\n"
        "    zip(slide(4, 1, pad(1, 2, clamp, u)), w, c))\n"
        "time (u, w) <- (v, u)\n");
    const int64_t wanted[][2][3] = {{{1, 0, 0}, {2, 0, 0}}, {{2, 2, 0}, {4, 4, 0}}};
    struct lift_ir *ir = lift_ir_create();
    struct lift_error errors = {0};
    struct lift_str why = {0};
    struct lift_cut cut;
    const struct lift_program *p = lift_program_load_general(&ir, &source, NULL, &errors);

    (void)state;
    assert_non_null(p);
    assert_true(lift_cut_find(ir, p, 0, 8, &cut, &why));
    for (int launches = 1; launches <= 2; launches++)
        for (int i = 0; i < 3; i++) {
            struct lift_fetched f = lift_cut_fetched(&cut, p, i, launches);

            assert_int_equal(f.before, wanted[launches - 1][0][i]);
            assert_int_equal(f.after, wanted[launches - 1][1][i]);
        }
    lift_source_free(&source);
    lift_ir_destroy(ir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_fetched)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
