/* Rewrite rules. A rule is data: an equation between two patterns, with conditions on
 * sizes, fresh tunables and a soundness class (docs/rule-files.md has the grammar). Rules
 * come from
 * *.rules texts: those that ship are built into the library, a user's are loaded from a
 * file. A rule that needs analysis is backed by a C function (native), a macro by a
 * strategy; all three are applied through the same calls. A rule set does not change
 * after loading and belongs to no IR context: one set serves many. */
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
    LIFT_RULE_REASSOCIATES, /* the same up to the rounding of reordered operations */
    LIFT_RULE_INTERIOR,     /* the same except within 'margin' elements of the borders */
};

enum lift_rule_form { LIFT_RULE_EQUATION, LIFT_RULE_NATIVE, LIFT_RULE_MACRO };

struct lift_rule {
    const char *name; /* unique in its set and stable: names steps in databases */
    const char
        *base;      /* the name without what stands in parentheses: "tile" of "tile(3)" */
    int part_count; /* how many numbers and words stand in parentheses */
    int dims;       /* the last of them, a number of dimensions in most; 0: none, or a
                       word */
    int instance;   /* which of the rules of one declaration, from 0 */
    const char *group;  /* the file it comes from, without folder and ending: "tiling" */
    const char *doc;    /* one sentence; "" if none */
    const char *source; /* where it is published; "" if not */
    enum lift_rule_class soundness;
    enum lift_rule_form form;
    bool shipped;         /* built into the library; else a user's */
    int margin;           /* INTERIOR */
    int index;            /* its place in the set */
    const char *type;     /* EQUATION: of both sides; else "" */
    const char *mistyped; /* why its sides have not one type; NULL: they have */
    const struct lift_option *option; /* of a decision (rules/decision.h), whose strategy
                                         this macro is; NULL: none */
    const struct rule_def *def;       /* private */
};

/* An empty set; ended by lift_rules_destroy, after all that was made from it. */
struct lift_rules *lift_rules_create(void);
/* As lift_rules_load_file does, of a text. */
bool lift_rules_load(struct lift_rules *rules, const char *name, const char *text,
                     struct lift_error *errors);
/* For the check, which shows by an example what is wrong: from now on, rules whose types
 * do not agree are added too, 'mistyped'. The mistakes are reported all the same. */
void lift_rules_keep_mistyped(struct lift_rules *rules);

int lift_rules_count(const struct lift_rules *rules);
const struct lift_rule *lift_rules_get(const struct lift_rules *rules, int index);
/* By its name, "tile(3)" or "mapSeq"; NULL if there is none. */
const struct lift_rule *lift_rules_find(const struct lift_rules *rules, const char *name);
/* The same by a name from a database, which may be one that the rule had earlier. */
const struct lift_rule *lift_rules_find_recorded(const struct lift_rules *rules,
                                                 const char *name);
/* Adds what a rule, decision, option ("tiling=guarded") or family of a former name is
 * called today; an option may be several, "halo=allocated,pitch=aligned". False if 'name'
 * is no former name. */
bool lift_former_name(const char *name, struct lift_str *now);
/* Former names in the files that were loaded: pairs of the name and that of today, the
 * set's own. Their number. */
int lift_rules_former(const struct lift_rules *rules, const char *const **out);
/* Says why a rule, family or option ("tile=shares") that shipped earlier was removed.
 * False if 'name' is none of these. */
bool lift_rules_removed(const char *name, struct lift_str *out);
/* Why there is no rule of a name, as text in 'out': what its instances are, how it is
 * called now, or which name is near. */
void lift_rules_missing(const struct lift_rules *rules, const char *name,
                        struct lift_str *out);
/* The operation at the root of all that the rule makes; LIFT_OP_COUNT: that depends on
 * the term. */
enum lift_op lift_rule_makes(const struct lift_rule *rule);
/* Names and texts of all rules: dates the results that were derived with them. */
struct lift_hash lift_rules_hash(const struct lift_rules *rules);

/* The texts of the C functions that the sides of an equation call, in 'out', at most
 * 'max'; their number. */
int lift_rule_functions(const struct lift_rule *rule, const char **out, int max);

/* The declaration as it was written, without comments. It reads back to all rules of the
 * declaration: the instances of its parameters, and those of either direction. */
void lift_rule_print(const struct lift_rule *rule, struct lift_str *out);
const char *lift_rule_class_name(enum lift_rule_class soundness);

