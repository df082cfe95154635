// Converts stored PNG samples to pixels.
//
// Source: PNG (third edition) §7.2 (packing), §11.2.1 (PLTE), §11.3.1.1 (tRNS), §13.12 (sample depth).
#include "png_samples.h"

#include <string.h>

enum { GRAY = 0, RGB = 2, INDEXED = 3, GRAY_ALPHA = 4, RGBA = 6 };

void firn_png_samples_start(firn_png_samples *samples) {
    unsigned most = (1u << samples->depth) - 1;
    for (unsigned value = 0; value < 256; value++) {
        uint8_t *entry = samples->table[value];
        memset(entry, samples->type == INDEXED ? 0 : (int)((value & most) * 255 / most), 3);
        entry[3] = 255;
    }
}

void firn_png_palette(firn_png_samples *samples, const uint8_t *content, size_t length) {
    if (samples->type != INDEXED) return;
    bool reversed = samples->layout == FIRN_LAYOUT_BGRA;
    for (size_t i = 0; i < length / 3 && i < 256; i++) {
        samples->table[i][0] = content[3 * i + (reversed ? 2 : 0)];
        samples->table[i][1] = content[3 * i + 1];
        samples->table[i][2] = content[3 * i + (reversed ? 0 : 2)];
    }
}

void firn_png_transparency(firn_png_samples *samples, const uint8_t *content, size_t length) {
    // A key is stored as 16-bit numbers, of which the low bits count.
    if (samples->type == INDEXED) {
        for (size_t i = 0; i < length && i < 256; i++) samples->table[i][3] = content[i];
    } else if (samples->type == GRAY && length >= 2) {
        unsigned most = (1u << samples->depth) - 1;
        for (unsigned value = 0; value < 256; value++)
            if ((value & most) == (content[1] & most)) samples->table[value][3] = 0;
    } else if (samples->type == RGB && length >= 6) {
        samples->has_key = true;
        for (unsigned i = 0; i < 3; i++) samples->key[i] = content[2 * i + 1];
    }
}

static void write_indexed(const firn_png_samples *samples, const uint8_t *row, uint8_t *pixels, uint32_t width) {
    unsigned depth = samples->depth, mask = (1u << depth) - 1, bytes = samples->layout == FIRN_LAYOUT_RGB ? 3 : 4;
    if (depth == 8 && bytes == 4) {
        for (uint32_t x = 0; x < width; x++) memcpy(pixels + 4 * (size_t)x, samples->table[row[x]], 4);
        return;
    }
    for (uint32_t x = 0; x < width; x++) {
        size_t bit = (size_t)x * depth;
        unsigned value = row[bit / 8] >> (8 - depth - bit % 8) & mask;
        memcpy(pixels + bytes * (size_t)x, samples->table[value], bytes);
    }
}

static void write_gray_alpha(const uint8_t *row, uint8_t *pixels, uint32_t width, bool has_alpha) {
    for (uint32_t x = 0; x < width; x++, row += 2, pixels += has_alpha ? 4 : 3) {
        pixels[0] = pixels[1] = pixels[2] = row[0];
        if (has_alpha) pixels[3] = row[1];
    }
}

static void write_rgb(const firn_png_samples *samples, const uint8_t *row, uint8_t *pixels, uint32_t width) {
    if (samples->layout == FIRN_LAYOUT_RGB) {
        memcpy(pixels, row, 3 * (size_t)width);
        return;
    }
    const uint8_t *from = row;
    uint8_t *to = pixels;
    if (samples->layout == FIRN_LAYOUT_BGRA) {
        for (uint32_t x = 0; x < width; x++, from += 3, to += 4) {
            uint8_t pixel[4] = {from[2], from[1], from[0], 255};
            memcpy(to, pixel, 4);
        }
    } else {
        for (uint32_t x = 0; x < width; x++, from += 3, to += 4) {
            uint8_t pixel[4] = {from[0], from[1], from[2], 255};
            memcpy(to, pixel, 4);
        }
    }
    if (!samples->has_key) return;
    for (uint32_t x = 0; x < width; x++)
        if (!memcmp(row + 3 * (size_t)x, samples->key, 3)) pixels[4 * (size_t)x + 3] = 0;
}

static void write_rgba(firn_layout layout, const uint8_t *row, uint8_t *pixels, uint32_t width) {
    if (layout == FIRN_LAYOUT_RGBA) {
        memcpy(pixels, row, 4 * (size_t)width);
    } else if (layout == FIRN_LAYOUT_RGB) {
        for (uint32_t x = 0; x < width; x++) memcpy(pixels + 3 * (size_t)x, row + 4 * (size_t)x, 3);
    } else {
        for (size_t i = 0; i < 4 * (size_t)width; i += 4) {
            uint8_t pixel[4] = {row[i + 2], row[i + 1], row[i], row[i + 3]};
            memcpy(pixels + i, pixel, 4);
        }
    }
}

void firn_png_samples_write(const firn_png_samples *samples, const uint8_t *row, uint8_t *pixels, uint32_t width) {
    switch (samples->type) {
    case RGB: write_rgb(samples, row, pixels, width); break;
    case RGBA: write_rgba(samples->layout, row, pixels, width); break;
    case GRAY_ALPHA: write_gray_alpha(row, pixels, width, samples->layout != FIRN_LAYOUT_RGB); break;
    default: write_indexed(samples, row, pixels, width); break;
    }
}
