#include "search.h"

enum { MARKS = 4 };

static const int marks[MARKS] = {25, 50, 100, 200};

/* What a technique found: on one space, or on all. */
struct figures {
    double mean[MARKS];
    double close50;      /* part of the runs within 10 % of the optimum after 50 tries */
    double close200;     /* within 5 % after 200 */
    double worst[MARKS]; /* mean of the worst space */
    double overhead;     /* seconds a proposal */
};

static struct figures figures_of_space(const struct search_bench *b, int technique,
                                       int space)
{
    const struct search_result *runs =
        b->results + (technique * b->space_count + space) * b->seeds;
    struct figures f = {0};

    for (int s = 0; s < b->seeds; s++) {
        for (int m = 0; m < MARKS; m++)
            f.mean[m] += runs[s].found[marks[m] - 1] / b->seeds;
        f.close50 += (runs[s].found[49] >= 1 / 1.10) / (double)b->seeds;
        f.close200 += (runs[s].found[199] >= 1 / 1.05) / (double)b->seeds;
        f.overhead += runs[s].seconds / SEARCH_TRIES / b->seeds;
    }
    for (int m = 0; m < MARKS; m++)
        f.worst[m] = f.mean[m];
    return f;
}

static struct figures figures_of(const struct search_bench *b, int technique)
{
    struct figures all = {.worst = {1, 1, 1, 1}};

    for (int space = 0; space < b->space_count; space++) {
        struct figures f = figures_of_space(b, technique, space);

        for (int m = 0; m < MARKS; m++) {
            all.mean[m] += f.mean[m] / b->space_count;
            if (f.worst[m] < all.worst[m])
                all.worst[m] = f.worst[m];
        }
        all.close50 += f.close50 / b->space_count;
        all.close200 += f.close200 / b->space_count;
        all.overhead += f.overhead / b->space_count;
    }
    return all;
}

void search_print(const struct search_bench *b, FILE *out)
{
    fprintf(out, "optimum / best found: mean of %d spaces, %d seeds each\n",
            b->space_count, b->seeds);
    fprintf(out, "%-12s %6s %6s %6s %6s  %8s %8s  %9s %9s  %8s\n", "technique", "@25",
            "@50", "@100", "@200", "<10% @50", "<5% @200", "worst @50", "@200",
            "ms a try");
    for (int t = 0; t < b->technique_count; t++) {
        struct figures f = figures_of(b, t);

        fprintf(out, "%-12s", b->techniques[t]->name);
        for (int m = 0; m < MARKS; m++)
            fprintf(out, " %6.3f", f.mean[m]);
        fprintf(out, "  %8.2f %8.2f  %9.3f %9.3f  %8.3f\n", f.close50, f.close200,
                f.worst[1], f.worst[3], 1e3 * f.overhead);
    }
}

void search_print_csv(const struct search_bench *b, FILE *out)
{
    fprintf(out, "technique,space,found25,found50,found100,found200,within10at50,"
                 "within5at200,seconds_a_try\n");
    for (int t = 0; t < b->technique_count; t++)
        for (int space = 0; space < b->space_count; space++) {
            struct figures f = figures_of_space(b, t, space);

            fprintf(out, "%s,%s", b->techniques[t]->name, b->spaces[space].name);
            for (int m = 0; m < MARKS; m++)
                fprintf(out, ",%.5f", f.mean[m]);
            fprintf(out, ",%.4f,%.4f,%.3g\n", f.close50, f.close200, f.overhead);
        }
}
