/* A best kernel, for people and for programs. */
#include "cli/cli.h"
#include "report/units.h"
#include "run/chosen.h"

enum { RULE_COLUMNS = 22 };

/* Macros stand above their steps, which are indented. */
static bool print_step(void *user, const struct lift_db_step *step)
{
    bool *any = user;
    int indent = 2 * step->macro_count;
    char hex[LIFT_HASH_HEX];

    if (!*any)
        puts("  derivation");
    *any = true;
    for (int i = 0; i < step->macro_count; i++) {
        const struct lift_db_use *use = &step->macros[i];

        if (use->first == step->step)
            printf("     %*s%s at %s: steps %d to %d\n", 2 * i, "", use->macro,
                   use->position, use->first, use->first + use->steps - 1);
    }
    printf("%4d %*s%-*s at %s%s%s -> %.12s\n", step->step, indent, "",
           RULE_COLUMNS - indent, step->rule, step->position, *step->args ? ", " : "",
           step->args, lift_hash_hex(step->expr, hex));
    return true;
}

bool cli_print_derivation(struct lift_db *db, struct lift_hash expr)
{
    bool any = false;

    return lift_db_derivation(db, expr, print_step, &any);
}

void cli_print_best(struct lift_db *db, const struct lift_db_best *best)
{
    char hex[LIFT_HASH_HEX];

    cli_print_subject(&(struct cli_subject){best->program, best->sizes, best->dtype,
                                            best->device, best->runtime, best->steps});
    printf("\n  %.3f GPts/s", best->gpts);
    if (best->gbs > 0)
        printf(", %.2f GB/s of compulsory traffic", best->gbs);
    if (best->roof > 0)
        printf(", %.1f %% of the copy bandwidth", 100 * best->roof);
    printf(", %.4g ms a launch%s\n", 1e3 * best->seconds,
           best->confirmed ? "" : ", unconfirmed: in no final benchmark");
    printf("  tunables    %s\n", best->tunables);
    printf("  expression  %s\n", lift_hash_hex(best->expr, hex));
    printf("  try         %s\n", lift_hash_hex(best->try, hex));
    if (!cli_print_derivation(db, best->expr))
        cli_fail(CLI_FAILED, "%s", lift_db_error(db));
}

static double moved_by(const struct lift_chosen_kernel *k)
{
    return ((double)k->read_bytes + (double)k->written_bytes) * (double)k->runs;
}

/* The share of each in what moves is what it takes of the time where memory is all. */
void cli_print_kernels(const struct lift_chosen_facts *f)
{
    char read[REPORT_UNITS], written[REPORT_UNITS], whole[REPORT_UNITS];
    double sum = 0;

    for (int i = 0; i < f->kernel_count; i++)
        sum += moved_by(&f->kernels[i]);
    for (int i = 0; i < f->kernel_count; i++) {
        const struct lift_chosen_kernel *k = &f->kernels[i];

        printf("%s%s reads %s, writes %s", i ? "              " : "  kernels     ",
               k->name, report_bytes((double)k->read_bytes, read),
               report_bytes((double)k->written_bytes, written));
        if (k->runs > 1)
            printf(", %lld times", (long long)k->runs);
        if (f->kernel_count > 1 && sum > 0)
            printf(", %.1f %% of all", 100 * moved_by(k) / sum);
        putchar('\n');
    }
    printf("  moved       %s, %.3g times the compulsory traffic of the launch, %s\n",
           report_bytes(sum, read), sum / (double)f->bytes,
           report_bytes((double)f->bytes, whole));
}

json_t *cli_kernels_json(const struct lift_chosen_facts *f)
{
    json_t *list = f ? json_array() : json_null();

    for (int i = 0; f && i < f->kernel_count; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:I, s:I, s:I}", "name", f->kernels[i].name,
                            "bytes_read", (json_int_t)f->kernels[i].read_bytes,
                            "bytes_written", (json_int_t)f->kernels[i].written_bytes,
                            "runs", (json_int_t)f->kernels[i].runs));
    return list;
}

static bool add_step(void *user, const struct lift_db_step *step)
{
    json_t *macros = json_array();

    for (int i = 0; i < step->macro_count; i++)
        json_array_append_new(macros, json_string(step->macros[i].macro));
    json_array_append_new(user, json_pack("{s:s, s:s, s:s, s:o}", "rule", step->rule,
                                          "position", step->position, "args", step->args,
                                          "macros", macros));
    return true;
}

json_t *cli_best_json(struct lift_db *db, const struct lift_db_best *best)
{
    char expr[LIFT_HASH_HEX], try[LIFT_HASH_HEX];
    json_t *steps = json_array();

    lift_db_derivation(db, best->expr, add_step, steps);
    return json_pack(
        "{s:s, s:o, s:s, s:i, s:s, s:s, s:f, s:f, s:f, s:f, s:b, s:o, s:s, s:s, s:o}",
        "program", best->program, "sizes", chosen_parsed(best->sizes), "dtype",
        best->dtype, "steps", best->steps, "device", best->device, "runtime",
        best->runtime, "gpts", best->gpts, "gbs", best->gbs, "roof", best->roof,
        "seconds", best->seconds, "confirmed", best->confirmed, "tunables",
        chosen_parsed(best->tunables), "expr", lift_hash_hex(best->expr, expr), "try",
        lift_hash_hex(best->try, try), "derivation", steps);
}

void cli_print_json(json_t *json)
{
    json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    putchar('\n');
    json_decref(json);
}
