/* Interference by other work: from recorded counters to the words of the summary. */
#include "scratch.h"

#include "explore/session/interference.h"
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* ---- counters */

static void make(const char *name)
{
    if (mkdir(path_of(name), 0700) && errno != EEXIST)
        fail_msg("%s: %s", name, strerror(errno));
}

/* Ticks of each usable core, so that their sums are 'busy' and 'stolen'. */
static void put_stat(long busy, long stolen)
{
    char text[1 << 16] = "cpu  999 999 999 999 999 999 999 999 999 999\n";
    cpu_set_t set;
    size_t len = strlen(text);

    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    for (int core = 0; core < CPU_SETSIZE; core++) {
        if (!CPU_ISSET(core, &set))
            continue;
        len +=
            (size_t)snprintf(text + len, sizeof text - len,
                             "cpu%d %ld 0 0 7777 88 0 0 %ld 0 0\n", core, busy, stolen);
        busy = stolen = 0; /* the other cores are idle */
    }
    snprintf(text + len, sizeof text - len, "intr 1 2 3\nctxt 7\n");
    make("proc");
    write_file(path_of("proc/stat"), text);
}

static void put_waited(const char *thread, long long nanoseconds)
{
    char name[64], text[64];

    make("proc/self");
    make("proc/self/task");
    snprintf(name, sizeof name, "proc/self/task/%s", thread);
    make(name);
    snprintf(name, sizeof name, "proc/self/task/%s/schedstat", thread);
    snprintf(text, sizeof text, "1234567 %lld 89\n", nanoseconds);
    write_file(path_of(name), text);
}

static void sleep_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
}

static void test_counters(void **state)
{
    const long long second = 1000000000;
    struct lift_load_sum sum, all = {0};
    struct lift_load *load;

    (void)state;
    put_stat(4000, 50);
    put_waited("17", second);
    put_waited("18", 5 * second);
    load = lift_load_open(folder);
    lift_load_take(load, &sum);
    assert_int_equal(sum.windows, 0);
    lift_load_begin(load);
    sleep_a_little();
    put_waited("17", second + 1000); /* a thread that was woken */
    assert_false(lift_load_end(load));
    lift_load_begin(load);
    sleep_a_little();
    put_waited("18", 4000 * second);
    assert_true(lift_load_end(load));
    put_stat(5000, 350);
    lift_load_pause(load);
    put_stat(8000, 5000); /* after the period */
    lift_load_pause(load);
    lift_load_begin(load);
    lift_load_end(load);
    lift_load_take(load, &sum);
    assert_int_equal(sum.windows, 3);
    assert_int_equal(sum.disturbed, 1);
    assert_true(sum.core_seconds >= 0.01);
    /* ten seconds, without those of this process and its parent */
    assert_true(sum.others > 5 && sum.others <= 10.001);
    assert_true(sum.stolen > 2.999 && sum.stolen < 3.001);
    lift_load_add(&all, &sum);
    lift_load_add(&all, &sum);
    assert_int_equal(all.windows, 6);
    assert_true(all.stolen > 5.999);
    lift_load_take(load, &sum);
    assert_true(sum.windows == 0 && sum.core_seconds == 0);
    lift_load_close(load);
}

static void test_no_counters(void **state)
{
    struct lift_load_sum sum;
    struct lift_load *load = lift_load_open("/nowhere");

    (void)state;
    lift_load_begin(load);
    assert_false(lift_load_end(load));
    lift_load_take(load, &sum);
    assert_true(sum.windows == 0 && sum.core_seconds == 0);
    lift_load_close(load);
    lift_load_begin(NULL);
    assert_false(lift_load_end(NULL));
    lift_load_take(NULL, &sum);
    assert_true(sum.windows == 0 && sum.core_seconds == 0);
    lift_load_close(NULL);
}

/* ---- words */

static void assert_words(const struct interference *all, const char *words)
{
    LIFT_SCOPED(lift_str) text = {0};

    interference_words(all, &text);
    assert_string_equal(lift_str_get(&text), words);
    assert_int_equal(interference_is_busy(all), strncmp(words, "busy", 4) == 0);
}

/* A session of a minute on two cores of a quiet machine. */
static const struct interference quiet = {
    .load = {.windows = 800, .disturbed = 9, .core_seconds = 60, .others = 1.1},
    .samples = 780,
    .held_back = 12,
    .naive_drift = 1.02,
    .best_drift = 0.97,
    .spread = 0.03,
    .fastest = 2e-4};

