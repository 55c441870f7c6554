/* Plans on several devices, and in several processes: threads connected by a communicator
 * of the test. Results equal one plan of the whole grid, bit by bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "plan_of.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { NX = 7, NZ = 29, CELLS = NX * NZ, MOST = 4, STEPS = 6 };

/* An uneven halo, a constant field, and a field that every part has in full. */
#define FIELD(border)                                                                    \
    "exact\n"                                                                            \
    "size nx = 7, nz = 29\n"                                                             \
    "param k: f32 = 0.25\n"                                                              \
    "stencil field(u: [[f32]nx]nz, c: [[f32]nx]nz, b: [f32]nx) -> v =\n"                 \
    "    map(fun(t => map(fun((n, m, a, s, c, b) =>\n"                                   \
    "        k * (n + a) + c * m + 0.01 * s + b),\n"                                     \
    "        zip(t.0[0], t.0[1], t.0[2], t.0[3], t.1, b))),\n"                           \
    "        zip(slide(4, 1, pad(1, 2, " border ", u)), c))\n"                           \
    "time (u) <- (v)\n"

static const char field[] = FIELD("clamp"), ring[] = FIELD("wrap");

struct grids {
    float u[CELLS], c[CELLS], b[NX], v[CELLS];
};

static void begin(struct grids *g)
{
    memset(g, 0, sizeof *g);
    for (int i = 0; i < CELLS; i++) {
        g->u[i] = (float)(i * 37 % 101) / 64;
        g->c[i] = (float)(i * 17 % 31) / 128;
    }
    for (int i = 0; i < NX; i++)
        g->b[i] = (float)i / 1024;
}

/* ---- the truth */

static void advance_whole(const char *program, struct grids *g)
{
    struct lift_planner *planner = lift_planner_create(NULL, &error);
    struct lift_plan *plan =
        plan_of(planner, &(struct lift_plan_options){.program = program});

    assert_true(lift_plan_set_param(plan, "k", 0.3, &error));
    if (!lift_plan_advance(plan, (void *[]){g->u, g->c, g->b}, (void *[]){g->v}, STEPS,
                           &error))
        fail_msg("%s", lift_error_text(&error));
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
}

/* ---- processes */

/* Messages in flight. */
struct mail {
    struct mail *next;
    int from, to, tag;
    size_t bytes;
    char data[];
};

static struct mail *mails;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t came = PTHREAD_COND_INITIALIZER;

static void send_one(int rank, const struct lift_message *m)
{
    struct mail *mail = malloc(sizeof *mail + m->bytes), **end = &mails;

    *mail = (struct mail){NULL, rank, m->peer, m->tag, m->bytes};
    memcpy(mail->data, m->data, m->bytes);
    pthread_mutex_lock(&mutex);
    while (*end)
        end = &(*end)->next;
    *end = mail;
    pthread_cond_broadcast(&came);
    pthread_mutex_unlock(&mutex);
}

static struct mail *take(int rank, const struct lift_message *m)
{
    struct mail **at = &mails, *found;

    while (*at && ((*at)->from != m->peer || (*at)->to != rank || (*at)->tag != m->tag))
        at = &(*at)->next;
    found = *at;
    if (found)
        *at = found->next;
    return found;
}

static bool receive_one(int rank, const struct lift_message *m)
{
    struct mail *mail;
    bool good;

    pthread_mutex_lock(&mutex);
    while (!(mail = take(rank, m)))
        pthread_cond_wait(&came, &mutex);
    pthread_mutex_unlock(&mutex);
    good = mail->bytes == m->bytes;
    if (good)
        memcpy(m->data, mail->data, m->bytes);
    free(mail);
    return good;
}

struct process {
    int rank, size;
    const char *program, *device, *sizes;
    const struct grids *from;
    struct grids *to;
    struct lift_error error;
    bool good;
    int calls, fails_at; /* calls of the communicator; 0: it does not fail */
    enum lift_exchange exchange;
    enum lift_overlap overlap;
    const char *words; /* of lift_parts_words; NULL: any */
};

static bool swap(void *user, const struct lift_message *messages, int count,
                 struct lift_error *why)
{
    struct process *p = user;
    bool good = true;

