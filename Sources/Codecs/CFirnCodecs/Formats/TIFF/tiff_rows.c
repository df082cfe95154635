// Converts rows of TIFF samples to rows of pixels.
//
// Every sample is first converted to a full-range 16-bit number, 4 per pixel (red, green, blue, alpha, or four inks),
// and these to pixels. 8-bit gray and RGB take a faster path.
//
// Source: TIFF 6.0 §3 to §6, §16 (CMYK), §18 (alpha); TIFF Technical Note 3 (floating point).
#ifdef FIRN_TIFF
#include "tiff_rows.h"

#include <math.h>
#include <string.h>

#include "tiff_lab.h"
#include "tiff_numbers.h"

unsigned firn_tiff_colors(const firn_tiff_samples *samples) {
    switch (samples->model) {
    case FIRN_TIFF_RGB:
    case FIRN_TIFF_LAB: return 3;
    case FIRN_TIFF_CMYK: return 4;
    default: return 1;
    }
}

// MARK: Numbers

/// Rounds to nearest; clamps to the largest finite number.
static uint16_t float_to_half(float value) {
    if (!(value == value)) return 0;
    uint16_t sign = value < 0 ? 0x8000 : 0;
    float size = fabsf(value);
    if (size >= 65504.0f) return sign | 0x7BFF;
    int exponent;
    float fraction = frexpf(size, &exponent);
    if (size == 0 || exponent < -23) return sign;
    if (exponent < -13) return sign | (uint16_t)lrintf(ldexpf(size, 24));
    // The addition carries into the exponent if the fraction rounds up to 1.
    return sign | (uint16_t)(((uint32_t)(exponent + 14) << 10) + (uint32_t)lrintf((fraction * 2 - 1) * 1024));
}

/// Reads `bits` bits of a row, most significant bit first.
static uint32_t packed_sample(const uint8_t *plane, size_t index, unsigned bits) {
    size_t bit = index * bits;
    uint32_t value = 0;
    for (unsigned left = bits; left > 0;) {
        unsigned there = 8 - (unsigned)(bit & 7), take = there < left ? there : left;
        value = value << take | (uint32_t)(plane[bit >> 3] >> (there - take) & ((1u << take) - 1));
        bit += take;
        left -= take;
    }
    return value;
}

// MARK: Samples to 16 bits

/// Converts a number from 0 to 1 to 16 bits; clamps other numbers, and returns 0 for NaN.
static uint16_t word_of(float value) { return value > 0 ? value < 1 ? (uint16_t)(value * 65535 + 0.5f) : 65535 : 0; }

/// Sets every fourth number of `wide` to one sample of each pixel.
static void widen(
    const firn_tiff_samples *samples, const uint8_t *plane, unsigned sample, uint32_t count, uint16_t *wide) {
    unsigned bits = samples->bits;
    // Negative values are black. Signed bytes are read as unsigned, because their writers did not mean signed ones.
    bool clips = samples->is_signed && bits >= 16;
    if (samples->is_float) {
        for (uint32_t i = 0; i < count; i++) {
            float value = firn_tiff_float(plane, firn_tiff_place(samples, i, sample), bits);
            wide[(size_t)i * 4] = word_of(value);
        }
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        size_t index = firn_tiff_place(samples, i, sample);
        uint16_t value;
        switch (bits) {
        case 8: value = (uint16_t)(plane[index] * 257); break;
        case 16: memcpy(&value, plane + index * 2, 2); break;
        // libtiff converts samples of 24, 32 and 64 bits to the machine's byte order.
        case 24: value = (uint16_t)(plane[index * 3 + 2] << 8 | plane[index * 3 + 1]); break;
        case 32: {
            uint32_t whole;
            memcpy(&whole, plane + index * 4, 4);
            value = (uint16_t)(whole >> 16);
            break;
        }
        case 64: {
            uint64_t whole;
            memcpy(&whole, plane + index * 8, 8);
            value = (uint16_t)(whole >> 48);
            break;
        }
        default: {
            uint32_t whole = packed_sample(plane, index, bits);
            value = bits > 16 ? (uint16_t)(whole >> (bits - 16)) : (uint16_t)(whole * 65535u / ((1u << bits) - 1));
        }
        }
        wide[(size_t)i * 4] = clips && value & 0x8000 ? 0 : value;
    }
}

static void widen_palette(const firn_tiff_samples *samples, const uint8_t *plane, uint32_t count, uint16_t *wide) {
    for (uint32_t i = 0; i < count; i++) {
        size_t position = firn_tiff_place(samples, i, 0);
        uint32_t index;
        if (samples->bits == 16) {
            uint16_t value;
            memcpy(&value, plane + position * 2, 2);
            index = value;
        } else {
            index = packed_sample(plane, position, samples->bits);
        }
        for (unsigned c = 0; c < 3; c++) {
            uint16_t value = index < samples->map_size && samples->maps[c] ? samples->maps[c][index] : 0;
            wide[(size_t)i * 4 + c] = samples->has_narrow_map ? (uint16_t)(value * 257) : value;
        }
    }
}

