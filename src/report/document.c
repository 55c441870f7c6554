#include "report/document.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "explore/explore_footprint.h"
#include "lift/version.h"
#include "report/commands.h"
#include "report/short.h"
#include <string.h>
#include <time.h>

enum { TOP = 10 }; /* kernels of a problem on a device */

static json_t *find_row(const json_t *document, const char *table, struct lift_hash id)
{
    char hex[LIFT_HASH_HEX];
    const json_t *rows = json_object_get(document, table);
    json_t *row;
    size_t i;

    lift_hash_hex(id, hex);
    json_array_foreach(rows, i, row)
    {
        const char *other = json_string_value(json_object_get(row, "id"));

        if (other && !strcmp(other, hex))
            return row;
    }
    return NULL;
}

static const char *text_of(const json_t *row, const char *key)
{
    const char *text = json_string_value(json_object_get(row, key));

    return text ? text : "";
}

/* A command line may have bytes that are no text. */
static json_t *shown(const char *text)
{
    LIFT_SCOPED(lift_str) clean = {0};

    lift_utf8_add(&clean, text, strlen(text));
    return json_string(lift_str_get(&clean));
}

static json_t *known(double value)
{
    return value > 0 ? json_real(value) : json_null();
}

/* Floating-point operations a grid point, as 'lift check' counts them, of the program
 * that the row of a problem has as text; 0: this version cannot read the program. */
static double operations_of(struct lift_arena *arena, const json_t *problem)
{
    const char *text = text_of(problem, "text");
    struct lift_source source = {text_of(problem, "program"), text, strlen(text)};
    LIFT_FREED char *sizes = lift_json_print(json_object_get(problem, "sizes"), 0);
    struct lift_size_setting *settings;
    int count = report_sizes_of(arena, sizes, &settings);
    struct lift_program_options options = {.sizes = settings, .size_count = count};
    LIFT_OWNED(lift_ir) *ir = lift_ir_create();
    LIFT_SCOPED(lift_error) errors = {0};
    LIFT_SCOPED(lift_str) why = {0};
    const struct lift_program *program =
        lift_program_load(ir, &source, &options, &errors);
    json_int_t steps = json_integer_value(json_object_get(problem, "steps"));
    struct lift_footprints found;

    return program && lift_footprints_find(ir, program, &found, &why)
               ? found.ops.flops / (double)(steps > 1 ? steps : 1)
               : 0;
}

/* ---- the best kernels */

struct reader {
    struct lift_db *db;
    struct lift_arena *arena;
    const char *path;
    json_t *document, *best, *kernels, *derivations;
    bool good;
};

static bool add_step(void *steps, const struct lift_db_step *step)
{
    json_t *macros = json_array();

    for (int i = 0; i < step->macro_count; i++)
        json_array_append_new(
            macros, json_pack("{s:s, s:s, s:i, s:i}", "macro", step->macros[i].macro,
                              "position", step->macros[i].position, "first",
                              step->macros[i].first, "steps", step->macros[i].steps));
    json_array_append_new(steps, json_pack("{s:s, s:s, s:s, s:o}", "rule", step->rule,
                                           "position", step->position, "args", step->args,
                                           "macros", macros));
    return true;
}

static void add_derivation(struct reader *r, struct lift_hash expr)
{
    LIFT_SCOPED(lift_str) how = {0};
    char hex[LIFT_HASH_HEX];
    json_t *steps;

    if (json_object_get(r->derivations, lift_hash_hex(expr, hex)))
        return;
    steps = json_array();
    r->good &= report_how_short(r->db, expr, " \xc2\xb7 ", &how) &&
               lift_db_derivation(r->db, expr, add_step, steps);
    json_object_set_new(
        r->derivations, hex,
        json_pack("{s:s, s:o}", "how", lift_str_get(&how), "steps", steps));
}

static bool complete_kernel(void *kernel, const struct lift_db_kernel_row *row)
{
    char expr[LIFT_HASH_HEX], session[LIFT_HASH_HEX];
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {{"registers", row->registers},
                   {"spill_bytes", row->spill_bytes},
                   {"local_bytes", row->local_bytes}};
    json_t *tunables = lift_json_read(row->tunables, 0);

    json_object_update_new(
        kernel, json_pack("{s:s, s:s, s:b, s:o}", "expr", lift_hash_hex(row->expr, expr),
                          "session", lift_hash_hex(row->session, session), "verified",
                          row->verified, "tunables",
                          tunables ? tunables : json_string(row->tunables)));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(kernel, numbers[i].name,
                            numbers[i].value < 0 ? json_null()
                                                 : json_integer(numbers[i].value));
    return false;
}

