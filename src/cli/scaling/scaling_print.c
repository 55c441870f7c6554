/* What the model says, for people and as JSON. */
#include "cli/scaling/scaling.h"
#include "report/units.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static struct scaling_point predict(const struct scaling_view *v, int devices, bool weak,
                                    bool overlap)
{
    const struct scaling_case what = {.devices = devices,
                                      .every = (int)v->args->every,
                                      .overlap = overlap,
                                      .weak = weak,
                                      .rows = v->args->cut == 2};

    return scaling_predict(&v->machine, &v->stencil, &v->grid, &what);
}

/* GPts/s count every step of a launch. */
static double gpts(const struct scaling_view *v, const struct scaling_point *p)
{
    double steps =
        v->measured.count == 0 && v->args->steps > 1 ? (double)v->args->steps : 1;

    return p->rate * steps * 1e-9;
}

/* ---- for people */

enum { TEXT = 32 };

/* As it is, or "-" for nothing, without blanks and letters of more than one byte, which
 * columns cannot have. */
static const char *plain_text(const char *text, bool there, char out[TEXT])
{
    size_t used = 0;

    for (; there && *text && used + 2 < TEXT; text++)
        if (!strncmp(text, "\xc2\xa0", 2) || !strncmp(text, "\xc2\xb5", 2))
            out[used++] = *++text == '\xa0' ? ' ' : 'u';
        else
            out[used++] = *text;
    out[used] = '\0';
    return there ? out : "-";
}

static const char *time_text(double seconds, char out[TEXT])
{
    char text[REPORT_UNITS];

    return plain_text(report_launch_time(seconds, text), seconds > 0, out);
}

static void print_row(const struct scaling_view *v, int devices, bool weak)
{
    struct scaling_point plain = predict(v, devices, weak, false);
    struct scaling_point beside = predict(v, devices, weak, true);
    char units[REPORT_UNITS], bytes[TEXT], kernel[TEXT], exchange[TEXT], cuts[TEXT];

    snprintf(cuts, sizeof cuts, "%dx%d", plain.cuts[0], plain.cuts[1]);
    if (!plain.possible) {
        printf(
            "%7d %7s  a part has %.4g planes of %.4g rows, fewer than are exchanged%s\n",
            devices, cuts, plain.planes, plain.rows,
            v->args->cut == 1 ? ": --cut 2" : "");
        return;
    }
    printf("%7d %7s %6.5g %6.5g %8s %8s %8s %8.4g %6.1f %% %8.4g %6.1f %%%s\n", devices,
           cuts, plain.planes, plain.rows,
           plain_text(report_bytes(plain.bytes, units), plain.bytes > 0, bytes),
           time_text(plain.kernel, kernel), time_text(plain.exchange, exchange),
           gpts(v, &plain), 100 * plain.efficiency, gpts(v, &beside),
           100 * beside.efficiency,
           devices == 1    ? ""
           : beside.hidden ? "  hidden"
                           : "  not hidden");
}

static void print_table(const struct scaling_view *v, bool weak)
{
    const struct scaling_grid *g = &v->grid;

    printf("\n%s: %.0f planes of %.0f rows of %.0f points%s\n", weak ? "weak" : "strong",
           g->planes, g->rows, g->points, weak ? " on each device" : " in all");
    printf("%7s %7s %6s %6s %8s %8s %8s %8s %8s %8s %8s\n", "devices", "parts", "planes",
           "rows", "sends", "kernel", "exchange", "GPts/s", "of ideal", "overlap",
           "of ideal");
    for (int i = 0; i < v->args->device_count; i++)
        print_row(v, v->args->devices[i], weak);
}

static void print_links(const struct scaling_view *v)
{
    const struct scaling_machine *m = &v->machine;

    printf("link          %.4g GB/s, %.3g us (%s)\n", m->near.bandwidth * 1e-9,
           m->near.latency * 1e6,
           v->args->near.bandwidth > 0 ? "given"
           : v->fitted > 0             ? "of the measured exchanges"
                                       : "assumed");
    printf("network       %.4g GB/s, %.3g us (%s), %d devices a node\n",
           m->far.bandwidth * 1e-9, m->far.latency * 1e6,
           v->args->far.bandwidth > 0 ? "given" : "assumed", m->node);
}

static void print_limit(const struct scaling_view *v, bool far)
{
    double planes = scaling_least_planes(&v->machine, &v->stencil, &v->grid,
                                         (int)v->args->every, far);

    printf("  %.4g planes %s", planes, far ? "between nodes" : "within a node");
    if (planes >= 1)
        printf(": %.0f devices share %.0f planes", floor(v->grid.planes / planes),
               v->grid.planes);
    putchar('\n');
}

