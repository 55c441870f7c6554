#include "lift/points.h"
#include <math.h>

/* The modified Bessel function of order zero, by its series. */
static double bessel(double x)
{
    double sum = 1, term = 1;

    for (int k = 1; term > 1e-17 * sum; k++) {
        term *= x * x / (4.0 * k * k);
        sum += term;
    }
    return sum;
}

static double sinc(double t)
{
    const double pi = acos(-1);

    return fabs(t) < 1e-9 ? 1 : sin(pi * t) / (pi * t);
}

static double windowed(double t, int radius)
{
    static const double shape[] = {2.94, 4.52, 6.31, 7.91, 9.42, 10.97, 12.6};
    double b = shape[radius - 2], inside = 1 - t * t / (radius * radius);

    return inside < 0 ? 0 : sinc(t) * bessel(b * sqrt(inside)) / bessel(b);
}

bool lift_point_weights(double x, int64_t length, int width, int32_t *corner,
                        double *weights)
{
    int before = width / 2 - 1; /* number of weights before the point */
    double first = floor(x) - before;

    if (!(x >= 0 && x <= (double)(length - 1)) || x > INT32_MAX || width < 2 ||
        width > LIFT_POINT_WEIGHTS || width % 2)
        return false;
    *corner = (int32_t)first;
    for (int k = 0; k < width; k++)
        weights[k] =
            width == 2 ? 1 - fabs(x - first - k) : windowed(x - first - k, width / 2);
    return true;
}
