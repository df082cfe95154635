// Source: ITU-T H.273 §8.3 (matrix coefficients, ranges).
#include "firn_planes.h"

#include <string.h>

/// The coefficients for converting stored samples to red, green and blue, each from 0 to 1.
typedef struct {
    float luma_scale, luma_offset, chroma_scale, chroma_offset;
    float red_from_red, green_from_blue, green_from_red, blue_from_blue;
} conversion;

/// The weights of red and blue in luma.
typedef struct {
    float red, blue;
} luma_parts;

/// Computes the weights from the primaries and the white point of H.273, table 2, by H.273 (39) to (44).
static bool parts_of_primaries(uint16_t primaries, luma_parts *parts) {
    static const struct {
        uint16_t code;
        /// x and y of red, green, blue and white.
        double points[8];
    } known[] = {
        {1, {0.640, 0.330, 0.300, 0.600, 0.150, 0.060, 0.3127, 0.3290}},
        {4, {0.670, 0.330, 0.210, 0.710, 0.140, 0.080, 0.310, 0.316}},
        {5, {0.640, 0.330, 0.290, 0.600, 0.150, 0.060, 0.3127, 0.3290}},
        {6, {0.630, 0.340, 0.310, 0.595, 0.155, 0.070, 0.3127, 0.3290}},
        {7, {0.630, 0.340, 0.310, 0.595, 0.155, 0.070, 0.3127, 0.3290}},
        {9, {0.708, 0.292, 0.170, 0.797, 0.131, 0.046, 0.3127, 0.3290}},
        {11, {0.680, 0.320, 0.265, 0.690, 0.150, 0.060, 0.314, 0.351}},
        {12, {0.680, 0.320, 0.265, 0.690, 0.150, 0.060, 0.3127, 0.3290}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].code != primaries) continue;
        const double *p = known[i].points;
        double rx = p[0], ry = p[1], gx = p[2], gy = p[3], bx = p[4], by = p[5], wx = p[6], wy = p[7];
        double rz = 1 - rx - ry, gz = 1 - gx - gy, bz = 1 - bx - by, wz = 1 - wx - wy;
        double below = wy * (rx * (gy * bz - by * gz) + gx * (by * rz - ry * bz) + bx * (ry * gz - gy * rz));
        double red = ry * (wx * (gy * bz - by * gz) + wy * (bx * gz - gx * bz) + wz * (gx * by - bx * gy));
        double blue = by * (wx * (ry * gz - gy * rz) + wy * (gx * rz - rx * gz) + wz * (rx * gy - gx * ry));
        *parts = (luma_parts){(float)(red / below), (float)(blue / below)};
        return true;
    }
    return false;
}

static luma_parts parts_of(const firn_matrix *matrix) {
    luma_parts parts = {0.299f, 0.114f};
    switch (matrix->matrix) {
    case 1: return (luma_parts){0.2126f, 0.0722f};
    case 4: return (luma_parts){0.30f, 0.11f};
    case 7: return (luma_parts){0.212f, 0.087f};
    case 9:
    // Constant luminance is converted like non-constant luminance, as in other decoders.
    case 10: return (luma_parts){0.2627f, 0.0593f};
    case 12: parts_of_primaries(matrix->primaries, &parts); return parts;
    default: return parts;
    }
}

static conversion conversion_of(const firn_planes *image) {
    const firn_matrix *matrix = &image->matrix;
    uint32_t bits = image->planes[0].bits, chroma_bits = image->planes[1].base ? image->planes[1].bits : bits;
    float full = (float)((1u << bits) - 1), unit = (float)(1u << (bits - 8));
    float chroma_full = (float)((1u << chroma_bits) - 1), chroma_unit = (float)(1u << (chroma_bits - 8));
    luma_parts parts = parts_of(matrix);
    float green = 1 - parts.red - parts.blue;
    return (conversion){
        .luma_scale = 1 / (matrix->is_full_range ? full : 219 * unit),
        .luma_offset = matrix->is_full_range ? 0 : 16 * unit,
        .chroma_scale = 1 / (matrix->is_full_range ? chroma_full : 224 * chroma_unit),
        .chroma_offset = (float)(1u << (chroma_bits - 1)),
        .red_from_red = 2 * (1 - parts.red),
        .blue_from_blue = 2 * (1 - parts.blue),
        .green_from_red = -2 * (1 - parts.red) * parts.red / green,
        .green_from_blue = -2 * (1 - parts.blue) * parts.blue / green};
}

bool firn_planes_valid(const firn_planes *image) {
    const firn_plane *luma = &image->planes[0];
    if (!luma->base || luma->width == 0 || luma->height == 0 || luma->bits < 8 || luma->bits > 16) return false;
    const firn_plane *alpha = &image->alpha;
    if (alpha->base && (alpha->width == 0 || alpha->height == 0 || alpha->bits < 8 || alpha->bits > 16)) return false;
    if (!image->planes[1].base) return !image->planes[2].base;
    for (int i = 1; i < 3; i++) {
        const firn_plane *plane = &image->planes[i];
        if (!plane->base || plane->bits < 8 || plane->bits > 16 || plane->bits != image->planes[1].bits) return false;
        if (plane->width != luma->width && plane->width != luma->width / 2 + luma->width % 2) return false;
        if (plane->height != luma->height && plane->height != luma->height / 2 + luma->height % 2) return false;
        if (plane->width != image->planes[1].width || plane->height != image->planes[1].height) return false;
    }
    // With matrix 0, all samples are colors. 11, 13, 14 and later ones are not linear conversions.
    uint16_t matrix = image->matrix.matrix;
    if (matrix == 0) return image->planes[1].width == luma->width && image->planes[1].height == luma->height;
    return matrix <= 10 || matrix == 12;
}

