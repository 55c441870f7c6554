/* Decisions: independent choices that determine a kernel. Each option of a decision is a
 * strategy (rules/strategy.h) for any number of dimensions. A configuration selects one
 * option of each decision. Applying these options to a program, in the order of the
 * decisions, gives the term of the configuration. A family is a named configuration.
 * *.rules files define decisions, options and families (docs/rule-files.md has the
 * grammar). */
#ifndef RULES_DECISION_H
#define RULES_DECISION_H

#include "base/rng.h"
#include "rules/rule.h"

enum { LIFT_MAX_DECISIONS = 64, LIFT_MAX_OPTIONS = 32, LIFT_MAX_NEEDS = 12 };

struct lift_decision;

/* Device requirements of options, as or-ed bits. A device has one kind, and any number of
 * features. */
enum lift_option_device {
    LIFT_ON_THREADS = 1, /* kind: OpenMP, threads and lanes */
    LIFT_ON_GROUPS = 2,  /* kind: work-groups of work-items that share local memory */
    LIFT_ON_ALL = LIFT_ON_THREADS | LIFT_ON_GROUPS,
    LIFT_HAS_ASYNC_COPIES = 4, /* feature: copies to local memory overlapped with
                                  computation */
    LIFT_HAS_BULK_COPIES = 8,  /* feature: one instruction copies a box (TMA) */
    LIFT_HAS_ALL = LIFT_HAS_ASYNC_COPIES | LIFT_HAS_BULK_COPIES,
};

/* Returns the word of rule files for one of these bits, such as "groups" or
 * "asyncCopies"; NULL for other values. */
const char *lift_option_device_name(unsigned device);

struct lift_option {
    const char *name; /* unique in its decision */
    const char *doc, *source;
    const struct lift_decision *decision;
    int index;                    /* among its options; 0: the default */
    const struct lift_rule *rule; /* a macro called "DECISION=OPTION"; NULL if the option
                                     leaves the term unchanged */
    unsigned devices;             /* the device must have one of these kinds */
    unsigned features;            /* the device must have all of these features */
    bool later;                   /* explorations do not begin with this option */
    bool program; /* applies to the whole program, as in a decision with 'program' */
    /* A configuration with this option must meet each need. A need is met if the option
     * of 'decision' is among 'options' (bits by index). 'or_next': meeting this need or
     * the next need suffices. */
    struct lift_need {
        const struct lift_decision *decision;
        uint32_t options;
        bool or_next;
    } needs[LIFT_MAX_NEEDS];
    int need_count;
    /* Explorations begin with this option only in configurations that also meet these
     * needs. */
    struct lift_need starts[LIFT_MAX_NEEDS];
    int start_count;
};

struct lift_decision {
    const char *name; /* unique and stable: databases store it */
    const char *doc, *source;
    const char *group;              /* name of the file, as for a rule */
    const struct lift_rules *rules; /* the set that contains the decision */
    bool program; /* options apply to the whole program; false: to each stored value
                   */
    bool all;  /* explorations begin with each option of this decision, in each family */
    int index; /* place in the order of application */
    const struct lift_option *options[LIFT_MAX_OPTIONS];
    int option_count;
};

int lift_decision_count(const struct lift_rules *rules);
/* Decisions are in the order of application. */
const struct lift_decision *lift_decision_get(const struct lift_rules *rules, int index);
/* NULL if no decision has this name. */
const struct lift_decision *lift_decision_find(const struct lift_rules *rules,
                                               const char *name);
const struct lift_option *lift_option_find(const struct lift_decision *decision,
                                           const char *name);

/* The index of the chosen option, by decision. '{0}' selects all defaults. A
 * configuration belongs to one rule set, and is valid until more files are loaded into
 * the set. */
struct lift_configuration {
    uint8_t option[LIFT_MAX_DECISIONS];
};
/* Hashes the options of the first 'count' decisions. */
uint64_t lift_configuration_hash(const struct lift_configuration *configuration,
                                 int count);

/* A family may have a base. It then has the options of the base, except for its own
 * changes. */
struct lift_family {
    const char *name;
    const char *doc,
        *source; /* if the file has no text: derived from the texts of the base */
    bool says_doc, says_source;
    const char *group;
    const struct lift_family *base; /* NULL: none */
    bool plain;    /* hand-written style: the first plain family that applies gives the
                      naive kernel, to which speedups refer */
    bool standard; /* the first standard family that applies is the default for programs
                      without results */
    /* A list of options, so that the family stays valid when a file adds decisions. */
    const struct lift_option *options[LIFT_MAX_DECISIONS];
    int option_count;
    const struct lift_option
        *changes[LIFT_MAX_DECISIONS]; /* the options that the family sets itself; without
                                         a base: all options */
    int change_count;
};

