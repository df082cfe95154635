// Converts libheif's planes to rows of pixels.
#ifdef FIRN_HEIC
#include "heic_decoder.h"

#include <string.h>

/// One plane of the decoded image.
typedef struct {
    const uint8_t *base;
    size_t stride;
    uint32_t width, height, bits;
} heic_plane;

/// Returns the plane of a channel; its base is NULL if it is missing or its format is unsupported.
static heic_plane plane_of(const struct heif_image *image, enum heif_channel channel) {
    if (!heif_image_has_channel(image, channel)) return (heic_plane){0};
    int stride = 0, width = heif_image_get_width(image, channel), height = heif_image_get_height(image, channel);
    int bits = heif_image_get_bits_per_pixel_range(image, channel);
    const uint8_t *base = heif_image_get_plane_readonly(image, channel, &stride);
    if (!base || stride <= 0 || width <= 0 || height <= 0 || bits < 8 || bits > 16) return (heic_plane){0};
    return (heic_plane){base, (size_t)stride, (uint32_t)width, (uint32_t)height, (uint32_t)bits};
}

/// Returns a sample as 8 bits, truncated, or as 16 bits.
static inline uint32_t sample_of(const uint8_t *row, uint32_t bits, uint32_t x, bool is_wide) {
    if (bits == 8) return is_wide ? row[x] * 257u : row[x];
    uint16_t value;
    memcpy(&value, row + (size_t)x * 2, 2);
    uint32_t full = (1u << bits) - 1, cut = value < full ? value : full;
    return is_wide ? cut * 65535u / full : cut >> (bits - 8);
}

static void make_row(
    const heic_plane planes[4], uint32_t y, uint32_t height, firn_layout layout, bool divides, uint8_t *pixels) {
    bool is_wide = layout == FIRN_LAYOUT_RGBA16;
    uint32_t width = planes[0].width, full = is_wide ? 65535 : 255;
    unsigned size = is_wide ? 8 : layout == FIRN_LAYOUT_RGB ? 3 : 4, red = layout == FIRN_LAYOUT_BGRA ? 2 : 0;
    const heic_plane *alpha = &planes[3];
    const uint8_t *rows[4] = {0};
    for (unsigned c = 0; c < 3; c++) rows[c] = planes[c].base + (size_t)y * planes[c].stride;
    // Alpha may have another size; the nearest sample is used.
    if (alpha->base) rows[3] = alpha->base + (size_t)((uint64_t)y * alpha->height / height) * alpha->stride;
    for (uint32_t x = 0; x < width; x++, pixels += size) {
        uint32_t out[4] = {0, 0, 0, full};
        for (unsigned c = 0; c < 3; c++) out[c] = sample_of(rows[c], planes[c].bits, x, is_wide);
        if (rows[3]) {
            uint32_t at = alpha->width == width ? x : (uint32_t)((uint64_t)x * alpha->width / width);
            out[3] = sample_of(rows[3], alpha->bits, at, is_wide);
            for (unsigned c = 0; divides && c < 3; c++) {
                uint64_t value = out[3] ? ((uint64_t)out[c] * full + out[3] / 2) / out[3] : 0;
                out[c] = value < full ? (uint32_t)value : full;
            }
        }
        if (is_wide) {
            uint16_t words[4] = {(uint16_t)out[0], (uint16_t)out[1], (uint16_t)out[2], (uint16_t)out[3]};
            memcpy(pixels, words, 8);
            continue;
        }
        pixels[red] = (uint8_t)out[0];
        pixels[1] = (uint8_t)out[1];
        pixels[2 - red] = (uint8_t)out[2];
        if (size == 4) pixels[3] = (uint8_t)out[3];
    }
}

firn_status firn_heic_convert_rows(heic_decoder *self, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    const firn_output *output = &self->base.output;
    static const enum heif_channel channels[4] = {
        heif_channel_R, heif_channel_G, heif_channel_B, heif_channel_Alpha};
    heic_plane planes[4];
    for (unsigned c = 0; c < 4; c++) {
        planes[c] = plane_of(self->image, channels[c]);
        if (c < 3
            && (!planes[c].base || planes[c].width != output->width || planes[c].height != output->height))
            return firn_fail(&self->base, FIRN_DATA, "libheif gave no pixels");
    }
    bool divides = heif_image_handle_is_premultiplied_alpha(self->handle) != 0;
    for (*done = 0; *done < rows && self->next_row < output->height; ++*done, self->next_row++)
        make_row(planes, self->next_row, output->height, self->layout, divides, pixels + *done * stride);
    return self->next_row < output->height ? FIRN_OK : FIRN_END;
}

#endif