static void widen_lab(
    const firn_tiff_samples *samples, const uint8_t *const planes[5], uint32_t count, uint16_t *wide) {
    float colors[FIRN_TIFF_LAB_AT_ONCE * 3];
    for (uint32_t first = 0, part; first < count; first += part) {
        part = count - first < FIRN_TIFF_LAB_AT_ONCE ? count - first : FIRN_TIFF_LAB_AT_ONCE;
        firn_tiff_lab_colors(samples, planes, first, part, colors);
        for (uint32_t i = 0; i < part; i++, wide += 4)
            for (unsigned c = 0; c < 3; c++) wide[c] = word_of(colors[i * 3 + c]);
    }
}

static void fill_wide(
    const firn_tiff_samples *samples, const uint8_t *const planes[5], uint32_t count, uint16_t *wide) {
    unsigned colors = firn_tiff_colors(samples);
    if (samples->model == FIRN_TIFF_PALETTE)
        widen_palette(samples, planes[0], count, wide);
    else if (samples->model == FIRN_TIFF_LAB)
        widen_lab(samples, planes, count, wide);
    else
        for (unsigned c = 0; c < colors; c++) widen(samples, planes[c], c, count, wide + c);
    for (size_t i = 0; i < (size_t)count * 4; i += 4) {
        if (samples->model == FIRN_TIFF_GRAY) {
            if (samples->is_inverted) wide[i] = 65535 - wide[i];
            wide[i + 1] = wide[i + 2] = wide[i];
        }
        if (colors < 4) wide[i + 3] = 65535;
    }
    if (samples->alpha >= 0 && colors < 4)
        widen(samples, planes[samples->alpha], (unsigned)samples->alpha, count, wide + 3);
}

// MARK: 16 bits to pixels

/// Returns whether colors must be divided by alpha; those of L*a*b* already were, before their conversion.
static bool divides(const firn_tiff_samples *samples) {
    return samples->alpha >= 0 && samples->is_associated && samples->model != FIRN_TIFF_LAB;
}

static uint8_t straight(unsigned color, unsigned alpha) {
    unsigned value = alpha ? color * 255 / alpha : 0;
    return (uint8_t)(value > 255 ? 255 : value);
}

/// Converts 16 bits to 8: the upper bits of a stored number, or the nearest value of a computed color.
static uint8_t narrowed(uint16_t wide, bool is_computed) {
    return (uint8_t)(is_computed ? (wide * 255u + 32767u) / 65535u : wide >> 8);
}

static void pack_bytes(
    const firn_tiff_samples *samples, const uint16_t *wide, uint32_t count, firn_layout layout, uint8_t *pixels) {
    unsigned size = layout == FIRN_LAYOUT_RGB ? 3 : 4, red = layout == FIRN_LAYOUT_BGRA ? 2 : 0;
    bool is_ink = samples->model == FIRN_TIFF_CMYK, is_associated = divides(samples);
    bool is_computed = samples->model == FIRN_TIFF_LAB;
    for (uint32_t i = 0; i < count; i++, wide += 4, pixels += size) {
        uint8_t color[4];
        for (unsigned c = 0; c < 4; c++) color[c] = narrowed(wide[c], is_computed);
        if (layout == FIRN_LAYOUT_CMYK) {
            memcpy(pixels, color, 4);
            continue;
        }
        if (is_ink) {
            // The light that the colored ink leaves, times the light that black leaves.
            unsigned light = 255u - color[3];
            for (unsigned c = 0; c < 3; c++) color[c] = (uint8_t)((light * (255u - color[c]) + 127) / 255);
            color[3] = 255;
        } else if (is_associated) {
            for (unsigned c = 0; c < 3; c++) color[c] = straight(color[c], color[3]);
        }
        pixels[red] = color[0];
        pixels[1] = color[1];
        pixels[2 - red] = color[2];
        if (size == 4) pixels[3] = color[3];
    }
}

static void pack_words(const firn_tiff_samples *samples, uint16_t *wide, uint32_t count, uint8_t *pixels) {
    bool is_associated = divides(samples);
    for (size_t i = 0; i < (size_t)count * 4; i += 4) {
        if (samples->model == FIRN_TIFF_CMYK) {
            uint32_t light = 65535u - wide[i + 3];
            for (unsigned c = 0; c < 3; c++) wide[i + c] = (uint16_t)(light * (65535u - wide[i + c]) / 65535u);
            wide[i + 3] = 65535;
        } else if (is_associated) {
            for (unsigned c = 0; c < 3; c++) {
                uint32_t value = wide[i + 3] ? wide[i + c] * 65535u / wide[i + 3] : 0;
                wide[i + c] = (uint16_t)(value > 65535 ? 65535 : value);
            }
        }
    }
    memcpy(pixels, wide, (size_t)count * 8);
}

