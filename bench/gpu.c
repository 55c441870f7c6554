/* The best kernels of a database against kernels written by hand and the device's copy
 * bandwidth, all measured in one run, turn by turn.
 *
 *     bench_gpu [-a] [-d DEVICE] [-b DATABASE] [-r FOLDER] [-n ROUNDS] [-c FILE.csv]
 *               [-w TEXT,...] [-k NAME] FILE.lift[:SIZES[:PRECISION]] | @LIST ...
 *
 * Prints a table, and with -a the time of each reference; the CSV file has all figures.
 * The kernels are those that 'lift best' names, with -w the best of those whose low-level
 * expression has none of these texts: 'copy=async,copy=tensor' leaves what OpenCL
 * has, too. FOLDER holds the hand-written ones (bench/reference/README.md), of
 * which -k takes those that have NAME in the name of their file: 'plain'. Ends with
 * status 1 if a program could not be measured, or a reference failed or is wrong. */
#include "entry.h"
#include <math.h>
#include <stdio.h>

/* ---- the figures */

/* Our kernel, the fastest reference (NULL: no reference), and the copies in GB/s (0:
 * unknown). */
struct row {
    const struct turns_entry *reference;
    struct figure ours, theirs, ratio;
    double driver, kernel;
};

static struct row make_row(const struct turns_result *t)
{
    const struct turns_entry *ours = turns_best(t, TURNS_OURS, -1),
                             *copy = turns_best(t, TURNS_CEILING, -1),
                             *others[] = {turns_best(t, TURNS_PLAIN, -1),
                                          turns_best(t, TURNS_HAND, -1)};
    struct row r = {.kernel = t->copy};
    struct figure f;

    if (!ours)
        return r;
    turns_figure(ours, turns_most(t), &r.ours);
    if (copy && turns_figure(copy, turns_most(t), &f))
        r.driver = 1e-9 * copy->bytes / f.median;
    for (int i = 0; i < 2; i++)
        if (others[i])
            r.reference = others[i];
    if (r.reference) {
        turns_figure(r.reference, turns_most(t), &r.theirs);
        turns_ratio(ours, r.reference, -1, &r.ratio);
    }
    return r;
}

static double rate(double amount, struct figure seconds)
{
    return seconds.median > 0 ? 1e-9 * amount / seconds.median : 0;
}

/* Of the faster of both copies. */
static double percent(const struct entry_report *r, const struct row *row,
                      struct figure seconds)
{
    double copy = fmax(row->driver, row->kernel);

    return copy > 0 ? 100 * rate(r->bytes, seconds) / copy : 0;
}

/* ---- the table and the CSV file */

static void prepare(struct entry_settings *s)
{
    s->request.fastest = true;
    printf("device %s: %s, %s; %d rounds, turn by turn\n"
           "GPts/s: the median, and half the distance of the quartiles; GB/s: each "
           "input "
           "and output once;\n%%copy: of the faster copy; ratio: ours to the reference, "
           "and its quartiles; copies, by the driver and by a kernel, in GB/s\n\n",
           s->device, s->probed.info.name, s->probed.info.driver, s->rounds);
    printf("%-14s %-15s %-7s %8s %6s %7s %6s | %-34s %8s %6s %6s | %6s %-13s | %6s "
           "%6s\n",
           "program", "size", "kernel", "GPts/s", "+-%", "GB/s", "%copy", "reference",
           "GPts/s", "+-%", "%copy", "ratio", "from - to", "driver", "kernel");
}

static void print_row(const struct entry_report *r, const struct row *row)
{
    char range[32] = "";

    printf("%-14s %-15s ", r->program, r->short_sizes);
    if (*r->turns->failure) {
        printf("failed: %s\n", r->turns->failure);
        return;
    }
    printf("%-7.7s %8.2f %6.1f %7.1f %6.1f | ", r->chosen, rate(r->points, row->ours),
           turns_spread(row->ours), rate(r->bytes, row->ours),
           percent(r, row, row->ours));
    if (row->reference) {
        if (row->ratio.low > 0)
            snprintf(range, sizeof range, "%.3f - %.3f", row->ratio.low, row->ratio.high);
        printf("%-34s %8.2f %6.1f %6.1f | %6.3f %-13s", row->reference->name,
               rate(r->points, row->theirs), turns_spread(row->theirs),
               percent(r, row, row->theirs), row->ratio.median, range);
    } else {
        printf("%-34s %8s %6s %6s | %6s %-13s", "-", "", "", "", "", "");
    }
    if (row->driver > 0)
        printf(" | %6.0f %6.0f\n", row->driver, row->kernel);
    else
        printf(" | %6s %6.0f\n", "-", row->kernel);
}

static void put_count(FILE *out, int count)
{
    if (count >= 0)
        fprintf(out, "%d", count);
    fputc(',', out);
}

static void put_row(const struct entry_report *r, const struct row *row)
{
    const struct turns_result *t = r->turns;
    FILE *out = r->settings->csv;

    entry_put_program(r);
    fprintf(out, "%.0f,%.0f,", r->points, r->bytes);
    entry_put_figure(out, row->ours);
    entry_put_numbers(out,
                      (const double[]){rate(r->points, row->ours),
                                       rate(r->bytes, row->ours),
                                       percent(r, row, row->ours)},
                      3);
    put_count(out, t->resources.registers);
    put_count(out, t->resources.spill_bytes);
    entry_put_numbers(out, (const double[]){t->error, t->bound}, 2);
    entry_put_text(out, row->reference ? row->reference->name : "");
    entry_put_figure(out, row->theirs);
    entry_put_numbers(
        out, (const double[]){rate(r->points, row->theirs), percent(r, row, row->theirs)},
        2);
    entry_put_figure(out, row->ratio);
    entry_put_numbers(out, (const double[]){row->driver, row->kernel}, 2);
    entry_put_failure(out, t->failure);
}

static void show(const struct entry_report *r)
{
    struct row row = make_row(r->turns);

    print_row(r, &row);
    if (r->settings->csv)
        put_row(r, &row);
}

const struct entry_kind entry_kind = {
    .name = "gpu",
    .options = "ad:b:r:n:c:w:k:",
    .usage = "bench_gpu [-a] [-d DEVICE] [-b DATABASE] [-r FOLDER] [-n ROUNDS] "
             "[-c FILE.csv] [-w TEXT,...] [-k NAME] FILE.lift[:SIZES[:PRECISION]] | "
             "@LIST ...",
    .columns = "points,bytes,median_s,lower_s,upper_s,gpts,gbs,percent_of_copy,registers,"
               "spill_bytes,max_error,bound,reference,reference_median_s,"
               "reference_lower_s,reference_upper_s,reference_gpts,"
               "reference_percent_of_copy,ratio,ratio_lower,ratio_upper,copy_driver_gbs,"
               "copy_kernel_gbs",
    .prepare = prepare,
    .show = show,
};
