// Sources: ITU-T H.273 (07/2021) tables 2 and 3; ITU-R BT.2100-2 tables 4 and 5 (PQ and HLG); ITU-R BT.2408-7 section 2
// (reference white of 203 cd/m2); PNG (third edition) 11.3.2; IEC 61966-2-1.
#include "description.h"

#include <math.h>
#include <string.h>

#define REFERENCE_WHITE 203.0

static const firn_primaries srgb = {{0.3127, 0.64, 0.30, 0.15}, {0.3290, 0.33, 0.60, 0.06}};

// Primaries.

static bool named_primaries(unsigned code, firn_primaries *primaries) {
    switch (code) {
    case 1: *primaries = srgb; return true;
    case 4: *primaries = (firn_primaries){{0.310, 0.67, 0.21, 0.14}, {0.316, 0.33, 0.71, 0.08}}; return true;
    case 5: *primaries = (firn_primaries){{0.3127, 0.64, 0.29, 0.15}, {0.3290, 0.33, 0.60, 0.06}}; return true;
    case 6:
    case 7: *primaries = (firn_primaries){{0.3127, 0.630, 0.310, 0.155}, {0.3290, 0.340, 0.595, 0.070}}; return true;
    case 8: *primaries = (firn_primaries){{0.310, 0.681, 0.243, 0.145}, {0.316, 0.319, 0.692, 0.049}}; return true;
    case 9: *primaries = (firn_primaries){{0.3127, 0.708, 0.170, 0.131}, {0.3290, 0.292, 0.797, 0.046}}; return true;
    case 10: *primaries = (firn_primaries){{1 / 3.0, 1, 0, 0}, {1 / 3.0, 0, 1, 0}}; return true;
    case 11: *primaries = (firn_primaries){{0.314, 0.680, 0.265, 0.150}, {0.351, 0.320, 0.690, 0.060}}; return true;
    case 12: *primaries = (firn_primaries){{0.3127, 0.680, 0.265, 0.150}, {0.3290, 0.320, 0.690, 0.060}}; return true;
    case 22: *primaries = (firn_primaries){{0.3127, 0.630, 0.295, 0.155}, {0.3290, 0.340, 0.605, 0.077}}; return true;
    default: return false;
    }
}

static double determinant(const double m[9]) {
    return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
           m[2] * (m[3] * m[7] - m[4] * m[6]);
}

static void multiply(const double a[9], const double b[9], double product[9]) {
    for (int i = 0; i < 9; i++) {
        int row = i / 3 * 3, column = i % 3;
        product[i] = a[row] * b[column] + a[row + 1] * b[column + 3] + a[row + 2] * b[column + 6];
    }
}

static bool invert(const double m[9], double inverse[9]) {
    double scale = determinant(m);
    if (!(fabs(scale) > 1e-9)) return false;
    for (int i = 0; i < 9; i++) {
        int row = i / 3, column = i % 3;
        int r1 = (column + 1) % 3 * 3, r2 = (column + 2) % 3 * 3, c1 = (row + 1) % 3, c2 = (row + 2) % 3;
        inverse[i] = (m[r1 + c1] * m[r2 + c2] - m[r1 + c2] * m[r2 + c1]) / scale;
    }
    return true;
}

static void white_of(const firn_primaries *p, double white[3]) {
    white[0] = p->x[0] / p->y[0];
    white[1] = 1;
    white[2] = (1 - p->x[0] - p->y[0]) / p->y[0];
}

/// Computes the matrix from RGB to XYZ: scales the primaries so that they add up to white.
static bool to_xyz(const firn_primaries *p, double matrix[9]) {
    double points[9], inverse[9], white[3];
    for (int i = 0; i < 3; i++) {
        points[i] = p->x[i + 1];
        points[3 + i] = p->y[i + 1];
        points[6 + i] = 1 - p->x[i + 1] - p->y[i + 1];
    }
    if (!(p->y[0] > 1e-4) || !invert(points, inverse)) return false;
    white_of(p, white);
    for (int column = 0; column < 3; column++) {
        const double *row = inverse + column * 3;
        double strength = row[0] * white[0] + row[1] * white[1] + row[2] * white[2];
        if (!(strength > 1e-6)) return false;
        for (int k = 0; k < 3; k++) matrix[k * 3 + column] = points[k * 3 + column] * strength;
    }
    return true;
}

