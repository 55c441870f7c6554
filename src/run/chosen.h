/* Choosing a kernel: candidates from the database and then plain kernels, best first. */
#ifndef RUN_CHOSEN_H
#define RUN_CHOSEN_H

#include "explore/candidate.h"
#include "explore/candidate_space.h"
#include "lift/chosen.h"
#include <jansson.h>

/* A request for a kernel. */
struct chooser {
    const struct explore_problem *problem;
    const struct lift_device_info *device;
    const struct lift_rules *rules;
    struct lift_db *db;  /* may be NULL */
    const char *without; /* as in lift_choose_options */
    /* The caller needs a kernel that resembles a kernel with these tunables (JSON): the
     * chooser examines more kernels, with tunables near these. NULL: any kernel. */
    const char *near;
    /* The program whose kernels the database has, if it is another program: the chooser
     * applies the configurations of these kernels. NULL: the problem's program. */
    const struct lift_hash *known_as;
    struct lift_arena *arena;
};

/* Returns how far these sizes (JSON) are from those of the problem: the sum of
 * |log2(size / wanted size)|. Returns infinity if the names of the sizes differ. */
double chosen_distance(const struct explore_problem *problem, const char *sizes);
/* Says how near a device and sizes at this distance are to the request. Returns false if
 * the device's kernels are not for the wanted device; '*failed' becomes true if the
 * database fails. */
bool chosen_likeness(const struct chooser *c, struct lift_hash device, double distance,
                     enum lift_chosen_how *how, bool *failed);

/* A candidate kernel. Texts are in the chooser's arena. */
struct chosen_candidate {
    enum lift_chosen_how how;
    struct candidate_space candidates;
    int point[LIFT_SPACE_PARAMS];
    struct lift_hash trial;
    const char *from_sizes, *from_device, *from_tunables;
    bool any_length; /* DEFAULT: long straight-line code; no shorter kernel exists */
    int passed;      /* DEFAULT: number of fitting kernels of the database not taken */
    int refused;     /* number of stored expressions that cannot be derived here */
    const char *refusal; /* the first of these expressions, and the reason; or NULL */
    double slower;  /* SIZE: bytes a second of this kernel, divided by those of the best
                       kernel at the wanted sizes; 0: no such kernel, or not poor */
    double seconds; /* a launch, at the sizes and on the device of the measurement */
    double gpts, gbs;
};

/* Calls 'visit' until 'visit' returns false. Returns false if the database fails. If no
 * plain kernel exists, 'why' gets the reason. */
typedef bool chosen_visit(void *user, const struct chosen_candidate *candidate);
bool chosen_each(const struct chooser *c, chosen_visit *visit, void *user,
                 struct lift_str *why);

/* Generates the source of a candidate at the requested sizes, for a separate file or,
 * with 'beside', for a file with other modules. The caller always releases 'out' by
 * runner_unload. */
struct chosen_use {
    bool local_functions; /* as in runner_request */
    const char *beside;   /* likewise */
};
bool chosen_generate(const struct chooser *c, const struct chosen_candidate *candidate,
                     struct chosen_use use, struct runner_module *out,
                     struct lift_str *why);
struct candidate_request chosen_request(const struct chooser *c,
                                        const struct chosen_candidate *candidate);
/* Copies the UTF-8 part of a text of the database, which may hold any bytes. */
const char *chosen_text(struct lift_arena *arena, const char *text);
/* Describes the chosen kernel and the reason in words. */
const char *chosen_words(const struct chooser *c,
                         const struct chosen_candidate *candidate);
/* Appends "; changed to fit: k0 384 to 96, ..." for the tunables (JSON) whose values
 * differ in this configuration. Appends nothing if all values are equal. */
void chosen_changes(const struct candidate_space *candidates, const int *point,
                    const char *tunables, struct lift_str *out);

struct lift_chosen {
    struct lift_arena *arena;
    struct explore_problem *problem;
    struct lift_device_info device; /* without driver and compiler */
    struct chooser chooser;
    struct chosen_candidate candidate;
    struct runner_module module;
    struct lift_chosen_facts facts;
};

/* Begins a choice: the caller then takes a candidate and finishes the choice. Returns
 * NULL with diagnostics if the program is malformed. */
struct lift_chosen *chosen_open(const struct lift_choose_options *options,
                                struct lift_error *errors);
/* Replaces the chosen kernel. Returns false with the reason if no source can be made. */
bool chosen_take(struct lift_chosen *c, const struct chosen_candidate *candidate,
                 struct lift_str *why);
/* Fills in the facts and drops the pointer to the database. */
bool chosen_finish(struct lift_chosen *c, struct lift_error *error);
/* Appends the program of lift_chosen_host for a candidate drawn at random. Returns false
 * with the reason if no source can be made. */
bool chosen_program(const struct candidate_request *request,
                    const struct lift_rules *rules, struct lift_str *out,
                    struct lift_error *error);

/* resize.c: resizes the tiles of a candidate of other sizes so that they divide the grid
 * evenly, where the cost model predicts a gain. */
void resize_point(const struct chooser *c, struct chosen_candidate *candidate);

/* refit.c: a stored expression in the context of a problem. */

/* Repeats the stored derivation, rule by rule, from the problem's program; the stored
 * text of the expression is not read. The rules also give the conditions. Returns NULL
 * with the reason if the derivation fails: a rule is unknown, forbidden for the program,
 * no longer applies or gives another result. If 'changed' is not NULL, rules may give
 * other results: 'changed' names the first such step, and later steps that do not apply
 * are skipped. */
lift_expr refit_derive(const struct chooser *c, struct lift_hash expr,
                       struct explore_conditions *conditions, struct lift_str *changed,
                       struct lift_str *why);

/* Parses a text as JSON. Returns a JSON string if the text is not JSON. */
json_t *chosen_parsed(const char *text);

#endif
