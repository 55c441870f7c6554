/* Rewrite rules. A rule is data: an equation between two patterns, with conditions on
 * sizes, fresh tunables and a soundness class (docs/rule-files.md has the grammar). The
 * library contains the shipped *.rules texts; users load more from files. A native rule
 * is a C function, for rewrites that need analysis. A macro is a strategy. Equations,
 * native rules and macros are applied through the same calls. A rule set is immutable
 * after loading and independent of IR contexts. */
#ifndef RULES_RULE_H
#define RULES_RULE_H

#include "base/guess.h"
#include "ir/expr.h"
#include "lift/error.h"
#include "lift/rules.h"

struct lift_side_condition; /* ir/constraint.h */
struct lift_option;         /* rules/decision.h */

enum lift_rule_class {
    LIFT_RULE_EXACT,        /* both sides have the same value, bit by bit */
    LIFT_RULE_REASSOCIATES, /* equal up to the rounding of reordered operations */
    LIFT_RULE_INTERIOR,     /* equal except within 'margin' elements of the borders */
};

enum lift_rule_form { LIFT_RULE_EQUATION, LIFT_RULE_NATIVE, LIFT_RULE_MACRO };

struct lift_rule {
    const char *name; /* unique in its set and stable: names steps in databases */
    const char *base; /* the name without parentheses: "tile" of "tile(3)" */
    int part_count;   /* numbers and words in the parentheses */
    int dims; /* the last number in the parentheses, in most rules a number of dimensions;
                 0: no parentheses, or a word */
    int instance;       /* index among the rules of one declaration, from 0 */
    const char *group;  /* the rule file, without folder and ending: "tiling" */
    const char *doc;    /* one sentence; "" if none */
    const char *source; /* publication of the rule; "" if unpublished */
    enum lift_rule_class soundness;
    enum lift_rule_form form;
    bool shipped;     /* true: built into the library; false: a user's */
    int margin;       /* INTERIOR */
    int index;        /* index in the set */
    const char *type; /* EQUATION: the type of both sides; "" for other forms */
    const char
        *mistyped; /* why the types of the two sides differ; NULL: the types agree */
    const struct lift_option *option; /* the option of a decision (rules/decision.h) whose
                                         strategy this macro is; NULL: none */
    const struct rule_def *def;       /* private */
};

/* Returns an empty set. Release all objects that refer to a set before
 * lift_rules_destroy. */
struct lift_rules *lift_rules_create(void);
/* Like lift_rules_load_file, for a text in memory. */
bool lift_rules_load(struct lift_rules *rules, const char *name, const char *text,
                     struct lift_error *errors);
/* For the check of rules, which demonstrates type errors by an example. After this call,
 * the set keeps rules whose types differ and sets 'mistyped'. The set still reports the
 * errors. */
void lift_rules_keep_mistyped(struct lift_rules *rules);

int lift_rules_count(const struct lift_rules *rules);
const struct lift_rule *lift_rules_get(const struct lift_rules *rules, int index);
/* Finds a rule by its name, such as "tile(3)" or "mapSeq"; NULL if no rule has the name.
 */
const struct lift_rule *lift_rules_find(const struct lift_rules *rules, const char *name);
/* Like lift_rules_find, for a name from a database, which may be a former name. */
const struct lift_rule *lift_rules_find_recorded(const struct lift_rules *rules,
                                                 const char *name);
/* Appends the present name of the former name of a rule, decision, option
 * ("tile=guarded") or family. Several present options may replace one former option:
 * "halo=allocated,pitch=aligned". Returns false if 'name' is no former name. */
bool lift_former_name(const char *name, struct lift_str *now);
/* Returns the present name of a recorded name: 'name' itself, or a text in 'buffer'. */
const char *lift_name_now(const char *name, struct lift_str *buffer);
/* Lists the former names that the loaded files use, as pairs of former and present name.
 * The set owns the names. Returns the number of pairs. */
int lift_rules_former(const struct lift_rules *rules, const char *const **out);
/* Appends why a formerly shipped rule, family or option ("tile=shares") was removed.
 * Returns false if 'name' was not removed. */
bool lift_rules_removed(const char *name, struct lift_str *out);
/* Appends why the set has no rule 'name'. The text lists the instances of the name, its
 * present name, or a similar name. */
void lift_rules_missing(const struct lift_rules *rules, const char *name,
                        struct lift_str *out);
/* Returns the root operation of every result of the rule; LIFT_OP_COUNT if the root
 * depends on the term. */
enum lift_op lift_rule_makes(const struct lift_rule *rule);
/* Hashes the names and texts of all rules. Databases record the hash as the version of
 * the rules. */
struct lift_hash lift_rules_hash(const struct lift_rules *rules);

/* Finds the C functions that an equation calls. Writes at most 'max' texts; returns the
 * number of functions. */
int lift_rule_functions(const struct lift_rule *rule, const char **out, int max);

