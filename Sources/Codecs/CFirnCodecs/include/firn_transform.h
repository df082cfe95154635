// Converts profiled and described colors to sRGB or to the colors of another profile.
#ifndef FIRN_TRANSFORM_H
#define FIRN_TRANSFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firn_decode.h"

/// The result of creating a transform.
typedef enum {
    /// A transform was created.
    FIRN_COLOR_TRANSFORM,
    /// The colors are already those of the target and need no conversion.
    FIRN_COLOR_SAME,
    /// The profile is damaged or does not match the pixels; ignore it.
    FIRN_COLOR_UNUSABLE,
    /// No colors can be converted to the target's profile.
    FIRN_COLOR_BAD_TARGET
} firn_color_result;

/// The colors of the result. All zero: sRGB, perceptual intent.
typedef struct {
    /// An RGB profile; NULL for sRGB.
    const uint8_t *icc;
    size_t length;
    /// True for the relative colorimetric intent with black point compensation; false for the perceptual intent.
    bool relative;
} firn_target;

/// The color model of a pixel.
typedef enum { FIRN_MODEL_GRAY, FIRN_MODEL_RGB, FIRN_MODEL_CMYK } firn_model;

/// A transform from an ICC profile's colors, with lcms2. May be used concurrently.
typedef struct firn_transform firn_transform;

/// Creates the transform from pixels of `model` with profile `icc`, in layout `from`, to the target's pixels in layout
/// `to`.
///
/// `from` is FIRN_LAYOUT_CMYK for inks and otherwise a layout of colors, with equal components if the model is gray.
/// `to` is not FIRN_LAYOUT_CMYK; FIRN_LAYOUT_RGBA_HALF is linear light with the primaries of sRGB, whatever the target,
/// and not clamped to 0...1.
firn_color_result firn_transform_make(
    const uint8_t *icc, size_t length, firn_model model, firn_layout from, firn_layout to, const firn_target *target,
    firn_transform **transform);

/// Creates a transform for RGB pixels with described colors. HDR transfer functions are unusable here.
firn_color_result firn_transform_make_described(
    const firn_color *color, firn_layout from, firn_layout to, const firn_target *target, firn_transform **transform);

/// Returns an ICC profile of described colors; the caller frees the bytes. Returns NULL if they are sRGB, for HDR
/// transfer functions, or if memory is exhausted.
uint8_t *firn_described_icc(const firn_color *color, size_t *length);

/// Returns the ICC profile of Adobe RGB (1998), or of Display P3; the caller frees the bytes. Returns NULL if memory is
/// exhausted.
uint8_t *firn_named_icc(bool adobe, size_t *length);

/// Transforms rows; `from` and `to` may be equal if their layouts are. Keeps alpha; inks become opaque pixels.
void firn_transform_rows(
    const firn_transform *transform, const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride,
    uint32_t width, uint32_t rows);

void firn_transform_free(firn_transform *transform);

#endif
