/* Prepares a problem for checks: evaluates its C functions, and measures the effect of
 * rounding. */
#include "base/fail.h"
#include "explore/candidate_space.h"
#include "explore/input_data.h"
#include "explore/trial/interpret.h"
#include <math.h>
#include <string.h>

/* ---- C functions */

/* The source position of byte 'offset' in a function's text; the whole literal if the
 * position is unknown. */
static struct lift_span place_of_byte(const struct lift_source *source,
                                      const struct lift_program_function *f, int offset)
{
    size_t at = f->place.begin + 1;

    if (offset < f->begin)
        return f->place;
    for (int left = offset - f->begin; left > 0 && at < f->place.end; left--)
        at += source->text[at] == '\\' ? 2 : 1;
    return at < f->place.end ? (struct lift_span){at, at + 1} : f->place;
}

/* Reports a mistake of the program in the function with this text. */
static bool blame(const struct explore_problem *p, const struct lift_source *source,
                  const char *text, int offset, const char *message,
                  struct lift_error *errors)
{
    const struct lift_program *program = p->program;
    struct lift_span place = {0, 0};

    for (int i = 0; i < program->function_count; i++)
        if (strcmp(program->functions[i].text, text) == 0)
            place = place_of_byte(source, &program->functions[i], offset);
    lift_fail_at(errors, source, place, "%s", message);
    return false;
}

bool explore_problem_compile(const struct explore_problem *p,
                             const struct lift_source *source, struct lift_error *errors)
{
    const struct lift_program *program = p->program;
    const char **texts =
        LIFT_NEW_ARRAY(lift_ir_arena(p->ir), const char *, program->function_count + 1);
    struct lift_function_fault fault;

    for (int i = 0; i < program->function_count; i++)
        texts[i] = program->functions[i].text;
    if (!p->functions ||
        lift_functions_compile(p->functions, texts, program->function_count, &fault))
        return true;
    if (fault.text)
        blame(p, source, fault.text, fault.offset, lift_str_get(&fault.why), errors);
    else
        lift_fail(errors, LIFT_ERROR_KERNEL, "%s", lift_str_get(&fault.why));
    lift_str_fini(&fault.why);
    return false;
}

bool explore_problem_sound(const struct explore_problem *p,
                           const struct lift_source *source, struct lift_error *errors)
{
    if (explore_problem_compile(p, source, errors))
        return true;
    if (errors->code == LIFT_ERROR_PROGRAM)
        return false;
    lift_error_fini(errors);
    return true;
}

/* ---- rounding */

/* The largest rounding difference that counts as loss of digits. A larger difference
 * results from another branch of a comparison. */
static double largest_loss(const struct explore_problem *p,
                           const struct explore_answer *a, int output)
{
    const double margin = 32;
    double magnitude =
        explore_magnitude(a->data[output], LIFT_F64, a->leaves[output].count);

    return margin * explore_bound(p, output, a->leaves[output].scalar, magnitude);
}

/* The largest difference up to a limit; counts larger differences. */
static double largest_difference(const struct explore_answer *a,
                                 const struct explore_answer *b, int output, double limit,
                                 int64_t *beyond)
{
    double most = 0;

    *beyond = 0;
    for (int64_t k = 0; k < a->leaves[output].count; k++) {
        double error = fabs(a->data[output][k] - b->data[output][k]);

        if (isfinite(error) && error > limit)
            ++*beyond;
        else if (isfinite(error) && error > most)
            most = error;
    }
    return most;
}

/* The difference minus the last rounding to f16 or bf16, which the tolerances include.
 */
static double more_than_stored(const struct explore_problem *p,
                               const struct explore_answer *a, int output,
                               double difference)
{
    double magnitude =
        explore_magnitude(a->data[output], LIFT_F64, a->leaves[output].count);

    return fmax(difference - p->stored[output] * fmax(magnitude, 1), 0);
}

/* Where many values take another branch, the program itself loses digits, and all values
 * may differ. */
static void compare_rounded(struct explore_problem *p, const struct explore_answer *exact,
                            const struct explore_answer *rounded, int output)
{
    const double few = 0.01;
    double limit = p->decided[output] ? largest_loss(p, exact, output) : INFINITY;
    int64_t ties, count = exact->leaves[output].count;

    p->rounding[output] = more_than_stored(
        p, exact, output, largest_difference(exact, rounded, output, limit, &ties));
    p->ties[output] = count ? (double)ties / (double)count : 0;
    if (p->ties[output] <= few)
        return;
    p->decided[output] = false;
    p->rounding[output] = more_than_stored(
        p, exact, output, largest_difference(exact, rounded, output, INFINITY, &ties));
}

