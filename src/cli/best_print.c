/* Prints a best kernel for people. */
#include "base/json.h"
#include "base/memory.h"
#include "cli/best.h"
#include "cli/best_lines.h"
#include "report/units.h"
#include "rules/rule.h"

enum { RULE_COLUMNS = 22 };

/* ---- derivations */

/* Prints a step. Macros precede their steps, which are indented. */
static bool print_step(void *user, const struct lift_db_step *step)
{
    bool *any = user;
    int indent = 2 * step->macro_count;
    char hex[LIFT_HASH_HEX];
    LIFT_SCOPED(lift_str) now = {0};

    if (!*any)
        puts("  derivation");
    *any = true;
    for (int i = 0; i < step->macro_count; i++) {
        const struct lift_db_use *use = &step->macros[i];

        if (use->first == step->step)
            printf("     %*s%s at %s: steps %d to %d\n", 2 * i, "",
                   lift_name_now(use->macro, &now), use->position, use->first,
                   use->first + use->steps - 1);
    }
    printf("%4d %*s%-*s at %s%s%s -> %.12s\n", step->step, indent, "",
           RULE_COLUMNS - indent, lift_name_now(step->rule, &now), step->position,
           *step->args ? ", " : "", step->args, lift_hash_hex(step->expr, hex));
    return true;
}

bool cli_print_derivation(struct lift_db *db, struct lift_hash expr)
{
    bool any = false;

    return lift_db_derivation(db, expr, print_step, &any);
}

/* ---- for people */

static double moved_by(const json_t *kernel)
{
    return (cli_number(kernel, "bytes_read") + cli_number(kernel, "bytes_written")) *
           cli_number(kernel, "runs");
}

/* Prints each kernel's share of the memory traffic, which is its share of the time if
 * the launch is limited by bandwidth. */
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

/* Returns the member as stored, malformed or not; the caller frees the text. */
static char *member_text(const json_t *row, const char *name)
{
    const json_t *member = json_object_get(row, name);

    return json_is_string(member) ? lift_strdup(json_string_value(member))
                                  : lift_json_print(member, JSON_COMPACT);
}

static void print_resources(const json_t *row)
{
    const json_t *occupancy = json_object_get(row, "occupancy");
    char text[REPORT_UNITS];

    if (!json_is_integer(json_object_get(row, "registers")))
        return;
    printf("  resources   %.0f registers", cli_number(row, "registers"));
    if (cli_number(row, "spill_bytes") > 0)
        printf(", %s spilled", report_bytes(cli_number(row, "spill_bytes"), text));
    if (cli_number(row, "local_bytes") > 0)
        printf(", %s of shared memory",
               report_bytes(cli_number(row, "local_bytes"), text));
    if (json_is_object(occupancy))
        printf("; occupancy %.3g %% (blocks resident: %.0f, limited by %s)",
               100 * cli_number(occupancy, "share"), cli_number(occupancy, "blocks"),
               cli_text(occupancy, "limit"));
    putchar('\n');
}

static bool print_all(struct lift_db *db, const json_t *row, struct lift_hash expr)
{
    LIFT_FREED char *tunables = member_text(row, "tunables");
    const char *trial = cli_text(row, "trial");

    if (cli_number(row, "gbs") > 0)
        printf("  traffic     %.2f GB/s of compulsory traffic\n", cli_number(row, "gbs"));
    printf("  tunables    %s\n", tunables);
    print_resources(row);
    printf("  expression  %s\n", cli_text(row, "expr"));
    if (*cli_text(json_object_get(row, "interference"), "words"))
        printf("  machine     %s\n",
               cli_text(json_object_get(row, "interference"), "words"));
    if (*trial)
        printf("  trial       %s\n", trial);
    if (*trial && !cli_print_derivation(db, expr))
        return CLI_REFUSE("%s", lift_db_error(db));
    print_kernels(row);
    return true;
}

bool best_print(const struct best *b, const json_t *row, struct lift_hash expr)
{
    LIFT_FREED char *sizes = member_text(row, "sizes");
    const char *why = cli_text(row, "why");

    cli_print_subject(&(struct cli_subject){
        cli_text(row, "program"), sizes, cli_text(row, "dtype"), cli_text(row, "device"),
        cli_text(row, "runtime"), (int)cli_number(row, "steps")});
    putchar('\n');
    if (*why)
        printf("  %s: %s\n", cli_text(row, "chosen"), why);
    cli_print_best(row);
    return !b->verbose || print_all(b->db, row, expr);
}
