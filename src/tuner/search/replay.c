#include "tuner/replay.h"
#include "base/locale.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>

static void write_params(FILE *out, const struct lift_space *space)
{
    for (int i = 0; i < lift_space_param_count(space); i++) {
        const struct lift_param *p = lift_space_param(space, i);

        fprintf(out, "param %s", p->name);
        for (int k = 0; k < p->count; k++)
            fprintf(out, " %lld", (long long)p->values[k]);
        fputc('\n', out);
    }
}

/* Writes the features of an expression, which all its points share. */
static void write_features(FILE *out, const struct lift_joint *joint, int expr)
{
    struct lift_choice choice;
    double *columns =
        lift_resize(NULL, (size_t)lift_joint_columns(joint) + 1, sizeof *columns);

    if (lift_joint_start(joint, expr, &choice)) {
        lift_joint_features(joint, &choice, columns);
        fputs("features", out);
        for (int i = 0; i < lift_joint_feature_columns(joint); i++)
            lift_fprintf(out, " %.6g", columns[i]);
        fputc('\n', out);
    }
    free(columns);
}

static void write_expr(FILE *out, const struct lift_replay_source *s, int expr)
{
    int near_count;
    const int *near = lift_joint_near(s->joint, expr, &near_count);

    fprintf(out, "expr %s\n", s->name(s->user, expr));
    if (lift_joint_feature_columns(s->joint))
        write_features(out, s->joint, expr);
    if (near_count)
        fputs("near", out);
    for (int i = 0; i < near_count; i++)
        fprintf(out, " %d", near[i]);
    if (near_count)
        fputc('\n', out);
    write_params(out, lift_joint_space(s->joint, expr));
}

static void write_point(FILE *out, const struct lift_joint *joint,
                        const struct lift_choice *choice,
                        const struct lift_replay_answer *answer)
{
    fputs("point", out);
    for (int i = 0; i < lift_space_param_count(lift_joint_space(joint, choice->expr));
         i++)
        fprintf(out, " %d", choice->values[i]);
    lift_fprintf(out, " %.9g %.6g", answer->outcome.ok ? answer->outcome.seconds : -1.0,
                 answer->cost);
    if (lift_joint_guesses(joint)) {
        double guess = lift_joint_guessed(joint, choice);

        lift_fprintf(out, " %.6g", isinf(guess) ? -1.0 : guess);
    }
    fputc('\n', out);
}

int64_t lift_replay_write(FILE *out, const struct lift_replay_source *s)
{
    const struct lift_joint *joint = s->joint;
    int64_t count = 0;

    fprintf(out, "lift-space 1\nabout %s\n", s->about);
    for (int i = 0; i < lift_joint_feature_columns(joint); i++)
        fprintf(out, "feature %s\n", lift_joint_column_name(joint, i));
    for (int expr = 0; expr < lift_joint_exprs(joint); expr++) {
        const struct lift_space *space = lift_joint_space(joint, expr);
        struct lift_choice choice = {.expr = expr};

        write_expr(out, s, expr);
        for (bool more = lift_space_next(space, choice.values, true); more;
             more = lift_space_next(space, choice.values, false)) {
            struct lift_replay_answer answer = {.cost = 0};

            if (s->answer(s->user, &choice, &answer)) {
                write_point(out, joint, &choice, &answer);
                count++;
            }
        }
    }
    return fflush(out) || ferror(out) ? -1 : count;
}
