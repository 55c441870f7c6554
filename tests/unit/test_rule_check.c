/* The soundness check of rules: on those that ship, and on published ones that are wrong.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "rule_files.h"
#include "rules/rule_check.h"
#include <cmocka.h>
#include <errno.h>
#include <glob.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void expect_passed(void *user, const struct lift_check_report *r)
{
    if (r->verdict != LIFT_CHECK_PASSED)
        print_message("%s: %s\n%s", r->rule->name, lift_check_verdict_name(r->verdict),
                      r->detail);
    assert_int_equal(r->verdict, LIFT_CHECK_PASSED);
    assert_true(r->instances >= *(const int *)user);
}

static void expect_refuted(void *user, const struct lift_check_report *r)
{
    (void)user;
    if (r->verdict != LIFT_CHECK_REFUTED)
        print_message("%s: %s\n%s", r->rule->name, lift_check_verdict_name(r->verdict),
                      r->detail);
    assert_int_equal(r->verdict, LIFT_CHECK_REFUTED);
    assert_non_null(strstr(r->detail, "from: "));
    assert_non_null(strstr(r->detail, "to: "));
}

static void check_set(const struct lift_rules *rules, int instances,
                      lift_check_visit *visit)
{
    struct lift_check_options options = {.instances = instances, .seed = 2026, .jobs = 2};
    int count = lift_rules_count(rules);
    const struct lift_rule **list = calloc((size_t)count, sizeof *list);

    assert_true(count > 0);
    for (int i = 0; i < count; i++)
        list[i] = lift_rules_get(rules, i);
    lift_rules_check(list, count, &options, visit, &instances);
    free((void *)list);
}

static void check_file(const char *file, int instances, lift_check_visit *visit)
{
    struct lift_rules *rules = lift_rules_create();
    struct lift_error errors = {0};
    char *path = path_of(file);
    bool ok;

    lift_rules_keep_mistyped(rules);
    ok = lift_rules_load_file(rules, path, &errors);
    if (!ok)
        lift_error_print(&errors, stderr);
    lift_error_fini(&errors);
    assert_true(ok);
    check_set(rules, instances, visit);
    lift_rules_destroy(rules);
    free(path);
}

/* A reduced number: 'lift rules check' does 1000. */
static void test_shipped_are_sound(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();

    (void)state;
    check_set(rules, 60, expect_passed);
    lift_rules_destroy(rules);
}

static void test_sound(void **state)
{
    (void)state;
    check_file("tests/rules/sound/temporal.rules", 60, expect_passed);
    check_file("tests/rules/sound/floats.rules", 1000, expect_passed);
    check_file("tests/rules/sound/regions.rules", 200, expect_passed);
}

static int by_value;

/* For the reason for which they are wrong: a value, unless the types say so already. */
static void expect_refuted_by_value(void *user, const struct lift_check_report *r)
{
    bool value = strstr(r->detail, "value after") != NULL ||
                 strstr(r->detail, "has no value") != NULL;

    expect_refuted(user, r);
    if (!value && !r->rule->mistyped)
        print_message("%s: refuted by its type only\n%s", r->rule->name, r->detail);
    assert_true(value || r->rule->mistyped);
    by_value += value;
}

/* Every file is refuted, rule by rule, whatever the seed. */
static void test_unsound(void **state)
{
    char *pattern = path_of("tests/rules/unsound/*.rules");
    glob_t found;

    (void)state;
    by_value = 0;
    assert_int_equal(glob(pattern, 0, NULL, &found), 0);
    assert_true(found.gl_pathc >= 8);
    for (size_t i = 0; i < found.gl_pathc; i++)
        check_file(strstr(found.gl_pathv[i], "tests/rules/"), 500,
                   expect_refuted_by_value);
    assert_true(by_value >= 40);
    globfree(&found);
    free(pattern);
}

static void keep_report(void *user, const struct lift_check_report *r)
{
    *(struct lift_check_report *)user = *r;
    ((struct lift_check_report *)user)->detail = NULL;
}

static struct lift_check_report check_one(const char *rule, uint64_t seed)
{
    struct lift_rules *rules = load_rules(rule);
    const struct lift_rule *r = lift_rules_get(rules, 0);
    struct lift_check_options options = {.instances = 30, .seed = seed};
    struct lift_check_report report;

