// Composites one image over another, for animations. Pixels are four bytes with alpha last.
#ifndef FIRN_COMPOSITE_H
#define FIRN_COMPOSITE_H

#include <stddef.h>
#include <stdint.h>

/// Composites `from` over `to`, both premultiplied.
void firn_composite_premultiplied(
    uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride, uint32_t width, uint32_t rows);

/// Composites `from` over `to`, both straight.
void firn_composite_straight(
    uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride, uint32_t width, uint32_t rows);

#endif
