/* Configurations of the decisions (rules/decision.h) made into terms. What several
 * configurations have in common is made once; what cannot be made is known after one
 * attempt. */
#ifndef EXPLORE_CONFIGURATIONS_H
#define EXPLORE_CONFIGURATIONS_H

#include "explore/derive.h"

/* The low-level expression of a configuration. False and the reason if there is none:
 * options that do not fit each other, the kind of device or the program's contract, an
 * option that does not apply, loops without a level. */
bool configurations_make(struct derivation *d,
                         const struct lift_configuration *configuration,
                         struct derived *out, struct lift_str *why);
/* Why the strategies of a configuration's first 'count' decisions do not apply, one after
 * the other; NULL: they do. */
const char *configurations_why_not_begun(struct derivation *d,
                                         const struct lift_configuration *configuration,
                                         int count);
/* Adds it to the leaves; true if it is new. Otherwise counts the reason, unless the
 * expression is a leaf already. */
bool configurations_add(struct derivation *d,
                        const struct lift_configuration *configuration);

/* Adds the leaves of a user's own options in all families, then those of all families
 * with each option of the decisions that explorations begin with ('explore all'); at most
 * so many leaves in all (0: no limit). Where no family can be made, those of
 * configurations_add_standard. */
void configurations_add_families(struct derivation *d, int most);
/* Those that are taken where nothing is known ('explore default'). */
void configurations_add_standard(struct derivation *d);
/* Why there are no leaves after either. */
const char *configurations_why_none(const struct derivation *d);
/* The first that a person would write ('explore plain'); it need not be a leaf. False and
 * the reason if none can be made. */
bool configurations_naive(struct derivation *d, struct derive_leaf *out,
                          struct lift_str *why);

/* The term of one family (NULL: of the first default family), without a recorded
 * derivation. NULL and the reason if it cannot be made. */
lift_expr configurations_term(const struct explore_problem *p,
                              const struct lift_rules *rules, enum lift_dialect dialect,
                              const char *family, struct lift_str *why);

/* What low-level expressions get their tuning spaces from (candidate_space_request). */
struct configurations_spaces {
    struct derivation *derivation;
    const struct lift_device_info *device;
    const struct lift_size_setting *set;
    int set_count;
};
/* The tuning space of a leaf. False and the reason if no values fit. */
bool configurations_space(const struct configurations_spaces *from,
                          const struct derive_leaf *leaf, struct candidate_space *out,
                          struct lift_str *why);

/* Calls 'visit' with every configuration that has another option of one decision, if its
 * options fit each other, the kind of device and the contract. */
typedef void configurations_visit(void *user,
                                  const struct lift_configuration *configuration);
void configurations_neighbours(const struct derivation *d,
                               const struct lift_configuration *configuration,
                               configurations_visit *visit, void *user);

#endif
