/* Malformed kernels are rejected, each for its own reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codegen/kast_check.h"
#include "codegen/passes/passes.h"
#include "codegen/text/dialect.h"
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* A kernel that reads 'in' and writes 'out', with an array for the group, one for the
 * work-item, memory barriers and a tensor. */
struct world {
    struct lift_ir *ir;
    struct lift_arena *arena;
    struct kernel kernel;
    struct kbuffer in, out, tile, reg, bars, *buffers[5];
    struct ktensor tensor;
    struct lift_bind param;
    lift_type f32, i32, vec;
};

static void add_buffer(struct world *w, struct kbuffer *b, const char *name,
                       enum kspace space)
{
    *b = (struct kbuffer){.name = name,
                          .space = space,
                          .scalar = LIFT_F32,
                          .count = 64,
                          .bind = -1,
                          .written = strcmp(name, "in") != 0};
    w->kernel.buffers[w->kernel.buffer_count++] = b;
}

static void begin(struct world *w)
{
    *w = (struct world){.ir = lift_ir_create()};
    w->arena = lift_ir_arena(w->ir);
    w->kernel.name = "k";
    w->kernel.buffers = w->buffers;
    add_buffer(w, &w->in, "in", KSPACE_GLOBAL);
    add_buffer(w, &w->out, "out", KSPACE_GLOBAL);
    add_buffer(w, &w->tile, "tile", KSPACE_LOCAL);
    add_buffer(w, &w->reg, "reg", KSPACE_PRIVATE);
    add_buffer(w, &w->bars, "bars", KSPACE_LOCAL);
    w->tensor = (struct ktensor){.shape = {.dims = 2}, .buffer = &w->in, .name = "map"};
    w->kernel.tensors = &w->tensor;
    w->kernel.tensor_count = 1;
    w->param = (struct lift_bind){.kind = LIFT_BIND_PARAM, .name = "p"};
    w->f32 = lift_type_scalar(w->ir, LIFT_F32);
    w->i32 = lift_type_scalar(w->ir, LIFT_I32);
    w->vec = lift_type_vector(w->ir, LIFT_F32, 4);
}

static void end(struct world *w)
{
    lift_ir_destroy(w->ir);
}

static void refused(struct world *w, const struct ks *where, const char *what)
{
    struct ks_flaw flaw;

    assert_false(ks_check(w->ir, &w->kernel, &w->param, 1, &flaw));
    assert_string_equal(flaw.what, what);
    assert_ptr_equal(flaw.where, where);
    end(w);
}

static void accepted(struct world *w)
{
    struct ks_flaw flaw;

    if (!ks_check(w->ir, &w->kernel, &w->param, 1, &flaw))
        fail_msg("%s", flaw.what);
    end(w);
}

/* ---- parts of kernels */

static lift_nat number(struct world *w, int64_t n)
{
    return lift_nat_const(lift_ir_nats(w->ir), n);
}

static lift_nat index_of(struct world *w, const char *name)
{
    return lift_nat_var(lift_ir_nats(w->ir), name, LIFT_VAR_INDEX, 0, 7);
}

static struct ks *add(struct kblock *to, struct ks *s)
{
    ks_append(to, s);
    return s;
}

static struct ks *add_loop(struct world *w, struct kblock *to, enum kloop level, int dim,
                           const char *name)
{
    return add(to, ks_loop(w->arena, level, dim, index_of(w, name), 8));
}

static kx load(struct world *w, struct kbuffer *b, lift_nat at)
{
    return kx_load(w->ir, b, at, w->f32);
}

static kx one(struct world *w)
{
    return kx_float(w->ir, LIFT_F32, 1);
}

static struct ks *add_store(struct world *w, struct kblock *to, struct kbuffer *b,
                            lift_nat at, kx value)
{
    return add(to, ks_store(w->arena, b, at, value));
}

/* in[i] < 1, or an index that is less than 4. */
static kx test_of(struct world *w, kx e)
{
    kx than = e->kind == KX_NAT ? kx_int(w->ir, 4) : one(w);

    return kx_op(w->ir, LIFT_LT, lift_type_scalar(w->ir, LIFT_BOOL), (kx[]){e, than}, 2);
}

