#include "encode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../include/firn_pixels.h"

bool firn_bytes_reserve(firn_bytes *output, size_t more) {
    if (more <= output->capacity - output->length) return true;
    if (more > SIZE_MAX / 4 - output->length) return false;
    size_t capacity = output->capacity < 65536 ? 65536 : output->capacity * 2;
    if (capacity < output->length + more) capacity = output->length + more;
    uint8_t *bytes = realloc(output->bytes, capacity);
    if (!bytes) return false;
    output->bytes = bytes;
    output->capacity = capacity;
    return true;
}

bool firn_bytes_append(firn_bytes *output, const void *bytes, size_t count) {
    if (!firn_bytes_reserve(output, count)) return false;
    memcpy(output->bytes + output->length, bytes, count);
    output->length += count;
    return true;
}

bool firn_encoded_finish(firn_encoded *encoded, firn_bytes *output) {
    // What doubling took too much goes back; a failure to shrink is none.
    uint8_t *shrunk = realloc(output->bytes, output->length);
    encoded->bytes = shrunk ? shrunk : output->bytes;
    encoded->length = output->length;
    encoded->message[0] = 0;
    return true;
}

bool firn_encoded_fail(firn_encoded *encoded, firn_bytes *output, const char *message) {
    free(output->bytes);
    output->bytes = NULL;
    encoded->bytes = NULL;
    encoded->length = 0;
    snprintf(encoded->message, sizeof encoded->message, "%s", message);
    return false;
}

bool firn_picture_is_opaque(const firn_picture *picture) {
    if (picture->opaque || picture->layout == FIRN_SOURCE_RGB) return true;
    if (picture->layout == FIRN_SOURCE_RGBA16_STRAIGHT)
        return firn_layout_opaque(
            FIRN_LAYOUT_RGBA16, picture->pixels, picture->stride, picture->width, picture->height);
    return firn_pixels_opaque(picture->pixels, picture->stride, picture->width, picture->height);
}

/// Divides by alpha, rounding to nearest. A colour above its alpha counts as alpha.
static uint8_t straight(uint8_t colour, uint32_t alpha) {
    uint32_t cut = colour < alpha ? colour : alpha;
    return (uint8_t)((cut * 255 + alpha / 2) / alpha);
}

/// The red, green, blue and alpha of one pixel, straight.
static inline void load(const firn_picture *picture, const uint8_t *row, size_t x, uint8_t rgba[4]) {
    switch (picture->layout) {
    case FIRN_SOURCE_RGB:
        memcpy(rgba, row + 3 * x, 3);
        rgba[3] = 255;
        return;
    case FIRN_SOURCE_RGBA_STRAIGHT:
        memcpy(rgba, row + 4 * x, 4);
        return;
    case FIRN_SOURCE_RGBA16_STRAIGHT:
        for (size_t i = 0; i < 4; i++) {
            uint16_t word;
            memcpy(&word, row + 8 * x + 2 * i, 2);
            rgba[i] = (uint8_t)((word * 255u + 32895) >> 16);
        }
        return;
    case FIRN_SOURCE_BGRA_PREMULTIPLIED:
        break;
    }
    const uint8_t *pixel = row + 4 * x;
    uint32_t alpha = pixel[3];
    if (alpha == 255) {
        rgba[0] = pixel[2];
        rgba[1] = pixel[1];
        rgba[2] = pixel[0];
    } else if (alpha == 0) {
        rgba[0] = rgba[1] = rgba[2] = 0;
    } else {
        rgba[0] = straight(pixel[2], alpha);
        rgba[1] = straight(pixel[1], alpha);
        rgba[2] = straight(pixel[0], alpha);
    }
    rgba[3] = (uint8_t)alpha;
}

void firn_source_row(const firn_picture *picture, uint32_t y, uint8_t *row) {
    const uint8_t *source = picture->pixels + picture->stride * y;
    size_t bytes = picture->opaque ? 3 : 4;
    for (size_t x = 0; x < picture->width; x++) {
        uint8_t rgba[4];
        load(picture, source, x, rgba);
        memcpy(row + bytes * x, rgba, bytes);
    }
}

void firn_source_words(const firn_picture *picture, uint32_t y, uint32_t *row) {
    const uint8_t *source = picture->pixels + picture->stride * y;
    for (size_t x = 0; x < picture->width; x++) {
        uint8_t rgba[4];
        load(picture, source, x, rgba);
        row[x] = (uint32_t)rgba[3] << 24 | (uint32_t)rgba[0] << 16 | (uint32_t)rgba[1] << 8 | rgba[2];
    }
}
