/* The best kernels of a database against kernels written by hand and the device's copy
 * bandwidth, all measured in one run, turn by turn.
 *
 *     bench_gpu [-a] [-d DEVICE] [-b DATABASE] [-r FOLDER] [-n ROUNDS] [-c FILE.csv]
 *               [-w TEXT,...] [-k NAME] FILE.lift[:SIZES[:PRECISION]] | @LIST ...
 *
 * Prints a table, and with -a the time of each reference; the CSV file has all figures.
 * The kernels are those that 'lift best' names, with -w the best of those whose low-level
 * expression has none of these texts: 'copy=async,copy=bulk,copy=tensor' leaves what
 * OpenCL has, too. FOLDER holds the hand-written ones (bench/reference/README.md), of
 * which -k takes those that have NAME in the name of their file: 'plain'. Ends with
 * status 1 if a program could not be measured, or a reference failed or is wrong. */
#include "base/bug.h"
#include "entry.h"
#include <csv.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    struct entry_settings entry;
    bool all; /* of all references, on stderr */
    FILE *csv;
};

/* ---- the figures */

enum { ROW_TEXT = 256 };

/* A program, and what came of it. */
struct row {
    char program[ROW_TEXT], sizes[ROW_TEXT]; /* sizes as JSON */
    char short_sizes[ROW_TEXT];              /* "512x512x404", "512x512x404 f64" */
    const char *dtype, *chosen;
    int64_t points, bytes;
    struct contest_result result;
};

static double gpts(const struct row *r, double seconds)
{
    return seconds > 0 ? (double)r->points / seconds * 1e-9 : 0;
}

static double gbs(const struct row *r, double seconds)
{
    return seconds > 0 ? (double)r->bytes / seconds * 1e-9 : 0;
}

/* Of the faster of both copies. */
static double percent(const struct row *r, double seconds)
{
    double copy = fmax(r->result.copy_driver, r->result.copy_kernel);

    return copy > 0 ? 100 * gbs(r, seconds) / copy : 0;
}

/* Half the distance of the quartiles, in percent of the median. */
static double spread(struct figure f)
{
    return f.median > 0 ? 50 * (f.high - f.low) / f.median : 0;
}

static void begin_row(struct row *r, const struct lift_chosen *chosen)
{
    const struct lift_chosen_facts *f = lift_chosen_facts(chosen);

    r->points = chosen->problem->points;
    r->bytes = chosen->problem->bytes;
    r->chosen = lift_chosen_how_name(f->how);
    r->dtype = chosen->problem->dtype;
    snprintf(r->program, ROW_TEXT, "%s", f->program);
    snprintf(r->sizes, ROW_TEXT, "%s", f->sizes);
    entry_sizes(chosen->problem, r->short_sizes, ROW_TEXT);
}

static void print_head(const struct settings *s)
{
    printf("device %s: %s, %s; %d rounds, turn by turn\n"
           "GPts/s: the median, and half the distance of the quartiles; GB/s: each "
           "input "
           "and output once;\n%%copy: of the faster copy; ratio: ours to the reference, "
           "and its quartiles; copies, by the driver and by a kernel, in GB/s\n\n",
           s->entry.device, s->entry.probed.info.name, s->entry.probed.info.driver,
           s->entry.rounds);
    printf("%-14s %-15s %-7s %8s %6s %7s %6s | %-34s %8s %6s %6s | %6s %-13s | %6s "
           "%6s\n",
           "program", "size", "kernel", "GPts/s", "+-%", "GB/s", "%copy", "reference",
           "GPts/s", "+-%", "%copy", "ratio", "from - to", "driver", "kernel");
}

