// Converts stored PNG samples to pixels.
#ifndef FIRN_PNG_SAMPLES_H
#define FIRN_PNG_SAMPLES_H

#include "firn_decode.h"

/// The storage of an image's samples, and their conversion.
typedef struct {
    /// Bits of a sample: 1, 2, 4 or 8.
    unsigned depth;
    /// 0 gray, 2 RGB, 3 indexed, 4 gray with alpha, 6 RGBA.
    unsigned type;
    /// RGB, RGBA or BGRA.
    firn_layout layout;
    /// True if one color is transparent; and that color as stored: gray, or red, green and blue.
    bool has_key;
    uint8_t key[3];
    /// For indexed images, and gray ones without alpha: the pixel of each stored value, in the layout's order.
    uint8_t table[256][4];
} firn_png_samples;

/// Reads a PLTE or tRNS chunk. Entries without color are black, entries without alpha opaque.
void firn_png_palette(firn_png_samples *samples, const uint8_t *content, size_t length);
void firn_png_transparency(firn_png_samples *samples, const uint8_t *content, size_t length);

/// Prepares the table of a gray image without a palette. Call once, before everything else.
void firn_png_samples_start(firn_png_samples *samples);

/// Writes a row of `width` pixels.
void firn_png_samples_write(const firn_png_samples *samples, const uint8_t *row, uint8_t *pixels, uint32_t width);

#endif
