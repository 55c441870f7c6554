#include "ir/expr.h"
#include "lift/program.h"

/* The identity of a program by its meaning, independent of comments and layout. */
struct lift_hash lift_program_id(const struct lift_program *program)
{
    struct lift_hash id = lift_hash_add_int(
        lift_hash_combine(lift_hash_text(program->name), program->body->hash),
        !program->exact);

    return program->steps <= 1 ? id : lift_hash_add_int(id, program->steps);
}