static void convert_floats(
    const firn_tiff_samples *samples, const uint8_t *const planes[5], uint32_t count, uint8_t *pixels) {
    unsigned colors = firn_tiff_colors(samples);
    bool is_lab = samples->model == FIRN_TIFF_LAB;
    float converted[FIRN_TIFF_LAB_AT_ONCE * 3];
    for (uint32_t i = 0; i < count; i++) {
        float values[4] = {0, 0, 0, 1};
        uint32_t place = i % FIRN_TIFF_LAB_AT_ONCE, left = count - i;
        if (is_lab && place == 0)
            firn_tiff_lab_colors(
                samples, planes, i, left < FIRN_TIFF_LAB_AT_ONCE ? left : FIRN_TIFF_LAB_AT_ONCE, converted);
        for (unsigned c = 0; c < 3; c++) {
            unsigned sample = colors == 1 ? 0 : c;
            values[c] = is_lab ? converted[place * 3 + c]
                               : firn_tiff_float(planes[sample], firn_tiff_place(samples, i, sample), samples->bits);
        }
        if (samples->alpha >= 0) {
            unsigned sample = (unsigned)samples->alpha;
            values[3] = firn_tiff_float(planes[sample], firn_tiff_place(samples, i, sample), samples->bits);
        }
        if (samples->is_inverted) values[0] = values[1] = values[2] = 1 - values[0];
        uint16_t halves[4];
        for (unsigned c = 0; c < 4; c++) {
            bool is_multiplied = c < 3 && divides(samples);
            halves[c] = float_to_half(is_multiplied ? values[3] > 0 ? values[c] / values[3] : 0 : values[c]);
        }
        memcpy(pixels + (size_t)i * 8, halves, 8);
    }
}

/// Converts interleaved RGB to four bytes per pixel. All strides are constants, so the loop can be unrolled.
static void convert_triples(const uint8_t *from, uint32_t count, unsigned red, uint8_t *pixels) {
    for (size_t i = 0; i < count; i++) {
        uint32_t low = from[i * 3 + (red ? 2 : 0)], high = from[i * 3 + (red ? 0 : 2)];
        uint32_t pixel = low | (uint32_t)from[i * 3 + 1] << 8 | high << 16 | 0xFF000000u;
        memcpy(pixels + (size_t)i * 4, &pixel, 4);
    }
}

/// Converts 8-bit gray and RGB without palette and alpha.
static void convert_bytes(
    const firn_tiff_samples *samples, const uint8_t *const planes[5], uint32_t count, firn_layout layout,
    uint8_t *pixels) {
    unsigned size = layout == FIRN_LAYOUT_RGB ? 3 : 4, red = layout == FIRN_LAYOUT_BGRA ? 2 : 0;
    bool is_gray = samples->model == FIRN_TIFF_GRAY;
    const uint8_t *a = planes[0], *b = is_gray ? a : planes[1] + firn_tiff_place(samples, 0, 1),
                  *c = is_gray ? a : planes[2] + firn_tiff_place(samples, 0, 2);
    uint8_t flip = samples->is_inverted ? 255 : 0;
    size_t step = samples->step;
    bool is_little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    if (is_little && size == 4 && step == 3 && !flip && b == a + 1 && c == a + 2)
        return convert_triples(a, count, red, pixels);
    for (uint32_t i = 0; i < count; i++, a += step, b += step, c += step, pixels += size) {
        pixels[red] = *a ^ flip;
        pixels[1] = *b ^ flip;
        pixels[2 - red] = *c ^ flip;
        if (size == 4) pixels[3] = 255;
    }
}

void firn_tiff_convert(
    const firn_tiff_samples *samples, const uint8_t *const planes[5], uint32_t count, uint16_t *wide,
    firn_layout layout, uint8_t *pixels) {
    bool is_byte = layout == FIRN_LAYOUT_BGRA || layout == FIRN_LAYOUT_RGBA || layout == FIRN_LAYOUT_RGB;
    if (is_byte && samples->bits == 8 && samples->alpha < 0
        && (samples->model == FIRN_TIFF_GRAY || samples->model == FIRN_TIFF_RGB)) {
        convert_bytes(samples, planes, count, layout, pixels);
    } else if (layout == FIRN_LAYOUT_RGBA_HALF) {
        convert_floats(samples, planes, count, pixels);
    } else {
        fill_wide(samples, planes, count, wide);
        if (layout == FIRN_LAYOUT_RGBA16)
            pack_words(samples, wide, count, pixels);
        else
            pack_bytes(samples, wide, count, layout, pixels);
    }
}

#endif
