#include "run/depth.h"
#include "base/memory.h"
#include <math.h>

bool depth_is_of(const struct lift_source *source, int steps, struct lift_hash id)
{
    struct lift_ir *ir = lift_ir_create();
    LIFT_SCOPED(lift_error) errors = {0};
    struct lift_source several = {.name = lift_strdup(source->name),
                                  .text = lift_strdup(source->text),
                                  .len = source->len};
    const struct lift_program *program = NULL;
    bool same;

    if (steps == 1 || lift_source_steps(&several, steps, &errors))
        program = lift_program_load_general(&ir, &several, NULL, &errors);
    same = program && lift_hash_equal(lift_program_id(program), id);
    lift_ir_destroy(ir);
    lift_source_free(&several);
    return same;
}

double depth_run_seconds(int64_t steps, int at_once, double gpts, double single)
{
    int64_t rest = steps % at_once;

    if (steps < at_once || gpts <= 0 || (rest && single <= 0))
        return INFINITY;
    return (double)(steps - rest) / gpts + (rest ? (double)rest / single : 0);
}
