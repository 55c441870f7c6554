/* 'lift check' for people. */
#include "cli/check.h"
#include "report/units.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- lines: a title, once, and texts that stand in one column */

enum { TITLE = 13 };

struct page {
    struct lift_str line;
    const char *title; /* of the next line */
};

static void put_line(struct page *page)
{
    printf("  %-*s%s\n", TITLE, page->title, lift_str_get(&page->line));
    page->title = "";
    lift_str_clear(&page->line);
}

static void put_type(struct page *page, const char *name, int width, lift_type t)
{
    char bytes[REPORT_UNITS];
    LIFT_SCOPED(lift_str) type = {0};

    lift_type_print(t, &type);
    lift_str_addf(&page->line, "%-*s  %s, %s", width, name, lift_str_get(&type),
                  report_bytes((double)lift_footprint_bytes(t), bytes));
    put_line(page);
}

/* ---- footprints */

/* z, y and x as far as there are so many dimensions. */
static const char *dim_name(int dim, int rank)
{
    static const char *const names[] = {"z", "y", "x"};
    static const char *const many[] = {"d0", "d1", "d2", "d3", "d4", "d5", "d6", "d7"};

    return rank <= 3 ? names[3 - rank + dim] : dim < 8 ? many[dim] : "d";
}

static void add_end(struct lift_str *out, const struct lift_footprint_dim *dim, int rank,
                    int64_t offset)
{
    if (dim->follows < 0) {
        lift_str_addf(out, "%" PRId64, offset);
        return;
    }
    if (dim->step == -1)
        lift_str_add(out, "-");
    else if (dim->step != 1)
        lift_str_addf(out, "%" PRId64, dim->step);
    lift_str_add(out, dim_name(dim->follows, rank));
    if (offset)
        lift_str_addf(out, "%+" PRId64, offset);
}

static void add_dim(struct lift_str *out, const struct lift_footprint_dim *dim, int rank)
{
    lift_str_add(out, dim->kind == LIFT_FOOTPRINT_ABOUT ? "[about " : "[");
    if (dim->kind == LIFT_FOOTPRINT_ANYWHERE) {
        lift_str_add(out, "*]");
        return;
    }
    add_end(out, dim, rank, dim->from);
    if (dim->to > dim->from) {
        lift_str_add(out, "..");
        add_end(out, dim, rank, dim->to);
    }
    lift_str_add(out, "]");
}

/* "radius 1", or "halo z 1+2, y 1+1, x 0+1"; nothing if only the point is read. */
static void add_halo(struct lift_str *out, const struct lift_footprint *f)
{
    int64_t before[LIFT_FOOTPRINT_DIMS], after[LIFT_FOOTPRINT_DIMS];
    bool radius = true, any = false;

    for (int d = 0; d < f->dim_count; d++) {
        if (!cli_check_halo(&f->dims[d], &before[d], &after[d]))
            return;
        any |= before[d] || after[d];
        radius &= before[d] == after[d] && before[d] == before[0];
    }
    if (any && radius)
        lift_str_addf(out, ", radius %" PRId64, before[0]);
    for (int d = 0; d < f->dim_count && any && !radius; d++)
        lift_str_addf(out, "%s%s %" PRId64 "+%" PRId64, d ? ", " : "; halo ",
                      dim_name(d, f->dim_count), before[d], after[d]);
}

static bool has_pad(const struct lift_footprint_dim *dim, struct lift_footprint_pad pad)
{
    for (int i = 0; i < dim->pad_count; i++)
        if (!strcmp(dim->pads[i].kind, pad.kind) && dim->pads[i].before == pad.before &&
            dim->pads[i].after == pad.after)
            return true;
    return false;
}

/* "pad clamp 1+1 in z, y, x": once, where it comes first. */
static void add_pad(struct lift_str *out, const struct lift_footprint *f, int first,
                    struct lift_footprint_pad pad)
{
    for (int d = 0; d < first; d++)
        if (has_pad(&f->dims[d], pad))
            return;
    lift_str_addf(out, "; pad %s %" PRId64 "+%" PRId64 " in ", pad.kind, pad.before,
                  pad.after);
    for (int d = first; d < f->dim_count; d++)
        if (has_pad(&f->dims[d], pad))
            lift_str_addf(out, "%s%s", d > first ? ", " : "", dim_name(d, f->dim_count));
}

static void add_outputs(struct lift_str *out, const struct lift_program *program,
                        unsigned outputs)
{
    const char *before = "";

    for (int o = 0; o < program->output_count; o++)
        if (outputs & 1u << o) {
            lift_str_addf(out, "%s%s", before, program->outputs[o].name);
            before = ", ";
        }
}

