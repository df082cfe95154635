// Source: Adobe Technical Note 5116, section 18: inks of JPEG files are stored inverted.
#include "jpeg_inks.h"

#include <stddef.h>

void firn_jpeg_invert_inks(uint8_t *row, uint32_t width) {
    for (size_t i = 0; i < (size_t)width * 4; i++) row[i] = 255 - row[i];
}

void firn_jpeg_convert_inks(const uint8_t *from, uint8_t *to, uint32_t width, firn_layout layout) {
    unsigned bytes = layout == FIRN_LAYOUT_RGB ? 3 : 4, red = layout == FIRN_LAYOUT_BGRA ? 2 : 0;
    for (uint32_t x = 0; x < width; x++, from += 4, to += bytes) {
        unsigned light = from[3], color[3];
        for (int i = 0; i < 3; i++) {
            unsigned product = (255u - from[i]) * light + 128;
            unsigned taken = ((product >> 8) + product) >> 8;
            color[i] = light > taken ? light - taken : 0;
        }
        to[red] = (uint8_t)color[0];
        to[1] = (uint8_t)color[1];
        to[2 - red] = (uint8_t)color[2];
        if (bytes == 4) to[3] = 255;
    }
}
