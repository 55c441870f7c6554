/* Prints the output of 'lift check' for people. */
#include "cli/check.h"
#include "cli/cli.h"
#include "report/units.h"
#include <string.h>

/* ---- lines: a title once, and aligned texts */

enum { TITLE = 13 };

struct page {
    const json_t *facts;
    struct lift_str line;
    const char *title; /* printed before the next line */
};

static void put_line(struct page *page)
{
    printf("  %-*s%s\n", TITLE, page->title, lift_str_get(&page->line));
    page->title = "";
    lift_str_clear(&page->line);
}

static const json_t *member(const json_t *object, const char *name)
{
    return json_object_get(object, name);
}

static size_t length(const json_t *object, const char *name)
{
    return json_array_size(member(object, name));
}

static long long whole(const json_t *value)
{
    return (long long)json_integer_value(value);
}

static void add_words(struct lift_str *out, const json_t *words)
{
    const json_t *word;
    size_t i;

    json_array_foreach(words, i, word)
        lift_str_addf(out, "%s%s", i ? ", " : "", json_string_value(word));
}

static void put_type(struct page *page, const json_t *array, int width)
{
    char bytes[REPORT_UNITS];

    lift_str_addf(&page->line, "%-*s  %s, %s", width, cli_text(array, "name"),
                  cli_text(array, "type"),
                  report_bytes(cli_number(array, "bytes"), bytes));
    put_line(page);
}

/* ---- footprints */

/* Names of the last three dimensions, or d0, d1, ... for more than three. */
static const char *dim_name(size_t dim, size_t rank)
{
    static const char *const names[] = {"z", "y", "x"};
    static const char *const many[] = {"d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7"};

    return rank <= 3 ? names[3 - rank + dim] : dim < 8 ? many[dim] : "d";
}

static void add_end(struct lift_str *out, const json_t *dim, size_t rank,
                    const char *which)
{
    long long step = whole(member(dim, "step")), offset = whole(member(dim, which));
    const json_t *follows = member(dim, "follows");

    if (json_is_null(follows)) {
        lift_str_addf(out, "%lld", offset);
        return;
    }
    if (step == -1)
        lift_str_add(out, "-");
    else if (step != 1)
        lift_str_addf(out, "%lld", step);
    lift_str_add(out, dim_name((size_t)whole(follows), rank));
    if (offset)
        lift_str_addf(out, "%+lld", offset);
}

static void add_dim(struct lift_str *out, const json_t *dim, size_t rank)
{
    const char *kind = cli_text(dim, "kind");

    lift_str_add(out, !strcmp(kind, "about") ? "[about " : "[");
    if (!strcmp(kind, "anywhere")) {
        lift_str_add(out, "*]");
        return;
    }
    add_end(out, dim, rank, "from");
    if (whole(member(dim, "to")) > whole(member(dim, "from"))) {
        lift_str_add(out, "..");
        add_end(out, dim, rank, "to");
    }
    lift_str_add(out, "]");
}

/* "radius 1", or "halo z 1+2, y 1+1, x 0+1"; empty if the kernel reads only the grid
 * point itself. */
static void add_halo(struct lift_str *out, const json_t *dims)
{
    long long first = -1, before, after;
    bool radius = true, any = false;
    const json_t *dim, *halo;
    size_t d;

    json_array_foreach(dims, d, dim)
    {
        halo = member(dim, "halo");
        if (!halo)
            return;
        before = whole(json_array_get(halo, 0));
        after = whole(json_array_get(halo, 1));
        first = d == 0 ? before : first;
        any |= before || after;
        radius &= before == after && before == first;
    }
    if (any && radius)
        lift_str_addf(out, ", radius %lld", first);
    else if (any)
        json_array_foreach(dims, d, dim)
        {
            halo = member(dim, "halo");
            lift_str_addf(out, "%s%s %lld+%lld", d ? ", " : "; halo ",
                          dim_name(d, json_array_size(dims)),
                          whole(json_array_get(halo, 0)), whole(json_array_get(halo, 1)));
        }
}

static bool has_pad(const json_t *dim, const json_t *pad)
{
    const json_t *other;
    size_t i;

    json_array_foreach(member(dim, "pads"), i,
                       other) if (json_equal(other, pad)) return true;
    return false;
}

/* "pad clamp 1+1 in z, y, x": printed once, at the pad's first dimension. */
static void add_pad(struct lift_str *out, const json_t *dims, size_t first,
                    const json_t *pad)
{
    size_t rank = json_array_size(dims);

    for (size_t d = 0; d < first; d++)
        if (has_pad(json_array_get(dims, d), pad))
            return;
    lift_str_addf(out, "; pad %s %lld+%lld in ", cli_text(pad, "kind"),
                  whole(member(pad, "before")), whole(member(pad, "after")));
    for (size_t d = first; d < rank; d++)
        if (has_pad(json_array_get(dims, d), pad))
            lift_str_addf(out, "%s%s", d > first ? ", " : "", dim_name(d, rank));
}

