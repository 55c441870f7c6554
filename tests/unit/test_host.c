/* The host's compiler: its requests, its failures, and that it leaves no files behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/parallel.h"
#include "base/seconds.h"
#include "device/device.h"
#include "device/device_t.h"
#include "device/process.h"
#include "gone.h"
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char plain_source[] =
    "void k_call(void *const *args) { *(float *)args[0] = 1; }\n";

/* -- The host's compiler -- */

struct fake {
    char folder[64], script[96], pid_file[96], tmp[96];
};

static void write_script(const struct fake *s, const char *body)
{
    FILE *file = fopen(s->script, "w");

    assert_non_null(file);
    fprintf(file,
            "#!/bin/sh\n"
            "if [ \"$1\" = --version ]; then echo slow 1.0; echo more; exit; fi\n"
            "PIDS=%s\n"
            "%s",
            s->pid_file, body);
    fclose(file);
    assert_int_equal(chmod(s->script, 0700), 0);
}

/* A fake compiler: it never ends, has a child, files and a folder, and ignores requests
 * to stop, unless its script is rewritten. */
static int make_fake(void **state)
{
    struct fake *s = calloc(1, sizeof *s);

    snprintf(s->folder, sizeof s->folder, "/tmp/lift-test-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    snprintf(s->script, sizeof s->script, "%s/cc", s->folder);
    snprintf(s->pid_file, sizeof s->pid_file, "%s/pid", s->folder);
    snprintf(s->tmp, sizeof s->tmp, "%s/tmp", s->folder);
    assert_int_equal(mkdir(s->tmp, 0700), 0);
    write_script(s,
                 "trap '' TERM\n"
                 "mkdir $TMPDIR/deep && for i in 1 2 3; do : >$TMPDIR/deep/$i.o; done\n"
                 ": >$TMPDIR/left.o\n"
                 "sleep 10000 &\n"
                 "echo $! > $PIDS.new && mv $PIDS.new $PIDS\n"
                 "wait; wait\n");
    setenv("LIFT_CC", s->script, 1);
    setenv("TMPDIR", s->tmp, 1);
    *state = s;
    return 0;
}

static int remove_fake(void **state)
{
    struct fake *s = *state;

    unsetenv("LIFT_CC");
    unsetenv("LIFT_CC_SECONDS");
    unsetenv("TMPDIR");
    unlink(s->script);
    unlink(s->pid_file);
    rmdir(s->tmp);
    assert_int_equal(rmdir(s->folder), 0);
    free(s);
    return 0;
}

static int entries(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int count = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir)))
        count += entry->d_name[0] != '.';
    closedir(dir);
    return count;
}

static pid_t read_pid(const struct fake *s)
{
    FILE *file = fopen(s->pid_file, "r");
    int pid = 0;

    if (!file)
        return 0;
    if (fscanf(file, "%d", &pid) != 1)
        pid = 0;
    fclose(file);
    return (pid_t)pid;
}

static void test_compiler_has_a_time_limit(void **state)
{
    struct fake *s = *state;
    struct lift_error failure = {0};
    struct lift_device *device;
    char limit[32], said[64];
    double start;

    snprintf(limit, sizeof limit, "%g", patient(3)); /* time enough to be started */
    snprintf(said, sizeof said, "time limit of %s s", limit);
    setenv("LIFT_CC_SECONDS", limit, 1);
    device = lift_device_open("host", &failure);
    assert_non_null(device);
    assert_string_equal(lift_device_info(device)->compiler, "slow 1.0");
    start = lift_seconds();
    assert_null(device->runtime->build(device, "int x;", "", NULL, &failure));
    assert_true(lift_seconds() - start < patient(90)); /* its child sleeps for longer */
    assert_int_equal(failure.code, LIFT_ERROR_COMPILE);
    assert_non_null(strstr(lift_str_get(&failure.text), said));
    assert_true(read_pid(s) > 0);
    assert_true(becomes_gone(read_pid(s)));
    assert_int_equal(entries(s->tmp), 0);
    lift_device_close(device);
    lift_error_fini(&failure);
}

static void compile_for_ever(void)
{
    struct lift_device *device = lift_device_open("host", NULL);

    if (device)
        device->runtime->build(device, "int x;", "", NULL, NULL);
    _exit(0);
}