static struct kbatch batch(struct world *w, int64_t count)
{
    return (struct kbatch){&w->bars, number(w, 0), count};
}

static struct kblock *body(struct world *w)
{
    return &w->kernel.body;
}

/* ---- well-formed kernels */

static void a_kernel_of_groups(void **state)
{
    struct world w;
    const char *v = "v";
    struct ks *group, *fill, *use, *steps, *test;

    (void)state;
    begin(&w);
    group = add_loop(&w, body(&w), KLOOP_WRG, 0, "w0");
    add(&group->loop.body, ks_array(w.arena, &w.tile));
    add(&group->loop.body, ks_array(w.arena, &w.bars));
    add(&group->loop.body, ks_open(w.arena, &w.bars, 2, KBARS_BOXES));
    fill = add_loop(&w, &group->loop.body, KLOOP_LCL, 0, "l0");
    add_store(&w, &fill->loop.body, &w.tile, index_of(&w, "l0"),
              load(&w, &w.in, index_of(&w, "l0")));
    steps = add_loop(&w, &group->loop.body, KLOOP_SEQ, 0, "i0");
    add(&steps->loop.body, ks_barrier(w.arena));
    test = add(&steps->loop.body,
               ks_if(w.arena, test_of(&w, kx_nat(w.ir, index_of(&w, "i0")))));
    add(&test->test.body, ks_barrier(w.arena));
    add(&test->test.otherwise, ks_announce(w.arena, KS_COMMIT, batch(&w, 2)));
    add(&test->test.otherwise,
        ks_box(w.arena, &w.tile, number(&w, 0), batch(&w, 2),
               (struct kbox){0, {number(&w, 0), index_of(&w, "w0")}}));
    use = add_loop(&w, &group->loop.body, KLOOP_LCL, 0, "l0");
    add(&use->loop.body, ks_decl(w.arena, v, load(&w, &w.tile, index_of(&w, "l0"))));
    add(&use->loop.body, ks_assign(w.arena, v, kx_var(w.ir, w.param.name, w.f32)));
    add(&group->loop.body, ks_close(w.arena, &w.bars, 2, KBARS_BOXES));
    accepted(&w);
}

static void asynchronous_stores(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    add(body(&w), ks_array(w.arena, &w.tile));
    add_store(&w, body(&w), &w.tile, number(&w, 0), load(&w, &w.in, number(&w, 0)))
        ->store.async = true;
    add(body(&w), ks_commit(w.arena));
    add(body(&w), ks_wait(w.arena, (struct kbatch){0}, 0));
    accepted(&w);
}

/* ---- variables */

static void used_before_it_is_declared(void **state)
{
    struct world w;
    const char *v = "v";
    struct ks *s;

    (void)state;
    begin(&w);
    s = add_store(&w, body(&w), &w.out, number(&w, 0), kx_var(w.ir, v, w.f32));
    add(body(&w), ks_decl(w.arena, v, one(&w)));
    refused(&w, s, "'v' is not declared");
}

static void used_outside_its_block(void **state)
{
    struct world w;
    const char *v = "v";
    struct ks *loop, *s;

    (void)state;
    begin(&w);
    loop = add_loop(&w, body(&w), KLOOP_SEQ, 0, "i0");
    add(&loop->loop.body, ks_decl(w.arena, v, one(&w)));
    s = add(body(&w), ks_assign(w.arena, v, one(&w)));
    refused(&w, s, "'v' is assigned before it is declared");
}

static void declared_twice(void **state)
{
    struct world w;
    const char *v = "v";
    struct ks *loop, *s;

    (void)state;
    begin(&w);
    add(body(&w), ks_decl(w.arena, v, one(&w)));
    loop = add_loop(&w, body(&w), KLOOP_SEQ, 0, "i0");
    s = add(&loop->loop.body, ks_decl(w.arena, v, one(&w)));
    refused(&w, s, "'v' is declared twice");
}