static void put_footprint(struct page *page, const struct lift_program *program,
                          const struct lift_footprint *f)
{
    struct lift_str *out = &page->line;

    lift_str_addf(out, "  reads %s", program->inputs[f->input].name);
    for (int d = 0; d < f->dim_count; d++)
        add_dim(out, &f->dims[d], f->rank);
    if (f->points > 0)
        lift_str_addf(out, ": %" PRId64 " point%s%s", f->points,
                      f->points == 1 ? "" : "s",
                      f->star  ? ", star"
                      : f->box ? ", box"
                               : "");
    add_halo(out, f);
    for (int d = 0; d < f->dim_count; d++)
        for (int i = 0; i < f->dims[d].pad_count; i++)
            add_pad(out, f, d, f->dims[d].pads[i]);
    if (f->outputs != (1u << program->output_count) - 1) {
        lift_str_add(out, "; for ");
        add_outputs(out, program, f->outputs);
    }
    put_line(page);
}

static void put_reads(struct page *page, const struct cli_checked *c, int input)
{
    int count = 0;

    for (int i = 0; i < c->prints->count; i++)
        if (c->prints->items[i].input == input) {
            put_footprint(page, c->program, &c->prints->items[i]);
            count++;
        }
    if (count)
        return;
    lift_str_add(&page->line, c->prints->complete
                                  ? "  is not read"
                                  : "  reads: the program is too large to follow them");
    put_line(page);
}

/* ---- the rest */

static void put_sizes(struct page *page, const struct lift_program *p,
                      const struct lift_footprints *f)
{
    char count[REPORT_UNITS];

    page->title = "sizes";
    for (int i = 0; i < p->size_count; i++)
        lift_str_addf(&page->line, "%s=%" PRId64 "%s", p->sizes[i].name,
                      p->sizes[i].value, i + 1 < p->size_count ? ", " : "; ");
    lift_str_addf(&page->line, "%s points", report_count(f->points, count));
    if (f->inside < f->points)
        lift_str_addf(&page->line, ", %s inside of the border",
                      report_count(f->inside, count));
    put_line(page);
    page->title = "parameters";
    for (int i = 0; i < p->param_count; i++)
        lift_str_addf(&page->line, "%s%s: %s = %.9g", i ? ", " : "", p->params[i].name,
                      lift_scalar_name(p->params[i].scalar), p->params[i].value);
    if (p->param_count)
        put_line(page);
}

static void put_arrays(struct page *page, const struct cli_checked *c)
{
    const struct lift_program *p = c->program;
    int width = 0;

    for (int i = 0; i < p->input_count; i++)
        width = (int)strlen(p->inputs[i].name) > width ? (int)strlen(p->inputs[i].name)
                                                       : width;
    for (int i = 0; i < p->output_count; i++)
        width = (int)strlen(p->outputs[i].name) > width ? (int)strlen(p->outputs[i].name)
                                                        : width;
    page->title = p->input_count == 1 ? "input" : "inputs";
    for (int i = 0; i < p->input_count; i++) {
        put_type(page, p->inputs[i].name, width, p->inputs[i].type);
        put_reads(page, c, i);
    }
    page->title = p->output_count == 1 ? "output" : "outputs";
    for (int i = 0; i < p->output_count; i++)
        put_type(page, p->outputs[i].name, width, p->outputs[i].type);
}

static void put_costs(struct page *page, const struct lift_footprints *f)
{
    char a[REPORT_UNITS], b[REPORT_UNITS], c[REPORT_UNITS], d[REPORT_UNITS];
    double bytes = (double)f->read + (double)f->written;
    const char *before = " (";

    page->title = "traffic";
    lift_str_addf(&page->line, "%s: %s read, %s written; %s bytes a point",
                  report_bytes(bytes, a), report_bytes((double)f->read, b),
                  report_bytes((double)f->written, c),
                  report_digits(bytes / (double)f->points, d));
    put_line(page);
    page->title = "operations";
    lift_str_addf(&page->line, "%.4g flop a point", f->ops.flops);
    for (int op = 0; op < LIFT_OP_COUNT; op++)
        if (f->ops.by[op] > 0) {
            lift_str_addf(&page->line, "%s%s %.4g", before,
                          lift_prim_info((enum lift_op)op)->name, f->ops.by[op]);
            before = ", ";
        }
    lift_str_add(&page->line, f->ops.flops > 0 ? ")" : "");
    if (f->ops.others > 0)
        lift_str_addf(&page->line,
                      "; %.4g others (comparisons, choices, conversions, integers)",
                      f->ops.others);
    if (f->ops.calls > 0)
        lift_str_addf(&page->line, "; %.4g calls of C, whose operations are not counted",
                      f->ops.calls);
    put_line(page);
    page->title = "intensity";
    lift_str_addf(&page->line, "%s flop/byte", report_digits(f->intensity, a));
    put_line(page);
}

