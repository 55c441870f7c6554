/* Seeds of an exploration: the best kernels of other sizes and devices. */
#ifndef TUNER_DB_SEEDS_H
#define TUNER_DB_SEEDS_H

#include "tuner/db.h"

/* More than are worth a trial, since a device cannot run every kernel of another. */
enum { LIFT_DB_SEEDS = 64 };

enum lift_db_seed_kind {
    LIFT_DB_SEED_DEVICE,    /* among the best of this device, at other sizes */
    LIFT_DB_SEED_ARCH,      /* among the best of another device of its architecture */
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
/* At most LIFT_DB_SEEDS verified candidates of the same program, each once, the most
 * promising first: those of this device, of which the nearest sizes come first; then
 * those of devices of the same runtime and architecture; then those that come nearest to
 * the best in the mean over all devices and sizes. The caller stops when it has enough.
 */
bool lift_db_seeds(struct lift_db *db, struct lift_hash problem, struct lift_hash device,
                   lift_db_seed_row *row, void *user);

#endif
