/* Exports the content of a database as a folder of CSV files, one a table. Numbers
 * have no quotes and texts have quotes, so that an empty text differs from NULL. */
#include "base/locale.h"
#include "tuner/db/db_folder.h"
#include "tuner/db/db_tables.h"
#include "tuner/db_tools.h"
#include <csv.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Writes the shortest digits that read back as the same number. */
static void put_real(FILE *out, double x)
{
    char text[40];

    for (int digits = 15; digits <= 17; digits++) {
        lift_snprintf(text, sizeof text, "%.*g", digits, x);
        if (lift_strtod(text, NULL) == x)
            break;
    }
    fputs(text, out);
}

static void put_value(FILE *out, sqlite3_stmt *row, int i)
{
    if (i)
        fputc(',', out);
    switch (sqlite3_column_type(row, i)) {
    case SQLITE_NULL:
        break;
    case SQLITE_INTEGER:
        fprintf(out, "%lld", (long long)sqlite3_column_int64(row, i));
        break;
    case SQLITE_FLOAT:
        put_real(out, sqlite3_column_double(row, i));
        break;
    default: {
        const char *text = db_text(row, i);

        csv_fwrite(out, text, strlen(text));
    }
    }
}

static void put_names(FILE *out, sqlite3_stmt *rows)
{
    for (int i = 0; i < sqlite3_column_count(rows); i++) {
        const char *name = sqlite3_column_name(rows, i);

        if (i)
            fputc(',', out);
        csv_fwrite(out, name, strlen(name));
    }
    fputc('\n', out);
}

static bool write_rows(struct lift_db *db, sqlite3_stmt *rows, FILE *out)
{
    int more;

    put_names(out, rows);
    while ((more = db_step(db, rows)) > 0) {
        for (int i = 0; i < sqlite3_column_count(rows); i++)
            put_value(out, rows, i);
        if (fputc('\n', out) == EOF)
            return true; /* closing the file reports the error */
    }
    return more == 0;
}

static bool cannot_write(struct lift_db *db, const char *path, int error)
{
    return db_failf(db, "cannot write '%s': %s", path, strerror(error));
}

/* Syncs the file to the disk before the rename. */
static bool close_file(struct lift_db *db, FILE *out, const char *path)
{
    bool good = !ferror(out) && !fflush(out) && !fsync(fileno(out));
    int error = errno;

    if (fclose(out) && good) {
        good = false;
        error = errno;
    }
    return good || cannot_write(db, path, error);
}

static bool write_table(struct lift_db *db, int index, const char *path)
{
    struct db_table table;
    sqlite3_stmt *rows;
    FILE *out;
    bool good;

    if (!db_table_describe(db, index, &table) ||
        !(rows = db_table_select(db, &table, false, NULL)))
        return false;
    out = fopen(path, "we");
    good = out ? write_rows(db, rows, out) : cannot_write(db, path, errno);
    sqlite3_finalize(rows);
    if (out && !good)
        fclose(out);
    return good && close_file(db, out, path);
}

static bool write_about(struct lift_db *db, const char *path)
{
    int64_t version;
    FILE *out;

    if (!db_number(db, "PRAGMA user_version", &version))
        return false;
    out = fopen(path, "we");
    if (!out)
        return cannot_write(db, path, errno);
    fprintf(out, "\"name\",\"value\"\n\"schema\",%d\n", (int)version);
    return close_file(db, out, path);
}

static bool write_all(struct lift_db *db, const char *folder)
{
    LIFT_SCOPED(lift_str) path = {0};
    bool good = db_exec(db, "BEGIN", "read");

    for (int i = 0; i < DB_TABLES && good; i++)
        good = write_table(db, i, db_folder_file(&path, folder, db_table_names[i]));
    sqlite3_exec(db->handle, "END", NULL, NULL, NULL);
    good = good && write_about(db, db_folder_file(&path, folder, DB_FOLDER_ABOUT));
    return good;
}

static void drop_folder(const char *folder)
{
    LIFT_SCOPED(lift_str) path = {0};

    for (int i = 0; i < DB_TABLES; i++)
        unlink(db_folder_file(&path, folder, db_table_names[i]));
    unlink(db_folder_file(&path, folder, DB_FOLDER_ABOUT));
    rmdir(folder);
}

/* True if the folder does not exist or is empty. */
static bool is_free(struct lift_db *db, const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    bool empty = true;

    if (!dir)
        return errno == ENOENT || cannot_write(db, folder, errno);
    while ((entry = readdir(dir)) && empty)
        empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
    closedir(dir);
    return empty || cannot_write(db, folder, ENOTEMPTY);
}

/* Renames the complete folder. */
static bool export_as(struct lift_db *db, const char *part, const char *folder)
{
    bool good;

    if (mkdir(part, 0777))
        return cannot_write(db, part, errno);
    good = write_all(db, part);
    if (good && rename(part, folder))
        good = cannot_write(db, folder, errno);
    if (!good)
        drop_folder(part);
    return good;
}

bool lift_db_export(struct lift_db *db, const char *folder)
{
    LIFT_SCOPED(lift_str) part = {0};
    size_t len = strlen(folder);

    while (len > 1 && folder[len - 1] == '/')
        len--;
    lift_str_addf(&part, "%.*s.part-%d", (int)len, folder, (int)getpid());
    return is_free(db, folder) && export_as(db, lift_str_get(&part), folder);
}

bool lift_db_export_best(struct lift_db *db, const char *folder, int64_t most)
{
    LIFT_SCOPED(lift_error) error = {0};
    LIFT_OWNED(lift_db) *best = lift_db_open(":memory:", LIFT_DB_WRITE, &error);

    return (best && lift_db_merge_best(best, db, most) && lift_db_export(best, folder)) ||
           db_failf(db, "%s", best ? lift_db_error(best) : lift_error_text(&error));
}
