#include "cli/best_lines.h"
#include "cli/cli.h"
#include "report/gain.h"
#include "report/units.h"
#include <string.h>

static double end_of(const json_t *interval, size_t end)
{
    return json_number_value(json_array_get(interval, end));
}

static json_t *interval_json(double low, double high)
{
    return low > 0 ? json_pack("[f, f]", low, high) : json_null();
}

json_t *cli_naive_json(const struct cli_naive *naive, const struct lift_interval *kernel)
{
    struct lift_interval times = report_gain(kernel, &naive->seconds);
    double seconds = naive->seconds.median;

    return json_pack("{s:o, s:o, s:b, s:o, s:o, s:o}", "seconds",
                     seconds > 0 ? json_real(seconds) : json_null(), "interval",
                     interval_json(naive->seconds.low, naive->seconds.high), "confirmed",
                     naive->confirmed, "missing", cli_string(naive->missing), "times",
                     times.median > 0 ? json_real(times.median) : json_null(),
                     "times_interval", interval_json(times.low, times.high));
}

/* Chooses a unit for the time of a launch, and returns its number in a second. */
static double units_of(double seconds, const char **name)
{
    *name = seconds < 0.9995e-3 ? "\xc2\xb5s" : seconds < 10 ? "ms" : "s";
    return seconds < 0.9995e-3 ? 1e6 : seconds < 10 ? 1e3 : 1;
}

static void print_times(const char *before, const struct lift_interval *seconds)
{
    const char *unit;
    double units = units_of(seconds->high, &unit);

    printf("%s %.4g to %.4g %s", before, units * seconds->low, units * seconds->high,
           unit);
}

static bool is_in_cache(const json_t *kernel)
{
    return !strcmp(cli_text(kernel, "copy_level"), "cache");
}

static void print_speed(const json_t *kernel)
{
    double seconds = cli_number(kernel, "seconds"), units;
    const char *unit;
    double share = cli_number(kernel, "copy_share");
    char text[REPORT_UNITS];

    printf("  %.4g GPts/s", cli_number(kernel, "gpts"));
    if (share > 0)
        printf(", %s", report_copy_share(share, is_in_cache(kernel), text));
    units = units_of(seconds, &unit);
    printf(", %.4g %s a launch%s\n", units * seconds, unit,
           json_object_get(kernel, "confirmed") ? "" : " there");
}

static void print_speedup(const json_t *kernel)
{
    const json_t *naive = json_object_get(kernel, "naive"),
                 *interval = json_object_get(naive, "interval"),
                 *times = json_object_get(naive, "times_interval");
    const struct lift_interval seconds = {cli_number(naive, "seconds"),
                                          end_of(interval, 0), end_of(interval, 1), 0};
    const char *missing = cli_text(naive, "missing");
    char text[REPORT_UNITS];

    if (!(seconds.median > 0)) {
        printf("  speedup unknown: %s%s\n",
               *missing ? "the naive kernel was not timed: " : "",
               *missing ? missing : "the database has no time of the naive kernel");
        return;
    }
    if (json_equal(interval, json_object_get(kernel, "interval")) &&
        seconds.median == cli_number(kernel, "seconds")) {
        puts("  it is the naive kernel: nothing faster was found");
        return;
    }
    printf("  %s times as fast as the naive kernel",
           report_digits(cli_number(naive, "times"), text));
    if (json_is_array(times)) {
        printf(" (%s", report_digits(end_of(times, 0), text));
        printf(" to %s)", report_digits(end_of(times, 1), text));
    }
    if (!json_is_true(json_object_get(naive, "confirmed")))
        printf(", unconfirmed: no final benchmark has an interval of the "
               "naive kernel");
    else if (report_is_spread(&seconds))
        print_times("; uncertain: the naive kernel took", &seconds);
    putchar('\n');
}

/* Ends the line of the confirmation. A result of a busy machine has a further line. */
static void print_machine(const json_t *kernel)
{
    const json_t *interference = json_object_get(kernel, "interference");
    const char *again = cli_text(kernel, "again");

    if (json_is_object(interference))
        printf(json_is_true(json_object_get(interference, "busy"))
                   ? ", on a busy machine"
                   : ", on a quiet machine");
    putchar('\n');
    if (*again)
        printf("  time it again on a quiet machine: %s\n", again);
}

static void print_confirmation(const json_t *kernel)
{
    const json_t *interval = json_object_get(kernel, "interval");
    const struct lift_interval seconds = {0, end_of(interval, 0), end_of(interval, 1), 0};

    if (!json_is_true(json_object_get(kernel, "confirmed"))) {
        printf("  unconfirmed: no final benchmark timed this kernel");
        print_machine(kernel);
        return;
    }
    printf("  confirmed in the final benchmark");
    if (json_is_array(interval))
        print_times(":", &seconds);
    if (json_is_true(json_object_get(kernel, "tied")))
        printf(", tied with another kernel");
    print_machine(kernel);
}

/* Compares the kernel with another number of time steps a launch. */
static void print_other(const json_t *kernel, const char *name, const char *title)
{
    const json_t *other = json_object_get(kernel, name);
    double seconds = cli_number(other, "seconds"),
           share = cli_number(other, "copy_share"), times = cli_number(other, "times"),
           units;
    const char *unit, *what = cli_number(kernel, "steps") > 1 ? "temporal blocking"
                                                              : "the single sweep";
    char text[REPORT_UNITS];

    if (!json_is_object(other))
        return;
    printf("  %s: ", title);
    if (cli_number(other, "steps") > 1)
        printf("%.0f time steps a launch, ", cli_number(other, "steps"));
    printf("%.4g GPts/s", cli_number(other, "gpts"));
    if (share > 0)
        printf(", %s", report_copy_share(share, is_in_cache(other), text));
    units = units_of(seconds, &unit);
    printf(", %.4g %s a launch%s", units * seconds, unit,
           json_is_true(json_object_get(other, "confirmed")) ? "" : ", unconfirmed");
    printf("; %s is %s times as fast\n", what, report_digits(times, text));
}

void cli_print_best(const json_t *kernel)
{
    const char *schedule = cli_text(kernel, "schedule"),
               *command = cli_text(kernel, "command");

    if (cli_number(kernel, "gpts") > 0)
        print_speed(kernel);
    if (json_object_get(kernel, "confirmed")) {
        print_speedup(kernel);
        print_confirmation(kernel);
    }
    if (cli_number(kernel, "steps") > 1)
        printf("  temporal blocking: %.0f time steps a launch\n",
               cli_number(kernel, "steps"));
    if (*schedule)
        printf("  %s\n", schedule);
    if (*command)
        printf("  next: %s\n", command);
    print_other(kernel, "single_sweep", "best single sweep");
    print_other(kernel, "temporal_blocking", "best temporal blocking");
}
