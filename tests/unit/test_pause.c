/* Workers that their parent pauses, and the quiet that they ask for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/seconds.h"
#include "device/process.h"
#include "gone.h"
#include "tuner/worker.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Seconds within which a process answers. */
#define PATIENCE patient(60)

struct shared {
    volatile int started, taken;
};

/* By itself, or by a program that writes a byte each time. */
static void tick(struct shared *shared)
{
    for (;; shared->started++)
        usleep(1000);
}

static void tick_by_program(void)
{
    static char loop[] = "while :; do printf . >>ticks; sleep 0.01; done";
    char *argv[] = {(char *)"sh", (char *)"-c", loop, NULL};
    struct lift_str output = {0};

    device_run(argv, NULL, 600, &output);
    lift_str_fini(&output);
}

static volatile int *taken;

static void take_signal(int number)
{
    (void)number;
    ++*taken;
}

/* Ticks with handlers of all standard signals, as LLVM in an OpenCL driver has: they
 * would remove the temporary files of a compilation. */
static void tick_in_a_driver(struct shared *shared)
{
    taken = &shared->taken;
    for (int number = 1; number <= SIGSYS; number++)
        if (number != SIGTERM)
            signal(number, take_signal);
    tick(shared);
}

/* Works in quiet until the parent allows the end; 'started' counts the grants. */
static void work_in_quiet(struct shared *shared)
{
    lift_worker_begin_quiet();
    for (shared->started++; shared->started < 2;)
        usleep(1000);
    lift_worker_end_quiet();
    while (shared->started < 3)
        usleep(1000);
}

static void serve(void *user, void **state, const void *request, size_t size,
                  struct lift_str *reply)
{
    const char *order = request;

    (void)state;
    switch (order[0]) {
    case 't':
        if (order[1] == 'p')
            tick_by_program();
        else
            order[1] == 'd' ? tick_in_a_driver(user) : tick(user);
        break;
    case 'q':
        work_in_quiet(user);
        lift_str_addn(reply, order, size);
        break;
    default:
        lift_str_addn(reply, order, size);
    }
}

struct fixture {
    struct lift_worker *worker;
    struct shared *shared;
    struct lift_str reply;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    f->shared = lift_shared_alloc(sizeof *f->shared);
    assert_non_null(f->shared);
    f->worker = lift_worker_create(serve, f->shared);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    lift_worker_stop(f->worker);
    lift_shared_free(f->shared, sizeof *f->shared);
    lift_str_fini(&f->reply);
    free(f);
    return 0;
}

static void expect_echo(struct fixture *f)
{
    assert_int_equal(lift_worker_call(f->worker, "e", 1, PATIENCE, &f->reply).end,
                     LIFT_WORKER_OK);
    assert_string_equal(lift_str_get(&f->reply), "e");
}

static long ticks(const struct fixture *f, bool program)
{
    struct stat file = {.st_size = 0};

    return program && stat("ticks", &file) ? 0
           : program                       ? file.st_size
                                           : f->shared->started;
}

/* A suspended worker does not run, and its time stands still, until it is resumed. */
static void stands_still(struct fixture *f, const char *order)
{
    bool program = order[1] == 'p';
    struct lift_worker_result result;
    double limit = program ? 2 : 0.5;
    long before;

    lift_worker_begin(f->worker, order, strlen(order), limit);
    while (ticks(f, program) == 0)
        usleep(1000);
    lift_worker_pause(f->worker);
    usleep(200000);
    before = ticks(f, program);
    usleep((useconds_t)(1.2e6 * limit));
    assert_int_equal(ticks(f, program), before);
    assert_false(lift_worker_step(f->worker, &f->reply, &result));
    lift_worker_resume(f->worker);
    while (ticks(f, program) == before)
        usleep(1000);
    lift_worker_pause(f->worker);
    lift_worker_end(f->worker);
    assert_false(lift_worker_busy(f->worker));
    expect_echo(f);
}

static void test_paused(void **state)
{
    stands_still(*state, "ti");
    remove("ticks");
    stands_still(*state, "tp");
    remove("ticks");
}

static void test_paused_in_a_driver(void **state)
{
    struct fixture *f = *state;

    stands_still(f, "td");
    assert_int_equal(f->shared->taken, 0);
}

static void step_until(struct fixture *f, bool (*holds)(const struct lift_worker *),
                       bool wanted)
{
    struct lift_worker_result r;

    while (holds(f->worker) != wanted) {
        assert_false(lift_worker_step(f->worker, &f->reply, &r));
        usleep(1000);
    }
}

/* The child waits for the grant, and the wait does not count as its time. */
static void test_quiet(void **state)
{
    struct fixture *f = *state;
    struct lift_worker_result r;

    lift_worker_begin(f->worker, "q", 1, PATIENCE);
    assert_false(lift_worker_asks(f->worker));
    step_until(f, lift_worker_asks, true);
    usleep(50000);
    assert_int_equal(f->shared->started, 0);
    assert_false(lift_worker_is_quiet(f->worker));
    lift_worker_grant(f->worker);
    assert_true(lift_worker_is_quiet(f->worker));
    while (f->shared->started < 1)
        usleep(1000);
    assert_false(lift_worker_step(f->worker, &f->reply, &r));
    assert_true(lift_worker_is_quiet(f->worker));
    f->shared->started = 2;
    step_until(f, lift_worker_is_quiet, false);
    f->shared->started = 3;
    r = lift_worker_finish(f->worker, &f->reply);
    assert_int_equal(r.end, LIFT_WORKER_OK);
    assert_string_equal(lift_str_get(&f->reply), "q");
}

static void test_the_wait_for_quiet_takes_no_time(void **state)
{
    struct fixture *f = *state;
    struct lift_worker_result r;
    const double limit = 1;

    expect_echo(f);
    lift_worker_begin(f->worker, "q", 1, limit);
    step_until(f, lift_worker_asks, true);
    usleep((useconds_t)(1.2 * limit * 1e6));
    assert_false(lift_worker_step(f->worker, &f->reply, &r));
    lift_worker_grant(f->worker);
    r = lift_worker_finish(f->worker, &f->reply);
    assert_int_equal(r.end, LIFT_WORKER_TIMEOUT);
    assert_false(lift_worker_is_quiet(f->worker));
    assert_int_equal(f->shared->started, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_paused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_paused_in_a_driver, setup, teardown),
        cmocka_unit_test_setup_teardown(test_quiet, setup, teardown),
        cmocka_unit_test_setup_teardown(test_the_wait_for_quiet_takes_no_time, setup,
                                        teardown),
    };
    char folder[] = "/tmp/lift-test-XXXXXX"; /* of this process alone, for 'ticks' */
    int failed;

    if (!mkdtemp(folder) || chdir(folder))
        return 1;
    failed = _cmocka_run_group_tests("pause", tests, sizeof tests / sizeof tests[0], NULL,
                                     NULL);
    return failed + (rmdir(folder) != 0);
}
