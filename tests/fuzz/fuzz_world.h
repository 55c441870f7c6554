/* Common parts of the fuzzers of imports and of databases: a small valid database, made
 * of shipped kernels, and the commands that read a database. */
#ifndef LIFT_TESTS_FUZZ_WORLD_H
#define LIFT_TESTS_FUZZ_WORLD_H

#include "tuner/db_tools.h"
#include <stddef.h>
#include <stdint.h>

/* The unread bytes of a fuzzer's input. Reads beyond the end return zeros. */
struct fuzz_input {
    const uint8_t *data;
    size_t size;
};

uint8_t fuzz_byte(struct fuzz_input *in);
/* Of so many bytes, at most 8; the lowest first. */
uint64_t fuzz_number(struct fuzz_input *in, int bytes);
/* A text of at most 255 bytes, its length first. NUL-terminated; valid until the next. */
const char *fuzz_text(struct fuzz_input *in, size_t *len);

/* Creates a folder for the files of this process, removed at its end. Call once. */
void fuzz_make_folder(void);
/* A path in the folder; of at most sixteen names. */
const char *fuzz_path(const char *name);

/* The content of a file, for free(); its length. Aborts if it cannot be read. */
char *fuzz_read(const char *path, size_t *len);
void fuzz_write(const char *path, const char *data, size_t len);

/* Makes the folder, and the database "base.db" in it, without a log. It imports
 * programs/tuned of $LIFT_SOURCE_DIR or of the sources of the build. Once. */
void fuzz_make_base(void);

/* Removes a database. */
void fuzz_forget(const char *path);

/* Runs commands that read a database: command i if bit i, of 16, is set. */
void fuzz_commands(const char *path, uint64_t which);

/* Merges a database into a new one, twice: aborts unless the new one is sound and the
 * second merge adds nothing. */
void fuzz_merge(const char *path);
/* The same repairs as 'lift db doctor --repair --close-all'. */
void fuzz_mend(const char *path);

/* Aborts unless the pages, the references and the values of a database are in order. */
void fuzz_check_sound(const char *path);

#endif