static void of_another_type(void **state)
{
    struct world w;
    const char *v = "v";
    struct ks *s;

    (void)state;
    begin(&w);
    add(body(&w), ks_decl(w.arena, v, one(&w)));
    s = add_store(&w, body(&w), &w.out, number(&w, 0), kx_var(w.ir, v, w.vec));
    refused(&w, s, "'v' is of another type");
}

static void assigned_another_type(void **state)
{
    struct world w;
    const char *v = "v";
    struct ks *s;

    (void)state;
    begin(&w);
    add(body(&w), ks_decl(w.arena, v, one(&w)));
    s = add(body(&w), ks_assign(w.arena, v, kx_int(w.ir, 1)));
    refused(&w, s, "'v' is assigned a value of another type");
}

static void an_index_of_no_loop_around(void **state)
{
    struct world w;
    struct ks *s;

    (void)state;
    begin(&w);
    add_loop(&w, body(&w), KLOOP_SEQ, 0, "i0");
    s = add_store(&w, body(&w), &w.out, index_of(&w, "i0"), one(&w));
    refused(&w, s, "the index 'i0' is not declared");
}

static void an_index_that_is_no_number(void **state)
{
    struct world w;
    lift_nat at;
    struct ks *s;

    (void)state;
    begin(&w);
    at = index_of(&w, "at0");
    add(body(&w), ks_decl(w.arena, lift_nat_is_var(at, NULL), one(&w)));
    s = add_store(&w, body(&w), &w.out, at, one(&w));
    refused(&w, s, "the index 'at0' is no i32");
}

static void a_size_that_is_no_number(void **state)
{
    struct world w;
    struct ks *s;

    (void)state;
    begin(&w);
    s = add_store(&w, body(&w), &w.out,
                  lift_nat_var(lift_ir_nats(w.ir), "n", LIFT_VAR_SIZE, 1, 9), one(&w));
    refused(&w, s, "'n' stands for an index that is not known");
}

/* ---- expressions */

static void a_lane_that_there_is_not(void **state)
{
    struct world w;
    struct kx *lane;
    const char *v = "v";
    struct ks *s;

    (void)state;
    begin(&w);
    add(body(&w), ks_decl(w.arena, v, kx_load(w.ir, &w.in, number(&w, 0), w.vec)));
    lane = (struct kx *)kx_lane(w.ir, kx_var(w.ir, v, w.vec), 3);
    lane->lane = 4;
    s = add_store(&w, body(&w), &w.out, number(&w, 0), lane);
    refused(&w, s, "a lane that the vector has not");
}

static void too_few_lanes(void **state)
{
    struct world w;
    struct ks *s;

    (void)state;
    begin(&w);
    s = add_store(&w, body(&w), &w.out, number(&w, 0),
                  kx_lanes(w.ir, w.vec, (kx[]){one(&w), one(&w)}, 2));
    refused(&w, s, "a vector of other lanes than it has");
}

static void a_sum_of_other_types(void **state)
{
    struct world w;
    struct ks *s;
    kx sum;

    (void)state;
    begin(&w);
    sum = kx_op(w.ir, LIFT_ADD, w.f32,
                (kx[]){load(&w, &w.in, number(&w, 0)), kx_int(w.ir, 1)}, 2);
    s = add_store(&w, body(&w), &w.out, number(&w, 0), sum);
    refused(&w, s, "operands of another type than the result");
}

static void a_row_of_one_vector(void **state)
{
    struct world w;
    struct ks *s;
    kx v;

    (void)state;
    begin(&w);
    v = kx_load(w.ir, &w.in, number(&w, 0), w.vec);
    s = add_store(&w, body(&w), &w.out, number(&w, 0), kx_row(w.ir, v, v, 4));
    refused(&w, s, "a row that is not of two vectors");
}

static void a_test_that_is_no_bool(void **state)
{
    struct world w;
    struct ks *s;

    (void)state;
    begin(&w);
    s = add(body(&w), ks_if(w.arena, one(&w)));
    refused(&w, s, "a test that is no bool");
}

