/* Cores and memory domains, of machines that hwloc makes up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "base/parallel.h"
#include "device/pins.h"
#include <cmocka.h>
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static bool is_built_in(void)
{
    return LIFT_TEST_HWLOC && dlopen("libhwloc.so.15", RTLD_LAZY) != NULL;
}

static void find(const char *machine, struct device_topology *t)
{
    setenv("HWLOC_SYNTHETIC", machine, 1);
    device_topology_find(t);
    unsetenv("HWLOC_SYNTHETIC");
}

static void test_this_machine(void **state)
{
    struct device_topology t;
    cpu_set_t usable;

    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof usable, &usable), 0);
    device_topology_find(&t);
    assert_int_equal(t.count, CPU_COUNT(&usable));
    assert_in_range(t.domains, 1, t.count);
    for (int i = 0; i < t.count; i++) {
        assert_true(CPU_ISSET(t.cpus[i], &usable));
        assert_in_range(t.domain[i], 0, t.domains - 1);
    }
}

/* Linux often numbers the first hardware threads of all cores before the second ones, and
 * alternates between sockets. */
static void test_near_processors_are_adjacent(void **state)
{
    static const int expected[] = {0, 4, 2, 6, 1, 5, 3, 7};
    struct device_topology t;

    (void)state;
    if (!is_built_in())
        skip();
    find("pack:2 [numa] core:2 pu:2(indexes=pack:core)", &t);
    assert_int_equal(t.count, 8);
    assert_int_equal(t.domains, 2);
    for (int i = 0; i < t.count; i++) {
        assert_int_equal(t.cpus[i], expected[i]);
        assert_int_equal(t.domain[i], i / 4);
    }
}

static void test_a_core_belongs_to_one_domain(void **state)
{
    struct device_topology t;

    (void)state;
    if (!is_built_in())
        skip();
    find("pack:2 [numa] [numa] core:2 pu:1", &t);
    assert_int_equal(t.count, 4);
    assert_int_equal(t.domains, 2);
}

/* All processors: one thread each, in order. Fewer threads: spread over both domains, and
 * one for each core. */
static void test_threads_are_spread(void **state)
{
    struct device_topology t;

    (void)state;
    if (!is_built_in())
        skip();
    find("pack:2 [numa] core:2 pu:2(indexes=pack:core)", &t);
    for (int i = 0; i < 8; i++)
        assert_int_equal(device_pins_core(&t, i, 8), t.cpus[i]);
    for (int i = 0; i < 4; i++)
        assert_int_equal(device_pins_core(&t, i, 4), i < 2 ? 2 * i : 2 * i - 3);
    assert_int_equal(device_pins_core(&t, 0, 2), 0);
    assert_int_equal(device_pins_core(&t, 1, 2), 1);
}

enum { PARTS = 2 };

static void note_cpus(void *user, int64_t from, int64_t to)
{
    cpu_set_t *sets = user;

    assert_int_equal(to, from + 1);
    sched_getaffinity(0, sizeof sets[from], &sets[from]);
}

static void test_parts_run_on_their_domain(void **state)
{
    static const int one[] = {0, 0}, two[] = {0, 1};
    struct device_topology t;
    cpu_set_t sets[PARTS], before, after;

    (void)state;
    unsetenv("HWLOC_SYNTHETIC");
    device_topology_find(&t);
    if (t.count < PARTS)
        skip();
    sched_getaffinity(0, sizeof before, &before);
    lift_parallel_domains(t.cpus, two, PARTS);
    lift_parallel(PARTS, 1, note_cpus, sets);
    for (int i = 0; i < PARTS; i++) {
        assert_int_equal(CPU_COUNT(&sets[i]), 1);
        assert_true(CPU_ISSET(t.cpus[i], &sets[i]));
    }
    sched_getaffinity(0, sizeof after, &after);
    assert_true(CPU_EQUAL(&before, &after));
    lift_parallel_domains(t.cpus, one, PARTS);
    lift_parallel(PARTS, 1, note_cpus, sets);
    for (int i = 0; i < PARTS; i++)
        assert_true(CPU_EQUAL(&sets[i], &before));
}

/* ---- limits of control groups */

static char folder[] = "/tmp/lift-groups-XXXXXX";

static void put(const char *name, const char *text)
{
    char path[200];
    FILE *file;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = text ? fopen(path, "w") : NULL;
    if (file) {
        fputs(text, file);
        fclose(file);
    } else {
        unlink(path);
    }
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    put("cpu.max", NULL);
    put("cpu.cfs_quota_us", NULL);
    put("cpu.cfs_period_us", NULL);
    return rmdir(folder);
}

static void test_quotas(void **state)
{
    (void)state;
    assert_int_equal(lift_quota_in(folder), 0);
    put("cpu.max", "max 100000\n");
    assert_int_equal(lift_quota_in(folder), 0);
    put("cpu.max", "1600000 100000\n");
    assert_int_equal(lift_quota_in(folder), 16);
    put("cpu.max", "150000 100000\n");
    assert_int_equal(lift_quota_in(folder), 2);
    put("cpu.max", "1000 100000\n");
    assert_int_equal(lift_quota_in(folder), 1);
    put("cpu.max", "nonsense\n");
    assert_int_equal(lift_quota_in(folder), 0);
    put("cpu.max", NULL);
    put("cpu.cfs_quota_us", "-1\n");
    put("cpu.cfs_period_us", "100000\n");
    assert_int_equal(lift_quota_in(folder), 0);
    put("cpu.cfs_quota_us", "400000\n");
    assert_int_equal(lift_quota_in(folder), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_this_machine),
        cmocka_unit_test(test_near_processors_are_adjacent),
        cmocka_unit_test(test_a_core_belongs_to_one_domain),
        cmocka_unit_test(test_threads_are_spread),
        cmocka_unit_test(test_parts_run_on_their_domain),
        cmocka_unit_test(test_quotas),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