/// Adapts the white point in the Bradford cone space, as ICC profiles do.
static void adapt(const double from[3], const double to[3], double matrix[9]) {
    static const double cones[9] = {0.8951, 0.2664, -0.1614, -0.7502, 1.7135, 0.0367, 0.0389, -0.0685, 1.0296};
    double inverse[9], scaled[9];
    if (!invert(cones, inverse)) return;
    for (int i = 0; i < 3; i++) {
        const double *cone = cones + i * 3;
        double old = cone[0] * from[0] + cone[1] * from[1] + cone[2] * from[2];
        double new = cone[0] * to[0] + cone[1] * to[1] + cone[2] * to[2];
        double ratio = fabs(old) > 1e-6 ? new / old : 1;
        for (int k = 0; k < 3; k++) scaled[i * 3 + k] = cone[k] * ratio;
    }
    multiply(inverse, scaled, matrix);
}

firn_primaries firn_described_primaries(const firn_color *color) {
    firn_primaries primaries;
    if (named_primaries(color->primaries, &primaries)) return primaries;
    if (!color->has_chromaticities) return srgb;
    for (int i = 0; i < 4; i++) {
        primaries.x[i] = color->chromaticities[2 * i] / 100000.0;
        primaries.y[i] = color->chromaticities[2 * i + 1] / 100000.0;
    }
    // Invalid numbers count as missing.
    double matrix[9];
    return to_xyz(&primaries, matrix) ? primaries : srgb;
}

bool firn_primaries_are_srgb(const firn_primaries *primaries) {
    for (int i = 0; i < 4; i++)
        if (fabs(primaries->x[i] - srgb.x[i]) > 0.002 || fabs(primaries->y[i] - srgb.y[i]) > 0.002) return false;
    return true;
}

void firn_primaries_convert(const firn_primaries *primaries, unsigned code, float matrix[9]) {
    firn_primaries result = srgb;
    named_primaries(code, &result);
    double from[9], to[9], back[9], white[3], target[3], adapted[9], first[9], all[9];
    for (int i = 0; i < 9; i++) matrix[i] = i % 4 == 0;
    if (!to_xyz(primaries, from) || !to_xyz(&result, to) || !invert(to, back)) return;
    white_of(primaries, white);
    white_of(&result, target);
    memset(adapted, 0, sizeof adapted);
    adapt(white, target, adapted);
    multiply(adapted, from, first);
    multiply(back, first, all);
    for (int i = 0; i < 9; i++) matrix[i] = (float)all[i];
}

// Curves.

static double srgb_light(double value) {
    return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4);
}

/// Returns the luminance in cd/m2 of a PQ value.
static double pq_luminance(double value) {
    double root = pow(value, 1 / 78.84375);
    return 10000 * pow(fmax(root - 0.8359375, 0) / (18.8515625 - 18.6875 * root), 1 / 0.1593017578125);
}

double firn_pq_value(double luminance) {
    double power = pow(fmax(luminance, 0) / 10000, 0.1593017578125);
    return pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375);
}

static double hlg_light(double value) {
    const double a = 0.17883277, b = 0.28466892, c = 0.55991073;
    return value <= 0.5 ? value * value / 3 : (exp((value - c) / a) + b) / 12;
}

bool firn_transfer_is_srgb(const firn_color *color) {
    switch (color->transfer) {
    case 4:
    case 5:
    case 7:
    case 8:
    case FIRN_TRANSFER_PQ:
    case 17:
    case FIRN_TRANSFER_HLG: return false;
    case 0:
        // A PNG of sRGB colors states a gamma of 45455 for readers that know only gAMA.
        return color->gamma == 0 || (color->gamma >= 45400 && color->gamma <= 45500);
    // 1, 6, 14 and 15 describe cameras, not screens: browsers show them as sRGB.
    default: return true;
    }
}

double firn_described_light(const firn_color *color, double value) {
    switch (color->transfer) {
    case 4: return pow(value, 2.2);
    case 5: return pow(value, 2.8);
    case 7: return value < 0.0913 ? value / 4 : pow((value + 0.1115) / 1.1115, 1 / 0.45);
    case 8: return value;
    case FIRN_TRANSFER_PQ: return pq_luminance(value) / REFERENCE_WHITE;
    // 48 cd/m2 is cinema white, 52.37 cd/m2 the highest luminance that can be coded.
    case 17: return pow(value, 2.6) * 52.37 / 48;
    case FIRN_TRANSFER_HLG: return hlg_light(value);
    default: break;
    }
    if (firn_transfer_is_srgb(color)) return srgb_light(value);
    return pow(value, 100000.0 / color->gamma);
}
