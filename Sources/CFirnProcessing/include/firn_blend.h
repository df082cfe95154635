#ifndef FIRN_BLEND_H
#define FIRN_BLEND_H

#include <stddef.h>
#include <stdint.h>

/// What a color is multiplied by: nothing, 1, the other's alpha, or what that alpha leaves.
typedef enum { firn_factor_zero, firn_factor_one, firn_factor_alpha, firn_factor_rest } firn_factor;

/// Source: Porter, Duff: "Compositing digital images", SIGGRAPH 1984.
typedef struct {
    firn_factor source;
    firn_factor backdrop;
    /// 0: the two products are added; 1: multiply; 2: screen (W3C Compositing and Blending Level 1 §10.1).
    int32_t mixing;
    /// Whether floats end at 1.
    int32_t cuts;
    /// What the source is multiplied by beforehand, 0 to 1.
    float opacity;
} firn_blend;

/// Premultiplied pixels of four bytes, alpha last: `backdrop` becomes the mixture.
void firn_blend_row8(const firn_blend *blend, const uint8_t *source, uint8_t *backdrop, size_t count);

/// Premultiplied pixels of four floats.
void firn_blend_floats(const firn_blend *blend, const float *source, float *backdrop, size_t count);

/// `row + amount · (row − blurred)` of `count` pixels of four bytes, cut to 0...limit, where limit is alpha if
/// `isPremultiplied`; alpha stays. In `blurred`.
void firn_sharpen_row8(const uint8_t *row, uint8_t *blurred, size_t count, float amount, int isPremultiplied);
/// The same of bytes without alpha.
void firn_sharpen_bytes(const uint8_t *row, uint8_t *blurred, size_t count, float amount);
/// The same of four floats; with `cuts`, colors are cut to 0...alpha.
void firn_sharpen_floats(const float *row, float *blurred, size_t count, float amount, int cuts);

#endif
