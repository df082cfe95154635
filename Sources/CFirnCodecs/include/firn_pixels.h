// Loops over pixels, in a form that compilers vectorise.
#ifndef FIRN_PIXELS_H
#define FIRN_PIXELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Multiplies colours by alpha, in place, rounded to nearest; alpha is the fourth byte of each pixel.
void firn_pixels_premultiply(uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows);

/// Whether the fourth byte of every pixel is 255.
bool firn_pixels_opaque(const uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows);

/// Whether the fourth word of every pixel of four 16-bit words is 65535.
bool firn_pixels_opaque_words(const uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows);

/// Sets the fourth byte of every pixel to 255.
void firn_pixels_make_opaque(uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows);

/// Replaces grey pixels (equal colours) by the colours that `table` has for them: 256 entries of red, green, blue.
///
/// `red` is the byte at which red stands: 0 or 2. `bytes` is the size of a pixel: 3 or 4.
void firn_pixels_map_gray(
    uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows, uint32_t bytes, uint32_t red,
    const uint8_t *table);

#endif
