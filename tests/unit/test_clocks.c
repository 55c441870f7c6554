/* Clock readings: from a tree of files in place of /sys and /proc, and from a library in
 * place of NVIDIA's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "device/clocks_t.h"
#include <cmocka.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of fake_nvml.c. */
extern unsigned long long fake_reasons;
extern int fake_users;
extern unsigned fake_us, fake_other_percent;

static char folder[] = "/tmp/lift-clocks-XXXXXX";

/* The first core that this process may use: the only one of the tree. */
static int core(void)
{
    cpu_set_t set;
    int first = 0;

    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    while (!CPU_ISSET(first, &set))
        first++;
    return first;
}

static void put(const char *path, const char *text)
{
    char command[512], whole[256];
    FILE *file;

    snprintf(whole, sizeof whole, "%s%s", folder, path);
    snprintf(command, sizeof command, "mkdir -p \"$(dirname '%s')\"", whole);
    assert_int_equal(system(command), 0);
    file = fopen(whole, "we");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void put_core(const char *name, const char *text)
{
    char path[160];

    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/%s", core(), name);
    put(path, text);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/lift-clocks-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static struct lift_clock_state read_host(void *host)
{
    struct lift_clock_state s = {.throttled = -1};

    clock_source_host.read(host, &s);
    return s;
}

static void test_cores(void **state)
{
    struct lift_str json = {0};
    struct lift_clock_state s;
    void *host;

    (void)state;
    put_core("cpufreq/scaling_cur_freq", "2450000\n");
    put_core("cpufreq/scaling_max_freq", "3700000\n");
    put_core("cpufreq/scaling_governor", "performance\n");
    put_core("thermal_throttle/core_throttle_count", "7\n");
    put("/proc/cpuinfo", "cpu MHz : 1\n");
    put("/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
    setenv("OMP_PROC_BIND", "close", 1);
    setenv("OMP_PLACES", "no \"place\"", 1);
    host = clocks_host_open(folder);
    s = read_host(host);
    assert_true(fabs(s.mhz - 2450) < 1e-6);
    assert_int_equal(s.throttled, 0);
    put_core("thermal_throttle/core_throttle_count", "8\n");
    assert_int_equal(read_host(host).throttled, 1);
    assert_int_equal(read_host(host).throttled, 0);
    clock_source_host.settings(host, &json);
    assert_string_equal(lift_str_get(&json),
                        ",\"governor\":\"performance\",\"max_clock_mhz\":3700,"
                        "\"huge_pages\":\"madvise\",\"OMP_PROC_BIND\":\"close\"");
    unsetenv("OMP_PROC_BIND");
    unsetenv("OMP_PLACES");
    lift_str_fini(&json);
    clock_source_host.close(host);
}

/* A virtual machine in a container with a quota of processor time. */
static void test_quota(void **state)
{
    struct lift_clock_state s;
    void *host;

    (void)state;
    put("/proc/cpuinfo", "processor : 0\ncpu MHz\t\t: 2000.5\nprocessor : 1\n"
                         "cpu MHz\t\t: 3000.5\n");
    put("/proc/self/cgroup", "1:name=x:/other\n0::/box\n");
    put("/sys/fs/cgroup/box/cpu.stat", "nr_periods 9\nnr_throttled 3\n");
    host = clocks_host_open(folder);
    s = read_host(host);
    assert_true(fabs(s.mhz - 2500.5) < 1e-6);
    assert_int_equal(s.throttled, 0);
    put("/sys/fs/cgroup/box/cpu.stat", "nr_periods 11\nnr_throttled 4\n");
    assert_int_equal(read_host(host).throttled, 1);
    clock_source_host.close(host);
}

static void test_nothing(void **state)
{
    struct lift_str json = {0};
    struct lift_clock_state s;
    void *host = clocks_host_open(folder);

    (void)state;
    s = read_host(host);
    assert_true(s.mhz <= 0);
    assert_int_equal(s.throttled, -1);
    clock_source_host.settings(host, &json);
    assert_int_equal(json.len, 0);
    clock_source_host.close(host);
}

static bool says_pinned(enum lift_dialect dialect)
{
    struct lift_clocks *clocks =
        lift_clocks_open(&(struct lift_device_info){.is_cpu = true, .dialect = dialect});
    struct lift_str json = {0};
    bool found;

    lift_clocks_settings(clocks, &json);
    found = strstr(lift_str_get(&json), "\"threads\":\"one a core\"") != NULL;
    lift_str_fini(&json);
    lift_clocks_close(clocks);
    return found;
}

/* The placement of OpenMP's threads, unless the user sets it. */
static void test_threads(void **state)
{
    (void)state;
    assert_true(says_pinned(LIFT_DIALECT_OPENMP));
    assert_false(says_pinned(LIFT_DIALECT_OPENCL));
    setenv("OMP_PLACES", "cores", 1);
    assert_false(says_pinned(LIFT_DIALECT_OPENMP));
    unsetenv("OMP_PLACES");
}

/* This machine's, whatever it shows. */
static void test_here(void **state)
{
    struct lift_clocks *clocks =
        lift_clocks_open(&(struct lift_device_info){.is_cpu = true});
    struct lift_str json = {0};
    struct lift_clock_state s;

    (void)state;
    lift_clocks_read(clocks, &s);
    assert_true(s.mhz >= 0 && s.throttled >= -1 && s.throttled <= 1);
    assert_true(s.round_trip >= 0 && s.round_trip < 20e-3);
    lift_clocks_settings(clocks, &json);
    assert_true(json.data[0] == '{' && json.data[json.len - 1] == '}');
    lift_str_fini(&json);
    lift_clocks_close(clocks);
}

static void test_unknown_device(void **state)
{
    struct lift_clocks *clocks = lift_clocks_open(&(struct lift_device_info){0});
    struct lift_str json = {0};
    struct lift_clock_state s;

    (void)state;
    lift_clocks_read(clocks, &s);
    assert_true(s.mhz <= 0 && s.celsius <= 0 && s.watts <= 0 && s.round_trip <= 0);
    assert_int_equal(s.throttled, -1);
    lift_clocks_settings(clocks, &json);
    assert_string_equal(lift_str_get(&json), "{}");
    lift_str_fini(&json);
    lift_clocks_close(clocks);
    lift_clocks_close(NULL);
}

static void test_nvml(void **state)
{
    struct lift_clocks *clocks;
    struct lift_str json = {0};
    struct lift_clock_state s;

    (void)state;
    clocks = lift_clocks_open(&(struct lift_device_info){.pci = "0000:1b:00.0"});
    fake_reasons = 1 | 2; /* idle, and a clock that was asked for */
    lift_clocks_read(clocks, &s);
    assert_true(fabs(s.mhz - 1755) < 1e-6 && fabs(s.celsius - 41) < 1e-6);
    assert_true(s.watts <= 0);
    assert_int_equal(s.throttled, 0);
    fake_reasons = 0x40;
    lift_clocks_read(clocks, &s);
    assert_int_equal(s.throttled, 1);
    lift_clocks_settings(clocks, &json);
    assert_string_equal(lift_str_get(&json),
                        "{\"max_clock_mhz\":1980,\"power_limit_watts\":700}");
    lift_str_fini(&json);
    lift_clocks_close(clocks);
    clocks = lift_clocks_open(&(struct lift_device_info){.pci = "0000:1c:00.0"});
    lift_clocks_read(clocks, &s);
    assert_int_equal(s.throttled, -1);
    lift_clocks_close(clocks);
    assert_int_equal(fake_users, 0);
}

/* Shares of other processes, where the driver knows this process by its number. */
static void test_nvml_others(void **state)
{
    struct lift_device_info info = {.pci = "0000:1b:00.0"};
    double share = -1;
    void *nvml;

    (void)state;
    nvml = clock_source_nvml.open(&info);
    assert_non_null(nvml);
    fake_us = 0;
    fake_other_percent = 40;
    assert_false(clock_source_nvml.others(nvml, &share));
    fake_us = (unsigned)getpid();
    assert_true(clock_source_nvml.others(nvml, &share));
    assert_true(fabs(share - 0.4) < 1e-9);
    assert_true(clock_source_nvml.others(nvml, &share)); /* nothing new */
    assert_true(fabs(share) < 1e-9);
    clock_source_nvml.close(nvml);
}

static bool half(void *state, double *share)
{
    *share = 0.5;
    return ++*(int *)state;
}

/* A device is asked at most once a second, and only if it was timed. */
static void test_load_of_device(void **state)
{
    int calls = 0;
    struct lift_load *load = lift_load_open_device(half, &calls);
    struct lift_load_sum sum;

    (void)state;
    lift_load_begin(load);
    assert_false(lift_load_end(load));
    lift_load_take(load, &sum);
    assert_true(calls == 0 && sum.core_seconds == 0);
    usleep(1010000);
    lift_load_take(load, &sum);
    assert_int_equal(calls, 0);
    lift_load_begin(load);
    assert_false(lift_load_end(load));
    lift_load_take(load, &sum);
    assert_int_equal(calls, 1);
    assert_true(sum.core_seconds >= 1 &&
                fabs(sum.others - 0.5 * sum.core_seconds) < 1e-9);
    assert_int_equal(sum.windows, 0);
    lift_load_close(load);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_cores, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_quota, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_nothing, make_folder, remove_folder),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_here),
        cmocka_unit_test(test_unknown_device),
        cmocka_unit_test(test_nvml),
        cmocka_unit_test(test_nvml_others),
        cmocka_unit_test(test_load_of_device),
    };

    unsetenv("OMP_NUM_THREADS");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
