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
    /// Whether floats are clamped to 1.
    int32_t cuts;
    /// The factor that the source is multiplied by first, 0 to 1.
    float opacity;
} firn_blend;

/// Blends premultiplied pixels of four bytes, alpha last, into `backdrop`.
void firn_blend_row8(const firn_blend *blend, const uint8_t *source, uint8_t *backdrop, size_t count);

/// Blends premultiplied pixels of four floats into `backdrop`.
void firn_blend_floats(const firn_blend *blend, const float *source, float *backdrop, size_t count);

/// Writes `row + amount · (row − blurred)` of `count` pixels of four bytes to `blurred`, clamped to 0...limit. If
/// `isPremultiplied`, the limit is alpha, and the blurred color is scaled to the alpha of `row`. Alpha stays.
void firn_sharpen_row8(const uint8_t *row, uint8_t *blurred, size_t count, float amount, int isPremultiplied);
/// Does the same for bytes without alpha.
void firn_sharpen_bytes(const uint8_t *row, uint8_t *blurred, size_t count, float amount);
/// Does the same for four premultiplied floats; with `cuts`, colors are clamped to 0...alpha.
void firn_sharpen_floats(const float *row, float *blurred, size_t count, float amount, int cuts);

#endif
