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

/// Returns the described primaries; those of sRGB if nothing usable is stated.
firn_primaries firn_described_primaries(const firn_color *color);

/// Returns whether these are the primaries of sRGB, within the precision of files.
bool firn_primaries_are_srgb(const firn_primaries *primaries);

/// Returns whether stored values use sRGB's curve: because the file states it, because it states a curve that browsers
/// treat as sRGB, or because it states none.
bool firn_transfer_is_srgb(const firn_color *color);

/// Returns the light, with 1 for diffuse white, of a stored value from 0 to 1. For HLG, the scene's light from 0 to 1.
double firn_described_light(const firn_color *color, double value);

/// Returns the PQ value of a luminance in cd/m2.
double firn_pq_value(double luminance);

/// Computes the matrix, row by row, from linear light of these primaries to that of sRGB's, white to white.
void firn_primaries_to_srgb(const firn_primaries *primaries, float matrix[9]);

#endif