    lift_rules_check(&r, 1, &options, keep_report, &report);
    lift_rules_destroy(rules);
    return report;
}

/* Neither a rule that never applies nor one that cannot be typed passes in silence. */
static void test_verdicts(void **state)
{
    static const char never[] =
        "rule r exact\n  map(f, x) ~> mapSeq(f, x)\n  where 2 <= 1\n";
    static const char ill[] = "rule r exact\n  map(f, x) ~> transpose(zip(x, x))\n";
    static const char interior[] = "rule r interior(30)\n  map(f, x) ~> mapSeq(f, x)\n";
    static const char sum[] =
        "rule r exact\n  reduce(fun(a, e => a + e), 0.0, x)"
        " ~> reduce(fun(a, e => e + a), 0.0, reorder(fun(i => nat(len(x))"
        " - 1 - i), x))\n";
    struct lift_check_report a, b;

    (void)state;
    assert_int_equal(check_one(never, 1).verdict, LIFT_CHECK_TOO_FEW);
    assert_int_equal(check_one(ill, 1).verdict, LIFT_CHECK_REFUTED);
    assert_int_equal(check_one(interior, 1).verdict, LIFT_CHECK_TOO_FEW);
    assert_int_equal(check_one(sum, 1).verdict, LIFT_CHECK_REFUTED);
    a = check_one("rule r exact\n  join(split(k, x)) ~> take(k * (len(x) / k), x)\n", 3);
    b = check_one("rule r exact\n  join(split(k, x)) ~> take(k * (len(x) / k), x)\n", 3);
    assert_int_equal(a.verdict, LIFT_CHECK_PASSED);
    assert_int_equal(a.tried, b.tried);
    assert_int_equal(a.instances, b.instances);
}

struct verdicts {
    enum lift_check_verdict items[40];
    int tried[40], count, crashed;
    bool kill;
};

/* Ends the processes that were started for the check. */
static void kill_children(void)
{
    char path[80];
    FILE *file;
    int pid;

    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    file = fopen(path, "r");
    while (file && fscanf(file, "%d", &pid) == 1)
        kill(pid, SIGKILL);
    if (file)
        fclose(file);
}

static void keep_verdict(void *user, const struct lift_check_report *r)
{
    struct verdicts *v = user;

    if (v->kill && v->count == 0)
        kill_children();
    v->crashed += r->verdict == LIFT_CHECK_CRASHED;
    v->tried[v->count] = r->tried;
    v->items[v->count++] = r->verdict;
}

static struct verdicts check_by(const struct lift_rules *rules, int jobs, bool kill)
{
    struct lift_check_options options = {.instances = 30, .seed = 5, .jobs = jobs};
    struct verdicts v = {.kill = kill};
    const struct lift_rule *list[40];

    for (int i = 0; i < 40; i++)
        list[i] = lift_rules_get(rules, i);
    lift_rules_check(list, 40, &options, keep_verdict, &v);
    assert_int_equal(v.count, 40);
    return v;
}

static void interrupt(int signal)
{
    (void)signal;
}

/* Without SA_RESTART, as that of a program which uses the library may be. */
static struct verdicts check_with_timer(const struct lift_rules *rules, int jobs)
{
    struct sigaction action = {.sa_handler = interrupt}, before;
    struct itimerval often = {{.tv_usec = 500}, {.tv_usec = 500}}, never = {{0}, {0}};
    struct verdicts out;

    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &often, NULL);
    out = check_by(rules, jobs, false);
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    return out;
}

/* Several processes report the same as one, and none survives an interrupted caller. New
 * processes replace ended ones; a lost report is an error. */
static void test_jobs(void **state)
{
    struct lift_rules *rules = lift_rules_shipped();
    struct verdicts one = check_by(rules, 1, false), many = check_with_timer(rules, 8);
    struct verdicts killed;

    (void)state;
    assert_int_equal(waitpid(-1, NULL, 0), -1);
    assert_int_equal(errno, ECHILD);
    assert_memory_equal(&one, &many, sizeof one);
    assert_int_equal(one.crashed, 0);
    killed = check_by(rules, 2, true);
    assert_true(killed.crashed <= 2);
    lift_rules_destroy(rules);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shipped_are_sound),
        cmocka_unit_test(test_sound),
        cmocka_unit_test(test_unsound),
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_jobs),
    };

    return cmocka_run_group_tests_name("rule_check", tests, NULL, NULL);
}