/* As when a worker is killed in the middle of a compilation. */
static void test_compiler_dies_with_its_user(void **state)
{
    struct fake *s = *state;
    pid_t child = fork();

    if (child == 0)
        compile_for_ever();
    for (int i = 0; i < 1000 * patient(60) && read_pid(s) == 0; i++)
        usleep(1000);
    assert_true(read_pid(s) > 0);
    assert_int_equal(entries(s->tmp), 1);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_true(becomes_gone(read_pid(s)));
    for (int i = 0; i < 1000 * patient(60) && entries(s->tmp) > 0; i++)
        usleep(1000);
    assert_int_equal(entries(s->tmp), 0);
}

static void expect_build_to_fail_with(enum lift_error_code code, const char *text)
{
    struct lift_error failure = {0};
    struct lift_device *device = lift_device_open("host", &failure);

    assert_non_null(device);
    assert_null(device->runtime->build(device, "int x;", "", NULL, &failure));
    assert_int_equal(failure.code, code);
    if (!strstr(lift_str_get(&failure.text), text))
        fail_msg("'%s' is not in: %s", text, lift_str_get(&failure.text));
    lift_device_close(device);
    lift_error_fini(&failure);
}

static void expect_build_to_fail(const char *text)
{
    expect_build_to_fail_with(LIFT_ERROR_COMPILE, text);
}

/* As clang does where libomp is not installed. */
static void test_compiler_without_openmp(void **state)
{
    struct fake *s = *state;

    write_script(s, "echo 'ld: cannot find -lomp: No such file' >&2; exit 1\n");
    expect_build_to_fail("cannot find -lomp");
    expect_build_to_fail("-fopenmp fails on any source (clang needs libomp)");
    assert_int_equal(entries(s->tmp), 0);
}

static void test_compiler_that_crashes(void **state)
{
    write_script(*state, "echo oops; kill -SEGV $$\n");
    expect_build_to_fail("was ended by signal 11:\noops");
}

/* As the kernel does when memory runs out; gcc and clang run another program. */
static void test_compiler_that_is_killed(void **state)
{
    static const char *const messages[] = {
        "gcc: fatal error: Killed signal terminated program cc1",
        "clang: error: unable to execute command: Killed"};
    char script[128];

    write_script(*state, "kill -KILL $$\n");
    expect_build_to_fail_with(LIFT_ERROR_RESOURCE, "was ended by signal 9");
    for (int i = 0; i < 2; i++) {
        snprintf(script, sizeof script, "echo '%s' >&2; exit 1\n", messages[i]);
        write_script(*state, script);
        expect_build_to_fail_with(LIFT_ERROR_RESOURCE, messages[i]);
    }
}

static void test_compiler_that_writes_no_module(void **state)
{
    write_script(*state, "exit 0\n");
    expect_build_to_fail("cannot read '");
}

/* More than a pipe holds, on both outputs. */
static void test_compiler_that_says_much(void **state)
{
    write_script(*state, "i=0; while [ $i -lt 3000 ]; do echo \"a line of an error $i\"; "
                         "echo more >&2; i=$((i+1)); done; exit 1\n");
    expect_build_to_fail("a line of an error 2999");
}

static void test_no_compiler(void **state)
{
    struct lift_error failure = {0};

    (void)state;
    setenv("LIFT_CC", "/nonexistent/cc -m64", 1);
    assert_null(lift_device_open("host", &failure));
    unsetenv("LIFT_CC");
    assert_int_equal(failure.code, LIFT_ERROR_DEVICE);
    assert_non_null(strstr(lift_str_get(&failure.text), "cannot find '/nonexistent/cc'"));
    lift_error_fini(&failure);
}

static void test_compiler_that_fails(void **state)
{
    struct lift_error failure = {0};

    (void)state;
    setenv("LIFT_CC", "false", 1);
    assert_null(lift_device_open("host", &failure));
    unsetenv("LIFT_CC");
    assert_int_equal(failure.code, LIFT_ERROR_DEVICE);
    assert_string_equal(lift_str_get(&failure.text), "'false' failed with exit status 1");
    lift_error_fini(&failure);
}

static void test_compilation_leaves_no_files(void **state)
{
    struct fake *s = *state;
    struct lift_error failure = {0};
    struct lift_device *device;
    struct lift_binary *binary;

    unsetenv("LIFT_CC");
    device = lift_device_open("host", &failure);
    assert_non_null(device);
    binary = device->runtime->build(device, plain_source, "", NULL, NULL);
    assert_non_null(binary);
    assert_int_equal(entries(s->tmp), 0);
    device->runtime->unload(device, binary);
    lift_device_close(device);
    lift_error_fini(&failure);
}

