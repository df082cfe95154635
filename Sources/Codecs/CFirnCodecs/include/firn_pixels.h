// Loops over pixels, in a form that compilers vectorize.
#ifndef FIRN_PIXELS_H
#define FIRN_PIXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firn_decode.h"

/// Multiplies colors by alpha in place, rounding to nearest; alpha is the fourth byte of each pixel.
void firn_pixels_premultiply(uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows);

/// Multiplies colors by alpha in place; pixels are four half floats with alpha last.
void firn_pixels_premultiply_halves(uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows);

/// Returns whether the fourth byte of every pixel is 255.
bool firn_pixels_opaque(const uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows);

/// Sets the fourth byte of every pixel to 255.
void firn_pixels_make_opaque(uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows);

/// Returns whether every alpha is full, for any layout; true if the layout has no alpha.
bool firn_layout_opaque(
    firn_layout layout, const uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows);

/// Makes every alpha full, for any layout; does nothing if the layout has no alpha.
void firn_layout_make_opaque(firn_layout layout, uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows);

/// Converts FIRN_LAYOUT_RGBA to FIRN_LAYOUT_RGBA16 by multiplying with 257.
void firn_pixels_widen(
    const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride, uint32_t width, uint32_t rows);

/// Converts an alpha from 0 to 65535 to a half float.
uint16_t firn_pixels_half_of_alpha(uint16_t alpha);

#endif
