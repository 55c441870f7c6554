#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "explore/trial/runner_limits.h"
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* Seconds within which a process answers on any machine; its exit status. */
enum { PATIENCE = 60, NO_FILTERS = 3, CALLED = 4 };

static const struct lift_device_info host = {.dialect = LIFT_DIALECT_OPENMP,
                                             .is_cpu = true},
                                     processor = {.dialect = LIFT_DIALECT_OPENCL,
                                                  .is_cpu = true},
                                     gpu = {.dialect = LIFT_DIALECT_OPENCL};

static void of_a_driver(int signal)
{
    (void)signal;
    _exit(CALLED);
}

/* The number of filters of this process; -1: unknown to the system. */
static int filters(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    char line[256];
    int n = -1;

    while (file && n < 0 && fgets(line, sizeof line, file))
        sscanf(line, "Seccomp_filters: %d", &n);
    if (file)
        fclose(file);
    return n;
}

/* A driver sets a handler behind the fence, which is put twice; then there is a fault.
 * The order names the signal. */
static void fault(const struct lift_device_info *info, int number)
{
    const struct sigaction theirs = {.sa_handler = of_a_driver};
    int before = filters();

    runner_limits_put(info);
    runner_limits_put(info);
    if (info == &processor && prctl(PR_GET_SECCOMP) != SECCOMP_MODE_FILTER)
        _exit(NO_FILTERS);
    if (filters() - before != (info == &processor && before >= 0))
        return;
    sigaction(number, &theirs, NULL);
    raise(number);
}

static void serve(void *user, void **state, const void *request, size_t size,
                  struct lift_str *reply)
{
    int number;

    (void)state;
    (void)reply;
    if (size == sizeof number) {
        memcpy(&number, request, sizeof number);
        fault(user, number);
    }
}

static struct lift_worker_result run(const struct lift_device_info *info, int number)
{
    struct lift_worker *worker = lift_worker_create(serve, (void *)(uintptr_t)info);
    struct lift_str reply = {0};
    struct lift_worker_result result =
        lift_worker_call(worker, &number, sizeof number, PATIENCE, &reply);

    lift_worker_stop(worker);
    lift_str_fini(&reply);
    return result;
}

static void test_a_driver_cannot_take_the_handler_away(void **state)
{
    struct lift_worker_result result = run(&processor, SIGSEGV);

    (void)state;
    if (result.end == LIFT_WORKER_EXITED && result.code == NO_FILTERS)
        skip();
    assert_null(runner_limits_read(&result));
    assert_int_equal(result.end, LIFT_WORKER_CRASHED);
    assert_int_equal(result.code, SIGSEGV);
}

static void expect_called(const struct lift_device_info *info, int number)
{
    struct lift_worker_result result = run(info, number);

    if (result.end == LIFT_WORKER_EXITED && result.code == NO_FILTERS)
        skip();
    assert_int_equal(result.end, LIFT_WORKER_EXITED);
    assert_int_equal(result.code, CALLED);
}

static void test_other_handlers_are_the_drivers_business(void **state)
{
    (void)state;
    expect_called(&processor, SIGFPE);
    expect_called(&processor, SIGUSR2);
    expect_called(&gpu, SIGSEGV);
    expect_called(&host, SIGSEGV);
}

static void test_a_thread_without_a_stack(void **state)
{
    struct lift_worker_result result = {LIFT_WORKER_CRASHED, SIGSEGV};

    (void)state;
    assert_string_equal(runner_limits_read(&result), "the kernel used up the stack");
    result = (struct lift_worker_result){LIFT_WORKER_CRASHED, SIGKILL};
    assert_null(runner_limits_read(&result));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_driver_cannot_take_the_handler_away),
        cmocka_unit_test(test_other_handlers_are_the_drivers_business),
        cmocka_unit_test(test_a_thread_without_a_stack),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