static inline uint32_t sample(const uint8_t *row, uint32_t bits, uint32_t x) {
    if (bits == 8) return row[x];
    uint16_t value;
    memcpy(&value, row + (size_t)x * 2, 2);
    return value;
}

static inline uint32_t level(float value, float full) {
    value = value * full + 0.5f;
    return value <= 0 ? 0 : value >= full ? (uint32_t)full : (uint32_t)value;
}

/// Red, green and blue from 0 to 1; `level` clamps other values.
typedef struct {
    float red, green, blue;
} color;

static inline color color_of(const conversion *how, uint16_t matrix, float luma, float blue, float red) {
    luma = (luma - how->luma_offset) * how->luma_scale;
    if (matrix == 0)
        return (color){
            (red - how->luma_offset) * how->luma_scale, luma, (blue - how->luma_offset) * how->luma_scale};
    blue = (blue - how->chroma_offset) * how->chroma_scale;
    red = (red - how->chroma_offset) * how->chroma_scale;
    // YCgCo: the differences are green and orange.
    if (matrix == 8) return (color){luma - blue + red, luma + blue, luma - blue - red};
    return (color){
        luma + how->red_from_red * red, luma + how->green_from_blue * blue + how->green_from_red * red,
        luma + how->blue_from_blue * blue};
}

static inline void store(
    uint8_t *pixel, firn_layout layout, uint32_t red, uint32_t green, uint32_t blue, uint32_t alpha) {
    if (layout == FIRN_LAYOUT_RGBA16) {
        uint16_t words[4] = {(uint16_t)red, (uint16_t)green, (uint16_t)blue, (uint16_t)alpha};
        memcpy(pixel, words, 8);
        return;
    }
    bool is_swapped = layout == FIRN_LAYOUT_BGRA;
    pixel[0] = (uint8_t)(is_swapped ? blue : red);
    pixel[1] = (uint8_t)green;
    pixel[2] = (uint8_t)(is_swapped ? red : blue);
    if (layout != FIRN_LAYOUT_RGB) pixel[3] = (uint8_t)alpha;
}

static void write_row(
    const firn_planes *image, const conversion *how, firn_layout layout, uint32_t y, uint8_t *pixels) {
    const firn_plane *luma = &image->planes[0], *blue = &image->planes[1], *red = &image->planes[2];
    const firn_plane *alpha = &image->alpha;
    uint32_t width = luma->width, pixel_bytes = layout == FIRN_LAYOUT_RGBA16 ? 8 : layout == FIRN_LAYOUT_RGB ? 3 : 4;
    float full = layout == FIRN_LAYOUT_RGBA16 ? 65535 : 255;
    bool is_gray = !blue->base;
    uint32_t across = !is_gray && blue->width != width, down = !is_gray && blue->height != luma->height;
    const uint8_t *luma_row = luma->base + (size_t)y * luma->stride;
    const uint8_t *blue_row = is_gray ? NULL : blue->base + (size_t)(y >> down) * blue->stride;
    const uint8_t *red_row = is_gray ? NULL : red->base + (size_t)(y >> down) * red->stride;
    const uint8_t *alpha_row = NULL;
    float alpha_full = 1;
    if (alpha->base) {
        alpha_full = (float)((1u << alpha->bits) - 1);
        alpha_row = alpha->base + (size_t)((uint64_t)y * alpha->height / luma->height) * alpha->stride;
    }
    for (uint32_t x = 0; x < width; x++, pixels += pixel_bytes) {
        float luma_sample = (float)sample(luma_row, luma->bits, x), part = 1;
        color made;
        if (is_gray) {
            float value = (luma_sample - how->luma_offset) * how->luma_scale;
            made = (color){value, value, value};
        } else {
            made = color_of(
                how, image->matrix.matrix, luma_sample, (float)sample(blue_row, blue->bits, x >> across),
                (float)sample(red_row, red->bits, x >> across));
        }
        if (alpha_row) {
            uint32_t at = alpha->width == width ? x : (uint32_t)((uint64_t)x * alpha->width / width);
            part = (float)sample(alpha_row, alpha->bits, at) / alpha_full;
            if (part > 1) part = 1;
            if (image->divides) {
                float times = part > 0 ? 1 / part : 0;
                made = (color){made.red * times, made.green * times, made.blue * times};
            }
        }
        store(
            pixels, layout, level(made.red, full), level(made.green, full), level(made.blue, full), level(part, full));
    }
}

void firn_planes_rows(
    const firn_planes *image, firn_layout layout, uint32_t first, uint32_t rows, uint8_t *pixels, size_t stride) {
    conversion how = conversion_of(image);
    for (uint32_t y = 0; y < rows; y++) write_row(image, &how, layout, first + y, pixels + (size_t)y * stride);
}
