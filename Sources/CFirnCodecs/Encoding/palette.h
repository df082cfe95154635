// The colours of a picture that has few of them.
#ifndef PALETTE_H
#define PALETTE_H

#include "encode.h"

/// Colours as 0xAARRGGBB, straight, those with less alpha first.
typedef struct {
    uint32_t colours[256];
    int count;
    /// Open addressing: an index plus one for every colour, 0 where there is none.
    uint16_t slots[1024];
} firn_palette;

/// Collects the colours of `picture`; false if there are more than `most`, which is at most 256.
///
/// `row` is room for one row of words.
bool firn_palette_collect(const firn_picture *picture, int most, uint32_t *row, firn_palette *palette);

/// The index of a colour that is in the palette.
uint8_t firn_palette_index(const firn_palette *palette, uint32_t colour);

#endif
