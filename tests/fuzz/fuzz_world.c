#include "fuzz_world.h"
#include "base/bug.h"
#include "cli/cli.h"
#include "tuner/db/db_values.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- bytes */

uint8_t fuzz_byte(struct fuzz_input *in)
{
    if (!in->size)
        return 0;
    in->size--;
    return *in->data++;
}

uint64_t fuzz_number(struct fuzz_input *in, int bytes)
{
    uint64_t n = 0;

    for (int i = 0; i < bytes; i++)
        n |= (uint64_t)fuzz_byte(in) << 8 * i;
    return n;
}

const char *fuzz_text(struct fuzz_input *in, size_t *len)
{
    static char text[256];
    size_t wanted = fuzz_byte(in);

    *len = wanted < in->size ? wanted : in->size;
    memcpy(text, in->data, *len);
    text[*len] = '\0';
    in->data += *len;
    in->size -= *len;
    return text;
}

/* ---- files */

static char folder[64];

static void drop_folder(void)
{
    char command[96];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command))
        fprintf(stderr, "'%s' stays\n", folder);
}

/* In memory, where there is such a folder: the fuzzers write thousands of files. */
void fuzz_make_folder(void)
{
    snprintf(folder, sizeof folder, "%s/lift-fuzz-XXXXXX",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    if (!mkdtemp(folder))
        LIFT_BUG("no folder for files of the fuzzer");
    atexit(drop_folder);
}

const char *fuzz_path(const char *name)
{
    static char paths[16][512];
    char path[512];
    int i = 0;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    while (i < 16 && paths[i][0] && strcmp(paths[i], path) != 0)
        i++;
    LIFT_ASSERT(i < 16);
    return strcpy(paths[i], path);
}

char *fuzz_read(const char *path, size_t *len)
{
    FILE *file = fopen(path, "rb");
    char *data;
    long size;

    if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0)
        LIFT_BUG("cannot read '%s'", path);
    rewind(file);
    data = malloc((size_t)size + 1);
    LIFT_ASSERT(data);
    *len = fread(data, 1, (size_t)size, file);
    fclose(file);
    return data;
}

void fuzz_write(const char *path, const char *data, size_t len)
{
    FILE *file = fopen(path, "wb");

    if (!file || fwrite(data, 1, len, file) != len || fclose(file))
        LIFT_BUG("cannot write '%s'", path);
}

void fuzz_forget(const char *path)
{
    static const char *const parts[] = {"", "-wal", "-shm", "-journal"};
    char part[600];

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(part, sizeof part, "%s%s", path, parts[i]);
        unlink(part);
    }
}

/* ---- the base */

/* One problem of the kernels that ship, a trial that failed, and a row of each other
 * table.
 */
static const char reduce[] =
    "PRAGMA foreign_keys = 0; DROP TRIGGER trial_ended;"
    "CREATE TEMP TABLE kept AS SELECT id FROM problem WHERE program IN"
    " (SELECT id FROM program WHERE name = 'jacobi2d5') ORDER BY id LIMIT 1;"
    "DELETE FROM trial WHERE problem NOT IN kept;"
    "DELETE FROM problem WHERE id NOT IN kept;"
    "DELETE FROM program WHERE id NOT IN (SELECT program FROM problem);"
    "DELETE FROM check_result WHERE trial NOT IN (SELECT id FROM trial);"
    "DELETE FROM timing WHERE trial NOT IN (SELECT id FROM trial);"
    "DELETE FROM finalist WHERE trial NOT IN (SELECT id FROM trial);"
    "DELETE FROM session WHERE id NOT IN (SELECT session FROM trial);"
    "DELETE FROM candidate WHERE id NOT IN (SELECT candidate FROM trial);"
    "DELETE FROM build WHERE id NOT IN (SELECT build FROM trial);"
    "DELETE FROM source WHERE id NOT IN (SELECT source FROM build);"
    "CREATE TEMP TABLE way AS WITH RECURSIVE w(id) AS (SELECT expr FROM candidate"
    " UNION SELECT root FROM problem UNION SELECT d.parent FROM w JOIN deriv d"
    " ON d.child = w.id) SELECT id FROM w;"
    "DELETE FROM deriv WHERE child NOT IN way; DELETE FROM macro_use WHERE child NOT IN"
    " way; DELETE FROM configuration WHERE expr NOT IN way; DELETE FROM expr WHERE id "
    "NOT IN way;"
    "INSERT INTO trial(id, candidate, problem, device, session, status, reason, build,"
    " started, ended, env) SELECT substr(id, 5) || 'abcd', candidate, problem, device,"
    " session, 'compile_error', 'no such type', build, started, ended, env FROM trial;"
    "INSERT INTO reach SELECT id, (SELECT id FROM problem), (SELECT id FROM device),"
    " 'tried', '', 7 FROM session;"
    "INSERT INTO device_event SELECT id, (SELECT id FROM device), id, started, 'strike',"
    " 'once' FROM session;"
    "CREATE TRIGGER trial_ended BEFORE UPDATE ON trial WHEN OLD.status <> 'started'\n"
    "BEGIN SELECT RAISE(ABORT, 'a trial that has ended is not changed'); END;"
    "PRAGMA journal_mode = delete; VACUUM";

