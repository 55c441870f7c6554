/* A kernel of the single step of a program that computes several at once. */
#include "base/memory.h"
#include "cli/best.h"
#include "run/depth.h"

/* Whether so many steps of it are the program in question. */
static bool is_step_of(const struct best *b, const struct lift_source *step, int at_once)
{
    LIFT_SCOPED(lift_error) errors = {0};
    LIFT_OWNED(lift_ir) *ir = lift_ir_create();
    const struct lift_program *p =
        lift_program_load_general(&ir, &b->source, NULL, &errors);

    return p && depth_is_of(step, at_once, lift_program_id(p));
}

static bool stored_source(const struct best *b, const struct lift_chosen_facts *f,
                          struct lift_source *out)
{
    struct lift_db_filter which = {.program = f->program, .dtype = f->dtype, .steps = 1};
    LIFT_SCOPED(lift_str) text = {0};
    bool found = b->db && lift_db_program(b->db, &which, &text);

    if (found) {
        out->name = lift_strdup(f->program);
        out->len = text.len;
        out->text = lift_str_take(&text);
    }
    return found;
}

static bool step_source(const struct best *b, const struct lift_chosen_facts *f,
                        struct lift_source *out)
{
    LIFT_SCOPED(lift_error) errors = {0};
    bool found = cli_is_file(b->where.program)
                     ? cli_source(b->where.program, b->where.precision, 0, out, &errors)
                     : stored_source(b, f, out);

    return found && is_step_of(b, out, f->at_once);
}

struct lift_chosen *best_single(const struct best *b,
                                const struct lift_choose_options *options,
                                const struct lift_chosen_facts *f, struct lift_str *why)
{
    struct lift_choose_options one = *options;
    struct lift_source source = {0};
    LIFT_SCOPED(lift_error) errors = {0};
    struct lift_chosen *chosen = NULL;

    one.source = &source;
    if (step_source(b, f, &source))
        chosen = lift_choose(&one, &errors, why);
    else
        lift_str_addf(why, "the program of its single step is not %s",
                      b->stored ? "in the database"
                                : "in the file: --steps makes of it what 'steps' says");
    if (lift_error_count(&errors))
        lift_str_add(why, lift_str_get(&errors.text));
    lift_source_free(&source);
    return chosen;
}
