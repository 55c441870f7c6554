/* The check of rules. Draws cases until enough instances are compared. If a case fails,
 * searches for a small counterexample. */
#include "rules/check/check.h"
#include "base/seconds.h"

enum {
    INSTANCES = 1000,
    DRAWS_PER_INSTANCE = 400,
    DRAWS_AFTER_FAILURE = 4,
    SHRINK_DRAWS = 600
};

struct campaign {
    struct check_case best; /* the smallest counterexample so far */
    struct check_case now;
    double deadline;
};

static bool failed(enum case_outcome outcome)
{
    return outcome > CASE_AGREES;
}

/* True if counterexample 'a' is better than 'b'. A wrong value is better than a wrong
 * type, and a small term is better than a large term. */
static bool better(const struct check_case *a, const struct check_case *b)
{
    if (a->outcome != b->outcome)
        return a->outcome > b->outcome;
    return a->measure < b->measure;
}

static void draw_case(struct campaign *k, int max_len, int fuel, bool plain, int64_t code)
{
    k->now.max_len = max_len;
    k->now.fuel = fuel;
    k->now.plain = plain;
    k->now.code = code;
    check_case_run(&k->now);
    if (failed(k->now.outcome) && better(&k->now, &k->best)) {
        struct lift_str text = k->best.text;

        k->best = k->now;
        k->now.text = text;
    }
}

/* Lengths grow from the smallest to the largest and start again, so that small cases come
 * early. */
static const int lens[] = {2, 3, 4, 6, 8, 12, 16, 24};

/* Returns the percentage of special inputs. One half of the draws have special inputs,
 * few or many. The other draws have no special inputs, since special values hide other
 * differences. Rules that reassociate get no special inputs, because infinite or very
 * large intermediate results exceed the tolerance. */
static int special(const struct campaign *k)
{
    static const int percents[] = {0, 0, 0, 20, 60, 100};

    return k->now.rule->soundness == LIFT_RULE_REASSOCIATES
               ? 0
               : percents[lift_rng_below(k->now.rng, 6)];
}

static void shrink(struct campaign *k)
{
    for (int i = 0; i < SHRINK_DRAWS && lift_processor_seconds() < k->deadline; i++) {
        k->now.round = i % 4 != 0;
        k->now.special = k->best.special ? special(k) : 0;
        draw_case(k, lens[i % 6], i % 2, i % 8 != 0, i % 3 ? i / 3 : -1);
    }
}

/* Refutes a mistyped rule, even if its instances agree. */
static void judge(struct campaign *k, struct lift_check_report *report, int wanted)
{
    const char *mistyped = k->now.rule->mistyped;

    report->verdict = k->best.outcome >= CASE_OTHER_TYPE  ? LIFT_CHECK_REFUTED
                      : k->best.outcome == CASE_ILL_TYPED ? LIFT_CHECK_ILL_TYPED
                      : report->instances < wanted        ? LIFT_CHECK_TOO_FEW
                                                          : LIFT_CHECK_PASSED;
    if (mistyped) {
        report->verdict = LIFT_CHECK_REFUTED;
        lift_str_addf(&k->best.text, "  %s\n", mistyped);
    }
    report->detail = lift_str_get(&k->best.text);
}

/* True if the check draws another case. After the first failure, a limited number of
 * draws searches for a better counterexample. */
static bool go_on(const struct campaign *k, const struct lift_check_report *report,
                  int wanted)
{
    int most =
        wanted * (failed(k->best.outcome) ? DRAWS_AFTER_FAILURE : DRAWS_PER_INSTANCE);

    return report->instances < wanted && k->best.outcome != CASE_DIFFERS &&
           report->tried < most && lift_processor_seconds() < k->deadline;
}

/* Draws the next case. Every second draw counts through the small sizes. The lengths
 * shift from round to round, so that all sizes are combined with all lengths. */
static void draw_next(struct campaign *k, int tried)
{
    k->now.special = special(k);
    draw_case(k, lens[(tried + tried / 24) % 8], tried % 4, false,
              tried % 2 ? tried / 2 : -1);
}

void check_rule(const struct lift_rule *rule, const struct lift_check_options *options,
                lift_check_visit *visit, void *user)
{
    int wanted = options->instances > 0 ? options->instances : INSTANCES;
    double start = lift_seconds();
    struct lift_rng rng;
    struct check_marks marks = {.compared = rule->soundness == LIFT_RULE_REASSOCIATES};
    struct campaign k = {
        .now = {.rule = rule, .options = options, .rng = &rng, .marks = &marks}};
    struct lift_check_report report = {.rule = rule};

    lift_rng_seed(&rng, options->seed ^ lift_hash_text(rule->name).lo);
    check_marks_of_rule(&marks, rule->def);
    k.deadline =
        lift_processor_seconds() + (options->seconds > 0 ? options->seconds : 60);
    while (go_on(&k, &report, wanted)) {
        draw_next(&k, report.tried++);
        report.instances += k.now.outcome == CASE_AGREES ? k.now.agreed : 0;
    }
    if (failed(k.best.outcome))
        shrink(&k);
    judge(&k, &report, wanted);
    report.seconds = lift_seconds() - start;
    visit(user, &report);
    lift_str_fini(&k.best.text);
    lift_str_fini(&k.now.text);
}

const char *lift_check_verdict_name(enum lift_check_verdict verdict)
{
    static const char *const names[] = {"passed", "refuted", "ill-typed",
                                        "too few instances", "crashed"};

    return names[verdict];
}