int lift_family_count(const struct lift_rules *rules);
const struct lift_family *lift_family_get(const struct lift_rules *rules, int index);
const struct lift_family *lift_family_find(const struct lift_rules *rules,
                                           const char *name);
void lift_family_configuration(const struct lift_family *family,
                               struct lift_configuration *out);

const struct lift_option *
lift_configuration_option(const struct lift_rules *rules,
                          const struct lift_configuration *configuration, int decision);
/* Sets the options in a text such as "copy=tma,window=circular". A family, as in
 * "star_split_shift,copy=async", sets all its options. The reader accepts former names.
 * Returns false and a message in 'why' on a syntax error or unknown name. */
bool lift_configuration_read(const struct lift_rules *rules, const char *text,
                             struct lift_configuration *configuration,
                             struct lift_str *why);
/* Like lift_configuration_read; also calls 'note' with each former name and its present
 * name. */
typedef void lift_former_note(void *user, const char *name, const char *now);
bool lift_configuration_read_noting(const struct lift_rules *rules, const char *text,
                                    struct lift_configuration *configuration,
                                    struct lift_str *why, lift_former_note *note,
                                    void *user);
/* Prints a text that lift_configuration_read accepts; "" if all options are defaults. */
void lift_configuration_print(const struct lift_rules *rules,
                              const struct lift_configuration *configuration,
                              struct lift_str *out);
/* Returns false and the reason if the option does not support the device (enum
 * lift_option_device) or the contract ('relaxed': reassociation is allowed). */
bool lift_option_is_for(const struct lift_option *option, unsigned device, bool relaxed,
                        struct lift_str *why);
/* Returns false and the reason if the options exclude each other, or do not support the
 * device or contract. */
bool lift_configuration_fits(const struct lift_rules *rules,
                             const struct lift_configuration *configuration,
                             unsigned device, bool relaxed, struct lift_str *why);
/* Returns true if an exploration may begin with the option in this configuration
 * ('explore later', 'explore with'). */
bool lift_option_starts(const struct lift_option *option,
                        const struct lift_configuration *configuration);
/* Returns true if the decision "temporal" has another option than its default. */
bool lift_configuration_is_temporal(const struct lift_rules *rules,
                                    const struct lift_configuration *configuration);
/* Returns the number of alternative needs that start at 'need', at least 1. Meeting one
 * alternative suffices. */
int lift_need_alternatives(const struct lift_need *need);
bool lift_needs_met(const struct lift_need *needs, int count,
                    const struct lift_configuration *configuration);
/* Draws a configuration whose options fit each other, the device and the contract. Each
 * decision gets its default with probability 1/2, otherwise another option that fits the
 * options drawn before. Returns false if no option of a decision fits. */
bool lift_configuration_random(const struct lift_rules *rules, struct lift_rng *rng,
                               unsigned device, bool relaxed,
                               struct lift_configuration *out);

/* Returns the device kinds (enum lift_option_device) that all options of the family and
 * the defaults of all other decisions support. */
unsigned lift_family_devices(const struct lift_rules *rules,
                             const struct lift_family *family);

/* The minimal context of an option: earlier options that the option needs (the first of
 * alternatives), and defaults of earlier decisions that have a rule. Writes the context
 * to 'out' in the order of application; returns the number of options. */
int lift_option_context(const struct lift_option *option,
                        const struct lift_option *out[LIFT_MAX_DECISIONS]);

/* Finds a user's rules and macros that no option applies, directly or by macros.
 * Explorations do not use these rules. Writes at most 'max' and returns their number. */
int lift_rules_unexplored(const struct lift_rules *rules, const struct lift_rule **out,
                          int max);

/* Prints a whole set: rules, macros, decisions, options, families. */
void lift_rules_print(const struct lift_rules *rules, struct lift_str *out);
/* These functions print in the syntax of rule files. */
void lift_decision_print(const struct lift_decision *decision, struct lift_str *out);
void lift_option_print(const struct lift_option *option, struct lift_str *out);
void lift_family_print(const struct lift_family *family, struct lift_str *out);

#endif
