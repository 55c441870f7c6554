/* What is shown of a best kernel: JSON, which is printed for people, too. */
#include "base/json.h"
#include "base/memory.h"
#include "cli/best.h"
#include "report/units.h"
#include "run/chosen.h"

enum { RULE_COLUMNS = 22 };

/* ---- derivations */

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

/* ---- JSON */

/* Adds the kernels of a launch in their order, and the bytes that each moves. */
static void add_kernels(json_t *out, const struct lift_chosen_facts *f)
{
    json_t *list = f ? json_array() : json_null();

    for (int i = 0; f && i < f->kernel_count; i++)
        json_array_append_new(
            list, json_pack("{s:s, s:I, s:I, s:I}", "name", f->kernels[i].name,
                            "bytes_read", (json_int_t)f->kernels[i].read_bytes,
                            "bytes_written", (json_int_t)f->kernels[i].written_bytes,
                            "runs", (json_int_t)f->kernels[i].runs));
    if (f)
        json_object_set_new(out, "bytes", json_integer(f->bytes));
    json_object_set_new(out, "kernels", list);
}

json_t *best_row_json(struct lift_db *db, const struct lift_db_best *row,
                      const struct lift_chosen_facts *facts)
{
    char expr[LIFT_HASH_HEX], trial[LIFT_HASH_HEX];
    json_t *steps = json_array(), *out;

    lift_db_derivation(db, row->expr, add_step, steps);
    out = json_pack(
        "{s:s, s:o, s:s, s:i, s:s, s:s, s:f, s:f, s:f, s:f, s:b, s:o, s:s, s:s, s:o, "
        "s:s}",
        "program", row->program, "sizes", chosen_parsed(row->sizes), "dtype", row->dtype,
        "steps", row->steps, "device", row->device, "runtime", row->runtime, "gpts",
        row->gpts, "gbs", row->gbs, "copy_share", row->copy_share, "seconds",
        row->seconds, "confirmed", row->confirmed, "tunables",
        chosen_parsed(row->tunables), "expr", lift_hash_hex(row->expr, expr), "trial",
        lift_hash_hex(row->trial, trial), "derivation", steps, "chosen",
        lift_chosen_how_name(LIFT_CHOSEN_EXACT));
    add_kernels(out, facts);
    return out;
}

json_t *best_chosen_json(const struct lift_chosen_facts *f)
{
    char hex[LIFT_HASH_HEX];
    json_t *out =
        json_pack("{s:s, s:o, s:s, s:i, s:s, s:s, s:s, s:s, s:o, s:s}", "program",
                  f->program, "sizes", chosen_parsed(f->sizes), "dtype", f->dtype,
                  "steps", f->at_once, "device", f->device, "runtime", f->runtime,
                  "chosen", lift_chosen_how_name(f->how), "why", f->words, "tunables",
                  chosen_parsed(f->tunables), "expr", lift_hash_hex(f->expr, hex));

    if (f->how != LIFT_CHOSEN_DEFAULT)
        json_object_update_new(out, json_pack("{s:f, s:f, s:s}", "gpts", f->gpts,
                                              "seconds", f->seconds, "trial",
                                              lift_hash_hex(f->trial, hex)));
    add_kernels(out, f);
    return out;
}

/* ---- for people */

static void print_speed(const json_t *row)
{
    const char *why = cli_text(row, "why");
    double gpts = cli_number(row, "gpts"), ms = 1e3 * cli_number(row, "seconds");

    if (*why)
        printf("\n  %s: %s\n", cli_text(row, "chosen"), why);
    if (*why && gpts > 0)
        printf("  %.3f GPts/s, %.4g ms a launch, there\n", gpts, ms);
    if (*why)
        return;
    printf("\n  %.3f GPts/s", gpts);
    if (cli_number(row, "gbs") > 0)
        printf(", %.2f GB/s of compulsory traffic", cli_number(row, "gbs"));
    if (cli_number(row, "copy_share") > 0)
        printf(", %.1f %% of the copy bandwidth", 100 * cli_number(row, "copy_share"));
    printf(", %.4g ms a launch%s\n", ms,
           json_is_true(json_object_get(row, "confirmed"))
               ? ""
               : ", unconfirmed: in no final benchmark");
}

static double moved_by(const json_t *kernel)
{
    return (cli_number(kernel, "bytes_read") + cli_number(kernel, "bytes_written")) *
           cli_number(kernel, "runs");
}

/* The share of each in what moves is what it takes of the time where memory is all. */
static void print_kernels(const json_t *row)
{
    const json_t *kernels = json_object_get(row, "kernels"), *k;
    double bytes = cli_number(row, "bytes"), sum = 0;
    char read[REPORT_UNITS], written[REPORT_UNITS];
    size_t i;

    json_array_foreach(kernels, i, k) sum += moved_by(k);
    json_array_foreach(kernels, i, k)
    {
        printf("%s%s reads %s, writes %s", i ? "              " : "  kernels     ",
               cli_text(k, "name"), report_bytes(cli_number(k, "bytes_read"), read),
               report_bytes(cli_number(k, "bytes_written"), written));
        if (cli_number(k, "runs") > 1)
            printf(", %.0f times", cli_number(k, "runs"));
        if (json_array_size(kernels) > 1 && sum > 0)
            printf(", %.1f %% of all", 100 * moved_by(k) / sum);
        putchar('\n');
    }
    if (json_is_array(kernels))
        printf("  moved       %s, %.3g times the compulsory traffic of the launch, %s\n",
               report_bytes(sum, read), sum / bytes, report_bytes(bytes, written));
}

/* As the database has it, malformed or not; to be freed. */
static char *member_text(const json_t *row, const char *name)
{
    const json_t *member = json_object_get(row, name);

    return json_is_string(member) ? lift_strdup(json_string_value(member))
                                  : lift_json_print(member, JSON_COMPACT);
}

bool best_print(struct lift_db *db, const json_t *row, struct lift_hash expr)
{
    LIFT_FREED char *sizes = member_text(row, "sizes");
    LIFT_FREED char *tunables = member_text(row, "tunables");
    const char *trial = cli_text(row, "trial");

    cli_print_subject(&(struct cli_subject){
        cli_text(row, "program"), sizes, cli_text(row, "dtype"), cli_text(row, "device"),
        cli_text(row, "runtime"), (int)cli_number(row, "steps")});
    print_speed(row);
    printf("  tunables    %s\n", tunables);
    printf("  expression  %s\n", cli_text(row, "expr"));
    if (*trial)
        printf("  trial         %s\n", trial);
    if (*trial && !cli_print_derivation(db, expr))
        return CLI_REFUSE("%s", lift_db_error(db));
    print_kernels(row);
    return true;
}
