/* Points as numbers for a model. */
#include "base/bug.h"
#include "tuner/space/joint_core.h"
#include <math.h>
#include <string.h>

/* The column of a parameter's name; adds a column for a new name. */
static int column_of(struct lift_joint *j, const char *name)
{
    for (int i = j->feature_count; i < j->column_count; i++)
        if (!strcmp(j->columns[i], name))
            return i;
    j->columns[j->column_count] = name;
    return j->column_count++;
}

static void name_params(struct lift_joint *j, struct joint_expr *e, int *column)
{
    for (int i = 0; i < e->params; i++) {
        const struct lift_param *p = lift_space_param(e->space, i);

        column[i] = column_of(j, p->name);
        if (p->count && p->values[0] < 1)
            j->linear[column[i]] = true;
    }
    e->column = column;
}

void joint_make_columns(struct lift_joint *j, struct lift_arena *arena,
                        const struct lift_joint_parts *parts)
{
    int most = parts->feature_count;

    for (int i = 0; i < j->count; i++)
        most += j->exprs[i].params;
    j->columns = LIFT_NEW_ARRAY(arena, const char *, most + 1);
    j->linear = LIFT_NEW_ARRAY(arena, bool, most + 1);
    for (int i = 0; i < parts->feature_count; i++)
        j->columns[i] = lift_arena_strdup(arena, parts->feature_names[i]);
    j->feature_count = j->column_count = parts->feature_count;
    for (int i = 0; i < j->count; i++)
        name_params(j, &j->exprs[i], LIFT_NEW_ARRAY(arena, int, j->exprs[i].params + 1));
}

int lift_joint_columns(const struct lift_joint *joint)
{
    return joint->column_count;
}

int lift_joint_feature_columns(const struct lift_joint *joint)
{
    return joint->feature_count;
}

const char *lift_joint_column_name(const struct lift_joint *joint, int column)
{
    LIFT_ASSERT(column >= 0 && column < joint->column_count);
    return joint->columns[column];
}

void lift_joint_features(const struct lift_joint *joint, const struct lift_choice *choice,
                         double *columns)
{
    const struct joint_expr *e = &joint->exprs[choice->expr];

    for (int i = 0; i < joint->feature_count; i++)
        columns[i] = e->features ? e->features[i] : 0;
    for (int i = joint->feature_count; i < joint->column_count; i++)
        columns[i] = -1;
    for (int i = 0; i < e->params; i++) {
        double value = (double)lift_space_param(e->space, i)->values[choice->values[i]];

        columns[e->column[i]] = joint->linear[e->column[i]] ? value : log2(value);
    }
}
