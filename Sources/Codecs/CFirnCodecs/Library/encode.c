#include "encode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "firn_pixels.h"

static const char no_memory[] = "there is no memory";

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
    // Frees the excess from doubling; failing to shrink is not an error.
    uint8_t *shrunk = realloc(output->bytes, output->length);
    encoded->bytes = shrunk ? shrunk : output->bytes;
    encoded->length = output->length;
    encoded->message[0] = 0;
    *output = (firn_bytes){0};
    return true;
}

bool firn_encoded_fail(
    firn_encoded *encoded, firn_bytes *output, firn_encode_fault fault, const char *message
) {
    if (output) {
        free(output->bytes);
        *output = (firn_bytes){0};
    }
    encoded->bytes = NULL;
    encoded->length = 0;
    encoded->fault = fault;
    snprintf(encoded->message, sizeof encoded->message, "%s", message);
    return false;
}

bool firn_encoded_cancel(firn_encoded *encoded, firn_bytes *output) {
    return firn_encoded_fail(encoded, output, FIRN_ENCODE_CANCELLED, "encoding was cancelled");
}

bool firn_encoded_no_memory(firn_encoded *encoded, firn_bytes *output) {
    return firn_encoded_fail(encoded, output, FIRN_ENCODE_LIMIT, no_memory);
}

bool firn_image_is_opaque(const firn_image *image) {
    if (image->opaque || image->layout == FIRN_SOURCE_RGB) return true;
    if (image->layout == FIRN_SOURCE_RGBA_HALF)
        return firn_layout_opaque(
            FIRN_LAYOUT_RGBA_HALF, image->pixels, image->stride, image->width, image->height);
    if (image->layout == FIRN_SOURCE_RGBA16_STRAIGHT)
        return firn_layout_opaque(
            FIRN_LAYOUT_RGBA16, image->pixels, image->stride, image->width, image->height);
    return firn_pixels_opaque(image->pixels, image->stride, image->width, image->height);
}

/// Divides by alpha, rounding to nearest. A color above its alpha is clamped to alpha.
static uint8_t straight(uint8_t color, uint32_t alpha) {
    uint32_t cut = color < alpha ? color : alpha;
    return (uint8_t)((cut * 255 + alpha / 2) / alpha);
}

/// Loads one pixel as straight red, green, blue and alpha.
static inline void load(const firn_image *image, const uint8_t *row, size_t x, uint8_t rgba[4]) {
    switch (image->layout) {
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
    case FIRN_SOURCE_RGBA_HALF:
        // If the format cannot store half floats, the caller first converts them to words.
        memset(rgba, 0, 4);
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

void firn_source_row(const firn_image *image, uint32_t y, uint8_t *row) {
    const uint8_t *source = image->pixels + image->stride * y;
    size_t bytes = image->opaque ? 3 : 4;
    if (image->layout == (image->opaque ? FIRN_SOURCE_RGB : FIRN_SOURCE_RGBA_STRAIGHT)) {
        memcpy(row, source, bytes * image->width);
        return;
    }
    for (size_t x = 0; x < image->width; x++) {
        uint8_t rgba[4];
        load(image, source, x, rgba);
        memcpy(row + bytes * x, rgba, bytes);
    }
}

void firn_source_words(const firn_image *image, uint32_t y, uint32_t *row) {
    const uint8_t *source = image->pixels + image->stride * y;
    for (size_t x = 0; x < image->width; x++) {
        uint8_t rgba[4];
        load(image, source, x, rgba);
        row[x] = (uint32_t)rgba[3] << 24 | (uint32_t)rgba[0] << 16 | (uint32_t)rgba[1] << 8 | rgba[2];
    }
}

bool firn_image_is_gray(const firn_image *image) {
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *row = image->pixels + image->stride * y;
        switch (image->layout) {
        case FIRN_SOURCE_RGB:
            for (size_t x = 0; x < image->width; x++)
                if (row[3 * x] != row[3 * x + 1] || row[3 * x] != row[3 * x + 2]) return false;
            break;
        case FIRN_SOURCE_BGRA_PREMULTIPLIED:
        case FIRN_SOURCE_RGBA_STRAIGHT:
            for (size_t x = 0; x < image->width; x++)
                if (row[4 * x] != row[4 * x + 1] || row[4 * x] != row[4 * x + 2]) return false;
            break;
        case FIRN_SOURCE_RGBA16_STRAIGHT:
            for (size_t x = 0; x < image->width; x++) {
                uint16_t words[3];
                memcpy(words, row + 8 * x, 6);
                if (words[0] != words[1] || words[0] != words[2]) return false;
            }
            break;
        case FIRN_SOURCE_RGBA_HALF: return false;
        }
    }
    return true;
}

void firn_source_gray(const firn_image *image, uint32_t y, uint8_t *row) {
    const uint8_t *source = image->pixels + image->stride * y;
    size_t bytes = image->opaque ? 1 : 2;
    for (size_t x = 0; x < image->width; x++) {
        uint8_t rgba[4];
        load(image, source, x, rgba);
        row[bytes * x] = rgba[0];
        if (bytes == 2) row[2 * x + 1] = rgba[3];
    }
}

void *firn_animation_create(const firn_animation_calls *calls, const firn_canvas *canvas, firn_encoded *encoded) {
    firn_animation *animation = calloc(1, calls->state_bytes);
    if (!animation) return firn_animation_no_memory(NULL, encoded);
    animation->calls = calls;
    animation->canvas = *canvas;
    return animation;
}

firn_animation *firn_animation_refuse(
    firn_animation *animation, firn_encoded *encoded, firn_encode_fault fault, const char *message
) {
    firn_animation_close(animation);
    firn_encoded_fail(encoded, NULL, fault, message);
    return NULL;
}

firn_animation *firn_animation_no_memory(firn_animation *animation, firn_encoded *encoded) {
    return firn_animation_refuse(animation, encoded, FIRN_ENCODE_LIMIT, no_memory);
}

bool firn_animation_add(
    firn_animation *animation, const firn_image *image, uint32_t milliseconds, firn_encoded *encoded
) {
    if (firn_is_cancelled(image)) return firn_encoded_cancel(encoded, NULL);
    if (image->width != animation->canvas.width || image->height != animation->canvas.height)
        return firn_encoded_fail(
            encoded, NULL, FIRN_ENCODE_IMAGE, "the frame is of another size than the animation");
    if (!animation->calls->add(animation, image, milliseconds, encoded)) return false;
    animation->count++;
    return true;
}

bool firn_animation_finish(firn_animation *animation, firn_encoded *encoded) {
    if (animation->count == 0)
        return firn_encoded_fail(encoded, NULL, FIRN_ENCODE_IMAGE, "an animation needs at least one frame");
    return animation->calls->finish(animation, encoded);
}

void firn_animation_close(firn_animation *animation) {
    if (!animation) return;
    animation->calls->release(animation);
    free(animation);
}