static void put_time(struct page *page, const struct cli_checked *c)
{
    const struct lift_program *p = c->program;
    const char *before = "";

    page->title = "time loop";
    for (int i = 0; i < p->input_count; i++) {
        const struct lift_program_input *in = &p->inputs[i];

        if (in->next == LIFT_NEXT_SAME)
            continue;
        lift_str_addf(&page->line, "%s%s <- %s", before, in->name,
                      in->next == LIFT_NEXT_INPUT ? p->inputs[in->next_index].name
                                                  : p->outputs[in->next_index].name);
        before = ", ";
    }
    if (!p->iterative)
        lift_str_add(&page->line, "none");
    if (p->steps > 1)
        lift_str_addf(&page->line, ", %d steps at once", p->steps);
    put_line(page);
    page->title = "in place";
    for (int i = 0; i < p->input_count; i++) {
        if (!c->prints->in_place[i])
            continue;
        if (c->prints->in_place[i] & (c->prints->in_place[i] - 1))
            lift_str_add(&page->line, "one of ");
        add_outputs(&page->line, p, c->prints->in_place[i]);
        lift_str_addf(&page->line, " may be stored in %s", p->inputs[i].name);
        put_line(page);
    }
}

static void put_functions(struct page *page, const struct cli_checked *c)
{
    page->title = "C functions";
    for (int i = 0; i < c->program->function_count; i++) {
        const struct lift_program_function *f = &c->program->functions[i];
        int length;
        const char *name = cli_check_name(f, &length);

        lift_str_addf(&page->line, "%s%.*s (line %d)", i ? ", " : "", length, name,
                      cli_check_line(c, f));
    }
    if (!c->program->function_count)
        return;
    lift_str_add(&page->line, ": code, which runs when the program does");
    put_line(page);
}

/* ---- decisions */

/* " (groups)" of an option that applies on one kind only. */
static void add_option(struct lift_str *out, const struct cli_checked_option *o,
                       const char *before)
{
    lift_str_addf(out, "%s%s", before, o->option->name);
    for (int kind = 0; kind < CLI_CHECK_KINDS; kind++)
        if (!o->applies[1 - kind])
            lift_str_addf(out, " (%s)", cli_check_kind(kind));
}

static void put_decision(struct page *page, const struct cli_checked *c, int from, int to)
{
    enum { COLUMNS = 70 };
    size_t line = page->line.len;
    int others = 0, some = 0;

    lift_str_addf(&page->line, "%-10s", c->options[from].option->decision->name);
    for (int i = from; i < to; i++) {
        const struct cli_checked_option *o = &c->options[i];

        if (!o->applies[0] && !o->applies[1]) {
            others++;
            continue;
        }
        if (page->line.len - line > COLUMNS) {
            lift_str_addc(&page->line, ',');
            put_line(page);
            lift_str_addf(&page->line, "%-10s", "");
            line = 0;
            some = 0;
        }
        add_option(&page->line, o, some++ ? ", " : " ");
    }
    if (others)
        lift_str_addf(&page->line, "%s%d %s not apply", some ? "; " : " ", others,
                      others == 1 ? "does" : "do");
    put_line(page);
}

static void put_decisions(struct page *page, const struct cli_checked *c)
{
    page->title = "decisions";
    for (int from = 0, to; from < c->option_count; from = to) {
        for (to = from; to < c->option_count && c->options[to].option->decision ==
                                                    c->options[from].option->decision;
             to++)
            ;
        put_decision(page, c, from, to);
    }
}

void cli_check_print(const struct cli_checked *c)
{
    struct page page = {.title = ""};

    printf("%s: %s, %s, %s\n", c->file, c->program->name,
           lift_program_precision(c->program), c->program->exact ? "exact" : "relaxed");
    put_sizes(&page, c->program, c->prints);
    put_arrays(&page, c);
    put_costs(&page, c->prints);
    put_time(&page, c);
    put_functions(&page, c);
    put_decisions(&page, c);
    lift_str_fini(&page.line);
}
