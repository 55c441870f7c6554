/* Makes terms of configurations of the decisions (rules/decision.h). Common prefixes of
 * configurations are made once. Failures are remembered after one attempt. */
#ifndef EXPLORE_CONFIGURATIONS_H
#define EXPLORE_CONFIGURATIONS_H

#include "explore/derive.h"

/* Makes the low-level expression of a configuration. Returns false and the reason on
 * failure: incompatible options, another kind of device, the program's contract, an
 * option that does not apply, or loops without a level. */
bool configurations_make(struct derivation *d,
                         const struct lift_configuration *configuration,
                         struct derived *out, struct lift_str *why);
/* Returns why the strategies of the first 'count' decisions do not apply; NULL: they
 * apply. */
const char *configurations_why_not_begun(struct derivation *d,
                                         const struct lift_configuration *configuration,
                                         int count);
/* Adds a configuration to the leaves. Returns true if the expression is new. Counts the
 * reason of a failure, unless the expression is already a leaf. */
bool configurations_add(struct derivation *d,
                        const struct lift_configuration *configuration);

/* Adds the leaves of a user's own options in all families. Then adds the leaves of all
 * families with each option of the decisions with which explorations begin ('explore
 * all'). 'most' limits the number of leaves (0: no limit). If no family can be made,
 * configurations_add_standard's leaves are added. */
void configurations_add_families(struct derivation *d, int most);
/* Likewise, but only families with temporal blocking; a user's own options in all
 * families. */
void configurations_add_temporal(struct derivation *d);
/* Adds the standard leaves ('explore default'). */
void configurations_add_standard(struct derivation *d);
/* Returns why neither function added leaves. */
const char *configurations_why_none(const struct derivation *d);
/* Makes the naive kernel ('explore plain'); it need not be a leaf. Returns false and the
 * reason if no candidate can be made. */
bool configurations_naive(struct derivation *d, struct derive_leaf *out,
                          struct lift_str *why);

/* Makes the families in their order; 'visit' returns true to end. */
typedef bool configurations_family(void *user, const struct derive_leaf *leaf);
void configurations_each_family(struct derivation *d, configurations_family *visit,
                                void *user);

/* Makes the term of one family (NULL: the first default family) without recording the
 * derivation. Returns NULL and the reason on failure. */
lift_expr configurations_term(const struct explore_problem *p,
                              const struct lift_rules *rules, enum lift_dialect dialect,
                              const char *family, struct lift_str *why);

/* Data for the tuning spaces of low-level expressions (candidate_space_request). */
struct configurations_spaces {
    struct derivation *derivation;
    const struct lift_device_info *device;
    const struct lift_size_setting *set;
    int set_count;
};
/* Makes the tuning space of a leaf. Returns false and the reason if no values fit. */
bool configurations_space(const struct configurations_spaces *from,
                          const struct derive_leaf *leaf, struct candidate_space *out,
                          struct lift_str *why);

/* Calls 'visit' with every configuration that differs in one decision, if its options fit
 * each other, the device kind and the contract. */
typedef void configurations_visit(void *user,
                                  const struct lift_configuration *configuration);
void configurations_neighbours(const struct derivation *d,
                               const struct lift_configuration *configuration,
                               configurations_visit *visit, void *user);

#endif