    if (++p->calls == p->fails_at) {
        lift_fail(why, LIFT_ERROR_RUN, "no network");
        return false;
    }
    for (int i = 0; i < count; i++)
        if (messages[i].send)
            send_one(p->rank, &messages[i]);
    for (int i = 0; good && i < count; i++)
        good = messages[i].send || receive_one(p->rank, &messages[i]);
    return good;
}

/* Each has its planes only. */
static bool advance_planes(struct process *p, struct lift_parts *parts)
{
    int64_t first, count;
    float u[CELLS], c[CELLS], v[CELLS];
    struct lift_plan_array array;
    size_t bytes;

    lift_parts_planes(parts, &first, &count);
    bytes = (size_t)count * NX * sizeof(float);
    assert_true(lift_parts_input(parts, 1, &array));
    assert_int_equal(array.bytes, bytes);
    assert_int_equal(array.length[0], count);
    assert_true(lift_parts_input(parts, 2, &array));
    assert_int_equal(array.bytes, NX * sizeof(float));
    memcpy(u, p->from->u + first * NX, bytes);
    memcpy(c, p->from->c + first * NX, bytes);
    if (!lift_parts_set_param(parts, "k", 0.3, &p->error) ||
        !lift_parts_load(parts, (const void *[]){u, c, p->from->b}, &p->error) ||
        !lift_parts_advance(parts, STEPS / 2, &p->error) ||
        !lift_parts_advance(parts, STEPS - STEPS / 2, &p->error) ||
        !lift_parts_fetch(parts, (void *[]){u, NULL, NULL}, (void *[]){v}, &p->error))
        return false;
    memcpy(p->to->u + first * NX, u, bytes);
    memcpy(p->to->v + first * NX, v, bytes);
    return true;
}

static void *run(void *user)
{
    struct process *p = user;
    const struct lift_communicator all = {p->rank, p->size, p, swap};
    struct lift_planner *planner = lift_planner_create(NULL, &p->error);
    struct lift_parts *parts = lift_parts_create(
        planner,
        &(struct lift_parts_options){.program = p->program,
                                     .devices = p->device,
                                     .sizes = p->sizes,
                                     .exchange_every = p->exchange ? 1 : 2,
                                     .exchange = p->exchange,
                                     .overlap = p->overlap,
                                     .communicator = &all},
        &p->error);

    p->good = parts && advance_planes(p, parts);
    if (p->good && p->words && !strstr(lift_parts_words(parts), p->words))
        p->good = lift_fail(&p->error, LIFT_ERROR_RUN, "no '%s' in: %s", p->words,
                            lift_parts_words(parts));
    lift_parts_destroy(parts);
    lift_planner_destroy(planner);
    return NULL;
}

static void start(struct process *list, int count, void *(*work)(void *))
{
    pthread_t threads[MOST];

    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &list[i]), 0);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    while (mails) {
        struct mail *next = mails->next;

        free(mails);
        mails = next;
    }
}

static void compare(const struct grids *got, const struct grids *wanted)
{
    assert_memory_equal(got->u, wanted->u, sizeof got->u);
    assert_memory_equal(got->v, wanted->v, sizeof got->v);
}

/* As 'like' exchanges. */
static void try_processes(const char *program, int count, const struct process *like)
{
    static const char *const devices[MOST] = {"host", "host=1.5", "host", "host"};
    struct process list[MOST] = {{.rank = 0}};
    struct grids from, to = {.u = {0}}, wanted;

    begin(&from);
    wanted = from;
    advance_whole(program, &wanted);
    for (int i = 0; i < count; i++)
        list[i] = (struct process){.rank = i,
                                   .size = count,
                                   .program = program,
                                   .device = devices[i],
                                   .exchange = like->exchange,
                                   .overlap = like->overlap,
                                   .words = like->words,
                                   .from = &from,
                                   .to = &to};
    start(list, count, run);
    for (int i = 0; i < count; i++)
        if (!list[i].good)
            fail_msg("process %d: %s", i, lift_error_text(&list[i].error));
    compare(&to, &wanted);
}

static void test_processes(void **state)
{
    const struct process any = {.words = NULL};

    (void)state;
    try_processes(field, 3, &any);
    try_processes(ring, 2, &any);
    try_processes(ring, 1, &any);
}

/* ---- one process */

