// Interprets firn_color: primaries, and the curve between stored values and light.
#ifndef DESCRIPTION_H
#define DESCRIPTION_H

#include "firn_decode.h"

/// Code points of H.273 (07/2021), table 3, with special handling.
enum { FIRN_TRANSFER_PQ = 16, FIRN_TRANSFER_HLG = 18 };

/// The chromaticities x and y of white, red, green, blue.
typedef struct {
    double x[4];
    double y[4];
} firn_primaries;

/// Returns the described primaries, or those of sRGB if the description has no usable ones.
firn_primaries firn_described_primaries(const firn_color *color);

/// Returns whether these are the primaries of sRGB, within the precision of files.
bool firn_primaries_are_srgb(const firn_primaries *primaries);

/// Returns whether stored values use sRGB's curve: the file states it, states a curve that browsers treat as sRGB, or
/// states none.
bool firn_transfer_is_srgb(const firn_color *color);

/// Returns the light of a stored value from 0 to 1, where 1 is diffuse white. For HLG: scene light from 0 to 1.
double firn_described_light(const firn_color *color, double value);

/// Returns the PQ value of a luminance in cd/m2.
double firn_pq_value(double luminance);

/// Computes the matrix, row by row, from these primaries' linear light to that of a code point's, white to white.
void firn_primaries_convert(const firn_primaries *primaries, unsigned code, float matrix[9]);

#endif