static void print_row(const struct row *r)
{
    const struct contest_result *c = &r->result;
    char range[32] = "";

    printf("%-14s %-15s ", r->program, r->short_sizes);
    if (*c->failure) {
        printf("failed: %s\n", c->failure);
        return;
    }
    printf("%-7.7s %8.2f %6.1f %7.1f %6.1f | ", r->chosen, gpts(r, c->seconds.median),
           spread(c->seconds), gbs(r, c->seconds.median), percent(r, c->seconds.median));
    if (*c->reference) {
        if (c->ratio.low > 0)
            snprintf(range, sizeof range, "%.3f - %.3f", c->ratio.low, c->ratio.high);
        printf("%-34s %8.2f %6.1f %6.1f | %6.3f %-13s", c->reference,
               gpts(r, c->reference_seconds.median), spread(c->reference_seconds),
               percent(r, c->reference_seconds.median), c->ratio.median, range);
    } else {
        printf("%-34s %8s %6s %6s | %6s %-13s", "-", "", "", "", "", "");
    }
    if (c->copy_driver > 0)
        printf(" | %6.0f %6.0f\n", c->copy_driver, c->copy_kernel);
    else
        printf(" | %6s %6.0f\n", "-", c->copy_kernel);
}

static void put_head(FILE *out)
{
    fputs("program,sizes,dtype,device,chosen,points,bytes,median_s,lower_s,upper_s,"
          "gpts,"
          "gbs,"
          "percent_of_copy,registers,spill_bytes,max_error,bound,reference,"
          "reference_median_s,reference_lower_s,reference_upper_s,reference_gpts,"
          "reference_percent_of_copy,ratio,ratio_lower,ratio_upper,copy_driver_gbs,"
          "copy_kernel_gbs,failure\n",
          out);
}

static void put_count(FILE *out, int count)
{
    if (count >= 0)
        fprintf(out, "%d", count);
    fputc(',', out);
}

static void put_row(FILE *out, const struct settings *s, const struct row *r)
{
    const struct contest_result *c = &r->result;
    double ours = c->seconds.median, theirs = c->reference_seconds.median;

    entry_put_text(out, r->program);
    entry_put_text(out, r->sizes);
    entry_put_text(out, r->dtype);
    entry_put_text(out, s->entry.probed.info.name);
    entry_put_text(out, r->chosen);
    fprintf(out, "%lld,%lld,", (long long)r->points, (long long)r->bytes);
    entry_put_figure(out, c->seconds);
    entry_put_numbers(out,
                      (const double[]){gpts(r, ours), gbs(r, ours), percent(r, ours)}, 3);
    put_count(out, c->resources.registers);
    put_count(out, c->resources.spill_bytes);
    entry_put_numbers(out, (const double[]){c->error, c->bound}, 2);
    entry_put_text(out, c->reference);
    entry_put_figure(out, c->reference_seconds);
    entry_put_numbers(out, (const double[]){gpts(r, theirs), percent(r, theirs)}, 2);
    entry_put_figure(out, c->ratio);
    entry_put_numbers(out, (const double[]){c->copy_driver, c->copy_kernel}, 2);
    csv_fwrite(out, c->failure, strlen(c->failure));
    fputc('\n', out);
    fflush(out);
}

/* ---- one program */

static void serve(void *user, void **state, const void *request, size_t size,
                  struct lift_str *reply)
{
    struct contest_result *result = calloc(1, sizeof *result);

    (void)state, (void)request, (void)size;
    LIFT_ASSERT(result);
    contest_hold(user, result);
    lift_str_addn(reply, (const char *)result, sizeof *result);
    free(result);
}

/* False if there was no answer, and the result says so. */
static bool hold(struct contest *c, struct contest_result *out)
{
    *out = (struct contest_result){.refused = 0};
    return entry_call(serve, c, out, sizeof *out, out->failure) && !*out->failure;
}

/* A reference that takes the device away with it must not take our kernel's figures.
 */