static void try_devices(const char *program, const char *devices, int every)
{
    struct lift_planner *planner = lift_planner_create(NULL, &error);
    struct lift_parts *parts = lift_parts_create(
        planner,
        &(struct lift_parts_options){
            .program = program, .devices = devices, .exchange_every = every},
        &error);
    struct grids from, to = {.u = {0}}, wanted;
    struct process p = {.from = &from, .to = &to};

    if (!parts)
        fail_msg("%s", lift_error_text(&error));
    lift_planner_destroy(planner);
    begin(&from);
    wanted = from;
    advance_whole(program, &wanted);
    for (int again = 0; again < 2; again++) {
        if (!advance_planes(&p, parts))
            fail_msg("%s", lift_error_text(&p.error));
        compare(&to, &wanted);
    }
    assert_non_null(strstr(lift_parts_words(parts), "planes (nz)"));
    assert_non_null(strstr(lift_parts_words(parts), "to device, not overlapped"));
    lift_parts_destroy(parts);
}

static void test_devices(void **state)
{
    (void)state;
    try_devices(field, "host,host=2,host", 1);
    try_devices(ring, "host,host", 3);
}

/* ---- ways to exchange */

/* One process with all devices. */
static void try_way(enum lift_exchange way, enum lift_overlap overlap, const char *words)
{
    struct grids from, to = {.u = {0}}, wanted;
    struct process alone = {.size = 1,
                            .program = ring,
                            .device = "host,host=1.5,host",
                            .from = &from,
                            .to = &to,
                            .exchange = way,
                            .overlap = overlap,
                            .words = words};

    begin(&from);
    wanted = from;
    advance_whole(ring, &wanted);
    run(&alone);
    if (!alone.good)
        fail_msg("%s", lift_error_text(&alone.error));
    compare(&to, &wanted);
}

static void refuse(const struct lift_parts_options *options, const char *text)
{
    struct lift_planner *planner = lift_planner_create(NULL, &error);

    assert_null(lift_parts_create(planner, options, &error));
    if (!strstr(lift_error_text(&error), text))
        fail_msg("no '%s' in: %s", text, lift_error_text(&error));
    lift_planner_destroy(planner);
}

static void refuse_way(enum lift_exchange way, enum lift_overlap overlap,
                       const char *text)
{
    refuse(
        &(struct lift_parts_options){
            .program = ring, .devices = "host,host", .exchange = way, .overlap = overlap},
        text);
}

static void test_exchange(void **state)
{
    const struct process beside = {.exchange = LIFT_EXCHANGE_MESSAGES,
                                   .overlap = LIFT_OVERLAP_YES,
                                   .words =
                                       "by messages, overlapped with the computation"};

    (void)state;
    try_way(LIFT_EXCHANGE_PEER, LIFT_OVERLAP_YES, "from device to device, overlapped");
    try_way(LIFT_EXCHANGE_HOST, LIFT_OVERLAP_NO, "through the host");
    try_processes(ring, 2, &beside);
    refuse_way(LIFT_EXCHANGE_HOST, LIFT_OVERLAP_YES, "planes go through the host");
    refuse_way(LIFT_EXCHANGE_MESSAGES, LIFT_OVERLAP_AUTO, "needs several ranks");
    refuse_way((enum lift_exchange)9, LIFT_OVERLAP_AUTO, "exchange is 9");
}

/* LIFT_NCCL is a stand-in for the host, or a file that is not there. */
static void test_nccl(void **state)
{
    const struct process apart = {.exchange = LIFT_EXCHANGE_NCCL,
                                  .overlap = LIFT_OVERLAP_YES,
                                  .words =
                                      "by NCCL 2.19.3, overlapped with the computation"};

    (void)state;
    if (!getenv("LIFT_NCCL")) {
        setenv("LIFT_NCCL", "nosuch.so", 1);
        refuse_way(LIFT_EXCHANGE_NCCL, LIFT_OVERLAP_AUTO, "LIFT_NCCL: nosuch.so");
        return;
    }
    try_way(LIFT_EXCHANGE_NCCL, LIFT_OVERLAP_NO, "by NCCL 2.19.3");
    try_way(LIFT_EXCHANGE_NCCL, LIFT_OVERLAP_YES, apart.words);
    try_processes(ring, 3, &apart);
}

/* ---- planes and rows */

