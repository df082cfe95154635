// What firn_color means: primaries, and the curve between stored values and light.
#ifndef DESCRIPTION_H
#define DESCRIPTION_H

#include "../include/firn_decode.h"

/// Code points of H.273 (07/2021), table 3, that are treated apart.
enum { FIRN_TRANSFER_PQ = 16, FIRN_TRANSFER_HLG = 18 };

/// White, red, green, blue: x and y of each.
typedef struct {
    double x[4];
    double y[4];
} firn_primaries;

/// The primaries described; those of sRGB where nothing usable is said.
firn_primaries firn_described_primaries(const firn_color *color);

/// Whether these are the primaries of sRGB, as exactly as files tell them.
bool firn_primaries_are_srgb(const firn_primaries *primaries);

/// Whether stored values are those of sRGB's curve: because it is told, because a curve is told that browsers take for
/// it, or because none is told.
bool firn_transfer_is_srgb(const firn_color *color);

/// Light, with 1 for the white of a page, of a stored value from 0 to 1. For HLG it is the scene's light from 0 to 1.
double firn_described_light(const firn_color *color, double value);

/// The stored value of perceptual quantization for a luminance in cd/m2.
double firn_pq_value(double luminance);

/// The matrix, row after row, from light of these primaries to that of sRGB's, white to white.
void firn_primaries_to_srgb(const firn_primaries *primaries, float matrix[9]);

#endif