static void hold_twice(struct contest *c, struct contest_result *out)
{
    struct contest_result alone;
    int count = c->reference_count;

    if (hold(c, out) || count == 0)
        return;
    c->reference_count = 0;
    if (hold(c, &alone)) {
        fprintf(stderr, "gpu: %s: with references it fails: %s\n",
                c->chosen->facts.program, out->failure);
        alone.refused = count;
        *out = alone;
    }
    c->reference_count = count;
}

static void show_row(const struct settings *s, const struct row *r)
{
    print_row(r);
    entry_notes(&s->entry, r->program, r->result.notes);
    if (s->csv)
        put_row(s->csv, s, r);
    fflush(stdout);
}

/* The kernel against others; the result says what is missing. */
static void compete(const struct settings *s, struct lift_chosen *chosen, struct row *r)
{
    struct contest *c = calloc(1, sizeof *c);
    struct lift_str why = {0};

    LIFT_ASSERT(c);
    c->all = s->all;
    if (entry_set_up(&s->entry, chosen, c, &why))
        hold_twice(c, &r->result);
    else
        snprintf(r->result.failure, sizeof r->result.failure, "%s", lift_str_get(&why));
    entry_release(c);
    lift_str_fini(&why);
    free(c);
}

/* False if the row does not have all that it should. */
static bool measure(const struct settings *s, const struct bench_item *item)
{
    struct lift_chosen *chosen = entry_choose(&s->entry, item);
    struct row *r = calloc(1, sizeof *r);
    bool good = false;

    LIFT_ASSERT(r);
    if (chosen) {
        begin_row(r, chosen);
        compete(s, chosen, r);
        show_row(s, r);
        good = !*r->result.failure && r->result.refused == 0;
        lift_chosen_destroy(chosen);
    }
    fflush(stdout);
    free(r);
    return good;
}

/* ---- the command */

static _Noreturn void usage(const struct settings *s)
{
    entry_stop(&s->entry, "usage",
               "bench_gpu [-a] [-d DEVICE] [-b DATABASE] [-r FOLDER] [-n ROUNDS] "
               "[-c FILE.csv] [-w TEXT,...] [-k NAME] FILE.lift[:SIZES[:PRECISION]] | "
               "@LIST ...");
}

static struct settings read_options(int argc, char **argv)
{
    struct settings s = {.entry = {.bench = "gpu",
                                   .device = "host",
                                   .references = "bench/reference",
                                   .rounds = 15}};
    const char *csv = NULL;
    int option;

    while ((option = getopt(argc, argv, "ad:b:r:n:c:w:k:")) != -1)
        switch (option) {
        case 'd':
            s.entry.device = optarg;
            break;
        case 'b':
            s.entry.database = optarg;
            break;
        case 'r':
            s.entry.references = optarg;
            break;
        case 'n':
            s.entry.rounds = (int)strtol(optarg, NULL, 10);
            break;
        case 'c':
            csv = optarg;
            break;
        case 'a':
            s.all = true;
            break;
        case 'w':
            s.entry.without = optarg;
            break;
        case 'k':
            s.entry.only = optarg;
            break;
        default:
            usage(&s);
        }
    if (optind == argc || s.entry.rounds < 1 || s.entry.rounds > CONTEST_ROUNDS)
        usage(&s);
    s.csv = csv ? fopen(csv, "we") : NULL;
    if (csv && !s.csv)
        entry_stop(&s.entry, csv, "cannot be written");
    return s;
}

int main(int argc, char **argv)
{
    struct settings s = read_options(argc, argv);
    struct bench_list list;
    bool good = true;

    bench_list_read(argv + optind, &list);
    entry_open(&s.entry);
    print_head(&s);
    if (s.csv)
        put_head(s.csv);
    for (int i = 0; i < list.count; i++)
        good = measure(&s, &list.items[i]) && good;
    if (s.csv && fclose(s.csv) != 0)
        entry_stop(&s.entry, "the CSV file", "cannot be written");
    bench_list_free(&list);
    entry_close(&s.entry);
    return good ? 0 : 1;
}