static void a_statement_without_its_value(void **state)
{
    struct world w;
    struct ks *s;

    (void)state;
    begin(&w);
    s = add(body(&w), ks_decl(w.arena, "v", NULL));
    refused(&w, s, "a statement without its value");
}

/* ---- buffers */

static void a_buffer_of_another_kernel(void **state)
{
    struct world w;
    struct kbuffer other;
    struct ks *s;

    (void)state;
    begin(&w);
    other = w.in;
    other.name = "other";
    s = add_store(&w, body(&w), &w.out, number(&w, 0), load(&w, &other, number(&w, 0)));
    refused(&w, s, "'other' is no buffer of the kernel");
}

static void an_array_that_is_not_declared(void **state)
{
    struct world w;
    struct ks *s;

    (void)state;
    begin(&w);
    s = add_store(&w, body(&w), &w.reg, number(&w, 0), one(&w));
    refused(&w, s, "the array 'reg' is not declared");
}

static void a_store_to_a_constant_array(void **state)
{
    struct world w;
    struct ks *s;

    (void)state;
    begin(&w);
    s = add_store(&w, body(&w), &w.in, number(&w, 0), one(&w));
    refused(&w, s, "a store to 'in', which is not written");
}

static void a_store_of_another_type(void **state)
{
    struct world w;
    struct ks *s;

    (void)state;
    begin(&w);
    s = add_store(&w, body(&w), &w.out, number(&w, 0), kx_int(w.ir, 1));
    refused(&w, s, "a store of another type than 'out'");
}

static void a_load_of_another_type(void **state)
{
    struct world w;
    struct ks *s;

    (void)state;
    begin(&w);
    s = add(body(&w), ks_decl(w.arena, "v", kx_load(w.ir, &w.in, number(&w, 0), w.i32)));
    refused(&w, s, "a load of another type than 'in'");
}

static void an_array_in_global_memory(void **state)
{
    struct world w;
    struct ks *s;

    (void)state;
    begin(&w);
    s = add(body(&w), ks_array(w.arena, &w.out));
    refused(&w, s, "an array that is in global memory");
}

/* ---- loops and barriers */

static void one_dimension_twice(void **state)
{
    struct world w;
    struct ks *outer, *s;

    (void)state;
    begin(&w);
    outer = add_loop(&w, body(&w), KLOOP_GLB, 1, "g0");
    s = add_loop(&w, &outer->loop.body, KLOOP_GLB, 1, "g1");
    refused(&w, s, "loops of one level and dimension in each other");
}

static void a_loop_of_nothing(void **state)
{
    struct world w;
    struct ks *s;

    (void)state;
    begin(&w);
    s = add(body(&w), ks_loop(w.arena, KLOOP_SEQ, 0, index_of(&w, "i0"), 0));
    refused(&w, s, "a loop of no iterations");
}

static void a_loop_over_no_index(void **state)
{
    struct world w;
    struct ks *s;

    (void)state;
    begin(&w);
    s = add(body(&w), ks_loop(w.arena, KLOOP_SEQ, 0, number(&w, 1), 8));
    refused(&w, s, "a loop without an index");
}

static void not_all_meet(struct world *w, struct kblock *block)
{
    refused(w, add(block, ks_barrier(w->arena)),
            "a barrier that work-items of a group may not all meet");
}

static void a_barrier_of_some_items(void **state)
{
    struct world w;
    struct ks *loop;

    (void)state;
    begin(&w);
    loop = add_loop(&w, body(&w), KLOOP_LCL, 0, "l0");
    not_all_meet(&w, &loop->loop.body);
}

static void a_barrier_of_the_elected(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    not_all_meet(&w, &add(body(&w), ks_elect(w.arena))->elect.body);
}

/* A thread's registers are private. */
static void a_barrier_under_a_test(void **state)
{
    struct world w;
    struct ks *test;
    const char *v = "v";

    (void)state;
    begin(&w);
    add(body(&w), ks_array(w.arena, &w.reg));
    add(body(&w), ks_decl(w.arena, v, load(&w, &w.reg, number(&w, 0))));
    test = add(body(&w), ks_if(w.arena, test_of(&w, kx_var(w.ir, v, w.f32))));
    not_all_meet(&w, &test->test.otherwise);
}

