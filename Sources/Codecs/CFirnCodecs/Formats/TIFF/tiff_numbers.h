// Reads single TIFF samples as libtiff decodes them; private to this target.
#ifndef FIRN_TIFF_NUMBERS_H
#define FIRN_TIFF_NUMBERS_H

#include <math.h>
#include <string.h>

#include "tiff_rows.h"

/// Returns the index of sample `sample` of pixel `pixel` among the samples of its plane.
static inline size_t firn_tiff_place(const firn_tiff_samples *samples, size_t pixel, unsigned sample) {
    return samples->step > 1 ? pixel * samples->step + sample : pixel;
}

static inline float firn_tiff_half(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 1023;
    if (exponent == 0) {
        float value = ldexpf((float)fraction, -24);
        return sign ? -value : value;
    }
    uint32_t bits = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

/// Returns a stored 16, 32 or 64-bit float.
static inline float firn_tiff_float(const uint8_t *plane, size_t index, unsigned bits) {
    switch (bits) {
    case 16: {
        uint16_t half;
        memcpy(&half, plane + index * 2, 2);
        return firn_tiff_half(half);
    }
    case 64: {
        double value;
        memcpy(&value, plane + index * 8, 8);
        return (float)value;
    }
    default: {
        float value;
        memcpy(&value, plane + index * 4, 4);
        return value;
    }
    }
}

#endif
