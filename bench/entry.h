/* From an item of a list to a contest in a process of its own. */
#ifndef BENCH_ENTRY_H
#define BENCH_ENTRY_H

#include "contest.h"
#include "explore/explore.h"
#include "list.h"

struct entry_settings {
    const char *bench; /* how messages begin */
    const char *device, *database, *references;
    const char *without; /* as in lift_choose_options */
    const char *only;    /* references whose file has this in its name; NULL: all */
    int rounds;
    struct lift_rules *rules;
    struct lift_db *db; /* NULL: none */
    struct lift_explore_device probed;
};

/* Ends the process with status 2. */
_Noreturn void entry_stop(const struct entry_settings *s, const char *what,
                          const char *why);
/* Rules, database, device; ends the process if one cannot be had. */
void entry_open(struct entry_settings *s);
void entry_close(struct entry_settings *s);

/* The kernel that 'lift best' names; NULL, after a message on stdout, if there is none.
 */
struct lift_chosen *entry_choose(const struct entry_settings *s,
                                 const struct bench_item *item);
/* "512x512x404", "512x512x404 f64" */
void entry_sizes(const struct explore_problem *p, char *out, size_t size);

/* References and the right results. False and the reason. Released in any case. */
bool entry_set_up(const struct entry_settings *s, struct lift_chosen *chosen,
                  struct contest *c, struct lift_str *why);
void entry_release(struct contest *c);
/* What 'serve' (its user is the contest) replies in a process of its own: 'size' bytes.
 * False, and the reason is in 'failure', if there was no such answer. */
bool entry_call(lift_worker_serve *serve, struct contest *c, void *out, size_t size,
                char failure[CONTEST_TEXT]);
/* Notes of a contest, on stderr. */
void entry_notes(const struct entry_settings *s, const char *program, const char *notes);

/* Parts of a line of CSV, each with a comma after it. Nothing stands for what is not
 * known: numbers that are not above zero. */
void entry_put_text(FILE *out, const char *text);
void entry_put_numbers(FILE *out, const double *numbers, int count);
void entry_put_figure(FILE *out, struct figure f);

#endif
