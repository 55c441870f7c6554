/* Shipped kernels (programs/tuned) are the measured ones: the rules and the code
 * generator still produce, byte by byte, the source whose hash was stored with its time.
 * Needs neither a device nor a compiler. */
#include "base/arena.h"
#include "ir/expr.h"
#include "lift/chosen.h"
#include "tuner/db_tools.h"
#include "unit/db_world.h"
#include <jansson.h>

struct look {
    struct lift_db *db;
    struct lift_rules *rules;
    struct lift_arena *arena; /* of devices and sizes */
    int kernels, other;
};

struct device {
    struct lift_arena *arena;
    struct lift_device_info info;
    bool there;
};

static bool copy_device(void *user, const struct lift_device_info *row)
{
    struct device *d = user;
    const char **const texts[] = {&d->info.name,   &d->info.vendor, &d->info.runtime,
                                  &d->info.driver, &d->info.arch,   &d->info.compiler};

    d->info = *row;
    d->there = true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i] = lift_arena_strdup(d->arena, *texts[i]);
    return false;
}

static int read_sizes(struct lift_arena *arena, const char *text,
                      struct lift_size_setting **out)
{
    json_t *json = json_loads(text, 0, NULL), *value;
    const char *name;
    int count = 0;

    *out = LIFT_NEW_ARRAY(arena, struct lift_size_setting, json_object_size(json) + 1);
    json_object_foreach(json, name, value)(*out)[count++] = (struct lift_size_setting){
        lift_arena_strdup(arena, name), json_integer_value(value)};
    json_decref(json);
    return count;
}

/* The error of a choice, or NULL. */
static const char *difference(const struct lift_chosen *chosen,
                              const struct lift_db_kernel *kernel)
{
    const struct lift_chosen_facts *f = lift_chosen_facts(chosen);

    if (!f)
        return "it cannot be made";
    if (f->how != LIFT_CHOSEN_EXACT || !lift_hash_equal(f->expr, kernel->expr))
        return "its derivation does not lead to it any more";
    if (strcmp(f->tunables, kernel->tunables) != 0)
        return "its tunables have changed";
    return lift_hash_equal(lift_hash_text(f->source), kernel->source)
               ? NULL
               : "another source than the measured one";
}

static void tell(const struct lift_db_kernel *k, const char *what, const char *why)
{
    char hex[LIFT_HASH_HEX];

    print_message("%s %s of %s on %s (%s), %.*s: %s%s%s\n", k->program, k->sizes,
                  k->dtype, k->device, k->runtime, LIFT_HASH_SHORT,
                  lift_hash_hex(k->expr, hex), what, *why ? ": " : "", why);
}

static bool check_kernel(void *user, const struct lift_db_kernel *kernel)
{
    struct look *l = user;
    struct device device = {.arena = l->arena};
    struct lift_source source = {kernel->program, kernel->text, strlen(kernel->text)};
    struct lift_choose_options o = {
        .source = &source, .stored = true, .rules = l->rules, .db = l->db};
    struct lift_size_setting *sizes;
    struct lift_error errors = {0};
    struct lift_chosen *chosen;
    const char *wrong;

    OK(l->db, lift_db_device(l->db, kernel->device_id, copy_device, &device));
    assert_true(device.there);
    o.device = &device.info;
    o.size_count = read_sizes(l->arena, kernel->sizes, &sizes);
    o.sizes = sizes;
    chosen = lift_choose(&o, &errors);
    wrong = difference(chosen, kernel);
    if (wrong)
        tell(kernel, wrong, lift_error_text(&errors));
    l->kernels++;
    l->other += wrong != NULL;
    lift_chosen_destroy(chosen);
    lift_error_fini(&errors);
    return true;
}

static void test_shipped_is_measured(void **state)
{
    const char *root = getenv("LIFT_SOURCE_DIR");
    struct look l = {.db = open_db(":memory:", LIFT_DB_WRITE),
                     .rules = lift_rules_shipped(),
                     .arena = lift_arena_create()};
    struct lift_db_gain gain;
    char path[512];

    (void)state;
    snprintf(path, sizeof path, "%s/programs/tuned", root ? root : ".");
    OK(l.db, lift_db_import(l.db, path, &gain));
    OK(l.db, lift_db_kernels(l.db, &(struct lift_db_filter){0}, 1, check_kernel, &l));
    lift_arena_destroy(l.arena);
    lift_rules_destroy(l.rules);
    lift_db_close(l.db);
    assert_true(l.kernels > 0);
    if (l.other)
        fail_msg("%d of %d kernels that ship are not the ones that were measured",
                 l.other, l.kernels);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shipped_is_measured)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
