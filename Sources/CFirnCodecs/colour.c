// Source: ICC.1:2022; lcms2's API reference. Pixels go to sRGB with the perceptual intent, as browsers do.
#include "include/firn_colour.h"

#include "include/firn_pixels.h"

#include <stdlib.h>
#include <string.h>

#include <lcms2.h>

struct firn_transform {
    cmsHTRANSFORM handle;
    firn_model model;
    firn_layout layout;
    uint8_t gray[256 * 3];
};

static cmsUInt32Number format_of(firn_layout layout) {
    switch (layout) {
    case FIRN_LAYOUT_BGRA: return TYPE_BGRA_8;
    case FIRN_LAYOUT_RGBA: return TYPE_RGBA_8;
    case FIRN_LAYOUT_RGB: return TYPE_RGB_8;
    case FIRN_LAYOUT_CMYK: return TYPE_CMYK_8;
    }
    return TYPE_RGB_8;
}

static cmsColorSpaceSignature space_of(firn_model model) {
    switch (model) {
    case FIRN_MODEL_GRAY: return cmsSigGrayData;
    case FIRN_MODEL_CMYK: return cmsSigCmykData;
    case FIRN_MODEL_RGB: break;
    }
    return cmsSigRgbData;
}

/// No thread writes to a transform made so: its cache of the last pixel is off.
static cmsHTRANSFORM transform_to_srgb(cmsHPROFILE profile, cmsUInt32Number from, cmsUInt32Number to) {
    cmsHPROFILE srgb = cmsCreate_sRGBProfile();
    if (!srgb) return NULL;
    cmsUInt32Number flags = cmsFLAGS_NOCACHE;
    if (T_EXTRA(from) && T_EXTRA(from) == T_EXTRA(to)) flags |= cmsFLAGS_COPY_ALPHA;
    cmsHTRANSFORM handle = cmsCreateTransform(profile, from, srgb, to, INTENT_PERCEPTUAL, flags);
    cmsCloseProfile(srgb);
    return handle;
}

static bool differs(const uint8_t *a, const uint8_t *b) {
    for (int i = 0; i < 3; i++)
        if (abs(a[i] - b[i]) > 1) return true;
    return false;
}

/// Whether no colour of a coarse cube, and no grey, moves by more than one step.
static bool leaves_colors(cmsHPROFILE profile) {
    cmsHTRANSFORM handle = transform_to_srgb(profile, TYPE_RGB_8, TYPE_RGB_8);
    if (!handle) return false;
    enum { STEPS = 6, COLORS = STEPS * STEPS * STEPS + 256 };
    uint8_t from[COLORS * 3], to[COLORS * 3];
    for (int i = 0; i < STEPS * STEPS * STEPS; i++) {
        from[i * 3] = (uint8_t)(i / (STEPS * STEPS) * 51);
        from[i * 3 + 1] = (uint8_t)(i / STEPS % STEPS * 51);
        from[i * 3 + 2] = (uint8_t)(i % STEPS * 51);
    }
    for (int i = 0; i < 256; i++) memset(from + (STEPS * STEPS * STEPS + i) * 3, i, 3);
    cmsDoTransform(handle, from, to, COLORS);
    cmsDeleteTransform(handle);
    for (int i = 0; i < COLORS; i++)
        if (differs(from + i * 3, to + i * 3)) return false;
    return true;
}

/// Fills the table of a grey profile.
static firn_colour_result make_gray(cmsHPROFILE profile, firn_transform *transform) {
    cmsHTRANSFORM handle = transform_to_srgb(profile, TYPE_GRAY_8, TYPE_RGB_8);
    if (!handle) return FIRN_COLOUR_UNUSABLE;
    uint8_t greys[256];
    for (int i = 0; i < 256; i++) greys[i] = (uint8_t)i;
    cmsDoTransform(handle, greys, transform->gray, 256);
    cmsDeleteTransform(handle);
    for (int i = 0; i < 256; i++) {
        uint8_t same[3] = {(uint8_t)i, (uint8_t)i, (uint8_t)i};
        if (differs(same, transform->gray + i * 3)) return FIRN_COLOUR_TRANSFORM;
    }
    return FIRN_COLOUR_SRGB;
}

static firn_colour_result make(cmsHPROFILE profile, firn_transform *transform) {
    if (cmsGetColorSpace(profile) != space_of(transform->model)) return FIRN_COLOUR_UNUSABLE;
    cmsProfileClassSignature class = cmsGetDeviceClass(profile);
    if (class == cmsSigLinkClass || class == cmsSigNamedColorClass || class == cmsSigAbstractClass)
        return FIRN_COLOUR_UNUSABLE;
    if (transform->model == FIRN_MODEL_GRAY) return make_gray(profile, transform);
    if (transform->model == FIRN_MODEL_RGB && leaves_colors(profile)) return FIRN_COLOUR_SRGB;
    cmsUInt32Number from = format_of(transform->model == FIRN_MODEL_CMYK ? FIRN_LAYOUT_CMYK : transform->layout);
    transform->handle = transform_to_srgb(profile, from, format_of(transform->layout));
    return transform->handle ? FIRN_COLOUR_TRANSFORM : FIRN_COLOUR_UNUSABLE;
}

firn_colour_result firn_transform_make(
    const uint8_t *icc, size_t length, firn_model model, firn_layout layout, firn_transform **transform) {
    *transform = NULL;
    if (length > UINT32_MAX || layout == FIRN_LAYOUT_CMYK) return FIRN_COLOUR_UNUSABLE;
    cmsHPROFILE profile = cmsOpenProfileFromMem(icc, (cmsUInt32Number)length);
    if (!profile) return FIRN_COLOUR_UNUSABLE;
    firn_transform *made = calloc(1, sizeof *made);
    firn_colour_result result = FIRN_COLOUR_UNUSABLE;
    if (made) {
        made->model = model;
        made->layout = layout;
        result = make(profile, made);
    }
    cmsCloseProfile(profile);
    if (result == FIRN_COLOUR_TRANSFORM)
        *transform = made;
    else
        firn_transform_free(made);
    return result;
}

void firn_transform_rows(
    const firn_transform *transform, const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride,
    uint32_t width, uint32_t rows) {
    for (uint32_t y = 0; y < rows; y++) {
        uint8_t *row = to + (size_t)y * to_stride;
        cmsDoTransform(transform->handle, from + (size_t)y * from_stride, row, width);
        // lcms leaves the bytes alone that CMYK has nothing for.
        if (transform->model == FIRN_MODEL_CMYK && transform->layout != FIRN_LAYOUT_RGB)
            firn_pixels_make_opaque(row, to_stride, width, 1);
    }
}

const uint8_t *firn_transform_gray(const firn_transform *transform) { return transform->gray; }

void firn_transform_free(firn_transform *transform) {
    if (!transform) return;
    if (transform->handle) cmsDeleteTransform(transform->handle);
    free(transform);
}
