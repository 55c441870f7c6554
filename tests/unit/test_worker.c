#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/seconds.h"
#include "device/process.h"
#include "gone.h"
#include "tuner/worker.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { BIG = 32 * 1024 * 1024 };

/* Seconds within which a process answers. */
#define PATIENCE patient(60)

struct shared {
    volatile int started;
    volatile pid_t child, grandchild;
    char folder[64];
};

/* Orders are one word; the reply contains facts that the caller cannot see from outside.
 */
static void crash(struct shared *shared)
{
    shared->started++;
    raise(SIGSEGV);
}

/* The time that it is given begins when it hangs. */
static void hang(struct shared *shared)
{
    pid_t pid;

    shared->child = getpid();
    pid = fork();
    if (pid == 0) {
        shared->grandchild = getpid();
        for (;;)
            pause();
    }
    while (!shared->grandchild)
        usleep(1000);
    lift_worker_allow(0.3);
    for (volatile unsigned spin = 0;; spin++)
        ;
}

/* Hangs with a temporary folder that remains. */
static void hang_with_folder(struct shared *shared)
{
    struct device_folder folder;
    FILE *file;

    if (!device_folder_create(&folder))
        _exit(EXIT_FAILURE);
    file = fopen(folder.source, "w");
    snprintf(shared->folder, sizeof shared->folder, "%s", folder.path);
    shared->started = file != NULL;
    for (;;)
        pause();
}

static void count(void **state, struct lift_str *reply)
{
    if (!*state)
        *state = calloc(1, sizeof(int));
    lift_str_addf(reply, "%d", ++*(int *)*state);
}

/* Lists which of the descriptors 0..63 are open, apart from those that the child keeps.
 */