static const char square[] =
    "exact\n"
    "size nx = 7, nz = 29\n"
    "stencil square(u: [[f32]nx]nz, c: [[f32]nx]nz) -> v =\n"
    "    map2(fun((w, c) => 0.5 * w[1][1] + 0.25 * w[0][0] + c * w[2][2]),\n"
    "        zip2(slide2(3, 1, pad2(1, 1, clamp, u)), c))\n"
    "time (u) <- (v)\n";

struct rows {
    int64_t first[2], count[2];
};

static void copy_rows(const struct rows *r, float *own, float *grid, bool in)
{
    size_t bytes = (size_t)r->count[1] * sizeof *own;

    for (int64_t i = 0; i < r->count[0]; i++) {
        float *at = grid + (r->first[0] + i) * NX + r->first[1],
              *to = own + i * r->count[1];

        memcpy(in ? to : at, in ? at : to, bytes);
    }
}

/* Each has its rows of its planes only. */
static bool advance_rows(struct process *p, struct lift_parts *parts)
{
    struct grids from = *p->from;
    float u[CELLS], c[CELLS], v[CELLS];
    struct lift_plan_array array;
    struct rows r;

    lift_parts_planes(parts, &r.first[0], &r.count[0]);
    lift_parts_rows(parts, &r.first[1], &r.count[1]);
    assert_true(lift_parts_input(parts, 0, &array));
    assert_int_equal(array.length[1], r.count[1]);
    assert_int_equal(array.bytes, r.count[0] * r.count[1] * (int64_t)sizeof *u);
    copy_rows(&r, u, from.u, true);
    copy_rows(&r, c, from.c, true);
    if (!lift_parts_load(parts, (const void *[]){u, c}, &p->error) ||
        !lift_parts_advance(parts, STEPS, &p->error) ||
        !lift_parts_fetch(parts, (void *[]){u, NULL}, (void *[]){v}, &p->error))
        return false;
    copy_rows(&r, u, p->to->u, false);
    copy_rows(&r, v, p->to->v, false);
    return true;
}

static void *run_cut(void *user)
{
    struct process *p = user;
    const struct lift_communicator all = {p->rank, p->size, p, swap};
    struct lift_planner *planner = lift_planner_create(NULL, &p->error);
    struct lift_parts *parts = lift_parts_create(
        planner,
        &(struct lift_parts_options){
            .program = square, .devices = p->device, .cut = {2, 2}, .communicator = &all},
        &p->error);

    p->good = parts && advance_rows(p, parts);
    lift_parts_destroy(parts);
    lift_planner_destroy(planner);
    return NULL;
}

static void advance_square(struct grids *g)
{
    struct lift_planner *planner = lift_planner_create(NULL, &error);
    struct lift_plan *plan =
        plan_of(planner, &(struct lift_plan_options){.program = square});

    assert_true(
        lift_plan_advance(plan, (void *[]){g->u, g->c}, (void *[]){g->v}, STEPS, &error));
    lift_plan_destroy(plan);
    lift_planner_destroy(planner);
}

/* Four processes with a device each, and one with four. */
static void test_cut(void **state)
{
    struct process list[MOST] = {{.rank = 0}}, alone;
    struct grids from, to = {.u = {0}}, wanted;

    (void)state;
    begin(&from);
    wanted = from;
    advance_square(&wanted);
    for (int i = 0; i < MOST; i++)
        list[i] = (struct process){
            .rank = i, .size = MOST, .device = "host", .from = &from, .to = &to};
    start(list, MOST, run_cut);
    for (int i = 0; i < MOST; i++)
        if (!list[i].good)
            fail_msg("process %d: %s", i, lift_error_text(&list[i].error));
    compare(&to, &wanted);
    memset(&to, 0, sizeof to);
    alone = list[0];
    alone.size = 1;
    alone.device = "host,host=2,host,host=2";
    run_cut(&alone);
    if (!alone.good)
        fail_msg("%s", lift_error_text(&alone.error));
    compare(&to, &wanted);
}

/* ---- rejected arguments */

