// Converts rows of TIFF samples, as libtiff decodes them, to rows of pixels; private to this target.
#ifndef FIRN_TIFF_ROWS_H
#define FIRN_TIFF_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firn_decode.h"

/// The meaning of a page's samples.
typedef enum { FIRN_TIFF_GRAY, FIRN_TIFF_RGB, FIRN_TIFF_CMYK, FIRN_TIFF_PALETTE, FIRN_TIFF_LAB } firn_tiff_model;

/// The integer encoding of L*a*b*: a* and b* signed, offset by half their range, or within the ranges of `decode`.
typedef enum { FIRN_TIFF_CIELAB, FIRN_TIFF_ICCLAB, FIRN_TIFF_ITULAB } firn_tiff_lab;

/// The storage of a page's samples.
typedef struct {
    firn_tiff_model model;
    /// The number of bits of a sample, 1 to 64.
    uint16_t bits;
    /// The number of samples of a pixel that are stored together: all, or one if each has its own plane.
    uint16_t step;
    bool is_float;
    bool is_signed;
    /// True if 0 is white.
    bool is_inverted;
    /// The index of the alpha sample; -1 if there is none.
    int alpha;
    /// True if colors are multiplied by alpha.
    bool is_associated;
    /// The palette's red, green and blue: `map_size` 16-bit values each.
    const uint16_t *maps[3];
    uint32_t map_size;
    /// True if the palette contains only 8-bit values, as some writers store them.
    bool has_narrow_map;
    /// The encoding of L*a*b*, and the minimum and maximum of each component.
    firn_tiff_lab lab;
    float decode[6];
    /// The conversion from L*a*b* (firn_tiff_lab_open), owned by the caller; not NULL when such samples are converted.
    void *transform;
} firn_tiff_samples;

/// Returns the number of color samples, without alpha.
unsigned firn_tiff_colors(const firn_tiff_samples *samples);

/// Converts `count` pixels. `planes[i]` points to the first sample of sample index i; if the samples of a pixel are
/// stored together, all five pointers are equal and point to the first pixel's first sample.
///
/// `wide` has room for 4 * `count` numbers, `pixels` for `count` pixels of the layout.
void firn_tiff_convert(
    const firn_tiff_samples *samples, const uint8_t *const planes[5], uint32_t count, uint16_t *wide,
    firn_layout layout, uint8_t *pixels);

#endif
