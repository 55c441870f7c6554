/* Points of decisions, made by hand: one option after the other. */
#include "cli/rules/derivation.h"
#include "lift/decision.h"

/* By hand all features may be asked for: where they are not, code generation does
 * without. */
static unsigned device_of(enum lift_dialect dialect)
{
    return LIFT_HAS_ALL | LIFT_HAS_PARTS |
           (lift_dialect_has_groups(dialect) ? LIFT_ON_GROUPS : LIFT_ON_THREADS);
}

static void say_not_made(const struct cli_derivation *d, const struct lift_option *o,
                         const struct lift_point *made)
{
    LIFT_SCOPED(lift_str) why = {0}, before = {0};

    lift_strategy_explain(d->ir, lift_strategy_rule(lift_ir_arena(d->ir), o->rule),
                          d->term, d->program, &why);
    lift_point_print(d->rules, made, &before);
    cli_fail(CLI_FAILED,
             "'%s' does not apply to what '%s' have made of '%s': %s; --trace shows "
             "the term",
             o->rule->name, before.len ? lift_str_get(&before) : "the defaults",
             d->program->name, lift_str_get(&why));
}

/* 'say': which option does not apply, if one does not. */
static bool make(struct cli_derivation *d, const struct lift_point *point, bool say)
{
    struct lift_point made = {{0}};

    for (int i = 0; i < lift_decision_count(d->rules); i++) {
        const struct lift_option *o = lift_point_option(d->rules, point, i);

        if (o->rule &&
            !cli_derivation_run(d, lift_strategy_rule(lift_ir_arena(d->ir), o->rule),
                                o->rule->name)) {
            if (say)
                say_not_made(d, o, &made);
            return false;
        }
        made.option[i] = (uint8_t)o->index;
    }
    return true;
}

bool cli_derivation_decide(struct cli_derivation *d, const char *family,
                           const char *options, enum lift_dialect dialect, int *status)
{
    struct lift_point point = {{0}};
    LIFT_SCOPED(lift_str) why = {0};
    bool good = (!family || lift_point_read(d->rules, family, &point, &why)) &&
                (!options || lift_point_read(d->rules, options, &point, &why));

    *status = CLI_DONE;
    if (!good)
        *status = cli_fail(CLI_USAGE, "%s", lift_str_get(&why));
    else if (!lift_point_fits(d->rules, &point, device_of(dialect), !d->program->exact,
                              &why))
        *status = cli_fail(CLI_FAILED, "%s", lift_str_get(&why));
    else if (!make(d, &point, true))
        *status = CLI_FAILED;
    return *status == CLI_DONE;
}

/* As 'make', without a word. */
static bool make_quietly(struct cli_derivation *d, const struct lift_point *point)
{
    struct cli_derivation before = *d;

    d->quiet = true;
    if (!make(d, point, false)) {
        *d = before;
        return false;
    }
    d->quiet = before.quiet;
    return true;
}

/* Each is to be a kernel, which is of one device. */
bool cli_derivation_random(struct cli_derivation *d, struct lift_rng *rng,
                           enum lift_dialect dialect, struct lift_str *point,
                           int *refused)
{
    enum { DRAWS = 1000 };
    unsigned device = device_of(dialect) & ~(unsigned)LIFT_HAS_PARTS;
    struct lift_point drawn;

    for (int i = 0; i < DRAWS; i++) {
        if (lift_point_random(d->rules, rng, device, !d->program->exact, &drawn) &&
            make_quietly(d, &drawn)) {
            lift_point_print(d->rules, &drawn, point);
            return true;
        }
        ++*refused;
    }
    return CLI_REFUSE("none of %d random points can be made of '%s'", DRAWS,
                      d->program->name);
}
