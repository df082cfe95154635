// Converts planes of luma and color differences to decoded pixels.
#ifndef FIRN_PLANES_H
#define FIRN_PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firn_decode.h"

/// One plane of samples: bytes if `bits` is 8, words in the machine's byte order if more.
typedef struct {
    /// NULL if the image lacks this plane.
    const uint8_t *base;
    size_t stride;
    uint32_t width;
    uint32_t height;
    uint32_t bits;
} firn_plane;

/// The meaning of luma and color differences.
typedef struct {
    /// Matrix coefficients of ITU-T H.273; 2, unspecified, means BT.601, as in ffmpeg and libheif.
    uint16_t matrix;
    /// Color primaries of ITU-T H.273; only matrix 12 uses them.
    uint16_t primaries;
    /// True if samples use all values; otherwise luma ranges from 16 to 235 of 255.
    bool is_full_range;
} firn_matrix;

/// An image in planes. `planes` are luma, blue and red difference; or green, blue and red if the matrix is 0, identity.
/// Without the second plane, the image is gray.
///
/// Color differences may be halved horizontally, vertically, or both; each pixel uses the nearest sample. `alpha` uses
/// all values; if its size differs, each pixel uses the nearest sample.
typedef struct {
    firn_plane planes[3];
    firn_plane alpha;
    firn_matrix matrix;
    /// True if colors are premultiplied and must be divided by alpha.
    bool divides;
} firn_planes;

/// Returns whether `firn_planes_rows` can read the image: sizes and bit depths match, and the matrix is supported.
bool firn_planes_valid(const firn_planes *image);

/// Writes rows `first` to `first + rows` of the image to `pixels`. The image must be valid and contain these rows.
///
/// Rounds samples to nearest. Does not support FIRN_LAYOUT_CMYK and FIRN_LAYOUT_RGBA_HALF.
void firn_planes_rows(
    const firn_planes *image, firn_layout layout, uint32_t first, uint32_t rows, uint8_t *pixels, size_t stride);

#endif
