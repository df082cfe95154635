// Colors by way of linear light: to half floats, and from high to standard dynamic range.
#ifndef FIRN_LIGHT_H
#define FIRN_LIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firn_decode.h"

/// A way from encoded colors to linear light and on. Any number of threads may use one at once.
typedef struct firn_light firn_light;

/// Makes the way from straight pixels with the colors described, FIRN_LAYOUT_RGBA or FIRN_LAYOUT_RGBA16, to sRGB.
///
/// To FIRN_LAYOUT_RGBA_HALF it ends with linear light, of which 1 is the white of a page, 203 cd/m2 where the colors
/// tell of luminances; nothing is cut. To all other layouts but FIRN_LAYOUT_CMYK, what is brighter than white is toned
/// down, what sRGB does not have is cut, and the rest is encoded. NULL if there is no memory, or for another `from`.
firn_light *firn_light_make(const firn_color *color, firn_layout from, firn_layout to);

/// Brings rows from `from` to `to`, which are different memory. Alpha is kept.
void firn_light_rows(
    const firn_light *light, const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride, uint32_t width,
    uint32_t rows);

void firn_light_free(firn_light *light);

#endif
