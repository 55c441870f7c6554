/* Candidates that are built but not run, and their resources. */
#include "base/hash.h"
#include "base/memory.h"
#include "cli/explore/explore_args.h"
#include "report/short.h"
#include "run/chosen.h"
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Totals of one device. */
struct sum {
    char *device;
    int built, spill;
    int refused; /* rejected by the compiler or the check; 'others' have no source */
    int others;
    json_t *list;
};

struct printer {
    const struct explore_args *args;
    const struct lift_rules *rules;
    bool broken;  /* a program could not be written; the rest is skipped */
    int programs; /* number of written programs */
    struct sum *sums;
    int count;
};

static struct sum *sum_of(struct printer *p, const char *device)
{
    if (p->count == 0 || strcmp(p->sums[p->count - 1].device, device) != 0) {
        p->sums = lift_resize(p->sums, (size_t)p->count + 1, sizeof *p->sums);
        p->sums[p->count++] =
            (struct sum){.device = lift_strdup(device), .list = json_array()};
        if (!p->args->json)
            printf("on %s:\n%-*s  registers  spilled  private    local  derivation and "
                   "tunables\n",
                   device, LIFT_HASH_SHORT, "expression");
    }
    return &p->sums[p->count - 1];
}

static void count(struct sum *sum, const struct lift_explore_build *row)
{
    switch (row->status) {
    case LIFT_TRIAL_OK:
        sum->built++;
        sum->spill += row->resources.spill_bytes > 0;
        break;
    case LIFT_TRIAL_CONSTRAINT:
    case LIFT_TRIAL_CODEGEN:
    case LIFT_TRIAL_RESOURCE:
        sum->others++;
        break;
    default:
        sum->refused++;
    }
}

static json_t *row_json(const struct lift_explore_build *row, const char *hash)
{
    const struct lift_resources *r = &row->resources;

    return json_pack("{s:s, s:s, s:s, s:o, s:s, s:f, s:i, s:i, s:i, s:I}", "expr", hash,
                     "status", lift_trial_status_name(row->status), "reason", row->reason,
                     "tunables", json_loads(row->tunables, 0, NULL), "derivation",
                     row->steps, "seconds", row->seconds, "registers", r->registers,
                     "spill_bytes", r->spill_bytes, "stack_bytes", r->stack_bytes,
                     "local_bytes", (json_int_t)r->local_bytes);
}

static void print_number(int width, int64_t n)
{
    if (n < 0)
        printf("  %*s", width, "-");
    else
        printf("  %*lld", width, (long long)n);
}

static void print_row(const struct lift_explore_build *row, const char *hash)
{
    const struct lift_resources *r = &row->resources;
    LIFT_SCOPED(lift_str) tunables = {0};

    report_tunables_short(row->tunables, &tunables);
    printf("%.*s", LIFT_HASH_SHORT, hash);
    if (row->status == LIFT_TRIAL_OK) {
        print_number(9, r->registers);
        print_number(7, r->spill_bytes);
        print_number(7, r->stack_bytes);
        print_number(7, r->local_bytes);
        printf("  %s  %s\n", row->steps, lift_str_get(&tunables));
    } else {
        printf("  %s: %s  %s  %s\n", lift_trial_status_name(row->status), row->reason,
               row->steps, lift_str_get(&tunables));
    }
}

static bool no_folder(const char *path, int error)
{
    return CLI_REFUSE("cannot make the folder '%s': %s", path, strerror(error));
}

/* Checks, before any build, that the folder exists or can be created. The first
 * program creates the folder. */
static bool may_have_folder(const char *path)
{
    LIFT_FREED char *copy = lift_strdup(path);
    struct stat is;
    int error = 0;

    if (stat(path, &is) == 0)
        error = S_ISDIR(is.st_mode) ? 0 : EEXIST;
    else if (errno != ENOENT || access(dirname(copy), W_OK | X_OK) != 0)
        error = errno;
    return error == 0 || no_folder(path, error);
}

/* The file extension for the device's compiler. */
static const char *ending_of(const char *device)
{
    const struct lift_runtime *runtime = lift_runtime_named(device);

    return !runtime                                ? "c"
           : runtime->dialect == LIFT_DIALECT_CUDA ? "cu"
           : runtime->dialect == LIFT_DIALECT_HIP  ? "hip"
                                                   : "c";
}

/* Writes a program. The name has a number, since an expression may occur more than
 * once. */
