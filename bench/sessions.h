/* Explorations by the command 'lift', and what their databases say of them. All calls end
 * the process with a message and status 1 on failure. */
#ifndef BENCH_SESSIONS_H
#define BENCH_SESSIONS_H

#include <stdbool.h>

struct bench_session {
    const char *lift;            /* the command */
    const char *program, *sizes; /* sizes NULL: the program's own */
    const char *precision;       /* NULL: the program's own */
    const char *device, *db;
    double seconds;
    int tries; /* so many instead; 0: for so long */
    int seed;
    const char *jobs; /* NULL: as many as the command takes */
};

/* Explores; false if that failed, with its messages on stderr. */
bool bench_explore(const struct bench_session *session);

/* What a database says of its newest session. Times run from the start of the session
 * (rewriting, the reference, the device's roof and seeds are part of it) to the end of
 * the try; negative: never. The best kernel is that of all sessions of its problem. */
struct bench_outcome {
    double best;       /* seconds of the best kernel; negative: there is none */
    double first;      /* s until the first verified kernel */
    double session;    /* s in all */
    double gpts, roof; /* of the best; roof in percent of the copy bandwidth */
    int tries;         /* without the final */
    double rate; /* tries a minute, from the beginning of the first to the end of the
                    last */
    /* Seconds that these tries took in all to compile (by several processes at once),
     * check and time. */
    double compile, check, measure;
};

struct bench_outcome bench_outcome_read(const char *db);
/* s until the newest session measured a kernel that takes at most so many seconds. */
double bench_time_to(const char *db, double seconds);

#endif
