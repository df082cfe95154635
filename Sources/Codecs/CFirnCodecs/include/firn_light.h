// Color conversion through linear light: to half floats, and from high to standard dynamic range.
#ifndef FIRN_LIGHT_H
#define FIRN_LIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firn_decode.h"

/// A conversion from encoded colors through linear light. May be used concurrently.
typedef struct firn_light firn_light;

/// Creates the conversion to sRGB, or to Display P3 if `wide`, from straight pixels, FIRN_LAYOUT_RGBA or
/// FIRN_LAYOUT_RGBA16, with the described colors.
///
/// For FIRN_LAYOUT_RGBA_HALF, the result is linear light, where 1 is diffuse white, 203 cd/m2 for colors with absolute
/// luminances; nothing is clamped. For all other layouts except FIRN_LAYOUT_CMYK, values brighter than white are
/// tone-mapped, colors outside the result's primaries are clamped, and the result is encoded. Returns NULL if memory is
/// exhausted, or for another `from`.
firn_light *firn_light_make(const firn_color *color, firn_layout from, firn_layout to, bool wide);

/// Converts rows from `from` to `to`, which must not overlap. Keeps alpha.
void firn_light_rows(
    const firn_light *light, const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride, uint32_t width,
    uint32_t rows);

void firn_light_free(firn_light *light);

#endif
