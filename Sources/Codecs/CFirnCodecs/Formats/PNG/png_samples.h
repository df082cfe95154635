// Stored PNG samples as pixels.
#ifndef FIRN_PNG_SAMPLES_H
#define FIRN_PNG_SAMPLES_H

#include "firn_decode.h"

/// How the samples of an image are stored, and what becomes of them.
typedef struct {
    /// Bits of a sample: 1, 2, 4 or 8.
    unsigned depth;
    /// 0 gray, 2 RGB, 3 indexed, 4 gray with alpha, 6 RGBA.
    unsigned type;
    /// RGB, RGBA or BGRA.
    firn_layout layout;
    /// Whether one color is transparent, which is this one, as stored: gray, or red, green and blue.
    bool has_key;
    uint8_t key[3];
    /// Of an indexed image, and of a gray one without alpha: the pixel of each stored value, in the layout's order.
    uint8_t table[256][4];
} firn_png_samples;

/// Reads the content of a PLTE or tRNS chunk. Entries without color are black, those without alpha opaque.
void firn_png_palette(firn_png_samples *samples, const uint8_t *content, size_t length);
void firn_png_transparency(firn_png_samples *samples, const uint8_t *content, size_t length);

/// Prepares the table of an image of gray, which has no palette. Call it once before everything else.
void firn_png_samples_start(firn_png_samples *samples);

/// Writes a row of `width` pixels.
void firn_png_samples_write(const firn_png_samples *samples, const uint8_t *row, uint8_t *pixels, uint32_t width);

#endif