/* ---- batches */

static void a_batch_without_memory_barriers(void **state)
{
    struct world w;
    struct ks *s;

    (void)state;
    begin(&w);
    add(body(&w), ks_array(w.arena, &w.bars));
    s = add(body(&w), ks_announce(w.arena, KS_COMMIT, batch(&w, 2)));
    refused(&w, s, "the memory barriers 'bars' were not made");
}

static void a_batch_behind_their_end(void **state)
{
    struct world w;
    struct ks *s;

    (void)state;
    begin(&w);
    add(body(&w), ks_array(w.arena, &w.bars));
    add(body(&w), ks_open(w.arena, &w.bars, 2, KBARS_BOXES));
    add(body(&w), ks_close(w.arena, &w.bars, 2, KBARS_BOXES));
    s = add(body(&w), ks_wait(w.arena, batch(&w, 2), 0));
    refused(&w, s, "the memory barriers 'bars' were not made");
}

static void memory_barriers_made_twice(void **state)
{
    struct world w;
    struct ks *s;

    (void)state;
    begin(&w);
    add(body(&w), ks_array(w.arena, &w.bars));
    add(body(&w), ks_open(w.arena, &w.bars, 2, KBARS_BOXES));
    s = add(body(&w), ks_open(w.arena, &w.bars, 2, KBARS_BOXES));
    refused(&w, s, "the memory barriers 'bars' are made twice");
}

static void other_memory_barriers(void **state)
{
    struct world w;
    struct ks *s;

    (void)state;
    begin(&w);
    add(body(&w), ks_array(w.arena, &w.bars));
    add(body(&w), ks_open(w.arena, &w.bars, 2, KBARS_BOXES));
    s = add(body(&w), ks_announce(w.arena, KS_COMMIT, batch(&w, 3)));
    refused(&w, s, "a batch of other memory barriers than 'bars' has");
}

static void a_wait_for_nothing(void **state)
{
    struct world w;
    struct ks *s;

    (void)state;
    begin(&w);
    s = add(body(&w), ks_wait(w.arena, (struct kbatch){0}, 0));
    refused(&w, s, "a wait for batches of which none was committed");
}

static void stores_of_no_batch(void **state)
{
    struct world w;

    (void)state;
    begin(&w);
    add(body(&w), ks_array(w.arena, &w.tile));
    add_store(&w, body(&w), &w.tile, number(&w, 0), load(&w, &w.in, number(&w, 0)))
        ->store.async = true;
    refused(&w, NULL, "asynchronous stores that no batch has");
}

static void a_box_of_no_tensor(void **state)
{
    struct world w;
    struct ks *s;

    (void)state;
    begin(&w);
    add(body(&w), ks_array(w.arena, &w.bars));
    add(body(&w), ks_array(w.arena, &w.tile));
    add(body(&w), ks_open(w.arena, &w.bars, 2, KBARS_BOXES));
    s = add(body(&w), ks_box(w.arena, &w.tile, number(&w, 0), batch(&w, 2),
                             (struct kbox){.tensor = 1}));
    refused(&w, s, "a box of a tensor that the kernel has not");
}

/* ---- blocks */

static void a_block_that_lost_its_end(void **state)
{
    struct world w;
    struct ks *loop;

    (void)state;
    begin(&w);
    loop = add_loop(&w, body(&w), KLOOP_SEQ, 0, "i0");
    add(&loop->loop.body, ks_fence(w.arena));
    loop->loop.body.last = NULL;
    refused(&w, loop, "a block that does not know its last statement");
}

static void a_block_of_another_statement(void **state)
{
    struct world w;
    struct ks *loop;

    (void)state;
    begin(&w);
    loop = add_loop(&w, body(&w), KLOOP_SEQ, 0, "i0");
    loop->loop.body.of = NULL;
    refused(&w, loop, "a block of another statement");
}

