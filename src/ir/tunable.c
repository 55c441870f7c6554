#include "ir/tunable.h"
#include "ir/sizes.h"
#include <assert.h>
#include <stdio.h>
#include <string.h>

const char *const lift_local_names[3] = {"block_x", "block_y", "block_z"};
const char lift_resident_name[] = "min_blocks";

static const char inner[] = "inner_", other[] = "other_";

static const struct lift_tunable_word words[] = {
    {"chunk", "k", LIFT_TUNABLE_DIMENSIONAL,
     "elements of a chunk of a loop that is cut in two"},
    {"tile", "k", LIFT_TUNABLE_DIMENSIONAL, "grid points of a tile along the dimension"},
    {"slab", "k", LIFT_TUNABLE_DIMENSIONAL,
     "planes of a slab (rows in 2D), which a block streams through or a thread computes"},
    {"vectors", "k", LIFT_TUNABLE_DIMENSIONAL,
     "vectors of four points of a row that a thread of a register strip computes"},
    {"threads", "k", LIFT_TUNABLE_DIMENSIONAL,
     "rows of threads of a block of register strips"},
    {"points", "k", LIFT_TUNABLE_DIMENSIONAL,
     "grid points along the dimension that a thread, or a turn of a loop, computes"},
    {"vector", "w", LIFT_TUNABLE_PLAIN,
     "elements of a SIMD vector of the innermost loop"},
    {"strip", "w", LIFT_TUNABLE_PLAIN,
     "iterations of a strip of the innermost loop that compilers turn into vectors"},
    {"prefetch_rows", "k", LIFT_TUNABLE_PLAIN,
     "rows by which the loop over rows prefetches ahead; 0: none"},
    {"face_tile", "f", LIFT_TUNABLE_DIMENSIONAL,
     "grid points of a tile of a face of the domain along the dimension"},
    {"planes", "k", LIFT_TUNABLE_PLAIN,
     "planes of a stream that a step of its loop computes"},
    {"row_align", "k", LIFT_TUNABLE_PLAIN,
     "elements to which the rows of arrays are aligned: 8, 16 or 32"},
    {"row_lead", "l", LIFT_TUNABLE_PLAIN,
     "elements of a row before the first that is aligned"},
    {"plane_pad", "r", LIFT_TUNABLE_PLAIN,
     "padding of planes: 64 times as many elements beyond a multiple of 1024"},
    {"block_x", "local0", LIFT_TUNABLE_LAUNCH, "threads of a block along x"},
    {"block_y", "local1", LIFT_TUNABLE_LAUNCH, "threads of a block along y"},
    {"block_z", "local2", LIFT_TUNABLE_LAUNCH, "threads of a block along z"},
    {"min_blocks", "resident", LIFT_TUNABLE_LAUNCH,
     "blocks that a multiprocessor has registers for, at least; 0: the compiler decides"},
    {"index_bits", "index", LIFT_TUNABLE_LAUNCH, "bits of indices of arrays: 32 or 64"},
    {"fast_math", "flags", LIFT_TUNABLE_LAUNCH,
     "1: the compiler may use fast approximations; 0: multiply-add only"},
    {"simd_bits", "width", LIFT_TUNABLE_LAUNCH,
     "bits of the SIMD registers that the compiler prefers"},
    {"compiler", "compiler", LIFT_TUNABLE_LAUNCH, "the C compiler: gcc or clang"},
};

enum { WORDS = sizeof words / sizeof words[0] };

const struct lift_tunable_word *lift_tunable_words(int *count)
{
    *count = WORDS;
    return words;
}

static const struct lift_tunable_word *find(const char *word, size_t len)
{
    for (int i = 0; i < WORDS; i++)
        if (!strncmp(words[i].word, word, len) && !words[i].word[len])
            return &words[i];
    return NULL;
}

const struct lift_tunable_word *lift_tunable_word(const char *word)
{
    return find(word, strlen(word));
}

static const char dimensions[] = "xyzw";

const struct lift_tunable_word *lift_tunable_word_of(const char *name)
{
    const struct lift_tunable_word *row;
    size_t len;

    static_assert(sizeof inner == sizeof other, "a prefix is as long as the other");
    while (!strncmp(name, inner, sizeof inner - 1) ||
           !strncmp(name, other, sizeof other - 1))
        name += sizeof inner - 1;
    len = strlen(name);
    row = find(name, len);
    if (row && row->kind != LIFT_TUNABLE_DIMENSIONAL)
        return row;
    if (len < 3 || name[len - 2] != '_' || !strchr(dimensions, name[len - 1]))
        return NULL;
    row = find(name, len - 2);
    return row && row->kind == LIFT_TUNABLE_DIMENSIONAL ? row : NULL;
}

void lift_tunable_name(char name[LIFT_TUNABLE_NAME], const char *word, int dim, int nth,
                       bool inside)
{
    int most = (int)sizeof dimensions - 2, len = 0;
    enum { LONGEST = LIFT_TUNABLE_NAME - 44 };

    while (nth-- > 0 && len < LONGEST)
        len += snprintf(name + len, LIFT_TUNABLE_NAME - (size_t)len, "%s",
                        inside ? inner : other);
    len += snprintf(name + len, LIFT_TUNABLE_NAME - (size_t)len, "%.40s", word);
    if (dim >= 0)
        snprintf(name + len, LIFT_TUNABLE_NAME - (size_t)len, "_%c",
                 dimensions[dim < most ? dim : most]);
}

void lift_tunable_key(char key[LIFT_TUNABLE_NAME], const char *letter, int number,
                      int64_t lo, int64_t hi)
{
    int len = snprintf(key, LIFT_TUNABLE_NAME, "%.40s%d", letter, number);

    if (lo != 1 || hi < INT32_MAX)
        len +=
            snprintf(key + len, LIFT_TUNABLE_NAME - (size_t)len, "_%lld", (long long)lo);
    if (hi < INT32_MAX)
        snprintf(key + len, LIFT_TUNABLE_NAME - (size_t)len, "_%lld", (long long)hi);
}

const char *lift_tunable_former(const char *name)
{
    const struct lift_tunable_word *row = lift_tunable_word(name);

    return row && row->kind == LIFT_TUNABLE_LAUNCH ? row->former : NULL;
}

const char *lift_tunable_now(const char *said)
{
    for (int i = 0; i < WORDS; i++)
        if (words[i].kind == LIFT_TUNABLE_LAUNCH && !strcmp(words[i].former, said))
            return words[i].word;
    return said;
}

/* Indexed by enum lift_compiler. */
static const char *const compilers[] = {NULL, "gcc", "clang"};

enum { COMPILERS = sizeof compilers / sizeof compilers[0] };

const char *lift_tunable_value_word(const char *name, int64_t value)
{
    return !strcmp(name, "compiler") && value > 0 && value < COMPILERS ? compilers[value]
                                                                       : NULL;
}

int64_t lift_tunable_value(const char *name, const char *text, size_t len)
{
    for (int i = 1; i < COMPILERS && !strcmp(name, "compiler"); i++)
        if (strlen(compilers[i]) == len && !strncmp(compilers[i], text, len))
            return i;
    return -1;
}

bool lift_tunable_called(const char *name, const char *former, const char *said)
{
    size_t len = strlen(said);

    return !strcmp(name, said) || (former && !strncmp(former, said, len) &&
                                   (!former[len] || former[len] == '_'));
}
