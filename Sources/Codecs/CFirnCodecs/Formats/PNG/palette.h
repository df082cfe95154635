// Collects the colors of an image with few colors.
#ifndef PALETTE_H
#define PALETTE_H

#include "../../Library/encode.h"

/// Colors as straight 0xAARRGGBB, in order of increasing alpha.
typedef struct {
    uint32_t colors[256];
    int count;
    /// A hash table with open addressing: each color's index plus one, 0 for a free slot.
    uint16_t slots[1024];
} firn_palette;

/// Collects the colors of `image`; returns false if there are more than `most`, which is at most 256.
///
/// `row` has room for one row of words.
bool firn_palette_collect(const firn_image *image, int most, uint32_t *row, firn_palette *palette);

/// Returns the index of a color in the palette.
uint8_t firn_palette_index(const firn_palette *palette, uint32_t color);

#endif
