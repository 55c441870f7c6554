#include "tuner/search/search_features.h"
#include "base/memory.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRED = 12 };

/* Estimate, in seconds, for a point without one. */
static const double most = 1e9;

static int column_of(const struct search_features *f, const char *name)
{
    int column = 0;

    while (strcmp(lift_joint_column_name(f->joint, f->base - f->params + column), name) !=
           0)
        column++;
    return column;
}

void search_features_init(struct search_features *f, const struct lift_joint *joint)
{
    int exprs = lift_joint_exprs(joint);

    *f = (struct search_features){.joint = joint, .base = lift_joint_columns(joint)};
    f->params = f->base - lift_joint_feature_columns(joint);
    f->paired = f->params < MOST_PAIRED ? f->params : MOST_PAIRED;
    f->width = f->base + f->params + f->paired * (f->paired - 1) / 2;
    f->estimate = lift_joint_guesses(joint) ? f->width++ : -1;
    f->values = lift_alloc((size_t)(2 * f->base) + 1, sizeof *f->values);
    f->columns = lift_alloc((size_t)(exprs) + 1, sizeof *f->columns);
    for (int e = 0; e < exprs; e++) {
        const struct lift_space *space = lift_joint_space(joint, e);
        int count = lift_space_param_count(space);

        f->columns[e] = lift_alloc((size_t)(count) + 1, sizeof **f->columns);
        for (int i = 0; i < count; i++)
            f->columns[e][i] = column_of(f, lift_space_param(space, i)->name);
    }
}

void search_features_fini(struct search_features *f)
{
    for (int e = 0; f->joint && e < lift_joint_exprs(f->joint); e++)
        free(f->columns[e]);
    free(f->columns);
    free(f->values);
    *f = (struct search_features){0};
}

/* Writes to 'powers', for each column of parameters, how often 2 divides the value. */
static void write_powers(const struct search_features *f,
                         const struct lift_choice *choice, float *powers)
{
    const struct lift_space *space = lift_joint_space(f->joint, choice->expr);

    for (int i = 0; i < f->params; i++)
        powers[i] = -1;
    for (int i = 0; i < lift_space_param_count(space); i++) {
        int64_t value = lift_space_param(space, i)->values[choice->values[i]];

        powers[f->columns[choice->expr][i]] =
            value ? (float)__builtin_ctzll((unsigned long long)value) : 64;
    }
}

void search_features_row(const struct search_features *f,
                         const struct lift_choice *choice, float *row)
{
    const double *params = f->values + f->base - f->params;
    float *powers = row + f->base, *pairs = powers + f->params;

    lift_joint_features(f->joint, choice, f->values);
    for (int i = 0; i < f->base; i++)
        row[i] = (float)f->values[i];
    write_powers(f, choice, powers);
    for (int i = 0; i < f->paired; i++)
        for (int k = 0; k < i; k++)
            *pairs++ =
                powers[i] < 0 || powers[k] < 0 ? -1 : (float)(params[i] + params[k]);
    if (f->estimate >= 0)
        row[f->estimate] = (float)log2(fmin(lift_joint_guessed(f->joint, choice), most));
}

/* Writes a point's positions in the lists of values, from 0 to 1, by column of
 * parameters. */
static void write_places(const struct search_features *f,
                         const struct lift_choice *choice, double *places)
{
    const struct lift_space *space = lift_joint_space(f->joint, choice->expr);

    for (int i = 0; i < f->params; i++)
        places[i] = -1;
    for (int i = 0; i < lift_space_param_count(space); i++) {
        int count = lift_space_param(space, i)->count;

        places[f->columns[choice->expr][i]] =
            count > 1 ? (double)choice->values[i] / (count - 1) : 0;
    }
}

double search_features_distance(const struct search_features *f,
                                const struct lift_choice *a, const struct lift_choice *b)
{
    double *x = f->values, *y = f->values + f->base, sum = 0;

    if (a->expr != b->expr) {
        lift_joint_features(f->joint, a, x);
        lift_joint_features(f->joint, b, y);
        for (int i = 0; i < f->base - f->params; i++)
            sum += x[i] != y[i];
    }
    write_places(f, a, x);
    write_places(f, b, y);
    for (int i = 0; i < f->params; i++)
        sum += (x[i] < 0) != (y[i] < 0) ? 1 : fabs(x[i] - y[i]);
    return sum;
}