/* A place in a term: child indices from the root (lift_expr_child). */
enum { LIFT_MAX_PATH = 250 };

struct lift_path {
    uint8_t count;
    uint8_t steps[LIFT_MAX_PATH];
};

/* NULL if there is no such place. */
lift_expr lift_path_get(lift_expr term, const struct lift_path *at);
/* 'term' with the expression at 'at' replaced; NULL if that is ill-typed. */
lift_expr lift_path_replace(struct lift_ir *ir, lift_expr term,
                            const struct lift_path *at, lift_expr with);
/* "0.1.0"; the root is ".". */
void lift_path_print(const struct lift_path *at, struct lift_str *out);
bool lift_path_parse(const char *text, struct lift_path *out);

/* One application of a rule. 'conditions' bind the rewrite's tunables beyond what the
 * typing of the new term demands (lift_expr's own side conditions); they live in the
 * arena of the IR. */
struct lift_rewrite {
    const struct lift_rule *rule;
    int choice; /* a native rule may have several results at one place */
    struct lift_path at;
    lift_expr from, to; /* what stood at 'at', and what replaces it */
    lift_expr term;     /* the whole new term */
    const struct lift_side_condition *conditions;
    int condition_count;
};

/* Applies one rule at one place: false if it does not apply, or has not so many choices.
 * Fresh tunables get names that do not occur in 'term'; the same term, rule and choice
 * always give the same names. */
bool lift_rewrite_at(struct lift_ir *ir, const struct lift_rule *rule, lift_expr term,
                     const struct lift_path *at, int choice, struct lift_rewrite *out);

/* Calls 'visit' with every rewrite of 'term' by these rules, places in preorder and rules
 * in the order given; 'visit' answers false to stop. The rewrite is valid during the
 * call; copy the struct to keep it. Returns the number of calls. */
typedef bool lift_rewrite_visit(void *user, const struct lift_rewrite *rewrite);
int lift_rewrite_each(struct lift_ir *ir, const struct lift_rule *const *rules, int count,
                      lift_expr term, lift_rewrite_visit *visit, void *user);
/* The same; adds to '*matched' how often a rule was matched against a place. */
struct lift_rewrite_sweep {
    struct lift_ir *ir;
    const struct lift_rule *const *rules;
    int rule_count;
    lift_rewrite_visit *visit;
    void *user;
};
int lift_rewrite_count(const struct lift_rewrite_sweep *sweep, lift_expr term,
                       int64_t *matched);

/* Strategies: rules composed. Each is tried on a term and either fails or gives a new
 * term. They are immutable and live in the given arena. */
struct lift_strategy;
typedef const struct lift_strategy *lift_strategy;

lift_strategy lift_strategy_rule(struct lift_arena *arena, const struct lift_rule *rule);
/* All in turn; fails if one fails. */
lift_strategy lift_strategy_seq(struct lift_arena *arena, const lift_strategy *parts,
                                int count);
/* At the first place where it succeeds, outermost first; fails if nowhere. */
lift_strategy lift_strategy_topdown(struct lift_arena *arena, lift_strategy s);

struct lift_program;

/* What a strategy did: rewrites in order, each relative to the term before it. Macros are
 * listed as the rules that they consist of; 'macros' says which steps belong to which
 * macro, outer ones before those that they use. '{0}' is a valid empty list. */
struct lift_steps {
    struct lift_step {
        const struct lift_rule *rule;
        int choice;
        struct lift_path at;
        lift_expr to; /* what replaced the expression there */
    } * items;
    int count, cap;
    struct lift_macro_use {
        const struct lift_rule *macro;
        struct lift_path at;
        int first, count; /* of its steps */
        int depth;        /* 0: not part of another macro */
    } * macros;
    int macro_count, macro_cap;
    const struct lift_side_condition *conditions; /* of all steps; arena of the IR */
    int condition_count;
    const char *why; /* what a rule said that did not apply, the last one; or NULL */
    /* Results of rules that overwrite an input of which it needs the value do not count;
     * NULL: all count. */
    const struct lift_program *program;
};

void lift_steps_fini(struct lift_steps *steps);
/* NULL if it fails, and then 'steps' is as before; 'steps' may be NULL. */
lift_expr lift_strategy_run(struct lift_ir *ir, lift_strategy s, lift_expr term,
                            struct lift_steps *steps);

#endif
