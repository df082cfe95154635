#include "include/firn_pixels.h"

#include <string.h>

void firn_pixels_premultiply(uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows) {
    for (uint32_t y = 0; y < rows; y++) {
        uint8_t *row = pixels + (size_t)y * stride;
        for (uint32_t x = 0; x < width; x++) {
            // Two colours at once, in halves of a word. (v + 128 + (v + 128 >> 8)) >> 8 is v / 255 rounded.
            uint32_t pixel;
            memcpy(&pixel, row + (size_t)x * 4, 4);
            uint32_t alpha = pixel >> 24;
            uint32_t outer = (pixel & 0x00FF00FF) * alpha + 0x00800080;
            uint32_t middle = (pixel >> 8 & 0xFF) * alpha + 0x80;
            outer = (outer + (outer >> 8 & 0x00FF00FF)) >> 8 & 0x00FF00FF;
            middle = (middle + (middle >> 8)) & 0xFF00;
            pixel = alpha << 24 | outer | middle;
            memcpy(row + (size_t)x * 4, &pixel, 4);
        }
    }
}

bool firn_pixels_opaque(const uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows) {
    for (uint32_t y = 0; y < rows; y++) {
        const uint8_t *row = pixels + (size_t)y * stride;
        uint32_t all = 0xFF000000;
        for (uint32_t x = 0; x < width; x++) {
            uint32_t pixel;
            memcpy(&pixel, row + (size_t)x * 4, 4);
            all &= pixel;
        }
        if (all != 0xFF000000) return false;
    }
    return true;
}

bool firn_pixels_opaque_words(const uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows) {
    for (uint32_t y = 0; y < rows; y++) {
        const uint8_t *row = pixels + (size_t)y * stride;
        uint16_t all = 0xFFFF;
        for (uint32_t x = 0; x < width; x++) {
            uint16_t alpha;
            memcpy(&alpha, row + (size_t)x * 8 + 6, 2);
            all &= alpha;
        }
        if (all != 0xFFFF) return false;
    }
    return true;
}

void firn_pixels_make_opaque(uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows) {
    for (uint32_t y = 0; y < rows; y++) {
        uint8_t *row = pixels + (size_t)y * stride;
        for (uint32_t x = 0; x < width; x++) row[(size_t)x * 4 + 3] = 255;
    }
}

void firn_pixels_map_gray(
    uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows, uint32_t bytes, uint32_t red,
    const uint8_t *table) {
    for (uint32_t y = 0; y < rows; y++) {
        uint8_t *pixel = pixels + (size_t)y * stride;
        for (uint32_t x = 0; x < width; x++, pixel += bytes) {
            const uint8_t *color = table + (size_t)pixel[1] * 3;
            pixel[red] = color[0];
            pixel[1] = color[1];
            pixel[2 - red] = color[2];
        }
    }
}
