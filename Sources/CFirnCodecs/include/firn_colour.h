// ICC profiles to sRGB, through lcms2.
#ifndef FIRN_COLOUR_H
#define FIRN_COLOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firn_decode.h"

/// What a profile turned out to be.
typedef enum {
    /// A transform was made.
    FIRN_COLOUR_TRANSFORM,
    /// The profile describes sRGB: nothing is to be done.
    FIRN_COLOUR_SRGB,
    /// The profile is damaged, or is of another kind than the pixels: to be ignored.
    FIRN_COLOUR_UNUSABLE
} firn_colour_result;

/// What the numbers of a pixel mean.
typedef enum { FIRN_MODEL_GRAY, FIRN_MODEL_RGB, FIRN_MODEL_CMYK } firn_model;

/// A transform from a profile to sRGB. Any number of threads may use one at once.
typedef struct firn_transform firn_transform;

/// Makes the transform from pixels of `model` with profile `icc` to sRGB pixels of `layout` (not CMYK).
///
/// RGB is transformed from `layout` to `layout`; CMYK from FIRN_LAYOUT_CMYK; grey by a table (firn_transform_gray).
firn_colour_result firn_transform_make(
    const uint8_t *icc, size_t length, firn_model model, firn_layout layout, firn_transform **transform);

/// Transforms rows; `from` and `to` may be the same for RGB. Alpha is kept; CMYK gives opaque pixels.
void firn_transform_rows(
    const firn_transform *transform, const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride,
    uint32_t width, uint32_t rows);

/// The table of a grey transform: 256 entries of red, green, blue.
const uint8_t *firn_transform_gray(const firn_transform *transform);

void firn_transform_free(firn_transform *transform);

#endif
