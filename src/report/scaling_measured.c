/* Runs that bench/scaling.sh measured, and what they say of the machine. */
#include "base/fail.h"
#include "base/locale.h"
#include "report/scaling.h"
#include <stdio.h>
#include <string.h>

/* "45.8 ms" in seconds; false if it is none. */
static bool duration(const char *number, const char *unit, double *out)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"\xc2\xb5s", 1e-6},
                 {"ms", 1e-3}, {"s", 1},     {"min", 60}};
    int end = 0;

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!strcmp(unit, units[i].unit) &&
            lift_sscanf(number, "%lf%n", out, &end) == 1 && end == (int)strlen(number) &&
            *out >= 0) {
            *out *= units[i].seconds;
            return true;
        }
    return false;
}

/* "acoustic_iso, 1000x1000 points a plane, 1000 planes a device (weak) or in all
 * (strong), 200 steps". */
static bool read_title(const char *line, struct scaling_measured *out, double *steps)
{
    struct scaling_grid *g = &out->grid;

    return lift_sscanf(
               line,
               "%127[^,], %lfx%lf points a plane, %lf planes a device (weak) or in "
               "all (strong), %lf steps",
               out->program, &g->points, &g->rows, &g->planes, steps) == 5 &&
           g->points >= 1 && g->rows >= 1 && g->planes >= 1 && *steps >= 1;
}

/* The numbers of a row behind its words: "119 85.4 % 45.8 ms from device to device". */
static bool read_numbers(const char *text, double steps, struct scaling_run *out)
{
    char number[32] = "", unit[32] = "";
    double percent;
    int n = lift_sscanf(text, "%lf %lf %% %31s %31s", &out->gpts, &percent, number, unit);

    if (n < 2 || !(out->gpts > 0))
        return false;
    out->exchange =
        n == 4 && duration(number, unit, &out->exchange) ? out->exchange / steps : 0;
    return true;
}

/* "weak 2 1 peer no 119 ...": how it scales, devices, launches between exchanges, the way
 * of the planes, and whether the exchange is beside the computation. */
static bool read_run(const char *line, const struct scaling_grid *grid, double steps,
                     struct scaling_run *out)
{
    char every[16] = "", overlap[16] = "";
    double points = grid->planes * grid->rows * grid->points;
    int words = 0;
    bool weak, one;

    if (lift_sscanf(line, "%15s %d %15s %15s %15s %n", out->scaling, &out->devices, every,
                    out->by, overlap, &words) != 5 ||
        out->devices < 1)
        return false;
    one = !strcmp(out->scaling, "one");
    weak = !strcmp(out->scaling, "weak");
    out->every = 1;
    if (!one && ((!weak && strcmp(out->scaling, "strong") != 0) ||
                 lift_sscanf(every, "%d", &out->every) != 1 || out->every < 1))
        return false;
    out->overlap = !strcmp(overlap, "yes");
    if (!read_numbers(line + words, steps, out))
        return false;
    out->seconds = points * (weak ? out->devices : 1) / out->gpts * 1e-9;
    return true;
}

/* ---- the file */

/* What a launch did when, which rows of overlap have below them; or a row that has no
 * figures, but why. */
static bool is_no_run(const char *line)
{
    return !*line || *line == ' ' || strstr(line, " lift: ");
}

/* Blanks that do not break become others. */
static void take_line(const char *text, size_t length, char *out, size_t size)
{
    size_t used = 0;

    for (size_t i = 0; i < length && used + 1 < size; i++) {
        bool blank = !strncmp(text + i, "\xc2\xa0", 2);

        out[used++] = blank ? ' ' : text[i];
        i += blank;
    }
    out[used] = '\0';
}

static bool wrong(struct lift_str *why, int line, const char *expected)
{
    return LIFT_FAIL(why, "line %d: expected %s, as bench/scaling.sh prints it", line,
                     expected);
}

bool scaling_read(const char *text, struct scaling_measured *out, struct lift_str *why)
{
    char line[512];
    double steps = 0;
    int number = 0;

    *out = (struct scaling_measured){.count = 0};
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        take_line(at, strcspn(at, "\n"), line, sizeof line);
        number++;
        if (number == 1 && !read_title(line, out, &steps))
            return wrong(why, 1, "\"PROGRAM, XxY points a plane, Z planes ...\"");
        if (number < 3 || is_no_run(line))
            continue; /* the heads of the columns, too */
        if (out->count == SCALING_RUNS ||
            !read_run(line, &out->grid, steps, &out->runs[out->count]))
            return wrong(why, number, "a row of 'one', 'weak' or 'strong'");
        out->count++;
    }
    if (out->count == 0 || strcmp(out->runs[0].scaling, "one") != 0)
        return wrong(why, number > 0 ? number : 1, "a first row of one device");
    return true;
}

/* ---- the machine */

static struct scaling_case case_of(const struct scaling_run *run)
{
    return (struct scaling_case){.devices = run->devices,
                                 .every = run->every,
                                 .overlap = run->overlap,
                                 .weak = !strcmp(run->scaling, "weak")};
}

struct scaling_point scaling_of_run(const struct scaling_machine *machine,
                                    const struct scaling_stencil *stencil,
                                    const struct scaling_measured *measured,
                                    const struct scaling_run *run)
{
    struct scaling_case what = case_of(run);

    return scaling_predict(machine, stencil, &measured->grid, &what);
}

/* Sums of a line through (bytes, seconds). */
struct line {
    double x, y, xx, xy;
    int count;
};

static void set_link(const struct line *l, struct scaling_link *link)
{
    double n = l->count, spread = l->xx - l->x * l->x / n;
    double slope = (l->xy - l->x * l->y / n) / spread;
    double latency = (l->y - slope * l->x) / n;

    if (spread > 1e-9 * l->xx && slope > 0 && latency >= 0)
        *link = (struct scaling_link){1 / slope, latency};
    else if (l->y > n * link->latency)
        link->bandwidth = l->x / (l->y - n * link->latency);
    else
        *link = (struct scaling_link){l->x / l->y, 0}; /* it is less than the latency */
}

/* Planes that went by the link, and were waited for. */
static bool shows_link(const struct scaling_run *run)
{
    return !run->overlap && run->exchange > 0 &&
           (!strcmp(run->by, "peer") || strstr(run->by, "nccl"));
}

int scaling_fit(const struct scaling_measured *m, const struct scaling_stencil *stencil,
                struct scaling_machine *machine)
{
    double points = m->grid.planes * m->grid.rows * m->grid.points;
    double alone = m->runs[0].seconds - machine->launch;
    struct line line = {.count = 0};

    machine->rate = points / (alone > 0 ? alone : m->runs[0].seconds);
    for (int i = 0; i < m->count; i++) {
        const struct scaling_run *run = &m->runs[i];
        double bytes = scaling_of_run(machine, stencil, m, run).bytes;

        double seconds = run->exchange * run->every;

        if (!shows_link(run) || !(bytes > 0) || run->devices > machine->node)
            continue;
        line.x += bytes;
        line.y += seconds;
        line.xx += bytes * bytes;
        line.xy += bytes * seconds;
        line.count++;
    }
    if (line.count > 0)
        set_link(&line, &machine->near);
    return line.count;
}
