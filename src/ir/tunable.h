/* What tunables are called, and what each means. A tunable that a rule introduces is
 * called by the word of its rule (what it sizes) and by the dimension where the rule was
 * applied: "tile_z". A second one of that name is "inner_tile_z" inside the first, as of
 * tiles in tiles, and else "other_tile_z". */
#ifndef IR_TUNABLE_H
#define IR_TUNABLE_H

#include "ir/nat.h"

enum lift_tunable_kind {
    LIFT_TUNABLE_PLAIN,       /* of a rule; called by the word alone */
    LIFT_TUNABLE_DIMENSIONAL, /* of a rule; the word and a dimension */
    LIFT_TUNABLE_LAUNCH,      /* of launches and compilers; no rule introduces it */
};

struct lift_tunable_word {
    const char *word;
    /* Of a rule: the letter of its keys ("k" of "k0_1_4"), which are also the former
     * names of its tunables. Of launches: the former name. */
    const char *former;
    enum lift_tunable_kind kind;
    const char *meaning;
};

/* All of them, in the order of the decisions whose rules introduce them. */
const struct lift_tunable_word *lift_tunable_words(int *count);
/* The row of that word, or NULL. */
const struct lift_tunable_word *lift_tunable_word(const char *word);
/* The row of the word in a tunable's name ("inner_tile_z": "tile"), or NULL. */
const struct lift_tunable_word *lift_tunable_word_of(const char *name);

enum { LIFT_TUNABLE_NAME = 96 }; /* bytes of a name or key, at most */

/* The name of the 'nth' tunable, from 0, of a word and a dimension (0: the innermost, x;
 * -1: none), which is inside the one before, or not. */
void lift_tunable_name(char name[LIFT_TUNABLE_NAME], const char *word, int dim, int nth,
                       bool inside);
/* The key: letter, number and the range, as far as it is not from 1 to the longest array:
 * k0, k0_2 from 2, k0_2_64 from 2 to 64. So one key never stands for two ranges. */
void lift_tunable_key(char key[LIFT_TUNABLE_NAME], const char *letter, int number,
                      int64_t lo, int64_t hi);
/* The name of a tunable of launches and compilers that is called by a former one; else
 * 'said'. */
const char *lift_tunable_now(const char *said);
/* The word for a value ("gcc" for 1 of "compiler"), or NULL; and back, -1 if 'text', of
 * 'len' bytes, is none. */
const char *lift_tunable_value_word(const char *name, int64_t value);
int64_t lift_tunable_value(const char *name, const char *text, size_t len);
/* Of a tunable of launches and compilers; NULL if it has had no other name. */
const char *lift_tunable_former(const char *name);

/* True if 'said' means a tunable: its name, its former name, or that without its range
 * ("k0" for "k0_2_64"), which no two tunables of a term share. 'former' may be NULL. */
bool lift_tunable_called(const char *name, const char *former, const char *said);

#endif