static void print_measured(const struct scaling_view *v)
{
    const struct scaling_measured *m = &v->measured;
    char a[TEXT], b[TEXT];

    if (m->count == 0)
        return;
    printf("\nmeasured at %.0f planes of %.0f rows of %.0f points\n", m->grid.planes,
           m->grid.rows, m->grid.points);
    printf("%-8s %7s %2s  %-9s %-7s %10s %10s %10s %12s %10s %10s\n", "scaling",
           "devices", "m", "by", "overlap", "GPts/s", "model", "", "kernels", "exchange",
           "model");
    for (int i = 0; i < m->count; i++) {
        const struct scaling_run *run = &m->runs[i];
        struct scaling_point p = scaling_of_run(&v->machine, &v->stencil, m, run);
        double kernels = run->gpts * run->seconds / run->devices /
                         (run->seconds - (run->overlap ? 0 : run->exchange));

        printf("%-8s %7d %2d  %-9s %-7s %10.4g %10.4g %+8.1f %% %12.4g %10s %10s\n",
               run->scaling, run->devices, run->every, run->by,
               run->devices == 1 ? "-"
               : run->overlap    ? "yes"
                                 : "no",
               run->gpts, p.rate * 1e-9, 100 * (p.rate * 1e-9 / run->gpts - 1), kernels,
               time_text(run->exchange * run->every, a), time_text(p.exchange, b));
    }
    puts("kernels: GPts/s of a device without its exchanges; where they are far from "
         "those "
         "of one\ndevice, the kernel is another one, and the model does not know it");
}

void scaling_print(const struct scaling_view *v)
{
    printf("program       %s, %.3g planes wrong after a launch, exchanged after %lld\n",
           v->program, v->stencil.halo, (long long)v->args->every);
    printf(
        "one device    %.4g GPts/s (%s), %.3g us a launch\n",
        v->machine.rate * 1e-9 *
            (v->measured.count == 0 && v->args->steps > 1 ? (double)v->args->steps : 1),
        v->from, v->machine.launch * 1e6);
    print_links(v);
    print_table(v, true);
    print_table(v, false);
    puts("\noverlap hides the exchange in slabs of at least");
    print_limit(v, false);
    print_limit(v, true);
    print_measured(v);
}

/* ---- JSON */

static json_t *point_json(const struct scaling_view *v, int devices, bool weak,
                          bool overlap)
{
    struct scaling_point p = predict(v, devices, weak, overlap);

    return json_pack("{s:s, s:i, s:b, s:b, s:[ii], s:f, s:f, s:f, s:f, s:f, s:f, s:f, "
                     "s:f, s:b}",
                     "scaling", weak ? "weak" : "strong", "devices", devices, "overlap",
                     overlap, "possible", p.possible, "parts", p.cuts[0], p.cuts[1],
                     "planes", p.planes, "rows", p.rows, "bytes", p.bytes, "kernel",
                     p.kernel, "exchange", p.exchange, "seconds", p.seconds, "gpts",
                     gpts(v, &p), "efficiency", p.efficiency, "hidden", p.hidden);
}

static json_t *measured_json(const struct scaling_view *v)
{
    json_t *list = json_array();

    for (int i = 0; i < v->measured.count; i++) {
        const struct scaling_run *run = &v->measured.runs[i];
        struct scaling_point p =
            scaling_of_run(&v->machine, &v->stencil, &v->measured, run);

        json_array_append_new(
            list, json_pack("{s:s, s:i, s:i, s:s, s:b, s:f, s:f, s:f, s:f}", "scaling",
                            run->scaling, "devices", run->devices, "exchange_every",
                            run->every, "by", run->by, "overlap", run->overlap, "gpts",
                            run->gpts, "model_gpts", p.rate * 1e-9, "exchange",
                            run->exchange * run->every, "model_exchange", p.exchange));
    }
    return list;
}

void scaling_print_json(const struct scaling_view *v)
{
    const struct scaling_machine *m = &v->machine;
    int every = (int)v->args->every;
    json_t *points = json_array();

    for (int i = 0; i < v->args->device_count; i++)
        for (int k = 0; k < 4; k++)
            json_array_append_new(points,
                                  point_json(v, v->args->devices[i], k < 2, k % 2 == 1));
    cli_print_json(json_pack(
        "{s:s, s:f, s:f, s:{s:f, s:f}, s:{s:f, s:f}, s:i, s:f, s:i, s:[ff], s:o, s:o}",
        "program", v->program, "rate", m->rate, "launch", m->launch, "link", "bandwidth",
        m->near.bandwidth, "latency", m->near.latency, "network", "bandwidth",
        m->far.bandwidth, "latency", m->far.latency, "node", m->node, "halo",
        v->stencil.halo, "exchange_every", every, "least_planes",
        scaling_least_planes(m, &v->stencil, &v->grid, every, false),
        scaling_least_planes(m, &v->stencil, &v->grid, every, true), "points", points,
        "measured", measured_json(v)));
}
