// Planes of luma and color differences, made into the pixels that decoders give.
#ifndef FIRN_PLANES_H
#define FIRN_PLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firn_decode.h"

/// One plane of samples: bytes where `bits` is 8, words in the machine's order where it is more.
typedef struct {
    /// NULL if the image has no such plane.
    const uint8_t *base;
    size_t stride;
    uint32_t width;
    uint32_t height;
    uint32_t bits;
} firn_plane;

/// What luma and color differences mean.
typedef struct {
    /// Matrix coefficients of ITU-T H.273; 2, unspecified, stands for BT.601, as it does in ffmpeg and libheif.
    uint16_t matrix;
    /// Color primaries of ITU-T H.273; they count for the matrix 12 alone.
    uint16_t primaries;
    /// Whether samples use all values; otherwise luma runs from 16 to 235 of 255.
    bool is_full_range;
} firn_matrix;

/// An image in planes. `planes` are luma, blue and red difference; green, blue and red where the matrix is 0, identity.
/// Without the second plane the image is gray.
///
/// Color differences may be halved across, down, or both; the nearest sample counts for each pixel. `alpha` uses all
/// values; where its size is another, the nearest sample counts.
typedef struct {
    firn_plane planes[3];
    firn_plane alpha;
    firn_matrix matrix;
    /// Whether colors are multiplied by alpha, and to be divided by it.
    bool divides;
} firn_planes;

/// Whether `firn_planes_rows` can read the image: the planes' sizes and bits fit each other, and the matrix is known.
bool firn_planes_valid(const firn_planes *image);

/// Writes rows `first` to `first + rows` of the image to `pixels`. The image is valid, and has the rows.
///
/// Samples are rounded to nearest. FIRN_LAYOUT_CMYK and FIRN_LAYOUT_RGBA_HALF are not written.
void firn_planes_rows(
    const firn_planes *image, firn_layout layout, uint32_t first, uint32_t rows, uint8_t *pixels, size_t stride);

#endif
