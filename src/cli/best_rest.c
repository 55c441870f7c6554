/* Kernels for the remainder of a run, in programs and headers that 'lift best' writes. */
#include "base/memory.h"
#include "cli/best.h"
#include "run/chosen.h"

/* The program of single steps, and the options for its kernels. */
struct rest {
    const struct best *b;
    struct lift_choose_options options;
    struct lift_source source;
};

/* True if 'at_once' steps of 'step' are the program 'source'. */
static bool is_step_of(const struct lift_source *step, int at_once,
                       const struct lift_source *source)
{
    LIFT_SCOPED(lift_error) errors = {0};
    LIFT_OWNED(lift_ir) *ir = lift_ir_create();
    const struct lift_program *p = lift_program_load_general(&ir, source, NULL, &errors);
    struct depth_ids ids = {.source = step};

    return p && depth_is_of(&ids, at_once, lift_program_id(p));
}

/* For a program with several steps a launch, derives the kernel of its single step with
 * the same options. */
static struct lift_chosen *make_single(struct rest *r, const struct lift_chosen_facts *f,
                                       struct lift_str *why)
{
    const struct lift_db_filter which = {
        .program = f->program, .dtype = f->dtype, .steps = 1};
    const struct report_where *where = &r->b->where;
    const struct lift_source *several = r->options.source;
    LIFT_SCOPED(lift_error) errors = {0};

    r->options.source = &r->source;
    if ((cli_is_file(where->program)
             ? cli_source(where->program, where->precision, 0, &r->source, &errors)
             : best_stored_source(r->b, &which, f->program, &r->source)) &&
        is_step_of(&r->source, f->at_once, several))
        return best_make(&r->options, why);
    lift_str_addf(why, "the program of its single step is not %s%s",
                  r->options.stored
                      ? "in the database"
                      : "in the file: the file must have the time loop of a single step",
                  lift_error_count(&errors) ? lift_str_get(&errors.text) : "");
    return NULL;
}

/* Derives the kernel of several steps that computes the remainder sooner than single
 * steps do; NULL: there is none. */
static struct lift_chosen *make_deeper(const struct rest *r,
                                       const struct lift_chosen *single, int most)
{
    const struct chooser c = {
        .problem = single->problem, .device = r->options.device, .db = r->options.db};
    struct depth_ids ids = {.source = &r->source};
    struct lift_choose_options several = r->options;
    LIFT_SCOPED(lift_error) errors = {0};
    struct lift_source source = {0};
    struct lift_chosen *chosen = NULL;
    struct depth_speeds speeds;
    enum lift_chosen_how how;
    int at_once =
        depth_find(&c, &ids, &speeds, &how) ? depth_of_rest(&speeds, most, r->b->run) : 1;

    several.source = &source;
    if (at_once > 1 && depth_source(&r->source, at_once, &source, &errors))
        chosen = lift_choose(&several, &errors);
    if (at_once > 1 && (!chosen || chosen->facts.how != how)) {
        cli_fail(CLI_DONE,
                 "single steps compute the remainder, without the kernel of %d "
                 "time steps: %s",
                 at_once, chosen ? chosen->facts.words : lift_error_text(&errors));
        lift_chosen_destroy(chosen);
        chosen = NULL;
    }
    lift_source_free(&source);
    return chosen;
}

void best_add_host(const struct best *b, const struct lift_choose_options *options,
                   const struct lift_chosen *chosen, struct lift_str *text,
                   struct lift_error *error)
{
    const struct lift_chosen_facts *f = lift_chosen_facts(chosen);
    struct rest r = {.b = b, .options = *options};
    struct lift_chosen *single = NULL, *deeper = NULL;
    const struct lift_chosen *rest[DEPTH_KERNELS - 1];
    LIFT_SCOPED(lift_str) none = {0};
    int count = 0;

    if (f->at_once > 1 && !(single = make_single(&r, f, &none)))
        cli_fail(CLI_DONE,
                 "a time loop also needs a kernel of single steps, and there is none: %s",
                 lift_str_get(&none));
    if (single && (deeper = make_deeper(&r, single, f->at_once)))
        rest[count++] = deeper;
    if (single)
        rest[count++] = single;
    (b->emit == BEST_HEADER ? lift_chosen_header : lift_chosen_host)(chosen, rest, count,
                                                                     text, error);
    lift_chosen_destroy(deeper);
    lift_chosen_destroy(single);
    lift_source_free(&r.source);
}