static void test_words(void **state)
{
    struct interference all = quiet;

    (void)state;
    assert_words(&all, "quiet");
    all.load.others = 27;
    assert_words(&all, "busy: other processes took 45 % of the processor's time");
    all.naive_drift = 1.3;
    assert_words(&all,
                 "busy: other processes took 45 % of the processor's time; the naive "
                 "kernel slowed down by 30 % during the session");
    all = quiet;
    all.naive_drift = 0.5;
    assert_words(&all, "busy: the naive kernel sped up by 100 % during the session");
    all = quiet;
    all.best_drift = 1.4;
    all.spread = 0.22;
    assert_words(&all, "quiet");
    all = quiet;
    all.held_back = 400;
    assert_words(&all, "busy: 51 % of the samples were disturbed");
    all = quiet;
    all.load.stolen = 6;
    assert_words(&all, "busy: other virtual machines took 10 % of the processor's time");
    all = quiet;
    all.spread = 0.35;
    assert_words(&all, "busy: samples of the best kernel differ by 35 %");
}

/* Few counters allow no judgement. A GPU's reduced clocks are no interference. */
static void test_unknown(void **state)
{
    struct interference all = {.samples = 0};

    (void)state;
    assert_words(&all, "");
    all.load = (struct lift_load_sum){
        .windows = 3, .disturbed = 3, .core_seconds = 0.1, .others = 0.1};
    all.samples = all.held_back = 3;
    assert_words(&all, "");
    all = (struct interference){
        .apart = true, .samples = 100, .held_back = 70, .naive_drift = 1.01};
    assert_words(&all, "quiet; clocks were reduced in 70 % of the samples");
    all.load = (struct lift_load_sum){.core_seconds = 20, .others = 5};
    assert_words(&all,
                 "busy: other processes took 25 % of the device's time; clocks were "
                 "reduced in 70 % of the samples");
    all = (struct interference){.samples = 10, .naive_drift = 1.4};
    assert_words(&all, "busy: the naive kernel slowed down by 40 % during the session");
}

static void test_row(void **state)
{
    struct interference all = quiet;
    LIFT_SCOPED(lift_str) text = {0};

    (void)state;
    all.spread = all.fastest = 0;
    interference_json(&all, &text);
    assert_string_equal(
        lift_str_get(&text),
        "{\"busy\":false,\"words\":\"quiet\",\"samples\":780,\"held_back\":12,"
        "\"windows\":800,\"waited\":9,\"core_seconds\":60.0,\"others\":0.01833,"
        "\"stolen\":0.0,\"naive_drift\":1.02,\"best_drift\":0.97,\"spread\":null}");
}

static void test_adding(void **state)
{
    const struct lift_db_clock clocks[] = {
        {.throttled = -1}, {.throttled = 1}, {.throttled = 0}, {.throttled = 1}};
    const double slow[] = {4, 4.4, 4, 9, 4.2}, fast[] = {2, 2, 2.2, 2, 3}, few[] = {1, 1};
    struct interference all = {.samples = 0};

    (void)state;
    interference_add(&all, &quiet.load, clocks, 4);
    interference_add(&all, &quiet.load, clocks, 1);
    assert_int_equal(all.samples, 5);
    assert_int_equal(all.held_back, 2);
    assert_int_equal(all.load.windows, 1600);
    interference_take_finalist(&all, slow, 5);
    assert_true(all.fastest == 4.2);
    interference_take_finalist(&all, fast, 5);
    assert_true(all.fastest == 2 && all.spread > 0.099 && all.spread < 0.101);
    interference_take_finalist(&all, few, 2);
    interference_take_finalist(&all, slow, 5);
    assert_true(all.fastest == 2);
}

/* A naive kernel whose times vary on a quiet machine has no drift; few samples have none
 * either. */
static void test_naive(void **state)
{
    static const double varying[] = {3.2e-3, 2.8e-3, 3.9e-3, 3.1e-3, 3.0e-3},
                        steady[] = {2e-3, 2.01e-3, 2.02e-3};
    const struct lift_interval last = {.median = 3.6e-3, .low = 3.0e-3, .high = 3.8e-3};
    struct trial_reply end = {.sample_count = 5};
    struct interference all = {.samples = 0};

    (void)state;
    memcpy(end.samples, varying, sizeof varying);
    interference_take_naive(&all, &end, 1);
    interference_compare_naive(&all, &last);
    assert_true(all.naive_drift == 1);
    end.sample_count = 3;
    memcpy(end.samples, steady, sizeof steady);
    interference_take_naive(&all, &end, 1);
    interference_compare_naive(&all, &last);
    assert_true(all.naive_drift > 1.78 && all.naive_drift < 1.8);
    all = (struct interference){.samples = 0};
    end.sample_count = 2;
    interference_take_naive(&all, &end, 1);
    interference_compare_naive(&all, &last);
    assert_true(all.naive_drift == 0);
    end.sample_count = 3;
    interference_take_naive(&all, &end, 1);
    interference_compare_naive(&all, &(struct lift_interval){.median = 9e-3});
    assert_true(all.naive_drift == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counters), cmocka_unit_test(test_no_counters),
        cmocka_unit_test(test_words),    cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_row),      cmocka_unit_test(test_adding),
        cmocka_unit_test(test_naive),
    };

    return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