/* A flaw is reported with its statement, which no dialect need have a text for. */
static void statements_have_a_text(void **state)
{
    struct world w;
    struct lift_str text = {0};
    struct ks *s;

    (void)state;
    begin(&w);
    s = ks_store(w.arena, &w.tile, number(&w, 3), one(&w));
    s->store.async = true;
    cg_print_plain_statement(s, &text);
    assert_string_equal(lift_str_get(&text), "tile[3] = 1.0f async");
    lift_str_clear(&text);
    cg_print_plain_statement(ks_decl(w.arena, "v", NULL), &text);
    assert_string_equal(lift_str_get(&text), "v = nothing");
    lift_str_fini(&text);
    end(&w);
}

/* Checks in a separate process, whose output goes to 'text'. */
static void check_and_abort(struct world *w, char *text, size_t size)
{
    struct lift_codegen_options options = {.dialect = LIFT_DIALECT_OPENMP};
    struct gen g = {.ir = w->ir, .options = &options, .binds = &w->param};
    int ends[2], status;
    size_t len = 0;
    ssize_t got;
    pid_t child;

    assert_int_equal(pipe(ends), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        cg_check_kernel(&g, &w->kernel, "held");
        _exit(0);
    }
    close(ends[1]);
    while ((got = read(ends[0], text + len, size - 1 - len)) > 0)
        len += (size_t)got;
    text[len] = '\0';
    close(ends[0]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
}

static void a_pass_that_breaks_one_is_named(void **state)
{
    struct world w;
    char text[512];

    (void)state;
    begin(&w);
    add_store(&w, body(&w), &w.out, number(&w, 3), kx_var(w.ir, "v", w.f32));
    check_and_abort(&w, text, sizeof text);
    assert_non_null(strstr(text, "bug: pass 'held' leaves k that is not well formed: "
                                 "'v' is not declared: out[3] = v\n"));
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_of_groups),
        cmocka_unit_test(asynchronous_stores),
        cmocka_unit_test(used_before_it_is_declared),
        cmocka_unit_test(used_outside_its_block),
        cmocka_unit_test(declared_twice),
        cmocka_unit_test(of_another_type),
        cmocka_unit_test(assigned_another_type),
        cmocka_unit_test(an_index_of_no_loop_around),
        cmocka_unit_test(an_index_that_is_no_number),
        cmocka_unit_test(a_size_that_is_no_number),
        cmocka_unit_test(a_lane_that_there_is_not),
        cmocka_unit_test(too_few_lanes),
        cmocka_unit_test(a_sum_of_other_types),
        cmocka_unit_test(a_row_of_one_vector),
        cmocka_unit_test(a_test_that_is_no_bool),
        cmocka_unit_test(a_statement_without_its_value),
        cmocka_unit_test(a_buffer_of_another_kernel),
        cmocka_unit_test(an_array_that_is_not_declared),
        cmocka_unit_test(a_store_to_a_constant_array),
        cmocka_unit_test(a_store_of_another_type),
        cmocka_unit_test(a_load_of_another_type),
        cmocka_unit_test(an_array_in_global_memory),
        cmocka_unit_test(one_dimension_twice),
        cmocka_unit_test(a_loop_of_nothing),
        cmocka_unit_test(a_loop_over_no_index),
        cmocka_unit_test(a_barrier_of_some_items),
        cmocka_unit_test(a_barrier_of_the_elected),
        cmocka_unit_test(a_barrier_under_a_test),
        cmocka_unit_test(a_batch_without_memory_barriers),
        cmocka_unit_test(a_batch_behind_their_end),
        cmocka_unit_test(memory_barriers_made_twice),
        cmocka_unit_test(other_memory_barriers),
        cmocka_unit_test(a_wait_for_nothing),
        cmocka_unit_test(stores_of_no_batch),
        cmocka_unit_test(a_box_of_no_tensor),
        cmocka_unit_test(a_block_that_lost_its_end),
        cmocka_unit_test(a_block_of_another_statement),
        cmocka_unit_test(statements_have_a_text),
        cmocka_unit_test(a_pass_that_breaks_one_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
