#include "palette.h"

#include <stdlib.h>
#include <string.h>

/// Returns the slot of a color, or a free slot for it.
static uint32_t slot_of(const firn_palette *palette, uint32_t color) {
    uint32_t slot = (color * 2654435761u) >> 22;
    while (palette->slots[slot] && palette->colors[palette->slots[slot] - 1] != color) slot = (slot + 1) & 1023;
    return slot;
}

static int by_alpha(const void *left, const void *right) {
    uint32_t a, b;
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    return a < b ? -1 : a > b;
}

bool firn_palette_collect(const firn_image *image, int most, uint32_t *row, firn_palette *palette) {
    memset(palette, 0, sizeof *palette);
    for (uint32_t y = 0; y < image->height; y++) {
        firn_source_words(image, y, row);
        for (size_t x = 0; x < image->width; x++) {
            if (x > 0 && row[x] == row[x - 1]) continue;
            uint32_t slot = slot_of(palette, row[x]);
            if (palette->slots[slot]) continue;
            if (palette->count == most) return false;
            palette->colors[palette->count++] = row[x];
            palette->slots[slot] = (uint16_t)palette->count;
        }
    }
    // Sorted, so that equal images have equal palettes. Alpha is the highest byte.
    qsort(palette->colors, (size_t)palette->count, sizeof palette->colors[0], by_alpha);
    memset(palette->slots, 0, sizeof palette->slots);
    for (int i = 0; i < palette->count; i++)
        palette->slots[slot_of(palette, palette->colors[i])] = (uint16_t)(i + 1);
    return true;
}

uint8_t firn_palette_index(const firn_palette *palette, uint32_t color) {
    return (uint8_t)(palette->slots[slot_of(palette, color)] - 1);
}
