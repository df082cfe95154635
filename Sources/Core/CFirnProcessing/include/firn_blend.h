#ifndef FIRN_BLEND_H
#define FIRN_BLEND_H

#include <stddef.h>
#include <stdint.h>

/// The factor of a color: 0, 1, the other image's alpha, or 1 minus that alpha.
typedef enum { firn_factor_zero, firn_factor_one, firn_factor_alpha, firn_factor_rest } firn_factor;

/// A blend mode and its parameters. Source: Porter, Duff: "Compositing digital images", SIGGRAPH 1984.
typedef struct {
    firn_factor source;
    firn_factor backdrop;
    /// 0: adds the two products; 1: multiply; 2: screen (W3C Compositing and Blending Level 1 §10.1).
    int32_t mixing;
    /// Nonzero to clamp floats to 1.
    int32_t cuts;
    /// The factor applied to the source first, 0 to 1.
    float opacity;
} firn_blend;

/// Blends premultiplied 4-byte pixels, alpha last, into `backdrop`.
void firn_blend_row8(const firn_blend *blend, const uint8_t *source, uint8_t *backdrop, size_t count);

/// Blends premultiplied pixels of four floats into `backdrop`.
void firn_blend_floats(const firn_blend *blend, const float *source, float *backdrop, size_t count);

/// Writes `row + amount · (row − blurred)` for `count` 4-byte pixels to `blurred`, clamped to 0...limit. If
/// `isPremultiplied`, the limit is alpha, and the blurred color is scaled to the alpha of `row`. Alpha is unchanged.
void firn_sharpen_row8(const uint8_t *row, uint8_t *blurred, size_t count, float amount, int isPremultiplied);
/// Sharpens bytes without alpha in the same way.
void firn_sharpen_bytes(const uint8_t *row, uint8_t *blurred, size_t count, float amount);
/// Sharpens four premultiplied floats in the same way; with `cuts`, colors are clamped to 0...alpha.
void firn_sharpen_floats(const float *row, float *blurred, size_t count, float amount, int cuts);

#endif
