#ifndef FIRN_TILES_H
#define FIRN_TILES_H

#include <stddef.h>
#include <stdint.h>

/// Averages blocks of 2 × 2 4-byte pixels from the rows `a` and `b` of `2 * count` pixels. Writes each component times
/// 256, without rounding.
void firn_tiles_halve8(const uint8_t *a, const uint8_t *b, size_t count, uint16_t *out);

/// Averages blocks of 2 × 2 pixels of four 16-bit components, rounding to nearest.
void firn_tiles_halve16(const uint16_t *a, const uint16_t *b, size_t count, uint16_t *out);

/// Writes `count` components, given times 256, as bytes rounded to nearest.
void firn_tiles_narrow(const uint16_t *in, size_t count, uint8_t *out);

/// Returns whether the alpha of all `count` 4-byte pixels is 255.
int firn_tiles_opaque(const uint8_t *pixels, size_t count);

#endif
