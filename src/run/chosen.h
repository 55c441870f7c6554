/* Choosing a kernel: candidates from the database and plain ones, in the order in which
 * they deserve to be taken. */
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
    /* Not any kernel will do, but one that is alike in some way to one of these tunables
     * (JSON): more of them are looked at, with tunables near to these. NULL: any. */
    const char *near;
    /* The program whose kernels the database has, if that is another one: this one is
     * made into the same configurations. NULL: it is this one. */
    const struct lift_hash *known_as;
    struct lift_arena *arena;
};

/* A kernel that could be taken. Texts are in the chooser's arena. */
struct chosen_candidate {
    enum lift_chosen_how how;
    struct candidate_space candidates;
    int point[LIFT_SPACE_PARAMS];
    struct lift_hash trial;
    const char *from_sizes, *from_device, *from_tunables;
    bool any_length; /* DEFAULT: of straight-line code; no shorter kernel could be made */
    int passed;      /* DEFAULT: kernels of the database that fit, and were not taken */
    int refused;     /* expressions of the database that cannot be derived here ... */
    const char *refusal; /* and the first of them with the reason; NULL: none */
    double slower;  /* SIZE: how many times what was explored at the wanted sizes is, by
                       bytes a second; 0: nothing was, or it is not too slow */
    double seconds; /* where it was measured */
    double gpts, gbs;
};

/* Calls 'visit' until it answers false. False if the database says no. If no kernel
 * is visited, or the last one was not the last that there is, 'why' says why the program
 * cannot be lowered plainly. */
typedef bool chosen_visit(void *user, const struct chosen_candidate *candidate);
bool chosen_each(const struct chooser *c, chosen_visit *visit, void *user,
                 struct lift_str *why);

/* The source of a candidate at the requested sizes, for a separate file or, with
 * 'beside', for a file with other modules. The caller releases 'out' by runner_unload in
 * any case. */
struct chosen_use {
    bool local_functions; /* as in runner_request */
    const char *beside;   /* likewise */
};
bool chosen_generate(const struct chooser *c, const struct chosen_candidate *candidate,
                     struct chosen_use use, struct runner_module *out,
                     struct lift_str *why);
struct candidate_request chosen_request(const struct chooser *c,
                                        const struct chosen_candidate *candidate);
/* A copy of the UTF-8 part of a text of the database, which may be any bytes. */
const char *chosen_text(struct lift_arena *arena, const char *text);
/* The chosen kernel and the reason, in words. */
const char *chosen_words(const struct chooser *c,
                         const struct chosen_candidate *candidate);
/* "; changed to fit: k0 384 to 96, ..." of the tunables (JSON) that have another value at
 * this point; nothing if none has. */
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

/* A choice that is not made yet: a candidate is to be taken, and then it is finished.
 * NULL and diagnostics if the program is malformed. */
struct lift_chosen *chosen_open(const struct lift_choose_options *options,
                                struct lift_error *errors);
/* Replaces the chosen kernel; false and the reason if no source can be made. */
bool chosen_take(struct lift_chosen *c, const struct chosen_candidate *candidate,
                 struct lift_str *why);
/* Fills in the facts, and forgets the database. */
bool chosen_finish(struct lift_chosen *c, struct lift_error *error);
/* Appends the program of lift_chosen_host for a candidate drawn at random; false and the
 * reason if no source can be made. */
bool chosen_program(const struct candidate_request *request,
                    const struct lift_rules *rules, struct lift_str *out,
                    struct lift_error *error);

/* resize.c: resizes the tiles of a candidate of other sizes so that they divide the grid
 * evenly, where the cost model predicts a gain. */
void resize_point(const struct chooser *c, struct chosen_candidate *candidate);

/* refit.c: a stored expression in the context of a problem. */

/* By its derivation, rule by rule from the program at hand, which tells the conditions of
 * the rules, too: never by its text. NULL and the reason if none leads there from this
 * program, if a rule is unknown, may not be used for the program, or does something else
 * by now. With 'changed' (else NULL) rules may do something else: that text says which
 * was the first, the term is another one, and later rules that do not apply to it are
 * passed over. */
lift_expr refit_derive(const struct chooser *c, struct lift_hash expr,
                       struct explore_conditions *conditions, struct lift_str *changed,
                       struct lift_str *why);

/* A text of JSON as a value, or as a string if it is none. */
json_t *chosen_parsed(const char *text);

#endif
