/* Decisions: how a kernel is made, as choices that compose. A decision has options; each
 * is a strategy (rules/strategy.h) and does not depend on the number of dimensions. A
 * configuration has one option of each decision, and its term is what they make of a
 * program, one after the other in the order of the decisions. Decisions, options and
 * families, which are configurations with a name, come from *.rules files
 * (docs/rule-files.md has the grammar).
 */
#ifndef RULES_DECISION_H
#define RULES_DECISION_H

#include "base/rng.h"
#include "rules/rule.h"

enum { LIFT_MAX_DECISIONS = 64, LIFT_MAX_OPTIONS = 32, LIFT_MAX_NEEDS = 12 };

struct lift_decision;

/* What options ask of a device; to be or-ed. It is of one kind, and may have features. */
enum lift_option_device {
    LIFT_ON_THREADS = 1, /* kind: OpenMP, threads and lanes */
    LIFT_ON_GROUPS = 2,  /* kind: work-groups of work-items that share local memory */
    LIFT_ON_ALL = LIFT_ON_THREADS | LIFT_ON_GROUPS,
    LIFT_HAS_ASYNC_COPIES = 4, /* feature: copies to local memory that go on while
                                  work-items compute */
    LIFT_HAS_BULK_COPIES = 8,  /* feature: copies of boxes by one instruction */
    LIFT_HAS_ALL = LIFT_HAS_ASYNC_COPIES | LIFT_HAS_BULK_COPIES,
};

/* The word of a rule file for one of them: "groups", "asyncCopies"; NULL: there is none.
 */
const char *lift_option_device_name(unsigned device);

struct lift_option {
    const char *name; /* unique in its decision */
    const char *doc, *source;
    const struct lift_decision *decision;
    int index;                    /* among its options; 0: the default */
    const struct lift_rule *rule; /* a macro called "DECISION=OPTION"; NULL: nothing is
                                     done */
    unsigned devices;             /* kinds, one of which the device is */
    unsigned features;            /* all of which it has */
    bool later;                   /* explorations do not begin with it */
    bool program;                 /* it is for the whole program, as in a decision */
    /* A configuration with this option has one of some options, bit by index, of each of
     * these decisions. 'or_next': this need or the next one is met. */
    struct lift_need {
        const struct lift_decision *decision;
        uint32_t options;
        bool or_next;
    } needs[LIFT_MAX_NEEDS];
    int need_count;
    /* Explorations begin with this option only in configurations that meet these, too. */
    struct lift_need starts[LIFT_MAX_NEEDS];
    int start_count;
};

struct lift_decision {
    const char *name; /* unique, and stable: databases have it */
    const char *doc, *source;
    const char *group;              /* the file, as of a rule */
    const struct lift_rules *rules; /* the set */
    bool program; /* its options are for the whole program; else for each of its stages */
    bool all;     /* explorations begin with families with each of its options */
    int index;    /* its place in the order of application */
    const struct lift_option *options[LIFT_MAX_OPTIONS];
    int option_count;
};

int lift_decision_count(const struct lift_rules *rules);
/* In the order of application. */
const struct lift_decision *lift_decision_get(const struct lift_rules *rules, int index);
/* NULL if there is none. */
const struct lift_decision *lift_decision_find(const struct lift_rules *rules,
                                               const char *name);
const struct lift_option *lift_option_find(const struct lift_decision *decision,
                                           const char *name);

/* By decision: the index of an option. '{0}' has all defaults. Valid for one rule set,
 * and until it is added to. */
struct lift_configuration {
    uint8_t option[LIFT_MAX_DECISIONS];
};
/* Of the options of its first 'count' decisions. */
uint64_t lift_configuration_hash(const struct lift_configuration *configuration,
                                 int count);

/* A family may build on another: it has the options of its base, but for its changes. */
struct lift_family {
    const char *name;
    const char *doc, *source; /* made from those of the base where it says none */
    bool says_doc, says_source;
    const char *group;
    const struct lift_family *base; /* NULL: none */
    bool plain;    /* what a person would write: kernels are compared with the first that
                      can be made */
    bool standard; /* taken where nothing is known of a program: likewise */
    /* pairs, so that decisions which are loaded later do not matter */
    const struct lift_option *options[LIFT_MAX_DECISIONS];
    int option_count;
    const struct lift_option
        *changes[LIFT_MAX_DECISIONS]; /* its own; without a base all */
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
/* Changes what "copy=tma,window=circular" names; a family, as in
 * "star_split_shift,copy=async", is all that it names. Former names are read, too. False
 * and a message if the text cannot be read. */
bool lift_configuration_read(const struct lift_rules *rules, const char *text,
                             struct lift_configuration *configuration,
                             struct lift_str *why);
/* The same; 'note' is called with each former name and the name of today. */
typedef void lift_former_note(void *user, const char *name, const char *now);
bool lift_configuration_read_noting(const struct lift_rules *rules, const char *text,
                                    struct lift_configuration *configuration,
                                    struct lift_str *why, lift_former_note *note,
                                    void *user);
/* The text that reads back; "" if all are defaults. */
void lift_configuration_print(const struct lift_rules *rules,
                              const struct lift_configuration *configuration,
                              struct lift_str *out);
/* False and the reason if the option is not for such a device (of enum
 * lift_option_device) or contract. */
bool lift_option_is_for(const struct lift_option *option, unsigned device, bool relaxed,
                        struct lift_str *why);
/* False and the reason if the options exclude each other, or are not for such a device or
 * contract. */
bool lift_configuration_fits(const struct lift_rules *rules,
                             const struct lift_configuration *configuration,
                             unsigned device, bool relaxed, struct lift_str *why);
/* Whether an exploration may begin with the option in this configuration ('explore
 * later', 'explore with'). */
bool lift_option_starts(const struct lift_option *option,
                        const struct lift_configuration *configuration);
/* How many needs from this one on are alternatives of which one is met: 1 or more. */
int lift_need_alternatives(const struct lift_need *need);
bool lift_needs_met(const struct lift_need *needs, int count,
                    const struct lift_configuration *configuration);
/* A configuration whose options fit each other, the device and the contract: of each
 * decision the default, or with the same chance one of the others that fit what was drawn
 * before. False if none fits for a decision. */
bool lift_configuration_random(const struct lift_rules *rules, struct lift_rng *rng,
                               unsigned device, bool relaxed,
                               struct lift_configuration *out);

/* Those that all options of the family, and the defaults of all other decisions, are for;
 * of enum lift_option_device. */
unsigned lift_family_devices(const struct lift_rules *rules,
                             const struct lift_family *family);

/* What an option is applied to at the least: the options that it cannot be without, the
 * first of those that would do, and defaults that do something, of decisions before its
 * own. In the order of application; their number. */
int lift_option_context(const struct lift_option *option,
                        const struct lift_option *out[LIFT_MAX_DECISIONS]);

/* A user's rules and macros that no option applies, itself or by macros: explorations do
 * not use them. Writes at most 'max' and returns how many there are. */
int lift_rules_unexplored(const struct lift_rules *rules, const struct lift_rule **out,
                          int max);

/* The text of a whole set: rules, macros, decisions, options, families. */
void lift_rules_print(const struct lift_rules *rules, struct lift_str *out);
/* As they stand in a file. */
void lift_decision_print(const struct lift_decision *decision, struct lift_str *out);
void lift_option_print(const struct lift_option *option, struct lift_str *out);
void lift_family_print(const struct lift_family *family, struct lift_str *out);

#endif