/* Rank of the first output that reads the input. */
static size_t rank_of(const struct page *page, const json_t *read)
{
    const char *name = json_string_value(json_array_get(member(read, "outputs"), 0));
    const json_t *output;
    size_t i;

    json_array_foreach(member(page->facts, "outputs"), i,
                       output) if (name && !strcmp(cli_text(output, "name"),
                                                   name)) return length(output, "shape");
    return 0;
}

static void put_read(struct page *page, const json_t *input, const json_t *read)
{
    struct lift_str *out = &page->line;
    const json_t *dims = member(read, "dims"), *dim, *pad;
    long long points = whole(member(read, "points"));
    const char *shape = cli_text(read, "shape");
    size_t d, i;

    lift_str_addf(out, "  reads %s", cli_text(input, "name"));
    json_array_foreach(dims, d, dim) add_dim(out, dim, rank_of(page, read));
    if (points > 0)
        lift_str_addf(out, ": %lld point%s%s%s", points, points == 1 ? "" : "s",
                      *shape ? ", " : "", shape);
    add_halo(out, dims);
    json_array_foreach(dims, d, dim) json_array_foreach(member(dim, "pads"), i, pad)
        add_pad(out, dims, d, pad);
    if (length(read, "outputs") != length(page->facts, "outputs")) {
        lift_str_add(out, "; for ");
        add_words(out, member(read, "outputs"));
    }
    put_line(page);
}

static void put_reads(struct page *page, const json_t *input)
{
    const json_t *reads = member(input, "reads"), *read;
    size_t i;

    json_array_foreach(reads, i, read) put_read(page, input, read);
    if (json_array_size(reads))
        return;
    lift_str_add(&page->line, json_is_array(reads)
                                  ? "  is not read"
                                  : "  reads: the program is too large to follow them");
    put_line(page);
}

/* ---- the rest */

static void put_sizes(struct page *page)
{
    const json_t *params = member(page->facts, "parameters"), *value;
    long long points = whole(member(page->facts, "points")),
              inside = whole(member(page->facts, "points_inside"));
    char count[REPORT_UNITS];
    const char *name, *before = "";
    size_t i;

    page->title = "sizes";
    json_object_foreach((json_t *)member(page->facts, "sizes"), name, value)
    {
        lift_str_addf(&page->line, "%s%s=%lld", before, name, whole(value));
        before = ", ";
    }
    lift_str_addf(&page->line, "%s%s points", *before ? "; " : "",
                  report_count(points, count));
    if (inside < points)
        lift_str_addf(&page->line, ", %s inside of the border",
                      report_count(inside, count));
    put_line(page);
    page->title = "parameters";
    json_array_foreach(params, i, value) lift_str_addf(
        &page->line, "%s%s: %s = %.9g", i ? ", " : "", cli_text(value, "name"),
        cli_text(value, "type"), cli_number(value, "value"));
    if (i)
        put_line(page);
}

static void put_arrays(struct page *page)
{
    static const char *const titles[] = {"input", "inputs", "output", "outputs"};
    const json_t *array;
    int width = 0;
    size_t i;

    for (int k = 0; k < 2; k++)
        json_array_foreach(member(page->facts, titles[2 * k + 1]), i, array)
        {
            int own = (int)strlen(cli_text(array, "name"));

            width = own > width ? own : width;
        }
    for (int k = 0; k < 2; k++) {
        const char *many = titles[2 * k + 1];

        page->title = length(page->facts, many) == 1 ? titles[2 * k] : many;
        json_array_foreach(member(page->facts, many), i, array)
        {
            put_type(page, array, width);
            if (k == 0)
                put_reads(page, array);
        }
    }
}