/* Prints the source of the declaration without comments. Reading the text back gives all
 * rules of the declaration: instances of all parameters, in both directions. */
void lift_rule_print(const struct lift_rule *rule, struct lift_str *out);
const char *lift_rule_class_name(enum lift_rule_class soundness);

/* A place in a term: child indices from the root (lift_expr_child). */
enum { LIFT_MAX_PATH = 250 };

struct lift_path {
    uint8_t count;
    uint8_t steps[LIFT_MAX_PATH];
};

/* Returns NULL if 'term' has no such place. */
lift_expr lift_path_get(lift_expr term, const struct lift_path *at);
/* Returns 'term' with the expression at 'at' replaced; NULL on a type error. */
lift_expr lift_path_replace(struct lift_ir *ir, lift_expr term,
                            const struct lift_path *at, lift_expr with);
/* Prints a path such as "0.1.0"; the root is ".". */
void lift_path_print(const struct lift_path *at, struct lift_str *out);
bool lift_path_parse(const char *text, struct lift_path *out);

/* One application of a rule. 'conditions' constrain the rewrite's tunables in addition to
 * the side conditions of the new term (lift_expr_constraints). The arena of the IR
 * contains these conditions. */
struct lift_rewrite {
    const struct lift_rule *rule;
    int choice; /* a native rule may have several results at one place */
    struct lift_path at;
    lift_expr from, to; /* the redex at 'at', and its replacement */
    lift_expr term;     /* the whole new term */
    const struct lift_side_condition *conditions;
    int condition_count;
};

/* Applies one rule at one place. Returns false if the rule does not match, or has at most
 * 'choice' results. Fresh tunables get names that do not occur in 'term'; term, rule and
 * choice determine these names. */
bool lift_rewrite_at(struct lift_ir *ir, const struct lift_rule *rule, lift_expr term,
                     const struct lift_path *at, int choice, struct lift_rewrite *out);

/* Calls 'visit' with every rewrite of 'term' by these rules, in preorder of the places.
 * At each place, rules apply in the given order. 'visit' returns false to stop. A rewrite
 * is valid during the call; copy the struct to keep it. Returns the number of calls. */
typedef bool lift_rewrite_visit(void *user, const struct lift_rewrite *rewrite);
int lift_rewrite_each(struct lift_ir *ir, const struct lift_rule *const *rules, int count,
                      lift_expr term, lift_rewrite_visit *visit, void *user);
/* Like lift_rewrite_each; also adds the number of attempted matches to '*matched'. */
struct lift_rewrite_sweep {
    struct lift_ir *ir;
    const struct lift_rule *const *rules;
    int rule_count;
    lift_rewrite_visit *visit;
    void *user;
};
int lift_rewrite_count(const struct lift_rewrite_sweep *sweep, lift_expr term,
                       int64_t *matched);

/* Strategies compose rules. A strategy applied to a term fails or returns a new term.
 * Strategies are immutable and live in the given arena. */
struct lift_strategy;
typedef const struct lift_strategy *lift_strategy;

lift_strategy lift_strategy_rule(struct lift_arena *arena, const struct lift_rule *rule);
/* Applies all parts in order; fails if one part fails. */
lift_strategy lift_strategy_seq(struct lift_arena *arena, const lift_strategy *parts,
                                int count);
/* Applies 's' at the first place where 's' succeeds, outermost places first; fails if
 * there is no such place. */
lift_strategy lift_strategy_topdown(struct lift_arena *arena, lift_strategy s);

struct lift_program;

/* The trace of a strategy: rewrites in order. The place of each rewrite is relative to
 * the term before the rewrite. The trace expands macros to their rules. 'macros' maps
 * each macro to its range of steps, outer macros first. '{0}' is a valid empty trace. */
struct lift_steps {
    struct lift_step {
        const struct lift_rule *rule;
        int choice;
        struct lift_path at;
        lift_expr to; /* the replacement at 'at' */
    } * items;
    int count, cap;
    struct lift_macro_use {
        const struct lift_rule *macro;
        struct lift_path at;
        int first, count; /* range of the macro's steps */
        int depth;        /* 0: not part of another macro */
    } * macros;
    int macro_count, macro_cap;
    const struct lift_side_condition
        *conditions; /* conditions of all steps; in the arena of the IR */
    int condition_count;
    const char *why; /* the reason of the last rule that did not apply, or NULL */
    /* The strategy discards results that overwrite an input whose value this program
     * still needs. NULL: the strategy discards no result. */
    const struct lift_program *program;
};

void lift_steps_fini(struct lift_steps *steps);
/* Returns the new term; on failure, returns NULL and leaves 'steps' unchanged. 'steps'
 * may be NULL. */
lift_expr lift_strategy_run(struct lift_ir *ir, lift_strategy s, lift_expr term,
                            struct lift_steps *steps);

#endif
