/* Seeds of an exploration: the best kernels of other sizes and devices. */
#ifndef TUNER_DB_SEEDS_H
#define TUNER_DB_SEEDS_H

#include "tuner/db.h"

/* More than are worth a trial, since a device cannot run every kernel of another
 * device. */
enum { LIFT_DB_SEEDS = 64 };

enum lift_db_seed_kind {
    LIFT_DB_SEED_DEVICE, /* among the best of this device, at other sizes */
    LIFT_DB_SEED_ARCH,   /* among the best of another device of the same architecture */
    LIFT_DB_SEED_CONSENSUS, /* good on many devices and at many sizes */
};

/* "same device", "same architecture", "consensus". */
const char *lift_db_seed_kind_name(enum lift_db_seed_kind kind);

struct lift_db_seed {
    enum lift_db_seed_kind kind;
    struct lift_hash expr;
    const char *tunables;
};

typedef bool lift_db_seed_row(void *user, const struct lift_db_seed *seed);
/* Reads at most LIFT_DB_SEEDS verified candidates of the same program, each once, the
 * most promising first. First come candidates of this device, beginning with the
 * nearest sizes. Then come candidates of devices of the same runtime and
 * architecture. Last come candidates with the best mean over all devices and sizes.
 * The callback returns false when the caller has enough. */
bool lift_db_seeds(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                   lift_db_seed_row *row, void *user);

#endif