static void test_options(void **state)
{
    const struct lift_communicator silent = {0, 2, NULL, NULL};
    const struct lift_communicator lost = {2, 2, NULL, swap};

    (void)state;
    refuse(NULL, "the options are NULL");
    refuse(&(struct lift_parts_options){.devices = "host"}, "none is given");
    refuse(&(struct lift_parts_options){.program = field, .exchange_every = -1},
           "exchange_every is -1");
    refuse(&(struct lift_parts_options){.program = square, .cut = {2, 0}},
           "cut is {2, 0}");
    refuse(&(struct lift_parts_options){.program = square,
                                        .devices = "host,host",
                                        .cut = {2, 2}},
           "2x2 is for 4 devices");
    refuse(&(struct lift_parts_options){.program = field, .communicator = &silent},
           "'exchange' is NULL");
    refuse(&(struct lift_parts_options){.program = field, .communicator = &lost},
           "rank 2 of 2");
    refuse(&(struct lift_parts_options){.program = field, .devices = "host,nosuch"},
           "on 'nosuch': no device 'nosuch'");
    refuse(&(struct lift_parts_options){.program = field,
                                        .devices = "host=28,host=1",
                                        .exchange_every = 2},
           "has 1 of 29 planes ('nz'), and 4 are exchanged");
    refuse(
        &(struct lift_parts_options){
            .program = "size n = 9\nstencil once(u: [f32]n) -> v = map(x => x, u)\n"},
        "has no time loop");
}

static void test_order(void **state)
{
    struct lift_planner *planner = lift_planner_create(NULL, &error);
    struct lift_parts *parts = lift_parts_create(
        planner, &(struct lift_parts_options){.program = field}, &error);
    struct grids g;

    (void)state;
    assert_non_null(parts);
    begin(&g);
    assert_false(lift_parts_advance(parts, 1, &error));
    assert_non_null(strstr(lift_error_text(&error), "call lift_parts_load first"));
    assert_false(lift_parts_load(parts, (const void *[]){g.u, NULL, g.b}, &error));
    assert_non_null(strstr(lift_error_text(&error), "array 'c'"));
    assert_true(lift_parts_load(parts, (const void *[]){g.u, g.c, g.b}, &error));
    assert_false(lift_parts_fetch(parts, NULL, (void *[]){g.v}, &error));
    assert_false(lift_parts_advance(parts, -1, &error));
    assert_true(lift_parts_advance(parts, 0, &error));
    assert_false(lift_parts_advance(NULL, 1, &error));
    assert_int_equal(lift_parts_inputs(NULL), 0);
    assert_null(lift_parts_words(NULL));
    lift_parts_destroy(NULL);
    lift_parts_destroy(parts);
    lift_planner_destroy(planner);
}

/* One process that fails is an error of all. */
static void fail_one(struct process *list, const char *text, const char *other)
{
    struct grids from, to;

    begin(&from);
    for (int i = 0; i < 2; i++) {
        list[i].rank = i;
        list[i].size = 2;
        list[i].program = field;
        list[i].from = &from;
        list[i].to = &to;
    }
    start(list, 2, run);
    assert_false(list[0].good);
    assert_false(list[1].good);
    if (!strstr(lift_error_text(&list[1].error), text))
        fail_msg("no '%s' in: %s", text, lift_error_text(&list[1].error));
    if (!strstr(lift_error_text(&list[0].error), other))
        fail_msg("no '%s' in: %s", other, lift_error_text(&list[0].error));
    for (int i = 0; i < 2; i++)
        lift_error_fini(&list[i].error);
}

static void test_failures(void **state)
{
    struct process device[MOST] = {{.device = "host"}, {.device = "nosuch"}};
    struct process sizes[MOST] = {{.device = "host"}, {.sizes = "nz=30"}};
    struct process several[MOST] = {{.device = "host"}, {.device = "host,host"}};
    struct process network[MOST] = {{.fails_at = 1}, {.fails_at = 1}};

    (void)state;
    fail_one(device, "on 'nosuch'", "process 1 of 2 failed");
    fail_one(sizes, "process 1 and process 0 differ in program",
             "process 1 and process 0 differ in program");
    fail_one(several, "with several processes, each has one device",
             "process 1 of 2 failed");
    fail_one(network, "no network", "no network");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_processes), cmocka_unit_test(test_devices),
        cmocka_unit_test(test_cut),       cmocka_unit_test(test_options),
        cmocka_unit_test(test_order),     cmocka_unit_test(test_failures),
        cmocka_unit_test(test_exchange),  cmocka_unit_test(test_nccl),
    };

    if (argc > 1)
        cmocka_set_test_filter(argv[1]);

    return cmocka_run_group_tests(tests, NULL, NULL);
}
