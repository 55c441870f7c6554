/* A changed folder of exported CSV files: its import takes either nothing or valid rows.
 * A second import then finds nothing new, nor does the import of a new export. */
#include "base/bug.h"
#include "fuzz_world.h"
#include "tuner/db/db_folder.h"
#include "tuner/db/db_tables.h"
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { FILES = DB_TABLES + 1 };

static struct lift_str files[FILES]; /* the tables, then what says of which version */

static const char *name_of(int file)
{
    return file < DB_TABLES ? db_table_names[file] : DB_FOLDER_ABOUT;
}

static const char *path_of(const char *dir, int file)
{
    static char path[600];

    snprintf(path, sizeof path, "%s/%s.csv", fuzz_path(dir), name_of(file));
    return path;
}

static void drop_dir(const char *dir)
{
    for (int i = 0; i < FILES; i++)
        unlink(path_of(dir, i));
    rmdir(fuzz_path(dir));
}

static struct lift_db *open_new(const char *path)
{
    struct lift_error error = {0};
    struct lift_db *db = lift_db_open(path, LIFT_DB_WRITE, &error);

    if (!db)
        LIFT_BUG("%s", lift_error_text(&error));
    return db;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    struct lift_db *db;

    (void)argc;
    (void)argv;
    fuzz_make_base();
    db = open_new(fuzz_path("base.db"));
    if (!lift_db_export(db, fuzz_path("base")))
        LIFT_BUG("%s", lift_db_error(db));
    lift_db_close(db);
    for (int i = 0; i < FILES; i++)
        files[i].data = fuzz_read(path_of("base", i), &files[i].len);
    mkdir(fuzz_path("in"), 0700);
    return 0;
}

/* Puts a text in the place of 'gone' bytes of a file, at one of its lines and from there
 * on at a byte; or in the place of a field. */
static void change(struct lift_str *file, struct fuzz_input *in)
{
    size_t at = 0, line = fuzz_byte(in) % 64, column = fuzz_byte(in), gone, len;
    bool field = column >= 128;
    const char *text;

    for (; line > 0 && at < file->len; line--)
        at += strcspn(file->data + at, "\n") + 1;
    for (column %= 128; field && column > 0 && at < file->len; column--)
        at += strcspn(file->data + at, ",") + 1;
    at = at + column < file->len ? at + column : file->len;
    gone = field ? strcspn(file->data + at, ",\n") : fuzz_byte(in);
    gone = gone < file->len - at ? gone : file->len - at;
    text = fuzz_text(in, &len);
    if (file->cap < file->len + len + 1) {
        file->cap = file->len + len + 256;
        file->data = realloc(file->data, file->cap);
        LIFT_ASSERT(file->data);
    }
    memmove(file->data + at + len, file->data + at + gone, file->len - at - gone);
    memcpy(file->data + at, text, len);
    file->len += len - gone;
    file->data[file->len] = '\0';
}

static void write_folder(struct fuzz_input *in)
{
    struct lift_str changed[FILES] = {{0}};

    for (int i = 0; i < FILES; i++)
        lift_str_addn(&changed[i], files[i].data, files[i].len);
    for (int i = 0; i < 16 && in->size; i++)
        change(&changed[fuzz_byte(in) % FILES], in);
    for (int i = 0; i < FILES; i++) {
        fuzz_write(path_of("in", i), changed[i].data, changed[i].len);
        lift_str_fini(&changed[i]);
    }
}

static void assert_none_new(struct lift_db *db, const char *dir)
{
    struct lift_db_gain gain;

    if (!lift_db_import(db, fuzz_path(dir), &gain))
        LIFT_BUG("imported once, not twice: %s", lift_db_error(db));
    if (gain.rows)
        LIFT_BUG("'%s' has %d new rows the second time", dir, (int)gain.rows);
}

static void assert_nothing(struct lift_db *db)
{
    for (int i = 0; i < DB_TABLES; i++) {
        char sql[80];
        int64_t rows = -1;

        snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", db_table_names[i]);
        if (!db_number(db, sql, &rows) || rows)
            LIFT_BUG("a failed import left rows of '%s'", db_table_names[i]);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    const char *path = fuzz_path("in.db");
    uint64_t which = fuzz_number(&in, 2);
    bool good;
    struct lift_db_gain gain;
    struct lift_db *db;

    write_folder(&in);
    db = open_new(path);
    good = lift_db_import(db, fuzz_path("in"), &gain);
    if (good) {
        assert_none_new(db, "in");
        if (!lift_db_export(db, fuzz_path("out")))
            LIFT_BUG("%s", lift_db_error(db));
        assert_none_new(db, "out");
    } else
        assert_nothing(db);
    lift_db_close(db);
    if (good) {
        fuzz_check_sound(path);
        fuzz_commands(path, which);
        drop_dir("out");
    }
    fuzz_forget(path);
    return 0;
}
