// Source: Porter and Duff, "Compositing Digital Images" (1984), the operator "over"; all results rounded to nearest.
#include "firn_composite.h"

#include <string.h>

void firn_composite_premultiplied(
    uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride, uint32_t width, uint32_t rows) {
    for (uint32_t y = 0; y < rows; y++) {
        uint8_t *below = to + (size_t)y * to_stride;
        const uint8_t *above = from + (size_t)y * from_stride;
        for (uint32_t x = 0; x < width; x++, below += 4, above += 4) {
            uint32_t over, under;
            memcpy(&over, above, 4);
            uint32_t alpha = over >> 24;
            if (alpha == 255) {
                memcpy(below, &over, 4);
            } else if (alpha) {
                // Two samples at once, in halves of a word; a sum never exceeds 255, because no color exceeds its
                // alpha.
                memcpy(&under, below, 4);
                uint32_t rest = 255 - alpha;
                uint32_t even = (under & 0x00FF00FF) * rest + 0x00800080;
                uint32_t odd = (under >> 8 & 0x00FF00FF) * rest + 0x00800080;
                even = (even + (even >> 8 & 0x00FF00FF)) >> 8 & 0x00FF00FF;
                odd = (odd + (odd >> 8 & 0x00FF00FF)) & 0xFF00FF00;
                over += even | odd;
                memcpy(below, &over, 4);
            }
        }
    }
}

void firn_composite_straight(
    uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride, uint32_t width, uint32_t rows) {
    for (uint32_t y = 0; y < rows; y++) {
        uint8_t *below = to + (size_t)y * to_stride;
        const uint8_t *above = from + (size_t)y * from_stride;
        for (uint32_t x = 0; x < width; x++, below += 4, above += 4) {
            uint32_t alpha = above[3];
            if (alpha == 255 || (alpha && below[3] == 0)) {
                memcpy(below, above, 4);
            } else if (alpha) {
                // The weights of the two colors, times 255.
                uint32_t upper = alpha * 255, lower = below[3] * (255 - alpha), sum = upper + lower;
                for (int i = 0; i < 3; i++)
                    below[i] = (uint8_t)((above[i] * upper + below[i] * lower + sum / 2) / sum);
                below[3] = (uint8_t)((sum + 127) / 255);
            }
        }
    }
}