static void put_costs(struct page *page)
{
    const json_t *traffic = member(page->facts, "traffic"), *value;
    const json_t *ops = member(page->facts, "operations_per_point");
    double read = cli_number(traffic, "read"), written = cli_number(traffic, "written");
    char a[REPORT_UNITS], b[REPORT_UNITS], c[REPORT_UNITS], d[REPORT_UNITS];
    const char *before = " (", *name;

    page->title = "traffic";
    lift_str_addf(&page->line, "%s: %s read, %s written; %s bytes a point",
                  report_bytes(read + written, a), report_bytes(read, b),
                  report_bytes(written, c),
                  report_digits((read + written) / cli_number(page->facts, "points"), d));
    put_line(page);
    page->title = "operations";
    lift_str_addf(&page->line, "%.4g flop a point", cli_number(ops, "flops"));
    json_object_foreach((json_t *)member(ops, "by"), name, value)
    {
        lift_str_addf(&page->line, "%s%s %.4g", before, name, json_number_value(value));
        before = ", ";
    }
    lift_str_add(&page->line, cli_number(ops, "flops") > 0 ? ")" : "");
    if (cli_number(ops, "others") > 0)
        lift_str_addf(&page->line,
                      "; %.4g others (comparisons, choices, conversions, integers)",
                      cli_number(ops, "others"));
    if (cli_number(ops, "calls") > 0)
        lift_str_addf(&page->line, "; %.4g calls of C, whose operations are not counted",
                      cli_number(ops, "calls"));
    put_line(page);
    page->title = "intensity";
    lift_str_addf(&page->line, "%s flop/byte",
                  report_digits(cli_number(page->facts, "intensity"), a));
    put_line(page);
}

static void put_time(struct page *page)
{
    const json_t *inputs = member(page->facts, "inputs"), *input;
    long long steps = whole(member(page->facts, "steps"));
    const char *before = "";
    size_t i;

    page->title = "time loop";
    json_array_foreach(inputs, i, input)
    {
        const char *name = cli_text(input, "name"), *next = cli_text(input, "next");

        if (!strcmp(name, next))
            continue;
        lift_str_addf(&page->line, "%s%s <- %s", before, name, next);
        before = ", ";
    }
    if (!json_is_true(member(page->facts, "time_loop")))
        lift_str_add(&page->line, "none");
    if (steps > 1)
        lift_str_addf(&page->line, ", %lld steps a launch", steps);
    put_line(page);
    page->title = "in place";
    json_array_foreach(inputs, i, input)
    {
        if (!length(input, "in_place"))
            continue;
        lift_str_add(&page->line, length(input, "in_place") > 1 ? "one of " : "");
        add_words(&page->line, member(input, "in_place"));
        lift_str_addf(&page->line, " may be stored in %s", cli_text(input, "name"));
        put_line(page);
    }
}

static void put_functions(struct page *page)
{
    const json_t *function;
    size_t i;

    page->title = "C functions";
    json_array_foreach(member(page->facts, "c_functions"), i, function)
        lift_str_addf(&page->line, "%s%s (line %lld)", i ? ", " : "",
                      cli_text(function, "name"), whole(member(function, "line")));
    if (!i)
        return;
    lift_str_add(&page->line, ": their code runs when the program runs");
    put_line(page);
}

/* ---- decisions */

static bool applies(const json_t *option, const char *kind)
{
    return json_is_true(member(member(option, kind), "applies"));
}

static void put_decision(struct page *page, size_t from, size_t to)
{
    enum { COLUMNS = 78 };
    const json_t *options = member(page->facts, "options");
    size_t line = page->line.len;
    int others = 0, some = 0;

    lift_str_addf(&page->line, "%-18s",
                  cli_text(json_array_get(options, from), "decision"));
    for (size_t i = from; i < to; i++) {
        const json_t *o = json_array_get(options, i);
        bool threads = applies(o, "threads"), groups = applies(o, "groups");

        if (!threads && !groups) {
            others++;
            continue;
        }
        if (page->line.len - line > COLUMNS) {
            lift_str_addc(&page->line, ',');
            put_line(page);
            lift_str_addf(&page->line, "%-18s", "");
            line = 0;
            some = 0;
        }
        lift_str_addf(&page->line, "%s%s%s", some++ ? ", " : " ", cli_text(o, "option"),
                      !groups    ? " (threads)"
                      : !threads ? " (groups)"
                                 : "");
    }
    if (others)
        lift_str_addf(&page->line, "%s%d %s not apply", some ? "; " : " ", others,
                      others == 1 ? "does" : "do");
    put_line(page);
}

static void put_decisions(struct page *page)
{
    const json_t *options = member(page->facts, "options");

    page->title = "decisions";
    for (size_t from = 0, to; from < json_array_size(options); from = to) {
        const char *decision = cli_text(json_array_get(options, from), "decision");

        for (to = from + 1;
             !strcmp(cli_text(json_array_get(options, to), "decision"), decision); to++)
            ;
        put_decision(page, from, to);
    }
}

void cli_check_print(const json_t *facts)
{
    struct page page = {.facts = facts, .title = ""};

    printf("%s: %s, %s, %s\n", cli_text(facts, "file"), cli_text(facts, "program"),
           cli_text(facts, "dtype"),
           json_is_true(member(facts, "exact")) ? "exact" : "relaxed");
    put_sizes(&page);
    put_arrays(&page);
    put_costs(&page);
    put_time(&page);
    put_functions(&page);
    put_decisions(&page);
    lift_str_fini(&page.line);
}
