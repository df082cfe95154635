// Converts samples to L*, a* and b*, and these to sRGB with lcms, which adapts D50 to D65.
//
// libtiff's own conversion does not adapt, so its whites are yellow, and it supports one of five encodings.
//
// Source: TIFF 6.0 §23 (CIELab); Adobe Photoshop TIFF Technical Notes, 2002 (ICCLab); RFC 3949 §5.2.3 (ITULab, Decode).
#ifdef FIRN_TIFF
#include "tiff_lab.h"

#include <lcms2.h>
#include <string.h>

#include "tiff_numbers.h"

void *firn_tiff_lab_open(void) {
    // Without a white point, the profile uses D50.
    cmsHPROFILE lab = cmsCreateLab4Profile(NULL), srgb = cmsCreate_sRGBProfile();
    // Floats are computed, not looked up in a table of 33 steps.
    cmsHTRANSFORM transform = lab && srgb
        ? cmsCreateTransform(lab, TYPE_Lab_FLT, srgb, TYPE_RGB_FLT, INTENT_RELATIVE_COLORIMETRIC, cmsFLAGS_NOCACHE)
        : NULL;
    if (lab) cmsCloseProfile(lab);
    if (srgb) cmsCloseProfile(srgb);
    return transform;
}

void firn_tiff_lab_close(void *transform) {
    if (transform) cmsDeleteTransform(transform);
}

/// Returns `value` clamped to a range; `low` for NaN.
static float clamped(float value, float low, float high) { return value > low ? value < high ? value : high : low; }

/// Returns the upper 16 bits of an integer sample; an 8-bit sample is followed by zeros.
static uint16_t upper_bits(const uint8_t *plane, size_t index, unsigned bits) {
    if (bits == 8) return (uint16_t)(plane[index] << 8);
    uint16_t half;
    if (bits == 16) {
        memcpy(&half, plane + index * 2, 2);
        return half;
    }
    uint32_t whole;
    memcpy(&whole, plane + index * 4, 4);
    return (uint16_t)(whole >> 16);
}

/// Returns component `c` (L*, a*, b*) of a sample.
static float component(const firn_tiff_samples *samples, const uint8_t *plane, size_t index, unsigned c) {
    unsigned bits = samples->bits;
    // Floats store the values themselves, regardless of the encoding.
    if (samples->is_float) return firn_tiff_float(plane, index, bits);
    uint16_t value = upper_bits(plane, index, bits);
    float part = bits == 8 ? (float)(value >> 8) / 255 : (float)value / 65535;
    switch (samples->lab) {
    case FIRN_TIFF_ITULAB: return samples->decode[c * 2] + part * (samples->decode[c * 2 + 1] - samples->decode[c * 2]);
    case FIRN_TIFF_ICCLAB:
        // At 16 bits, 0xFF00 is white.
        if (c == 0) return bits == 8 ? part * 100 : (float)value / 652.8f;
        return (float)value / 256 - 128;
    case FIRN_TIFF_CIELAB: break;
    }
    return c == 0 ? part * 100 : (float)(int16_t)value / 256;
}

/// Returns the opacity by which to divide colors; 0 for a pixel without color.
static float opacity(const firn_tiff_samples *samples, const uint8_t *const planes[5], size_t pixel) {
    unsigned sample = (unsigned)samples->alpha;
    size_t index = firn_tiff_place(samples, pixel, sample);
    if (samples->is_float) return firn_tiff_float(planes[sample], index, samples->bits);
    uint16_t value = upper_bits(planes[sample], index, samples->bits);
    return samples->bits == 8 ? (float)(value >> 8) / 255 : (float)value / 65535;
}

void firn_tiff_lab_colors(
    const firn_tiff_samples *samples, const uint8_t *const planes[5], uint32_t first, uint32_t count, float *colors) {
    bool divides = samples->alpha >= 0 && samples->is_associated;
    float *color = colors;
    for (size_t pixel = first; pixel < (size_t)first + count; pixel++, color += 3) {
        float scale = 1;
        if (divides) {
            float share = opacity(samples, planes, pixel);
            scale = share > 0 ? 1 / share : 0;
        }
        for (unsigned c = 0; c < 3; c++) {
            float value = component(samples, planes[c], firn_tiff_place(samples, pixel, c), c) * scale;
            color[c] = c == 0 ? clamped(value, 0, 100) : clamped(value, -128, 128);
        }
    }
    cmsDoTransform(samples->transform, colors, colors, count);
}

#endif
