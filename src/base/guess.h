/* "did you mean": of the names that there are, the one that is nearest to a word. */
#ifndef BASE_GUESS_H
#define BASE_GUESS_H

#include "base/arena.h"
#include "base/str.h"

/* '{.word = text}' begins. 'name' is the best so far, NULL if none is near enough. */
struct lift_guess {
    const char *word;
    const char *name;
    int distance; /* of 'name' */
};

/* The edits that make one word of the other: a character more, less or another, or two
 * neighbours exchanged. Letters count the same in both cases. */
int lift_edit_distance(const char *a, const char *b);
/* Considers a name, which must last as long as the guess. Names are near if a third of
 * their characters differ at most; of equally near ones the first is kept. */
void lift_guess_add(struct lift_guess *guess, const char *name);
/* Appends "; did you mean 'NAME'?" if there is one. */
void lift_guess_print(const struct lift_guess *guess, struct lift_str *out);
/* The same, or "". */
const char *lift_guess_text(const struct lift_guess *guess, struct lift_arena *arena);

#endif
