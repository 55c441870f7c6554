/* How large the space of an exploration is. */
#include "cli/explore_args.h"
#include "lift/hash.h"
#include <stdlib.h>
#include <string.h>

/* Of one device, or of an expression. */
struct sum {
    char *device;
    int exprs;
    double raw, valid;
    bool exact;
    json_t *list; /* of its expressions */
};

struct printer {
    bool json;
    struct sum *sums;
    int count;
};

static struct sum *sum_of(struct printer *p, const char *device)
{
    if (p->count == 0 || strcmp(p->sums[p->count - 1].device, device) != 0) {
        p->sums = realloc(p->sums, sizeof *p->sums * ((size_t)p->count + 1));
        p->sums[p->count++] = (struct sum){.device = strdup(device), .exact = true};
    }
    return &p->sums[p->count - 1];
}

/* Large counts are rounded; '~' marks an estimate. */
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
        printf("on %s:\n%-*s  tunables  %11s  %11s  derivation\n", row->device,
               LIFT_HASH_SHORT, "expression", "raw", "valid");
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

        printf("%s: %d expressions, %.6g points, of which %s%.6g are valid (%.3g %%)\n",
               sum->device, sum->exprs, sum->raw, sum->exact ? "" : "about ", sum->valid,
               sum->raw > 0 ? 100 * sum->valid / sum->raw : 0);
    }
}

static void print_json(const struct printer *p, const struct lift_explore_result *r)
{
    json_t *devices = json_array();

    for (int i = 0; i < p->count; i++)
        json_array_append_new(
            devices, json_pack("{s:s, s:i, s:f, s:f, s:b, s:o}", "device",
                               p->sums[i].device, "expressions", p->sums[i].exprs, "raw",
                               p->sums[i].raw, "valid", p->sums[i].valid, "exact",
                               p->sums[i].exact, "list", p->sums[i].list));
    cli_print_json(json_pack("{s:s, s:o, s:o}", "program", r->program, "sizes",
                             json_loads(r->sizes, 0, NULL), "devices", devices));
}

int cli_explore_space(const struct lift_explore_options *o, bool json)
{
    struct printer p = {.json = json};
    struct lift_diags diags = {0};
    struct lift_explore_result r = lift_explore_spaces(o, &diags, take_row, &p);
    int status = CLI_DONE;

    if (r.end == LIFT_EXPLORE_BAD_PROGRAM)
        status = cli_malformed(&diags);
    else if (r.end == LIFT_EXPLORE_FAILED)
        status = cli_fail(CLI_FAILED, "%s", lift_str_get(&r.error));
    else if (json)
        print_json(&p, &r);
    else
        print_sums(&p);
    for (int i = 0; i < p.count; i++) {
        if (status != CLI_DONE)
            json_decref(p.sums[i].list);
        free(p.sums[i].device);
    }
    free(p.sums);
    lift_explore_result_fini(&r);
    lift_diags_fini(&diags);
    return status;
}
