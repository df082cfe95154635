// Rows of TIFF samples, as libtiff decodes them, to rows of pixels; not seen outside this target.
#ifndef FIRN_TIFF_ROWS_H
#define FIRN_TIFF_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../include/firn_decode.h"

/// What the samples of a page mean.
typedef enum { FIRN_TIFF_GRAY, FIRN_TIFF_RGB, FIRN_TIFF_CMYK, FIRN_TIFF_PALETTE } firn_tiff_model;

/// How the samples of a page are stored.
typedef struct {
    firn_tiff_model model;
    /// 1 to 64.
    uint16_t bits;
    /// Samples of one pixel that stand side by side: all of them, or one where each has a plane of its own.
    uint16_t step;
    bool is_float;
    bool is_signed;
    /// Whether 0 is white.
    bool is_inverted;
    /// Number of the sample that is alpha; -1 where there is none.
    int alpha;
    /// Whether colors are multiplied by alpha.
    bool is_associated;
    /// Red, green and blue of a palette: `map_size` values each, 16 bits.
    const uint16_t *maps[3];
    uint32_t map_size;
    /// Whether the palette's values are of 8 bits only, as some writers have them.
    bool has_narrow_map;
} firn_tiff_samples;

/// Samples of color, without alpha.
unsigned firn_tiff_colors(const firn_tiff_samples *samples);

/// Converts `count` pixels. `planes[i]` is the byte at which the samples that hold sample i begin: the first pixel's
/// own first sample where samples stand side by side, so all five are the same there.
///
/// `wide` is memory for 4 * `count` numbers, `pixels` for `count` pixels of the layout.
void firn_tiff_convert(
    const firn_tiff_samples *samples, const uint8_t *const planes[5], uint32_t count, uint16_t *wide,
    firn_layout layout, uint8_t *pixels);

#endif
