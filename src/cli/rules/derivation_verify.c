/* Verifies derived terms on a device. */
#include "cli/resources.h"
#include "cli/rules/derivation.h"
#include "explore/explore_verify.h"

/* The subject of a report. */
struct reported {
    const struct lift_program *program;
    const char *const *names;
    int wrong; /* kernels that were generated and failed */
};

static void print_check(const struct lift_program *p, const struct lift_db_check *c)
{
    printf("; at ");
    if (c->kind == LIFT_CHECK_SMALL)
        printf("small sizes");
    else
        for (int i = 0; i < p->size_count; i++)
            printf("%s%s=%lld", i ? "," : "", p->sizes[i].name,
                   (long long)p->sizes[i].value);
    if (c->bad)
        printf(" %lld values wrong, first at %lld,", (long long)c->bad,
               (long long)c->first_bad);
    printf(" largest error %.3g of %.3g allowed", c->max_error, c->bound);
}

static void print_resources(const struct lift_resources *r)
{
    LIFT_SCOPED(lift_str) text = {0};

    cli_resources(r, &text);
    if (text.len)
        printf("; %s", lift_str_get(&text));
}

/* The remedy for a timeout. */
static const char *way_out(enum lift_trial_status status)
{
    switch (status) {
    case LIFT_TRIAL_RUN_TIMEOUT:
        return "; its limit is LIFT_RUN_SECONDS; larger tiles (--set) have less "
               "redundant computation";
    case LIFT_TRIAL_COMPILE_TIMEOUT:
        return "; its limit is LIFT_CC_SECONDS";
    default:
        return "";
    }
}

static void report(void *user, const struct lift_verify_configuration *p)
{
    struct reported *of = user;

    of->wrong += p->status != LIFT_TRIAL_OK && p->status != LIFT_TRIAL_CONSTRAINT &&
                 p->status != LIFT_TRIAL_CODEGEN && p->status != LIFT_TRIAL_RESOURCE;
    if (of->names)
        printf("%s: ", of->names[p->term]);
    printf("%s%s%s", lift_trial_status_name(p->status), *p->tunables ? " " : "",
           p->tunables);
    if (*p->reason)
        printf(": %s%s", p->reason, way_out(p->status));
    for (int i = 0; i < p->check_count; i++)
        print_check(of->program, &p->checks[i]);
    if (p->seconds > 0)
        printf("; %.4g ms", 1e3 * p->seconds);
    if (p->status == LIFT_TRIAL_OK)
        print_resources(&p->resources);
    putchar('\n');
    fflush(stdout);
    if (p->status != LIFT_TRIAL_OK && *p->log)
        fprintf(stderr, "%s\n", p->log);
}

int cli_derivation_verify(const struct cli_derivation *d, const struct cli_verify *how)
{
    LIFT_SCOPED(lift_error) errors = {0};
    LIFT_SCOPED(lift_str) why = {0};
    struct reported of = {d->program, how->names, 0};
    struct lift_verify_options o = {.source = d->source,
                                    .sizes = d->sizes,
                                    .size_count = d->size_count,
                                    .rules = d->rules,
                                    .device = how->device,
                                    .terms = how->terms,
                                    .term_count = how->term_count,
                                    .set = how->set,
                                    .set_count = how->set_count,
                                    .points = how->points,
                                    .seed = how->seed,
                                    .build_only = how->build_only,
                                    .report = report,
                                    .user = &of};
    enum lift_verify_end end = lift_verify(&o, &errors, &why);
    int status = end == LIFT_VERIFY_OK ? CLI_DONE : CLI_FAILED;

    if (end == LIFT_VERIFY_BAD_PROGRAM)
        status = cli_malformed(&errors);
    else if (end == LIFT_VERIFY_FAILED)
        cli_fail(CLI_FAILED, how->build_only ? "not built: %s" : "not verified: %s",
                 lift_str_get(&why));
    else if (how->may_refuse && !of.wrong)
        status = CLI_DONE;
    return status;
}
