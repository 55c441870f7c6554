/* Prints the size of the space of an exploration. */
#include "base/hash.h"
#include "base/memory.h"
#include "base/stats.h"
#include "cli/explore/explore_args.h"
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 200 };

/* Integers up to this value are exact in a double. */
static const double most_digits = 9007199254740992.0;

/* Totals of one device or one expression. */
struct sum {
    char *device;
    int exprs;
    double raw, valid;
    bool exact;
    json_t *list;         /* list of its expressions */
    json_t *combinations; /* combinations of options */
};

struct printer {
    bool json;
    int draws; /* number of requested draws */
    struct sum *sums;
    int count;
};

static struct sum *sum_of(struct printer *p, const char *device)
{
    if (p->count == 0 || strcmp(p->sums[p->count - 1].device, device) != 0) {
        p->sums = lift_resize(p->sums, (size_t)p->count + 1, sizeof *p->sums);
        p->sums[p->count++] = (struct sum){.device = lift_strdup(device), .exact = true};
    }
    return &p->sums[p->count - 1];
}

/* ---- combinations of options */

static void print_sample(const struct lift_explore_combinations *row, int wanted)
{
    struct lift_interval share = lift_share_interval(row->made, row->drawn);

    if (row->drawn < wanted)
        printf("only %d combinations were drawn, not %d: hardly any of all combinations "
               "fits\n",
               row->drawn, wanted);
    if (!row->drawn)
        return;
    printf("of %d combinations drawn evenly, %d can be derived from the program (%.1f "
           "%%, 95 %% interval %.1f to %.1f %%), %d expressions;%s\n",
           row->drawn, row->made, 100 * share.median, 100 * share.low, 100 * share.high,
           row->exprs, row->reason_count ? " reasons for the others:" : "");
    for (int i = 0; i < row->reason_count; i++)
        printf("%8lld  %s\n", (long long)row->reasons[i].count, row->reasons[i].reason);
}

/* Keeps all digits of an integer if a double represents the number exactly. */
static json_t *whole_number(double x)
{
    return x < most_digits ? json_integer((json_int_t)x) : json_real(x);
}

static json_t *combinations_json(const struct lift_explore_combinations *row)
{
    struct lift_interval share = lift_share_interval(row->made, row->drawn);
    json_t *reasons = json_array();

    for (int i = 0; i < row->reason_count; i++)
        json_array_append_new(reasons,
                              json_pack("{s:s, s:I}", "reason", row->reasons[i].reason,
                                        "count", (json_int_t)row->reasons[i].count));
    return json_pack("{s:o, s:b, s:f, s:i, s:i, s:[f, f], s:i, s:o}", "count",
                     whole_number(row->count), "exact", !(row->error > 0),
                     "standard_error", row->error, "drawn", row->drawn, "made", row->made,
                     "made_share_interval", share.low, share.high, "expressions",
                     row->exprs, "reasons", reasons);
}

static void take_combinations(void *user, const struct lift_explore_combinations *row)
{
    struct printer *p = user;
    struct sum *sum = sum_of(p, row->device);

    if (p->json) {
        sum->combinations = combinations_json(row);
        return;
    }
    printf("on %s:\n", row->device);
    if (row->error > 0)
        printf("about %.3g (standard error %.2g, by random draws)", row->count,
               row->error);
    else
        printf(row->count < most_digits ? "%.0f" : "%.6g", row->count);
    puts(" combinations of options fit each other, the device and the contract");
    print_sample(row, p->draws);
    putchar('\n');
}

/* ---- expressions */

/* Prints a count. Large counts are rounded; '~' marks an estimate. */
static void print_count(double n, bool exact)
{
    char text[32];

    if (n < 1e9)
        snprintf(text, sizeof text, "%s%.0f", exact ? "" : "~", n);
    else
        snprintf(text, sizeof text, "%s%.3g", exact ? "" : "~", n);
    printf("  %11s", text);
}

static void add_json(struct sum *sum, const struct lift_explore_space *row,
                     const char *hash)
{
    if (!sum->list)
        sum->list = json_array();
    json_array_append_new(sum->list, json_pack("{s:s, s:i, s:f, s:f, s:b, s:s}", "expr",
                                               hash, "tunables", row->tunables, "raw",
                                               row->raw, "valid", row->valid, "exact",
                                               row->exact, "derivation", row->steps));
}

static void take_row(void *user, const struct lift_explore_space *row)
{
    struct printer *p = user;
    struct sum *sum = sum_of(p, row->device);
    char hash[LIFT_HASH_HEX];

    lift_hash_hex(row->expr, hash);
    if (!p->json && sum->exprs == 0)
        printf("%-*s  tunables  %11s  %11s  derivation\n", LIFT_HASH_SHORT, "expression",
               "raw", "valid");
    sum->exprs++;
    sum->raw += row->raw;
    sum->valid += row->valid;
    sum->exact = sum->exact && row->exact;
    if (p->json) {
        add_json(sum, row, hash);
        return;
    }
    printf("%.*s  %8d", LIFT_HASH_SHORT, hash, row->tunables);
    print_count(row->raw, true);
    print_count(row->valid, row->exact);
    printf("  %s\n", row->steps);
}

static void print_sums(const struct printer *p)
{
    for (int i = 0; i < p->count; i++) {
        const struct sum *sum = &p->sums[i];

        printf("%s: %d expressions, %.6g configurations, of which %s%.6g are valid (%.3g "
               "%%)\n",
               sum->device, sum->exprs, sum->raw, sum->exact ? "" : "about ", sum->valid,
               sum->raw > 0 ? 100 * sum->valid / sum->raw : 0);
    }
}

static void print_json(const struct printer *p, const struct lift_explore_result *r)
{
    json_t *devices = json_array();

    for (int i = 0; i < p->count; i++) {
        const struct sum *sum = &p->sums[i];

        json_array_append_new(
            devices, json_pack("{s:s, s:o, s:i, s:f, s:f, s:b, s:o}", "device",
                               sum->device, "combinations", sum->combinations,
                               "expressions", sum->exprs, "raw", sum->raw, "valid",
                               sum->valid, "exact", sum->exact, "list", sum->list));
    }
    cli_print_json(json_pack("{s:s, s:o, s:o}", "program", r->program, "sizes",
                             json_loads(r->sizes, 0, NULL), "devices", devices));
}

static void drop(struct printer *p, bool json)
{
    for (int i = 0; i < p->count; i++) {
        if (json) {
            json_decref(p->sums[i].list);
            json_decref(p->sums[i].combinations);
        }
        free(p->sums[i].device);
    }
    free(p->sums);
}

int cli_explore_space(const struct lift_explore_options *o,
                      const struct explore_args *args)
{
    struct printer p = {.json = args->json, .draws = args->sample ? args->sample : DRAWS};
    const struct lift_explore_survey survey = {p.draws, take_combinations, take_row, &p};
    LIFT_SCOPED(lift_error) errors = {0};
    struct lift_explore_result r = lift_explore_spaces(o, &errors, &survey);
    int status = CLI_DONE;

    if (r.end == LIFT_EXPLORE_BAD_PROGRAM)
        status = cli_malformed(&errors);
    else if (r.end == LIFT_EXPLORE_FAILED)
        status = cli_fail(CLI_FAILED, "%s", lift_str_get(&r.error));
    else if (p.json)
        print_json(&p, &r);
    else
        print_sums(&p);
    drop(&p, status != CLI_DONE);
    lift_explore_result_fini(&r);
    return status;
}