static void write_program(struct printer *p, const struct lift_explore_build *row,
                          const char *hash, const char *text)
{
    LIFT_SCOPED(lift_str) path = {0};

    lift_str_addf(&path, "%s/%03d-%.*s.%s", p->args->programs, p->programs + 1,
                  LIFT_HASH_SHORT, hash, ending_of(row->device));
    if ((mkdir(p->args->programs, 0777) == 0 || errno == EEXIST ||
         no_folder(p->args->programs, errno)) &&
        cli_write(lift_str_get(&path), text, strlen(text)))
        p->programs++;
    else
        p->broken = true;
}

static void take_row(void *user, const struct lift_explore_build *built)
{
    struct printer *p = user;
    struct sum *sum = sum_of(p, built->device);
    struct lift_explore_build row = *built;
    LIFT_SCOPED(lift_str) program = {0};
    LIFT_SCOPED(lift_error) error = {0};
    char hash[LIFT_HASH_HEX];

    if (p->args->programs && row.status == LIFT_TRIAL_OK &&
        !chosen_program(row.request, p->rules, &program, &error)) {
        row.status = LIFT_TRIAL_CODEGEN;
        row.reason = lift_error_text(&error);
    }
    lift_hash_hex(row.expr, hash);
    count(sum, &row);
    if (p->args->json)
        json_array_append_new(sum->list, row_json(&row, hash));
    else
        print_row(&row, hash);
    fflush(stdout);
    if (program.len > 0 && !p->broken)
        write_program(p, &row, hash, lift_str_get(&program));
    if (row.status != LIFT_TRIAL_OK && *row.log)
        fprintf(stderr, "%s\n", row.log);
}

static void print_sums(const struct printer *p)
{
    for (int i = 0; i < p->count; i++) {
        const struct sum *s = &p->sums[i];

        if (p->args->check_only)
            printf("%s: %d correct at small sizes; %d wrong or failed; %d have no kernel "
                   "with their tunables\n",
                   s->device, s->built, s->refused, s->others);
        else
            printf("%s: %d built, of which %d spill registers; %d rejected by the "
                   "compiler; %d have no kernel with their tunables\n",
                   s->device, s->built, s->spill, s->refused, s->others);
    }
    if (p->args->programs)
        printf("%d programs written to '%s'\n", p->programs, p->args->programs);
}

static void print_json(const struct printer *p, const struct lift_explore_result *r)
{
    json_t *devices = json_array();

    for (int i = 0; i < p->count; i++)
        json_array_append_new(
            devices, json_pack("{s:s, s:i, s:i, s:i, s:i, s:O}", "device",
                               p->sums[i].device, "built", p->sums[i].built, "spill",
                               p->sums[i].spill, "refused", p->sums[i].refused,
                               "no_kernel", p->sums[i].others, "list", p->sums[i].list));
    cli_print_json(json_pack("{s:s, s:o, s:s, s:o, s:i}", "program", r->program, "sizes",
                             json_loads(r->sizes, 0, NULL), "dtype", r->dtype, "devices",
                             devices, "programs", p->programs));
}

static bool none_refused(const struct printer *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->sums[i].refused > 0)
            return false;
    return true;
}

static enum lift_explore_builds wanted(const struct explore_args *a)
{
    if (a->check_only)
        return LIFT_BUILDS_CHECK;
    return a->programs ? LIFT_BUILDS_PROGRAMS : LIFT_BUILDS_ONLY;
}

int cli_explore_builds(const struct lift_explore_options *o, const struct explore_args *a)
{
    struct printer p = {.args = a, .rules = o->rules};
    LIFT_SCOPED(lift_error) errors = {0};
    struct lift_explore_result r;
    int status;

    if (a->programs && !may_have_folder(a->programs))
        return CLI_FAILED;
    r = lift_explore_builds(o, a->build_only + a->check_only, wanted(a), &errors,
                            take_row, &p);
    status = none_refused(&p) && !p.broken ? CLI_DONE : CLI_FAILED;
    if (r.end == LIFT_EXPLORE_BAD_PROGRAM)
        status = cli_malformed(&errors);
    else if (r.end == LIFT_EXPLORE_FAILED)
        status = cli_fail(CLI_FAILED, "%s", lift_str_get(&r.error));
    else if (a->json)
        print_json(&p, &r);
    else
        print_sums(&p);
    for (int i = 0; i < p.count; i++) {
        json_decref(p.sums[i].list);
        free(p.sums[i].device);
    }
    free(p.sums);
    lift_explore_result_fini(&r);
    return status;
}
