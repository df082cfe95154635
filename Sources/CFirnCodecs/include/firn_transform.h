// Colors of profiles and of descriptions to sRGB.
#ifndef FIRN_TRANSFORM_H
#define FIRN_TRANSFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firn_decode.h"

/// What a profile or a description turned out to be.
typedef enum {
    /// A transform was made.
    FIRN_COLOR_TRANSFORM,
    /// sRGB is described: nothing is to be done.
    FIRN_COLOR_SRGB,
    /// The profile is damaged, or is of another kind than the pixels: to be ignored.
    FIRN_COLOR_UNUSABLE
} firn_color_result;

/// What the numbers of a pixel mean.
typedef enum { FIRN_MODEL_GRAY, FIRN_MODEL_RGB, FIRN_MODEL_CMYK } firn_model;

/// A transform of an ICC profile's colors to sRGB, through lcms2. Any number of threads may use one at once.
typedef struct firn_transform firn_transform;

/// Makes the transform from pixels of `model` with profile `icc`, laid out as `from`, to sRGB pixels laid out as `to`.
///
/// `from` is FIRN_LAYOUT_CMYK for inks and otherwise a layout of colors, of gray ones where the model is gray. `to` is
/// not FIRN_LAYOUT_CMYK; FIRN_LAYOUT_RGBA_HALF is linear light, not cut to 0...1.
firn_color_result firn_transform_make(
    const uint8_t *icc, size_t length, firn_model model, firn_layout from, firn_layout to,
    firn_transform **transform);

/// The same from RGB pixels whose colors are described. Transfers of high dynamic range are unusable here.
firn_color_result firn_transform_make_described(
    const firn_color *color, firn_layout from, firn_layout to, firn_transform **transform);

/// Transforms rows; `from` and `to` may be the same where their layouts are. Alpha is kept; inks give opaque pixels.
void firn_transform_rows(
    const firn_transform *transform, const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride,
    uint32_t width, uint32_t rows);

void firn_transform_free(firn_transform *transform);

#endif