static void list_descriptors(struct lift_str *reply)
{
    for (int fd = 0; fd < 64; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            lift_str_addf(reply, "%d ", fd);
}

static void describe_process(struct lift_str *reply)
{
    struct rlimit core;
    struct sigaction action;

    getrlimit(RLIMIT_CORE, &core);
    sigaction(SIGINT, NULL, &action);
    lift_str_addf(reply, "core %d group %d sigint %d", (int)core.rlim_cur,
                  getpgrp() == getpid(), action.sa_handler == SIG_IGN);
}

static void leave_and_exit(struct shared *shared)
{
    pid_t pid = fork();

    if (pid == 0) {
        shared->grandchild = getpid();
        for (;;)
            pause();
    }
    while (!shared->grandchild)
        usleep(1000);
    _exit(7); /* the grandchild still holds the socket */
}

static void rubbish(void)
{
    char text[64];

    memset(text, 0xa5, sizeof text);
    for (;;)
        if (write(3, text, sizeof text) < 0)
            pause();
}

static void big(const void *request, size_t size, struct lift_str *reply)
{
    const unsigned char *bytes = request;
    unsigned sum = 0;

    for (size_t i = 0; i < size; i++)
        sum += bytes[i];
    lift_str_addf(reply, "%u ", sum);
    for (size_t i = 0; i < BIG; i++)
        lift_str_addc(reply, (char)('a' + i % 23));
}

/* So many tenths of a second; 'more' asks for the time first, and then some. */
static void wait_a_while(int tenths, bool more)
{
    if (more)
        lift_worker_allow(0.1 * tenths + PATIENCE);
    usleep((useconds_t)tenths * 100000);
}

static bool can_map(size_t bytes)
{
    void *memory = lift_shared_alloc(bytes);

    lift_shared_free(memory, bytes);
    return memory != NULL;
}

static void serve(void *user, void **state, const void *request, size_t size,
                  struct lift_str *reply)
{
    const char *order = request;

    switch (size ? order[0] : 0) {
    case 'e':
        lift_str_addn(reply, order, size);
        break;
    case 'c':
        count(state, reply);
        break;
    case 's':
        crash(user);
        break;
    case 'n':
        raise(SIGALRM);
        break;
    case 'h':
        hang(user);
        break;
    case 'd':
        hang_with_folder(user);
        break;
    case 'x':
        exit(3);
    case 'l':
        leave_and_exit(user);
        break;
    case 'r':
        rubbish();
        break;
    case 'f':
        list_descriptors(reply);
        break;
    case 'i':
        lift_str_addf(reply, "%d", (int)getpid());
        break;
    case 'p':
        describe_process(reply);
        break;
    case 'b':
        big(request, size, reply);
        break;
    case 'w':
        wait_a_while(order[1] - '0', size > 2);
        lift_str_addn(reply, order, size);
        break;
    case 'o':
        free(lift_resize(NULL, SIZE_MAX / 2, 4));
        break;
    case 'm':
        lift_str_addf(reply, "%d", can_map((size_t)2 << 30));
        break;
    default:
        break; /* an empty reply */
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

static struct lift_worker_result call(struct fixture *f, const char *order,
                                      double seconds)
{
    return lift_worker_call(f->worker, order, strlen(order), seconds, &f->reply);
}

static void expect_ok(struct fixture *f, const char *order, const char *reply)
{
    struct lift_worker_result r = call(f, order, PATIENCE);

    assert_int_equal(r.end, LIFT_WORKER_OK);
    assert_int_equal(r.code, 0);
    assert_string_equal(lift_str_get(&f->reply), reply);
}

static void test_echo(void **state)
{
    struct fixture *f = *state;

    expect_ok(f, "echo", "echo");
    expect_ok(f, "e", "e");
    expect_ok(f, "", "");
    expect_ok(f, "echo again", "echo again");
}

static void test_state_persists_and_is_fresh_after_a_restart(void **state)
{
    struct fixture *f = *state;

    expect_ok(f, "c", "1");
    expect_ok(f, "c", "2");
    assert_int_equal(call(f, "x", PATIENCE).end, LIFT_WORKER_EXITED);
    expect_ok(f, "c", "1");
    expect_ok(f, "c", "2");
}

static void test_megabytes_both_ways(void **state)
{
    struct fixture *f = *state;
    char *request = malloc(BIG);
    struct lift_worker_result r;
    char head[32];
    size_t head_len;

    memset(request, 1, BIG);
    request[0] = 'b';
    for (int round = 0; round < 2; round++) {
        r = lift_worker_call(f->worker, request, BIG, PATIENCE, &f->reply);
        assert_int_equal(r.end, LIFT_WORKER_OK);
        head_len = (size_t)snprintf(head, sizeof head, "%u ", (unsigned)BIG - 1 + 'b');
        assert_int_equal(f->reply.len, head_len + BIG);
        assert_memory_equal(f->reply.data, head, head_len);
        for (size_t i = 0; i < BIG; i++)
            if (f->reply.data[head_len + i] != (char)('a' + i % 23))
                fail_msg("byte %zu of the reply is wrong", i);
    }
    free(request);
}

static void test_crash_has_its_signal(void **state)
{
    struct fixture *f = *state;
    struct lift_worker_result r = call(f, "s", PATIENCE);

    assert_int_equal(r.end, LIFT_WORKER_CRASHED);
    assert_int_equal(r.code, SIGSEGV);
    assert_int_equal(f->reply.len, 0);
    expect_ok(f, "echo", "echo");
    r = call(f, "s", PATIENCE);
    assert_int_equal(r.code, SIGSEGV);
    assert_int_equal(f->shared->started, 2);
}

static void handler(int number)
{
    (void)number;
}

static void test_handlers_are_reset_in_the_child(void **state)
{
    struct fixture *f = *state;
    struct lift_worker_result r;

    signal(SIGALRM, handler);
    r = call(f, "n", PATIENCE);
    signal(SIGALRM, SIG_DFL);
    assert_int_equal(r.end, LIFT_WORKER_CRASHED);
    assert_int_equal(r.code, SIGALRM);
}

static void test_exit_has_its_status(void **state)
{
    struct fixture *f = *state;
    struct lift_worker_result r = call(f, "x", PATIENCE);

    assert_int_equal(r.end, LIFT_WORKER_EXITED);
    assert_int_equal(r.code, 3);
    expect_ok(f, "echo", "echo");
}

static void test_timeout_kills_the_whole_group(void **state)
{
    struct fixture *f = *state;
    double start = lift_seconds();
    struct lift_worker_result r = call(f, "h", PATIENCE);

    assert_int_equal(r.end, LIFT_WORKER_TIMEOUT);
    assert_true(lift_seconds() - start >= 0.3);
    assert_true(lift_seconds() - start < PATIENCE);
    assert_true(f->shared->child > 0);
    assert_true(f->shared->grandchild > 0);
    assert_true(becomes_gone(f->shared->child));
    assert_true(becomes_gone(f->shared->grandchild));
    expect_ok(f, "c", "1");
}

/* A grandchild that holds the socket open must not hide the child's end. */
static void test_exit_with_a_living_grandchild(void **state)
{
    struct fixture *f = *state;
    struct lift_worker_result r = call(f, "l", PATIENCE);

    assert_int_equal(r.end, LIFT_WORKER_EXITED); /* and no timeout */
    assert_int_equal(r.code, 7);
    assert_true(becomes_gone(f->shared->grandchild));
}

static void test_rubbish_on_the_socket(void **state)
{
    struct fixture *f = *state;
    struct lift_worker_result r = call(f, "r", PATIENCE);

    assert_int_equal(r.end, LIFT_WORKER_CRASHED);
    assert_int_equal(r.code, SIGKILL);
    expect_ok(f, "echo", "echo");
}

static void test_child_lost_between_calls(void **state)
{
    struct fixture *f = *state;
    pid_t child;

    expect_ok(f, "c", "1");
    assert_int_equal(call(f, "i", PATIENCE).end, LIFT_WORKER_OK);
    child = (pid_t)atoi(lift_str_get(&f->reply));
    assert_true(child > 0 && child != getpid());
    assert_int_equal(kill(child, SIGKILL), 0);
    while (!is_gone(child))
        usleep(1000);
    expect_ok(f, "c", "1");
}

static void test_child_has_few_descriptors(void **state)
{
    struct fixture *f = *state;
    int extra = open("/dev/null", O_RDONLY);

    assert_true(extra >= 3);
    expect_ok(f, "f", "0 1 2 3 ");
    close(extra);
}

static void test_child_is_isolated(void **state)
{
    expect_ok(*state, "p", "core 0 group 1 sigint 1");
}

static void alarm_handler(int number)
{
    (void)number;
}

/* Signals that interrupt the parent's waiting are no failures. */
static void test_interrupted_calls(void **state)
{
    struct fixture *f = *state;
    struct sigaction action = {.sa_handler = alarm_handler}, old;
    timer_t timer;
    const struct itimerspec often = {{0, 5000000}, {0, 5000000}};

    sigaction(SIGALRM, &action, &old);
    assert_int_equal(timer_create(CLOCK_MONOTONIC, NULL, &timer), 0);
    timer_settime(timer, 0, &often, NULL);
    for (int i = 0; i < 20; i++)
        expect_ok(f, "echo", "echo");
    assert_int_equal(call(f, "b", PATIENCE).end, LIFT_WORKER_OK);
    assert_int_equal(call(f, "h", PATIENCE).end, LIFT_WORKER_TIMEOUT);
    timer_delete(timer);
    sigaction(SIGALRM, &old, NULL);
}

static void test_many_restarts_leak_no_descriptor(void **state)
{
    struct fixture *f = *state;
    int before = dup(0), after;

    close(before);
    for (int i = 0; i < 30; i++)
        assert_int_equal(call(f, "s", PATIENCE).end, LIFT_WORKER_CRASHED);
    after = dup(0);
    close(after);
    assert_int_equal(before, after);
}

enum { CROWD = 4 };

static bool all_done(struct lift_worker *const *crowd, struct lift_str *replies,
                     struct lift_worker_result *results)
{
    bool done = true;

    for (int i = 0; i < CROWD; i++) {
        if (lift_worker_busy(crowd[i]))
            lift_worker_step(crowd[i], &replies[i], &results[i]);
        done &= !lift_worker_busy(crowd[i]);
    }
    return done;
}

/* One worker echoes immediately, one sleeps, one crashes and one hangs, concurrently;
 * each serves again afterwards. */
static void test_several_at_once(void **state)
{
    static const char *const orders[CROWD] = {"e1", "w3", "s", "h"};
    static const enum lift_worker_end ends[CROWD] = {
        LIFT_WORKER_OK, LIFT_WORKER_OK, LIFT_WORKER_CRASHED, LIFT_WORKER_TIMEOUT};
    struct fixture *f = *state;
    struct lift_worker *crowd[CROWD];
    struct lift_worker_result results[CROWD];
    struct lift_str replies[CROWD] = {{0}};
    struct pollfd fds[CROWD];

    for (int i = 0; i < CROWD; i++) {
        crowd[i] = lift_worker_create(serve, f->shared);
        lift_worker_begin(crowd[i], orders[i], strlen(orders[i]), PATIENCE);
        assert_true(lift_worker_busy(crowd[i]));
    }
    while (!all_done(crowd, replies, results)) {
        for (int i = 0; i < CROWD; i++)
            lift_worker_wait(crowd[i], &fds[i]);
        poll(fds, CROWD, 20);
    }
    for (int i = 0; i < CROWD; i++) {
        assert_int_equal(results[i].end, ends[i]);
        assert_string_equal(lift_str_get(&replies[i]), i < 2 ? orders[i] : "");
        assert_int_equal(lift_worker_call(crowd[i], "e", 1, PATIENCE, &replies[i]).end,
                         LIFT_WORKER_OK);
        lift_worker_stop(crowd[i]);
        lift_str_fini(&replies[i]);
    }
}

static void test_more_time_is_asked_for(void **state)
{
    struct fixture *f = *state;

    expect_ok(f, "echo", "echo"); /* the worker exists, so the call asks immediately */
    assert_int_equal(call(f, "w9+", 0.8).end, LIFT_WORKER_OK);
    assert_string_equal(lift_str_get(&f->reply), "w9+");
    assert_int_equal(call(f, "w9", 0.3).end, LIFT_WORKER_TIMEOUT);
    assert_int_equal(call(f, "w9", 0.3).end, LIFT_WORKER_TIMEOUT);
}

static void test_ended_in_the_middle(void **state)
{
    struct fixture *f = *state;

    lift_worker_begin(f->worker, "h", 1, PATIENCE);
    while (!f->shared->grandchild)
        usleep(1000);
    lift_worker_end(f->worker);
    assert_false(lift_worker_busy(f->worker));
    assert_true(becomes_gone(f->shared->grandchild));
    assert_int_equal(call(f, "e", PATIENCE).end, LIFT_WORKER_OK);
}

static void test_folders_go_with_their_child(void **state)
{
    struct fixture *f = *state;

    setenv("TMPDIR", "/tmp", 1);
    lift_worker_begin(f->worker, "d", 1, PATIENCE);
    while (!f->shared->started)
        usleep(1000);
    assert_int_equal(access(f->shared->folder, F_OK), 0);
    lift_worker_end(f->worker);
    assert_int_equal(access(f->shared->folder, F_OK), -1);
    unsetenv("TMPDIR");
}

/* Under the sanitizer of addresses, which maps terabytes, these two are not among the
 * tests: the build has the same ones without it as 'worker_memory'. */
#if defined(__SANITIZE_ADDRESS__)
enum { LIMITS = 0 };
#else
enum { LIMITS = 2 };
#endif

static void test_memory_is_limited(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(call(f, "m", PATIENCE).end, LIFT_WORKER_OK);
    assert_string_equal(lift_str_get(&f->reply), "1");
    lift_worker_end(f->worker);
    lift_worker_limit_memory(f->worker, lift_worker_memory() + (1 << 30));
    assert_int_equal(call(f, "m", PATIENCE).end, LIFT_WORKER_OK);
    assert_string_equal(lift_str_get(&f->reply), "0");
}

static void test_no_memory_is_told(void **state)
{
    struct lift_worker_result r = call(*state, "o", PATIENCE);

    assert_int_equal(r.end, LIFT_WORKER_EXITED);
    assert_int_equal(r.code, LIFT_WORKER_NO_MEMORY);
}

/* Tells the caller the child's process number. */
static void tell_process(void *user, void **state, const void *request, size_t size,
                         struct lift_str *reply)
{
    (void)state;
    *(pid_t *)user = getpid();
    lift_worker_allow(PATIENCE);
    lift_str_addn(reply, request, size);
}

static void test_no_child_at_all(void **unused)
{
    pid_t served = 0;
    struct fixture f = {.shared = NULL};
    struct lift_worker_result result;

    (void)unused;
    setenv("LIFT_IN_PROCESS", "1", 1);
    f.worker = lift_worker_create(tell_process, &served);
    unsetenv("LIFT_IN_PROCESS");
    expect_ok(&f, "echo", "echo");
    assert_int_equal(served, getpid());
    lift_worker_begin(f.worker, "again", 5, 0);
    assert_true(lift_worker_busy(f.worker));
    assert_true(lift_worker_step(f.worker, &f.reply, &result));
    assert_int_equal(result.end, LIFT_WORKER_OK);
    assert_string_equal(lift_str_get(&f.reply), "again");
    assert_false(lift_worker_busy(f.worker));
    lift_worker_stop(f.worker);
    lift_str_fini(&f.reply);
}

static void test_stop_without_a_child(void **state)
{
    (void)state;
    lift_worker_stop(NULL);
    lift_worker_stop(lift_worker_create(serve, NULL));
}

static void test_shared_memory_too_large(void **state)
{
    (void)state;
    assert_null(lift_shared_alloc((size_t)1 << 62));
    lift_shared_free(NULL, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_echo, setup, teardown),
        cmocka_unit_test_setup_teardown(test_state_persists_and_is_fresh_after_a_restart,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(test_megabytes_both_ways, setup, teardown),
        cmocka_unit_test_setup_teardown(test_crash_has_its_signal, setup, teardown),
        cmocka_unit_test_setup_teardown(test_handlers_are_reset_in_the_child, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_exit_has_its_status, setup, teardown),
        cmocka_unit_test_setup_teardown(test_timeout_kills_the_whole_group, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_exit_with_a_living_grandchild, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_rubbish_on_the_socket, setup, teardown),
        cmocka_unit_test_setup_teardown(test_child_lost_between_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_child_has_few_descriptors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_child_is_isolated, setup, teardown),
        cmocka_unit_test_setup_teardown(test_interrupted_calls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_restarts_leak_no_descriptor, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(test_several_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_more_time_is_asked_for, setup, teardown),
        cmocka_unit_test_setup_teardown(test_ended_in_the_middle, setup, teardown),
        cmocka_unit_test_setup_teardown(test_folders_go_with_their_child, setup,
                                        teardown),
        cmocka_unit_test(test_no_child_at_all),
        cmocka_unit_test(test_stop_without_a_child),
        cmocka_unit_test(test_shared_memory_too_large),
        cmocka_unit_test_setup_teardown(test_memory_is_limited, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_memory_is_told, setup, teardown),
    };
    size_t count = sizeof tests / sizeof tests[0] - 2 + LIMITS;

    return _cmocka_run_group_tests("worker", tests, count, NULL, NULL);
}