static struct lift_db *open_db(const char *path, enum lift_db_mode mode)
{
    struct lift_error error = {0};
    struct lift_db *db = lift_db_open(path, mode, &error);

    if (!db)
        LIFT_BUG("%s", lift_error_text(&error));
    lift_error_fini(&error);
    return db;
}

void fuzz_make_base(void)
{
    const char *root = getenv("LIFT_SOURCE_DIR");
    LIFT_SCOPED(lift_str) tuned = {0};
    struct lift_db_gain gain;
    struct lift_db *db;
    sqlite3 *handle;
    char *why = NULL;

    fuzz_make_folder();
    db = open_db(fuzz_path("base.db"), LIFT_DB_WRITE);
    lift_str_addf(&tuned, "%s/programs/tuned", root ? root : LIFT_SOURCE_DIR);
    if (!lift_db_import(db, lift_str_get(&tuned), &gain))
        LIFT_BUG("%s", lift_db_error(db));
    lift_db_close(db);
    if (sqlite3_open(fuzz_path("base.db"), &handle) != SQLITE_OK ||
        sqlite3_exec(handle, reduce, NULL, NULL, &why) != SQLITE_OK)
        LIFT_BUG("%s", why ? why : "cannot open the base");
    sqlite3_close(handle);
    fuzz_check_sound(fuzz_path("base.db"));
}

/* ---- reading */

/* '@' stands for the database. The last command is slow, and runs rarely. */
static const struct {
    const struct cli_command *command;
    const char *arguments[12];
} commands[] = {
    {&cli_best, {"--db", "@"}},
    {&cli_best, {"--json", "--db", "@"}},
    {&cli_best, {"jacobi2d5", "--db", "@"}},
    {&cli_show, {"--db", "@"}},
    {&cli_show, {"--failures", "--db", "@"}},
    {&cli_show, {"--families", "--db", "@"}},
    {&cli_show, {"--decisions", "--db", "@"}},
    {&cli_show, {"--tree", "--db", "@"}},
    {&cli_report, {"--db", "@", "-o", "/dev/null"}},
    {&cli_db, {"stats", "--db", "@"}},
    {&cli_db, {"doctor", "--db", "@"}},
    {&cli_db, {"export", "--view", "best", "--db", "@"}},
    {&cli_best,
     {"jacobi2d5", "--size", "nx=8192,ny=8192", "--device", "H200", "--emit", "source",
      "-o", "/dev/null", "--db", "@"}},
};

/* A command with its arguments. Its status does not matter. */
static void run(const struct cli_command *c, const char *const *arguments,
                const char *path)
{
    char words[16][600], *argv[16] = {NULL};
    int argc = 0;

    snprintf(words[argc++], sizeof words[0], "%s", c->name);
    for (; *arguments; arguments++)
        snprintf(words[argc++], sizeof words[0], "%s",
                 strcmp(*arguments, "@") ? *arguments : path);
    for (int i = 0; i < argc; i++)
        argv[i] = words[i];
    c->run(argc, argv);
}

void fuzz_commands(const char *path, uint64_t which)
{
    int count = (int)(sizeof commands / sizeof *commands);

    for (int i = 0; i < count; i++)
        if (which >> i & 1 && (i < count - 1 || which >> 12 == 3))
            run(commands[i].command, commands[i].arguments, path);
}

void fuzz_check_sound(const char *path)
{
    struct lift_db *db = open_db(path, LIFT_DB_READ);
    struct lift_str first = {0};
    int64_t wrong, dangling;

    if (!db_count_wrong(db, &wrong, &first) ||
        !db_number(db, "SELECT count(*) FROM pragma_foreign_key_check", &dangling))
        LIFT_BUG("%s", lift_db_error(db));
    if (wrong || dangling)
        LIFT_BUG("%d rows that are wrong: %s; %d that refer to nothing", (int)wrong,
                 lift_str_get(&first), (int)dangling);
    lift_str_fini(&first);
    lift_db_close(db);
}

/* ---- writing */

void fuzz_merge(const char *path)
{
    struct lift_error error = {0};
    struct lift_db *from = lift_db_open(path, LIFT_DB_READ, &error), *to;
    struct lift_db_gain gain, again;

    to = from ? lift_db_open(fuzz_path("to.db"), LIFT_DB_WRITE, &error) : NULL;
    if (to && lift_db_merge(to, from, &gain) && lift_db_merge(to, from, &again) &&
        again.rows)
        LIFT_BUG("%d rows came over twice", (int)again.rows);
    lift_db_close(to);
    lift_db_close(from);
    lift_error_fini(&error);
    if (to)
        fuzz_check_sound(fuzz_path("to.db"));
    fuzz_forget(fuzz_path("to.db"));
}

static void ignore(void *user, enum lift_db_health health, const char *what)
{
    (void)user;
    (void)health;
    (void)what;
}

void fuzz_mend(const char *path)
{
    struct lift_error error = {0};
    struct lift_db *db = lift_db_open(path, LIFT_DB_WRITE_DAMAGED, &error);

    if (db)
        lift_db_doctor(db, LIFT_DB_REPAIR_ALL, ignore, NULL);
    lift_db_close(db);
    lift_error_fini(&error);
}
