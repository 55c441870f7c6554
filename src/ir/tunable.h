/* Names and meanings of tunables. The name of a rule's tunable has the word of the rule
 * (the quantity that the tunable sizes) and the dimension of the redex: "tile_z". A
 * second tunable of this name is called "inner_tile_z" if nested in the first, as in
 * two-level tiling. Otherwise the second tunable is called "other_tile_z". */
#ifndef IR_TUNABLE_H
#define IR_TUNABLE_H

#include "ir/nat.h"

enum lift_tunable_kind {
    LIFT_TUNABLE_PLAIN,       /* of a rule; named by the word alone */
    LIFT_TUNABLE_DIMENSIONAL, /* of a rule; the word and a dimension */
    LIFT_TUNABLE_LAUNCH,      /* of launches and compilers, not of a rule */
};

struct lift_tunable_word {
    const char *word;
    /* Of a rule: the letter of its keys ("k" of "k0_1_4"), which are also the former
     * names of its tunables. Of launches: the former name. */
    const char *former;
    enum lift_tunable_kind kind;
    const char *meaning;
};

/* All words, in the order of the decisions whose rules introduce them. */
const struct lift_tunable_word *lift_tunable_words(int *count);
/* The row of 'word', or NULL. */
const struct lift_tunable_word *lift_tunable_word(const char *word);
/* The row of the word in a tunable's name ("inner_tile_z": "tile"), or NULL. */
const struct lift_tunable_word *lift_tunable_word_of(const char *name);

enum { LIFT_TUNABLE_NAME = 96 }; /* maximal bytes of a name or key */

/* Writes the name of tunable number 'nth', from 0, of a word and a dimension (0: the
 * innermost, x; -1: none). 'inside': the tunable is nested in the previous tunable of
 * this name. */
void lift_tunable_name(char name[LIFT_TUNABLE_NAME], const char *word, int dim, int nth,
                       bool inside);
/* Writes the key: letter, number, and the bounds of the range. Omits the bound 1 and the
 * bound that is the longest array: k0, k0_2 from 2, k0_2_64 from 2 to 64. So a key
 * determines its range. */
void lift_tunable_key(char key[LIFT_TUNABLE_NAME], const char *letter, int number,
                      int64_t lo, int64_t hi);
/* The current name of a launch or compiler tunable with the former name 'said'; for
 * other names, 'said'. */
const char *lift_tunable_now(const char *said);
/* The word for a value ("gcc" for 1 of "compiler"), or NULL. lift_tunable_value is the
 * inverse. -1: 'text', of 'len' bytes, is not a word for a value. */
const char *lift_tunable_value_word(const char *name, int64_t value);
int64_t lift_tunable_value(const char *name, const char *text, size_t len);
/* The former name of a launch or compiler tunable; NULL: none. */
const char *lift_tunable_former(const char *name);

/* True if 'said' names a tunable by its name or its former name. The former name may
 * lack the range ("k0" for "k0_2_64"), since keys without ranges are unique in a term.
 * 'former' may be NULL. */
bool lift_tunable_called(const char *name, const char *former, const char *said);

#endif