/* Warnings are for the log, and are no failure. */
static void test_warnings_are_logged(void **state)
{
    struct lift_error failure = {0};
    struct lift_device *device = lift_device_open("host", &failure);
    struct lift_str log = {0};
    struct lift_binary *binary;

    (void)state;
    assert_non_null(device);
    binary = device->runtime->build(device, "#warning look here\n", "", &log, &failure);
    assert_non_null(binary);
    assert_int_equal(failure.code, LIFT_ERROR_NONE);
    assert_non_null(strstr(lift_str_get(&log), "look here"));
    device->runtime->unload(device, binary);
    lift_device_close(device);
    lift_str_fini(&log);
}

/* The pragma must have made threads, as many as there are cores. */
static void test_openmp_runs_in_parallel(void **state)
{
    static const char source[] = "#include <omp.h>\n"
                                 "#include <stdint.h>\n"
                                 "void k_call(void *const *args)\n"
                                 "{\n"
                                 "    int32_t threads = 0;\n"
                                 "#pragma omp parallel reduction(+ : threads)\n"
                                 "    threads += 1;\n"
                                 "    *(int32_t *)args[0] = threads;\n"
                                 "}\n";
    struct lift_error failure = {0};
    struct lift_device *device = lift_device_open("host", &failure);
    const struct lift_runtime *rt;
    const char *asked = getenv("OMP_NUM_THREADS");

    (void)state;
    assert_non_null(device);
    rt = device->runtime;
    for (int round = 0; round < 3; round++) { /* the library must survive an unload */
        struct lift_binary *binary = rt->build(device, source, "", NULL, &failure);
        struct lift_buffer *out = rt->alloc(device, 4, &failure);
        const struct lift_arg arg = {.kind = LIFT_ARG_BUFFER, .buffer = out};
        int32_t threads = 0;

        assert_non_null(binary);
        assert_true(
            rt->launch(device, binary, &(struct lift_call){"k", {0}, &arg, 1}, &failure));
        assert_true(rt->read(device, out, &threads, 4, &failure));
        assert_int_equal(threads,
                         asked ? atoi(asked) : lift_device_info(device)->compute_units);
        rt->release(device, out);
        rt->unload(device, binary);
    }
    lift_device_close(device);
}

/* Prints the number of threads, the cores that each may use, and the compiler. */
static const char threads_source[] =
    "#define _GNU_SOURCE\n"
    "#include <sched.h>\n"
    "#include <stdint.h>\n"
    "void serial_call(void *const *args)\n"
    "{\n"
    "    *(int32_t *)args[0] = 0;\n"
    "}\n"
    "void k_call(void *const *args)\n"
    "{\n"
    "    int32_t *out = args[0], threads = 0, cores = 0;\n"
    "#pragma omp parallel reduction(+ : threads, cores)\n"
    "    {\n"
    "        cpu_set_t set;\n"
    "        sched_getaffinity(0, sizeof set, &set);\n"
    "        threads += 1;\n"
    "        cores += CPU_COUNT(&set);\n"
    "    }\n"
    "    out[0] = threads;\n"
    "    out[1] = cores;\n"
    "#ifdef __clang__\n"
    "    out[2] = 1;\n"
    "#else\n"
    "    out[2] = 0;\n"
    "#endif\n"
    "}\n";

struct team {
    int32_t threads, cores, clang;
};

static struct team launch_team(struct lift_device *device, struct lift_binary *binary,
                               struct lift_buffer *out)
{
    const struct lift_arg arg = {.kind = LIFT_ARG_BUFFER, .buffer = out};
    const struct lift_runtime *rt = device->runtime;
    struct team team;

    assert_true(
        rt->launch(device, binary, &(struct lift_call){"serial", {0}, &arg, 1}, NULL));
    assert_true(rt->launch(device, binary, &(struct lift_call){"k", {0}, &arg, 1}, NULL));
    assert_true(rt->read(device, out, &team, sizeof team, NULL));
    return team;
}

/* Processor time of this process while it sleeps. */
static double idle_seconds(int ms)
{
    clock_t start = clock();

    usleep((unsigned)ms * 1000);
    return (double)(clock() - start) / CLOCKS_PER_SEC;
}

/* Alternates two libraries of OpenMP in one process: both have all their threads, one per
 * core, without interference; also where the first kernel of a program has no threads. */