/* The same kernels as in the summary of an exploration. */
static void add_kernels(struct reader *r, const struct lift_db_best *best)
{
    LIFT_SCOPED(report_top) top = {.most = TOP};
    char problem[LIFT_HASH_HEX], device[LIFT_HASH_HEX];
    int place = 0;

    lift_hash_hex(best->problem, problem);
    lift_hash_hex(best->device_id, device);
    r->good &= report_top_load(&top, r->db, best->problem, best->device_id);
    for (int i = 0; i < top.count; i++) {
        const struct report_top_row *row = &top.rows[i];
        json_auto_t *kernel = json_pack("{s:s, s:s, s:s, s:f, s:b}", "problem", problem,
                                        "device", device, "trial", row->trial, "seconds",
                                        row->seconds, "confirmed", row->confirmed);

        r->good &= lift_db_kernel(r->db, row->trial, complete_kernel, kernel);
        if (!json_is_true(json_object_get(kernel, "verified")) || !(row->seconds > 0))
            continue;
        json_object_del(kernel, "verified");
        json_object_set_new(kernel, "place", json_integer(++place));
        json_array_append(r->kernels, kernel);
        add_derivation(r, row->expr);
    }
}

static bool add_best(void *user, const struct lift_db_best *row)
{
    struct reader *r = user;
    const json_t *device = find_row(r->document, "devices", row->device_id);
    LIFT_SCOPED(lift_str) command = {0};
    struct report_named program;
    char problem[LIFT_HASH_HEX], device_id[LIFT_HASH_HEX], trial[LIFT_HASH_HEX],
        expr[LIFT_HASH_HEX];

    if (!find_row(r->document, "problems", row->problem) || !device ||
        !(row->seconds > 0))
        return true;
    r->good &= report_named(r->db, r->arena, row->problem, &program);
    if (!r->good)
        return false;
    report_emit_command(&program, r->path, text_of(device, "argument"), row->sizes,
                        &command);
    json_array_append_new(
        r->best,
        json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:o, s:o, s:b, s:o}", "problem",
                  lift_hash_hex(row->problem, problem), "device",
                  lift_hash_hex(row->device_id, device_id), "trial",
                  lift_hash_hex(row->trial, trial), "expr",
                  lift_hash_hex(row->expr, expr), "seconds", row->seconds, "gpts",
                  row->gpts, "gbs", known(row->gbs), "copy_share", known(row->copy_share),
                  "confirmed", row->confirmed, "command", shown(lift_str_get(&command))));
    add_kernels(r, row);
    return r->good;
}

/* ---- the document */

static json_t *sizes_json(const struct report_wanted *wanted)
{
    json_t *sizes = json_object();

    for (int i = 0; i < wanted->size_count; i++)
        json_object_set_new(sizes, wanted->sizes[i].name,
                            json_integer(wanted->sizes[i].value));
    return sizes;
}

/* Says why a report is empty. */
static bool add_nothing(json_t *document, struct lift_db *db, const char *path,
                        const struct report_wanted *wanted)
{
    LIFT_SCOPED(lift_str) why = {0};

    if (json_array_size(json_object_get(document, "problems")))
        return true;
    lift_str_add(&why,
                 "No trials of these programs, sizes, precisions and devices are in "
                 "the database");
    if (!report_say_others(db, REPORT_ROWS_EXPLORED, wanted, &why))
        return false;
    lift_str_addf(&why, ": 'lift explore FILE.lift --db %s' makes some.", path);
    json_object_set_new(document, "nothing", shown(lift_str_get(&why)));
    return true;
}

json_t *report_document(struct lift_db *db, const char *path,
                        const struct report_wanted *wanted, struct lift_arena *arena)
{
    struct reader r = {db, arena, path, .good = true};
    struct lift_db_filter filter = wanted->filter;
    json_auto_t *wanted_sizes = sizes_json(wanted);
    LIFT_FREED char *sizes = lift_json_print(wanted_sizes, 0);
    time_t now = time(NULL);
    char made[32];
    json_t *problem;
    size_t i;

    filter.sizes = sizes;
    r.document = lift_db_report(db, &filter);
    if (!r.document)
        return NULL;
    strftime(made, sizeof made, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
    json_object_update_new(r.document, json_pack("{s:s, s:s, s:o}", "lift", LIFT_VERSION,
                                                 "made", made, "database", shown(path)));
    json_array_foreach(json_object_get(r.document, "problems"), i, problem)
    {
        json_object_set_new(problem, "ops", known(operations_of(arena, problem)));
        json_object_del(problem, "text");
    }
    json_object_set_new(r.document, "best", r.best = json_array());
    json_object_set_new(r.document, "kernels", r.kernels = json_array());
    json_object_set_new(r.document, "derivations", r.derivations = json_object());
    filter.sizes = NULL;
    if (lift_db_best(db, &filter, add_best, &r) && r.good &&
        add_nothing(r.document, db, path, wanted))
        return r.document;
    json_decref(r.document);
    return NULL;
}

/* ---- output */

void report_print(const json_t *document, struct lift_str *out)
{
    LIFT_FREED char *text = lift_json_print(document, JSON_COMPACT | JSON_ENSURE_ASCII |
                                                          JSON_REAL_PRECISION(9));

    for (const char *c = text; c && *c; c++)
        if (strchr("<>&\177", *c))
            lift_str_addf(out, "\\u%04x", (unsigned)*c);
        else
            lift_str_addc(out, *c);
}

void report_page(const json_t *document, struct lift_str *out)
{
    lift_str_add(out, report_texts[REPORT_BEGIN]);
    report_print(document, out);
    lift_str_add(out, report_texts[REPORT_END]);
}
