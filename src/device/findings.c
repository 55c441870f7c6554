/* Cached answers about compilers, shared by a process and its children. The first process
 * with a question runs the compiler, and later processes read the answer. */
#include "device/findings.h"
#include "base/hash.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { FINDINGS = 16, MOST_TEXT = 220 };

/* The process that claims an entry writes the entry once; others read it when it is
 * WHOLE. An entry whose writer died stays CLAIMED and unused. */
enum state { FREE, CLAIMED, WHOLE };

static struct finding {
    atomic_int state;
    struct lift_hash key;
    char text[MOST_TEXT];
} * findings; /* memory shared with children; NULL: no cache */

void device_findings_share(void)
{
    void *memory;

    if (findings)
        return;
    memory = mmap(NULL, FINDINGS * sizeof *findings, PROT_READ | PROT_WRITE,
                  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    findings = memory == MAP_FAILED ? NULL : memory;
}

/* Hashes the question, PATH and the program's file identity, on which the answer depends.
 */
static struct lift_hash key_of(const char *question, const char *program)
{
    struct lift_hash key =
        lift_hash_combine(lift_hash_text(question), lift_hash_text(program));
    const char *path = getenv("PATH");
    struct stat now;

    if (path)
        key = lift_hash_combine(key, lift_hash_text(path));
    if (stat(program, &now) == 0) {
        key = lift_hash_add_int(key, (int64_t)now.st_ino);
        key = lift_hash_add_int(key, now.st_size);
        key = lift_hash_add_int(key, now.st_mtim.tv_sec);
        key = lift_hash_add_int(key, now.st_mtim.tv_nsec);
    }
    return key;
}

bool device_findings_get(const char *question, const char *program, struct lift_str *text)
{
    struct lift_hash key = key_of(question, program);

    for (int i = 0; findings && i < FINDINGS; i++) {
        const struct finding *f = &findings[i];

        if (atomic_load(&f->state) == WHOLE && memcmp(&f->key, &key, sizeof key) == 0) {
            lift_str_add(text, f->text);
            return true;
        }
    }
    return false;
}

void device_findings_keep(const char *question, const char *program, const char *text)
{
    struct lift_hash key = key_of(question, program);

    for (int i = 0; findings && strlen(text) < MOST_TEXT && i < FINDINGS; i++) {
        struct finding *f = &findings[i];
        int is_free = FREE;

        if (!atomic_compare_exchange_strong(&f->state, &is_free, CLAIMED))
            continue;
        f->key = key;
        strcpy(f->text, text);
        atomic_store(&f->state, WHOLE);
        return;
    }
}