static void take_turns(struct lift_device *device, struct lift_binary *const binaries[2])
{
    struct lift_buffer *out = device->runtime->alloc(device, sizeof(struct team), NULL);
    const char *asked = getenv("OMP_NUM_THREADS");
    int all = asked ? atoi(asked) : lift_cores(), cores = lift_cores();

    assert_non_null(out);
    for (int turn = 0; turn < 6; turn++) {
        struct team team = launch_team(device, binaries[turn % 2], out);

        assert_int_equal(team.clang, turn % 2);
        assert_int_equal(team.threads, all);
        if (turn > 1 && all > 1 && all <= cores)
            assert_int_equal(team.cores, all);
        assert_int_equal(lift_cores(), cores);
    }
    idle_seconds(50);
    assert_true(idle_seconds(200) < 0.1);
    device->runtime->release(device, out);
}

static void test_two_compilers(void **state)
{
    static const char *const options[] = {"compiler=gcc -O1", "compiler=clang"};
    struct lift_device *device = lift_device_open("host", NULL);
    struct lift_binary *binaries[2];

    (void)state;
    assert_non_null(device);
    if (lift_device_info(device)->compilers != (1u << LIFT_GCC | 1u << LIFT_CLANG)) {
        lift_device_close(device);
        skip();
    }
    assert_non_null(strstr(lift_device_info(device)->compiler, "; "));
    lift_device_pin(device);
    for (int i = 0; i < 2; i++) {
        binaries[i] =
            device->runtime->build(device, threads_source, options[i], NULL, NULL);
        assert_non_null(binaries[i]);
    }
    take_turns(device, binaries);
    for (int i = 0; i < 2; i++)
        device->runtime->unload(device, binaries[i]);
    lift_device_close(device);
}

static int usable_cores(void)
{
    cpu_set_t set;

    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    return CPU_COUNT(&set);
}

/* In a process without threads: launches twice, and compares the caller's cores before
 * and after the end. Returns the number of the failed check; 0: none. */
static int launch_bound(void)
{
    struct lift_device *device = lift_device_open("host", NULL);
    const struct lift_runtime *rt = device->runtime;
    struct lift_binary *binary;
    struct lift_buffer *out;
    struct lift_arg arg = {.kind = LIFT_ARG_BUFFER};
    const struct lift_call call = {"k", {0}, &arg, 1};
    int all = usable_cores();
    struct team team;
    bool bound;

    lift_device_pin(device);
    binary = rt->build(device, threads_source, "", NULL, NULL);
    out = arg.buffer = rt->alloc(device, sizeof team, NULL);
    if (!binary || !out)
        return 1;
    launch_team(device, binary, out);
    team = launch_team(device, binary, out);
    bound = team.threads > 1 && team.cores == team.threads;
    if (usable_cores() != all)
        return 2;
    for (int i = 0; i < 2; i++) {
        if (!rt->launch(device, binary, &call, NULL) ||
            !rt->launch(device, binary, &call, NULL) ||
            usable_cores() != (bound ? 1 : all))
            return 3;
        if (!rt->finish(device, NULL, NULL) || usable_cores() != all)
            return 4;
    }
    if (!rt->launch(device, binary, &call, NULL))
        return 5;
    rt->release(device, out);
    rt->unload(device, binary);
    lift_device_close(device);
    return usable_cores() == all ? 0 : 6;
}

/* The caller of kernels is bound from launch to launch. Work on buffers and the end of
 * the launches unbind the caller. */
