/* Finds the known name nearest to a misspelt word, for "did you mean". */
#ifndef BASE_GUESS_H
#define BASE_GUESS_H

#include "base/arena.h"
#include "base/str.h"

/* Begins as '{.word = text}'. 'name' is the best name so far; NULL if no name is near
 * enough. */
struct lift_guess {
    const char *word;
    const char *name;
    int distance; /* of 'name' */
};

/* The number of edits that convert one word into the other. An edit inserts, deletes or
 * replaces a character, or exchanges two neighbours. Upper and lower case are equal. */
int lift_edit_distance(const char *a, const char *b);
/* Considers a name, which must outlive the guess. A name is near if at most a third of
 * the characters differ. Of equally near names the first is kept. */
void lift_guess_add(struct lift_guess *guess, const char *name);
/* Appends "; did you mean 'NAME'?" if a name is near. */
void lift_guess_print(const struct lift_guess *guess, struct lift_str *out);
/* The text of lift_guess_print, or "". */
const char *lift_guess_text(const struct lift_guess *guess, struct lift_arena *arena);

#endif
