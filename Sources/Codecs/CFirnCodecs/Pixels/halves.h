// Converts half floats (IEEE 754-2019, binary16) to and from floats, in a form that compilers vectorize without F16C.
#ifndef HALVES_H
#define HALVES_H

#include <stdint.h>
#include <string.h>

/// Returns the value of a half float. Infinities and NaN become numbers from 65536 up.
static inline float firn_half_to_float(uint16_t half) {
    // Moving a half's fields to those of a float gives a number that is too small by the difference of the biases,
    // 2^112; this also holds for subnormal halves.
    uint32_t bits = (uint32_t)(half & 0x7FFF) << 13;
    float number;
    memcpy(&number, &bits, 4);
    number *= 0x1p112f;
    memcpy(&bits, &number, 4);
    bits |= (uint32_t)(half & 0x8000) << 16;
    memcpy(&number, &bits, 4);
    return number;
}

/// Returns the half float nearest to a number, ties to even. Numbers above 65504 become 65504; NaN becomes 0.
static inline uint16_t firn_half_from_float(float number) {
    uint32_t bits;
    memcpy(&bits, &number, 4);
    uint32_t sign = bits >> 16 & 0x8000;
    bits &= 0x7FFFFFFF;
    if (bits > 0x7F800000) return 0;
    if (bits >= 0x477FF000) return (uint16_t)(sign | 0x7BFF);
    if (bits < 0x38800000) {
        // Below 2^-14, halves are multiples of 2^-24: adding 1/2 leaves them, rounded, in the low bits.
        float small;
        memcpy(&small, &bits, 4);
        small += 0.5f;
        memcpy(&bits, &small, 4);
        return (uint16_t)(sign | (bits - 0x3F000000));
    }
    bits += 0xFFF + (bits >> 13 & 1);
    return (uint16_t)(sign | ((bits - 0x38000000) >> 13));
}

#endif