static void test_caller_is_bound(void **state)
{
    pid_t child = fork();
    int status;

    (void)state;
    assert_true(child >= 0);
    if (child == 0)
        _exit(launch_bound());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Nor is there a second one where the user binds threads. */
static void test_bound_threads(void **state)
{
    struct lift_device *device;
    unsigned kinds;

    (void)state;
    setenv("OMP_PLACES", "cores", 1);
    device = lift_device_open("host", NULL);
    unsetenv("OMP_PLACES");
    assert_non_null(device);
    kinds = lift_device_info(device)->compilers;
    assert_true(kinds == 1u << LIFT_GCC || kinds == 1u << LIFT_CLANG);
    lift_device_close(device);
}

/* $LIFT_CC means that compiler and no other. */
static void test_one_compiler(void **state)
{
    struct lift_error failure = {0};
    struct lift_device *device;

    (void)state;
    setenv("LIFT_CC", "gcc", 1);
    device = lift_device_open("host", &failure);
    unsetenv("LIFT_CC");
    if (!device) {
        lift_error_fini(&failure);
        skip();
    }
    assert_int_equal(lift_device_info(device)->compilers, 1u << LIFT_GCC);
    assert_null(
        device->runtime->build(device, plain_source, "compiler=clang", NULL, &failure));
    assert_int_equal(failure.code, LIFT_ERROR_COMPILE);
    assert_non_null(strstr(lift_str_get(&failure.text), "there is no clang here"));
    lift_device_close(device);
    lift_error_fini(&failure);
}

static void test_names_of_compilers(void **state)
{
    const char *rest;

    (void)state;
    assert_int_equal(lift_compiler_named("compiler=clang -O1 -g", &rest), LIFT_CLANG);
    assert_string_equal(rest, "-O1 -g");
    assert_int_equal(lift_compiler_named("compiler=gcc", &rest), LIFT_GCC);
    assert_string_equal(rest, "");
    assert_int_equal(lift_compiler_named("compiler=gcc4 -O1", &rest), LIFT_COMPILER_ANY);
    assert_string_equal(rest, "compiler=gcc4 -O1");
    assert_int_equal(lift_compiler_named("-O1", &rest), LIFT_COMPILER_ANY);
    assert_string_equal(rest, "-O1");
}

/* Kernels are built for another machine, and are not run. */
static void test_target_of_the_host(void **state)
{
    struct lift_error failure = {0};
    struct lift_device *d = lift_device_open("host:aarch64", &failure);
    struct lift_binary *binary;
    struct lift_str bytes = {0};

    (void)state;
    assert_null(lift_device_open("host:vax", NULL));
    if (!d) {
        print_message("%s\n", lift_str_get(&failure.text));
        assert_int_equal(failure.code, LIFT_ERROR_DEVICE);
        lift_error_fini(&failure);
        skip();
    }
    assert_true(lift_device_info(d)->builds_only);
    assert_int_equal(lift_device_info(d)->simd_width, 4);
    binary = d->runtime->build(d, plain_source, "", NULL, &failure);
    assert_non_null(binary);
    assert_true(d->runtime->save(d, binary, &bytes, &failure));
    assert_int_equal(bytes.data[18], (char)183); /* the machine, in the head of an ELF */
    assert_true(lift_device_health_build(d, &bytes, &failure));
    assert_null(d->runtime->load(d, bytes.data, bytes.len, &failure));
    assert_int_equal(failure.code, LIFT_ERROR_DEVICE);
    assert_null(d->runtime->alloc(d, 16, &failure));
    assert_false(
        d->runtime->launch(d, binary, &(struct lift_call){.kernel = "k"}, &failure));
    assert_non_null(strstr(lift_str_get(&failure.text), "is an architecture"));
    d->runtime->unload(d, binary);
    lift_str_fini(&bytes);
    lift_error_fini(&failure);
    lift_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_compiler_has_a_time_limit, make_fake,
                                        remove_fake),
        cmocka_unit_test_setup_teardown(test_compiler_dies_with_its_user, make_fake,
                                        remove_fake),
        cmocka_unit_test_setup_teardown(test_compilation_leaves_no_files, make_fake,
                                        remove_fake),
        cmocka_unit_test_setup_teardown(test_compiler_without_openmp, make_fake,
                                        remove_fake),
        cmocka_unit_test_setup_teardown(test_compiler_that_crashes, make_fake,
                                        remove_fake),
        cmocka_unit_test_setup_teardown(test_compiler_that_is_killed, make_fake,
                                        remove_fake),
        cmocka_unit_test_setup_teardown(test_compiler_that_writes_no_module, make_fake,
                                        remove_fake),
        cmocka_unit_test_setup_teardown(test_compiler_that_says_much, make_fake,
                                        remove_fake),
        cmocka_unit_test(test_no_compiler),
        cmocka_unit_test(test_compiler_that_fails),
        cmocka_unit_test(test_warnings_are_logged),
        cmocka_unit_test(test_caller_is_bound), /* before threads exist */
        cmocka_unit_test(test_two_compilers),   /* makes the first threads */
        cmocka_unit_test(test_openmp_runs_in_parallel),
        cmocka_unit_test(test_one_compiler),
        cmocka_unit_test(test_bound_threads),
        cmocka_unit_test(test_names_of_compilers),
        cmocka_unit_test(test_target_of_the_host),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
