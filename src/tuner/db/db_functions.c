/* SQL functions that lift's statements call. */
#include "base/utf8.h"
#include "tuner/db/db_internal.h"
#include <stdlib.h>
#include <zlib.h>

/* Shorter texts stay readable in the sqlite3 shell. */
enum { PACK_FROM = 256 };

/* lift_pack(text): a blob in zlib's format, or the text itself if the blob is not
 * shorter. */
static void pack(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const void *text = sqlite3_value_text(argv[0]);
    uLong size = (uLong)sqlite3_value_bytes(argv[0]);
    uLongf room = compressBound(size);
    Bytef *out;

    (void)argc;
    if (!text || size < PACK_FROM) {
        sqlite3_result_value(context, argv[0]);
        return;
    }
    out = malloc(room);
    if (!out || compress2(out, &room, text, size, 6) != Z_OK) {
        free(out);
        sqlite3_result_error_nomem(context);
        return;
    }
    if (room < size)
        sqlite3_result_blob64(context, out, room, free);
    else
        sqlite3_result_value(context, argv[0]);
    if (room >= size)
        free(out);
}

char *db_unpack(const void *packed, int size, int64_t bytes)
{
    uLongf got = (uLongf)bytes;
    char *out = bytes > 0 && bytes <= LIFT_DB_TEXT ? malloc((size_t)bytes + 1) : NULL;

    if (out && uncompress((Bytef *)out, &got, packed, (uLong)size) == Z_OK &&
        got == (uLong)bytes) {
        out[bytes] = '\0';
        return out;
    }
    free(out);
    return NULL;
}

/* sqlar_uncompress(packed, bytes), as in the sqlite3 shell. */
static void unpack(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    sqlite3_int64 bytes = sqlite3_value_int64(argv[1]);
    int packed = sqlite3_value_bytes(argv[0]);
    char *out;

    (void)argc;
    if (bytes <= 0 || bytes == packed) {
        sqlite3_result_value(context, argv[0]);
        return;
    }
    out = db_unpack(sqlite3_value_blob(argv[0]), packed, bytes);
    if (out)
        sqlite3_result_blob64(context, out, (sqlite3_uint64)bytes, free);
    else if (bytes > LIFT_DB_TEXT)
        sqlite3_result_error(context, "a packed text is longer than 16 MiB", -1);
    else
        sqlite3_result_error(context, "a packed text is damaged", -1);
}

/* lift_text(text): replaces bytes that are not UTF-8. */
static void text(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    const char *given = sqlite3_value_type(argv[0]) == SQLITE_TEXT
                            ? (const char *)sqlite3_value_text(argv[0])
                            : NULL;
    size_t len = given ? (size_t)sqlite3_value_bytes(argv[0]) : 0;
    struct lift_str clean = {0};

    (void)argc;
    if (!given || lift_utf8_check(given, len) == len) {
        sqlite3_result_value(context, argv[0]);
        return;
    }
    lift_utf8_add(&clean, given, len);
    len = clean.len;
    sqlite3_result_text64(context, lift_str_take(&clean), len, free, SQLITE_UTF8);
}

static const char *text_of(sqlite3_value *value)
{
    const char *text = (const char *)sqlite3_value_text(value);

    return text ? text : "";
}

/* lift_device_id(runtime, vendor, name, arch, compute units, SIMD width, local memory) */
static void device_id(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    struct lift_device_info info = {
        .runtime = text_of(argv[0]),
        .vendor = text_of(argv[1]),
        .name = text_of(argv[2]),
        .arch = text_of(argv[3]),
        .compute_units = sqlite3_value_int(argv[4]),
        .simd_width = sqlite3_value_int(argv[5]),
        .local_bytes = sqlite3_value_int64(argv[6]),
    };
    char hex[LIFT_HASH_HEX];

    (void)argc;
    sqlite3_result_text(context, lift_hash_hex(lift_device_hash(&info), hex), -1,
                        SQLITE_TRANSIENT);
}

/* lift_candidate_id(expression, tunables): see lift_db_put_candidate. */
static void candidate_id(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    struct lift_hash expr = {0};
    char hex[LIFT_HASH_HEX];

    (void)argc;
    lift_hash_parse(text_of(argv[0]), &expr);
    lift_hash_hex(db_candidate_id(expr, text_of(argv[1])), hex);
    sqlite3_result_text(context, hex, -1, SQLITE_TRANSIENT);
}

bool lift_db_possible(double seconds, double work)
{
    const double least = 1e-10, month = 2.6e6, fastest = 1e15;

    return seconds >= least && seconds <= month && work <= fastest * seconds;
}

/* lift_possible(nanoseconds, work) */
static void possible(sqlite3_context *context, int argc, sqlite3_value **argv)
{
    int type = sqlite3_value_type(argv[0]);

    (void)argc;
    sqlite3_result_int(context, (type == SQLITE_INTEGER || type == SQLITE_FLOAT) &&
                                    lift_db_possible(sqlite3_value_double(argv[0]) * 1e-9,
                                                     sqlite3_value_double(argv[1])));
}

bool db_add_functions(struct lift_db *db)
{
    enum { FLAGS = SQLITE_UTF8 | SQLITE_DETERMINISTIC };
    static const struct {
        const char *name;
        int args;
        void (*call)(sqlite3_context *, int, sqlite3_value **);
    } functions[] = {
        {"lift_pack", 1, pack},          {"lift_text", 1, text},
        {"sqlar_uncompress", 2, unpack}, {"lift_device_id", 7, device_id},
        {"lift_possible", 2, possible},  {"lift_candidate_id", 2, candidate_id},
    };

    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (sqlite3_create_function_v2(db->handle, functions[i].name, functions[i].args,
                                       FLAGS, NULL, functions[i].call, NULL, NULL,
                                       NULL) != SQLITE_OK)
            return db_fail(db, "open");
    return true;
}
