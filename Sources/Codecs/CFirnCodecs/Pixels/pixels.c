#include "firn_pixels.h"

#include <string.h>

#include "halves.h"

void firn_pixels_premultiply(uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows) {
    for (uint32_t y = 0; y < rows; y++) {
        uint8_t *row = pixels + (size_t)y * stride;
        for (uint32_t x = 0; x < width; x++) {
            // Two colors at once, in halves of a word. (v + 128 + (v + 128 >> 8)) >> 8 is v / 255 rounded.
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

void firn_pixels_premultiply_halves(uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows) {
    for (uint32_t y = 0; y < rows; y++) {
        uint8_t *row = pixels + (size_t)y * stride;
        for (uint32_t x = 0; x < width; x++) {
            uint16_t pixel[4];
            memcpy(pixel, row + (size_t)x * 8, 8);
            float alpha = firn_half_to_float(pixel[3]);
            for (int k = 0; k < 3; k++) pixel[k] = firn_half_from_float(firn_half_to_float(pixel[k]) * alpha);
            memcpy(row + (size_t)x * 8, pixel, 8);
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

void firn_pixels_make_opaque(uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows) {
    for (uint32_t y = 0; y < rows; y++) {
        uint8_t *row = pixels + (size_t)y * stride;
        for (uint32_t x = 0; x < width; x++) row[(size_t)x * 4 + 3] = 255;
    }
}

static const uint16_t half_of_one = 0x3C00;

/// Returns whether the last of four words is `full` in every pixel.
static bool words_full(const uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows, uint16_t full) {
    for (uint32_t y = 0; y < rows; y++) {
        const uint8_t *row = pixels + (size_t)y * stride;
        uint16_t other = 0;
        for (uint32_t x = 0; x < width; x++) {
            uint16_t alpha;
            memcpy(&alpha, row + (size_t)x * 8 + 6, 2);
            other |= alpha ^ full;
        }
        if (other) return false;
    }
    return true;
}

bool firn_layout_opaque(
    firn_layout layout, const uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows) {
    switch (layout) {
    case FIRN_LAYOUT_RGB:
    case FIRN_LAYOUT_CMYK: break;
    case FIRN_LAYOUT_BGRA:
    case FIRN_LAYOUT_RGBA: return firn_pixels_opaque(pixels, stride, width, rows);
    case FIRN_LAYOUT_RGBA16: return words_full(pixels, stride, width, rows, 0xFFFF);
    case FIRN_LAYOUT_RGBA_HALF: return words_full(pixels, stride, width, rows, half_of_one);
    }
    return true;
}

void firn_layout_make_opaque(firn_layout layout, uint8_t *pixels, size_t stride, uint32_t width, uint32_t rows) {
    if (layout == FIRN_LAYOUT_RGB || layout == FIRN_LAYOUT_CMYK) return;
    if (layout == FIRN_LAYOUT_BGRA || layout == FIRN_LAYOUT_RGBA) {
        firn_pixels_make_opaque(pixels, stride, width, rows);
        return;
    }
    uint16_t full = layout == FIRN_LAYOUT_RGBA16 ? 0xFFFF : half_of_one;
    for (uint32_t y = 0; y < rows; y++) {
        uint8_t *row = pixels + (size_t)y * stride;
        for (uint32_t x = 0; x < width; x++) memcpy(row + (size_t)x * 8 + 6, &full, 2);
    }
}

void firn_pixels_widen(
    const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride, uint32_t width, uint32_t rows) {
    for (uint32_t y = 0; y < rows; y++) {
        const uint8_t *source = from + (size_t)y * from_stride;
        uint8_t *target = to + (size_t)y * to_stride;
        for (size_t i = 0; i < (size_t)width * 4; i++) {
            uint16_t word = (uint16_t)(source[i] * 257);
            memcpy(target + i * 2, &word, 2);
        }
    }
}

uint16_t firn_pixels_half_of_alpha(uint16_t alpha) { return firn_half_from_float((float)alpha / 65535); }
