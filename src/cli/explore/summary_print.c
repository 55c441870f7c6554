/* Prints the results of an exploration for people. */
#include "base/json.h"
#include "base/memory.h"
#include "cli/best_lines.h"
#include "cli/cli.h"
#include "cli/explore/summary.h"
#include "report/short.h"
#include "report/units.h"
#include <string.h>

static const json_t *member(const json_t *object, const char *name)
{
    return json_object_get(object, name);
}

static long long whole(const json_t *object, const char *name)
{
    return (long long)json_integer_value(member(object, name));
}

/* One end of an interval in milliseconds; 0: there is none. */
static double ms(const json_t *interval, size_t end)
{
    return 1e3 * json_number_value(json_array_get(interval, end));
}

/* ---- one device */

static void say_trials(const json_t *part)
{
    const json_t *by_status = member(part, "by_status");
    const struct {
        long long count;
        const char *text;
    } rows[] = {
        {whole(part, "seeds"),
         "seeds timed first: kernels that were fast at other sizes or on other devices"},
        {whole(part, "unknown_seeds"), "more seeds are of expressions that this session "
                                       "did not derive: 'lift db rebuild' "
                                       "says whether rules have changed"},
        {whole(part, "learned"), "kernels of other ranks informed the search of rank 0"},
        {whole(part, "rejected"),
         "more candidates were rejected before compilation: no trials"},
        {whole(part, "excluded"),
         "more proposals were excluded by estimates: too much shared memory"},
        {whole(by_status, "slow"), "trials ended early: too slow to be timed in full"},
        {whole(by_status, "slab"), "trials ended after a slab of the grid: slower there"},
    };

    printf("%s: %lld trials, %lld verified, of %lld expressions\n",
           cli_text(part, "device"), whole(part, "trials"), whole(part, "verified"),
           whole(part, "expressions"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (i == 3 && *cli_text(part, "lost"))
            printf("given up: %s\n", cli_text(part, "lost"));
        if (rows[i].count)
            printf("  %8lld  %s\n", rows[i].count, rows[i].text);
    }
}

static void say_rows(const json_t *rows)
{
    const char *reason;
    json_t *count;

    json_object_foreach((json_t *)rows, reason, count)
        printf("  %8lld  %s\n", (long long)json_integer_value(count), reason);
}

/* Prints the size of the space, and the reasons why parts were not tried. */
static void say_reach(const json_t *part)
{
    const json_t *reach = member(part, "reachable"), *failure;
    size_t i;

    json_array_foreach(member(part, "failures"), i, failure)
        printf("  %8lld  %s: %s\n", whole(failure, "count"), cli_text(failure, "status"),
               cli_text(failure, "reason"));
    printf("%lld low-level expressions were derived; %lld of them tried\n",
           whole(reach, "expressions"), whole(reach, "tried"));
    say_rows(member(reach, "not_tried"));
    if (json_object_size(member(reach, "not_lowered")))
        puts("configurations without an expression:");
    say_rows(member(reach, "not_lowered"));
}

/* Prints the cost. Compilers may run concurrently, so that the sum may exceed the
 * elapsed time. */
static void say_cost(const json_t *part)
{
    json_t *cost = json_object_get(part, "cost"), *seconds;
    const char *name, *before = "cost:";
    double sum = 0;
    char text[REPORT_UNITS];

    json_object_foreach(cost, name, seconds) sum += json_number_value(seconds);
    if (sum <= 0)
        return;
    json_object_foreach(cost, name, seconds)
    {
        printf("%s %s %s", before, name,
               report_duration(json_number_value(seconds), text));
        before = ",";
    }
    putchar('\n');
}

/* Prints only if one kernel took a large part of the session to compile. */
static void say_longest(const json_t *part, double session)
{
    const double share = 1.0 / 8, least = 2;
    const json_t *longest = member(part, "longest_compilation");
    double seconds = cli_number(longest, "seconds");
    char text[REPORT_UNITS];

    if (seconds >= least && seconds >= share * session)
        printf("longest compilation (%s): %s\n", report_duration(seconds, text),
               cli_text(longest, "kernel"));
}

/* Prints the busy shares of runner and compilers: the one with the larger share
 * limits the search. */
static void say_busy(const json_t *part)
{
    const json_t *busy = member(part, "busy");
    char text[REPORT_UNITS];

    if (json_is_object(busy))
        printf("busy during trials (%s): the search %.0f %%, the runner %.0f %%, %lld "
               "compiler%s %.0f %%\n",
               report_duration(cli_number(busy, "seconds"), text),
               100 * cli_number(busy, "session"), 100 * cli_number(busy, "runner"),
               whole(busy, "jobs"), whole(busy, "jobs") == 1 ? "" : "s",
               100 * cli_number(busy, "compilers"));
}

/* Prints how quiet the machine was during the session. */
static void say_machine(const json_t *part)
{
    const char *words = cli_text(member(part, "interference"), "words");

    if (*words)
        printf("the machine was %s\n", words);
}

static void say_kernel(const json_t *row, size_t place)
{
    LIFT_FREED char *json = lift_json_print(member(row, "tunables"), JSON_COMPACT);
    const json_t *interval = member(row, "interval");
    const char *how = cli_text(row, "how");
    char share[REPORT_UNITS];
    LIFT_SCOPED(lift_str) tunables = {0};

    report_tunables_short(json ? json : "", &tunables);
    printf("  %zu. %9.4g ms %8.3f GPts/s", place + 1, 1e3 * cli_number(row, "seconds"),
           cli_number(row, "gpts"));
    if (cli_number(row, "copy_share") > 0)
        printf("  %s",
               report_copy_share(cli_number(row, "copy_share"),
                                 !strcmp(cli_text(row, "copy_level"), "cache"), share));
    if (json_is_array(interval))
        printf("  %.4g to %.4g ms%s", ms(interval, 0), ms(interval, 1),
               json_is_true(member(row, "tied")) ? ", tied" : "");
    if (!json_is_true(member(row, "confirmed")))
        printf("  unconfirmed");
    printf("  %s\n     %s\n", lift_str_get(&tunables), *how ? how : "no rewrites");
}

/* Prints the best kernel of a single time step if temporal blocking is faster. */
static void say_single(const json_t *part)
{
    const json_t *depths = member(part, "depths"), *single = json_array_get(depths, 0);
    const json_t *depth, *best = NULL;
    double gpts = cli_number(single, "gpts");
    char text[REPORT_UNITS];
    size_t i;

    json_array_foreach(depths, i, depth) if (json_is_true(member(depth, "best"))) best =
        depth;
    if (!best || best == single || whole(single, "steps") != 1)
        return;
    if (gpts > 0)
        printf("without temporal blocking: %s GPts/s; %lld time steps a launch are %.3g "
               "times as fast\n",
               report_digits(gpts, text), whole(best, "steps"),
               cli_number(best, "gpts") / gpts);
    else
        puts("without temporal blocking: no kernel was verified");
}

/* Prints what each number of time steps a launch reached. */
static void say_depths(const json_t *part)
{
    const json_t *depths = member(part, "depths"), *depth;
    size_t i;

    if (json_array_size(depths) < 2)
        return;
    json_array_foreach(depths, i, depth)
    {
        printf("  %2lld time step%s a launch: ", whole(depth, "steps"),
               whole(depth, "steps") == 1 ? " " : "s");
        if (cli_number(depth, "gpts") > 0)
            printf("%10.3f GPts/s", cli_number(depth, "gpts"));
        else
            printf("%17s", "-");
        printf("  %lld trials, %lld verified\n", whole(depth, "trials"),
               whole(depth, "verified"));
    }
}

/* Prints the best kernel and, if 'verbose', a line and the derivation of each other
 * kernel. */
static void say_top(const json_t *summary, const json_t *part, bool verbose)
{
    const json_t *top = member(part, "top"), *row;
    json_auto_t *best = json_deep_copy(json_array_get(top, 0));
    size_t i;

    if (!best)
        return;
    printf("best of ");
    cli_print_subject(&(struct cli_subject){.program = cli_text(summary, "program"),
                                            .sizes = cli_text(summary, "sizes"),
                                            .dtype = cli_text(summary, "dtype"),
                                            .device = cli_text(part, "device"),
                                            .steps = (int)whole(part, "steps")});
    puts(":");
    json_object_set(best, "naive", json_object_get(part, "naive"));
    json_object_set(best, "command", json_object_get(part, "emit"));
    json_object_set(best, "again", json_object_get(part, "again"));
    cli_print_best(best);
    say_single(part);
    if (verbose)
        json_array_foreach(top, i, row) say_kernel(row, i);
}

static void say_part(const json_t *summary, const json_t *part, bool verbose)
{
    say_trials(part);
    if (verbose || whole(part, "verified") == 0)
        say_reach(part);
    if (verbose) {
        say_depths(part);
        say_cost(part);
        say_busy(part);
    }
    say_longest(part, cli_number(summary, "seconds"));
    say_machine(part);
    if (cli_number(part, "copy_gbs_before") > 0)
        printf("a kernel exceeded the copy bandwidth of %.4g GB/s: a new measurement "
               "gives %.4g GB/s, and all percentages refer to it, also those of earlier "
               "sessions\n",
               cli_number(part, "copy_gbs_before"), cli_number(part, "copy_gbs"));
    if (json_is_null(member(part, "copy_gbs")))
        puts("the copy bandwidth is unknown: its measurement failed or took too long");
    say_top(summary, part, verbose);
}

/* ---- all devices */

/* Adds up stages with the same name before a colon. */
static void say_stages(json_t *stages)
{
    const char *name, *other, *before = ":";
    json_t *seconds, *value;
    char text[REPORT_UNITS];

    json_object_foreach(stages, name, seconds)
    {
        size_t length = strcspn(name, ":");
        bool first = true, before_this = true;
        double sum = 0;

        json_object_foreach(stages, other, value)
        {
            before_this &= other != name;
            if (length != strcspn(other, ":") || strncmp(name, other, length) != 0)
                continue;
            first &= !before_this;
            sum += json_number_value(value);
        }
        if (!first || sum < 0.05)
            continue;
        printf("%s %.*s %s", before, (int)length, name, report_duration(sum, text));
        before = ",";
    }
    putchar('\n');
}

static void say_end(const json_t *summary, bool verbose)
{
    const char *end = cli_text(summary, "end");
    double extended = cli_number(summary, "extended");
    char text[REPORT_UNITS];

    printf("%s, after %.1f s",
           !strcmp(end, "budget")      ? "the budget is used up"
           : !strcmp(end, "exhausted") ? "every candidate was tried"
                                       : end,
           cli_number(summary, "seconds"));
    if (verbose)
        say_stages(json_object_get(summary, "stages"));
    else
        putchar('\n');
    if (extended > 0)
        printf("the budget was extended by %s to verify a first kernel\n",
               report_duration(extended, text));
}

void cli_explore_print(const json_t *summary, bool verbose)
{
    const json_t *devices = member(summary, "devices"), *part;
    size_t i;

    say_end(summary, verbose);
    json_array_foreach(devices, i, part) say_part(summary, part, verbose);
    printf("database %s; more:\n  %s\n  %s\n", cli_text(summary, "db"),
           cli_text(summary, "show"), cli_text(summary, "report"));
}
