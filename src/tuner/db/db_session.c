/* Sessions, and detection of dead sessions. */
#include "base/memory.h"
#include "tuner/db/db_internal.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Identifies a process, even after its number is reused. */
struct process {
    char host[256];
    char boot[64]; /* changes when the machine starts; "" if unknown */
    int64_t pid;
    char born[32]; /* when the process began, in the kernel's units; "" if unknown */
};

static void read_line(const char *path, char *out, size_t size)
{
    FILE *file = fopen(path, "re");

    out[0] = '\0';
    if (!file)
        return;
    if (fgets(out, (int)size, file))
        out[strcspn(out, "\n")] = '\0';
    else
        out[0] = '\0';
    fclose(file);
}

/* Reads field 22 of stat; the name in field 2 may contain blanks and brackets. */
static void read_born(int64_t pid, char *out, size_t size)
{
    char path[64], line[1024], *at, *rest;

    out[0] = '\0';
    snprintf(path, sizeof path, "/proc/%lld/stat", (long long)pid);
    read_line(path, line, sizeof line);
    at = strrchr(line, ')');
    for (int field = 2; at && field < 22; field++)
        at = strchr(at + 1, ' ');
    if (!at)
        return;
    at = strtok_r(at, " ", &rest);
    if (at)
        snprintf(out, size, "%s", at);
}

static void this_process(struct process *p)
{
    if (gethostname(p->host, sizeof p->host))
        p->host[0] = '\0';
    p->host[sizeof p->host - 1] = '\0';
    read_line("/proc/sys/kernel/random/boot_id", p->boot, sizeof p->boot);
    p->pid = getpid();
    read_born(p->pid, p->born, sizeof p->born);
}

/* Processes of other machines count as living, since nothing is known of them. */
static bool is_gone(const struct process *p, const struct process *self)
{
    char born[32];

    if (strcmp(p->host, self->host) != 0)
        return false;
    if (strcmp(p->boot, self->boot) != 0)
        return true;
    if (kill((pid_t)p->pid, 0) && errno == ESRCH)
        return true;
    read_born(p->pid, born, sizeof born);
    return born[0] && p->born[0] && strcmp(born, p->born) != 0;
}

bool lift_db_session_start(struct lift_db *db, const struct lift_db_session *session,
                           struct lift_hash *id)
{
    struct process self;
    char seed[24];

    if (!db_new_id(db, id))
        return false;
    this_process(&self);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)session->seed);
    return db_write(db, NULL, DB_SESSION_START, "httttttitd", *id, session->argv, seed,
                    session->budget, session->versions, self.host, self.boot, self.pid,
                    self.born, session->age);
}

static const char died[] = "the process died";

static bool end_session(struct lift_db *db, struct lift_hash id, const char *reason)
{
    bool dead = reason == died;
    if (!lift_db_begin(db))
        return false;
    return lift_db_end(
        db, db_write(db, NULL, DB_LOSE_TRIALS, "hti", id, reason, (int64_t)dead) &&
                (dead ? db_write(db, NULL, DB_SESSION_DIED, "h", id)
                      : db_write(db, NULL, DB_SESSION_END, "ht", id, reason)));
}

bool lift_db_session_end(struct lift_db *db, struct lift_hash session, const char *reason)
{
    return db_is_whole(db) && db_write(db, NULL, DB_FORGET_TRIALS, "h", session) &&
           end_session(db, session, reason);
}

static void read_process(sqlite3_stmt *row, struct process *p)
{
    snprintf(p->host, sizeof p->host, "%s", db_text(row, 1));
    snprintf(p->boot, sizeof p->boot, "%s", db_text(row, 2));
    p->pid = db_int(row, 3);
    snprintf(p->born, sizeof p->born, "%s", db_text(row, 4));
}

struct dead {
    struct lift_hash *ids;
    int count, cap;
};

static bool find_dead(struct lift_db *db, struct dead *dead)
{
    sqlite3_stmt *rows = db_query(db, DB_SESSIONS_OPEN, "");
    struct process self, p;
    int more = -1;

    this_process(&self);
    while (rows && (more = db_step(db, rows)) > 0) {
        read_process(rows, &p);
        if (!is_gone(&p, &self))
            continue;
        LIFT_ROOM(dead->ids, dead->count, dead->cap);
        dead->ids[dead->count++] = db_hash(rows, 0);
    }
    if (rows)
        db_done(rows);
    return more == 0;
}

/* Ends each dead session once. In a damaged file, a session may be found again after
 * its end. */
bool db_close_dead_sessions(struct lift_db *db)
{
    struct dead dead = {NULL, 0, 0};
    bool good = find_dead(db, &dead);

    for (int i = 0; i < dead.count && good; i++) {
        good = end_session(db, dead.ids[i], died);
        db->closed += good;
    }
    free(dead.ids);
    return good;
}

bool db_count_sessions(struct lift_db *db, int *open, int *dead)
{
    sqlite3_stmt *rows = db_query(db, DB_SESSIONS_OPEN, "");
    struct process self, p;
    int more = -1;

    *open = *dead = 0;
    this_process(&self);
    while (rows && (more = db_step(db, rows)) > 0) {
        read_process(rows, &p);
        ++*open;
        *dead += is_gone(&p, &self);
    }
    if (rows)
        db_done(rows);
    return more == 0;
}