/* Measures at very small sizes how many interpreter steps an operation takes; views make
 * it expensive. The sizes of checks depend on this number. */
static bool measure_steps(struct explore_problem *p, struct lift_str *why)
{
    struct explore_numbers n;
    struct explore_question question = {
        .problem = p, .term = p->root, .numbers = &n.env, .seed = 1, .probes = true};
    struct explore_answer answer;
    LIFT_SCOPED(lift_str) failed = {0};

    explore_numbers_of(p, NULL, NULL, &n);
    if (!explore_probe_sizes(p, &n))
        return true;
    if (explore_interpret(&question, &answer, &failed)) {
        p->steps = (double)answer.steps / (1 + explore_operations(p, &n.env));
        explore_answer_fini(&answer);
    } else if (answer.steps > INTERPRET_PROBE) {
        return LIFT_FAIL(why,
                         "it takes more than %d million steps of the interpreter, which "
                         "kernels are checked against, at the smallest sizes",
                         INTERPRET_PROBE / 1000000);
    }
    return true;
}

static bool all_finite(const struct explore_answer *a)
{
    for (int i = 0; i < a->count; i++)
        for (int64_t k = 0; k < a->leaves[i].count; k++)
            if (!isfinite(a->data[i][k]))
                return false;
    return true;
}

/* Measures the deviation on inputs of large magnitude. Checks skip such inputs if numbers
 * overflow, or rounding decides many results. */
static bool compare_far(struct explore_problem *p, const struct explore_answer *exact,
                        const struct explore_answer *rounded)
{
    struct explore_problem far = *p;

    for (int i = 0; i < exact->count; i++) {
        compare_rounded(&far, exact, rounded, i);
        if (far.decided[i] != p->decided[i])
            return false;
    }
    for (int i = 0; i < exact->count; i++) {
        p->far_rounding[i] = far.rounding[i];
        p->ties[i] = fmax(p->ties[i], far.ties[i]);
    }
    return true;
}

static void measure_far(struct explore_problem *p, struct explore_question question)
{
    struct explore_answer exact = {0}, rounded = {0};
    uint64_t seed = question.seed;
    LIFT_SCOPED(lift_str) why = {0};

    question.seed = explore_far_seed(p, seed);
    if (explore_seed_is_plain(question.seed))
        return;
    question.round_f32 = false;
    if (explore_interpret(&question, &exact, &why)) {
        question.round_f32 = true;
        if (!explore_interpret(&question, &rounded, &why) || !all_finite(&exact) ||
            !all_finite(&rounded) || !compare_far(p, &exact, &rounded))
            p->reach = (struct explore_reach){0};
    } else {
        p->reach = (struct explore_reach){0};
    }
    explore_answer_fini(&exact);
    explore_answer_fini(&rounded);
}

/* The deviation of single precision from double, at a small odd size. */
static bool measure_rounding(struct explore_problem *p, struct lift_str *why)
{
    struct explore_numbers n;
    struct explore_question question = {
        .problem = p, .term = p->root, .numbers = &n.env, .seed = 1};
    struct explore_answer exact, rounded;

    if (p->sizes.count > 0 && !measure_steps(p, why))
        return false;
    explore_numbers_of(p, NULL, NULL, &n);
    if (!explore_small_sizes(p, NULL, &n, why) ||
        !explore_interpret(&question, &exact, why))
        return false;
    question.round_f32 = true;
    if (explore_interpret(&question, &rounded, why))
        for (int i = 0; i < exact.count; i++)
            compare_rounded(p, &exact, &rounded, i);
    measure_far(p, question);
    explore_answer_fini(&exact);
    explore_answer_fini(&rounded);
    return true;
}

bool explore_problem_ready(struct explore_problem *p, const struct lift_source *source,
                           struct lift_error *errors)
{
    LIFT_SCOPED(lift_str) text = {0};
    const char *caught;

    if (p->ready)
        return true;
    if (!explore_problem_compile(p, source, errors))
        return false;
    p->ready = measure_rounding(p, &text);
    caught = p->functions ? lift_functions_caught(p->functions) : NULL;
    if (!p->ready && caught)
        blame(p, source, caught, -1, lift_str_get(&text), errors);
    else if (!p->ready)
        lift_fail_at(errors, NULL, (struct lift_span){0, 0}, "%s", lift_str_get(&text));
    return p->ready;
}
