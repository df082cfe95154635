// Converts pixels to sRGB with the perceptual intent, as browsers do, or to another profile. Sources: ICC.1:2022;
// lcms2's API reference; Adobe RGB (1998) Color Image Encoding §4.3.
#include "firn_transform.h"

#include "description.h"
#include "firn_pixels.h"

#include <stdlib.h>
#include <string.h>

#include <lcms2.h>

struct firn_transform {
    firn_model model;
    firn_layout from, to;
    /// NULL for a gray profile.
    cmsHTRANSFORM handle;
    /// The RGB value of every gray level, components as in `to`; NULL unless the profile is gray.
    uint8_t *gray;
};

static cmsUInt32Number format_of(firn_layout layout) {
    switch (layout) {
    case FIRN_LAYOUT_BGRA: return TYPE_BGRA_8;
    case FIRN_LAYOUT_RGBA: return TYPE_RGBA_8;
    case FIRN_LAYOUT_RGB: return TYPE_RGB_8;
    case FIRN_LAYOUT_CMYK: return TYPE_CMYK_8;
    case FIRN_LAYOUT_RGBA16: return TYPE_RGBA_16;
    case FIRN_LAYOUT_RGBA_HALF: return TYPE_RGBA_HALF_FLT;
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

static bool is_wide(firn_layout layout) { return layout == FIRN_LAYOUT_RGBA16 || layout == FIRN_LAYOUT_RGBA_HALF; }

static cmsHPROFILE linear_srgb(void) {
    cmsCIExyY white = {0.3127, 0.3290, 1};
    cmsCIExyYTRIPLE primaries = {{0.64, 0.33, 1}, {0.30, 0.60, 1}, {0.15, 0.06, 1}};
    cmsToneCurve *line = cmsBuildGamma(NULL, 1);
    if (!line) return NULL;
    cmsToneCurve *lines[3] = {line, line, line};
    cmsHPROFILE profile = cmsCreateRGBProfile(&white, &primaries, lines);
    cmsFreeToneCurve(line);
    return profile;
}

static cmsHPROFILE opened(const firn_target *target) {
    if (!target->icc) return cmsCreate_sRGBProfile();
    return target->length <= UINT32_MAX ? cmsOpenProfileFromMem(target->icc, (cmsUInt32Number)target->length) : NULL;
}

/// Creates a transform that is safe to share between threads: its one-pixel cache is off.
static cmsHTRANSFORM transform_to(
    const firn_target *target, cmsHPROFILE profile, cmsUInt32Number from, cmsUInt32Number to, bool to_linear) {
    cmsHPROFILE result = to_linear ? linear_srgb() : opened(target);
    if (!result) return NULL;
    cmsUInt32Number flags = cmsFLAGS_NOCACHE;
    if (T_EXTRA(from) && T_EXTRA(from) == T_EXTRA(to)) flags |= cmsFLAGS_COPY_ALPHA;
    if (target->relative) flags |= cmsFLAGS_BLACKPOINTCOMPENSATION;
    cmsUInt32Number intent = target->relative ? INTENT_RELATIVE_COLORIMETRIC : INTENT_PERCEPTUAL;
    cmsHTRANSFORM handle = cmsCreateTransform(profile, from, result, to, intent, flags);
    cmsCloseProfile(result);
    return handle;
}

/// Returns whether colors can be converted to the target.
static bool is_usable(const firn_target *target) {
    if (!target->icc) return true;
    cmsHPROFILE profile = opened(target), srgb = cmsCreate_sRGBProfile();
    cmsHTRANSFORM handle = NULL;
    if (profile && srgb && cmsGetColorSpace(profile) == cmsSigRgbData && cmsGetDeviceClass(profile) != cmsSigLinkClass)
        handle = transform_to(target, srgb, TYPE_RGB_8, TYPE_RGB_8, false);
    if (handle) cmsDeleteTransform(handle);
    if (profile) cmsCloseProfile(profile);
    if (srgb) cmsCloseProfile(srgb);
    return handle != NULL;
}

static bool differs(const uint8_t *a, const uint8_t *b) {
    for (int i = 0; i < 3; i++)
        if (abs(a[i] - b[i]) > 1) return true;
    return false;
}

/// Returns whether no color of a coarse cube, and no gray, changes by more than one step.
static bool leaves_colors(cmsHPROFILE profile, const firn_target *target) {
    cmsHTRANSFORM handle = transform_to(target, profile, TYPE_RGB_8, TYPE_RGB_8, false);
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

/// Returns whether no gray changes by more than one step.
static bool leaves_grays(cmsHPROFILE profile, const firn_target *target) {
    cmsHTRANSFORM handle = transform_to(target, profile, TYPE_GRAY_8, TYPE_RGB_8, false);
    if (!handle) return false;
    uint8_t grays[256], colors[256 * 3];
    for (int i = 0; i < 256; i++) grays[i] = (uint8_t)i;
    cmsDoTransform(handle, grays, colors, 256);
    cmsDeleteTransform(handle);
    for (int i = 0; i < 256; i++) {
        uint8_t same[3] = {(uint8_t)i, (uint8_t)i, (uint8_t)i};
        if (differs(same, colors + i * 3)) return false;
    }
    return true;
}

/// Builds the table of a gray profile: 256 values, or 65536 if samples have more than 8 bits.
static firn_color_result make_gray(cmsHPROFILE profile, const firn_target *target, firn_transform *transform) {
    if (leaves_grays(profile, target)) return FIRN_COLOR_SAME;
    bool deep = transform->from == FIRN_LAYOUT_RGBA16;
    uint32_t count = deep ? 65536 : 256;
    cmsUInt32Number to = transform->to == FIRN_LAYOUT_RGBA_HALF ? TYPE_RGB_HALF_FLT
                         : transform->to == FIRN_LAYOUT_RGBA16  ? TYPE_RGB_16
                                                                : TYPE_RGB_8;
    uint16_t *grays = malloc(count * 2);
    transform->gray = malloc(count * (is_wide(transform->to) ? 6 : 3));
    cmsHTRANSFORM handle =
        transform_to(target, profile, TYPE_GRAY_16, to, transform->to == FIRN_LAYOUT_RGBA_HALF);
    firn_color_result result = FIRN_COLOR_UNUSABLE;
    if (grays && transform->gray && handle) {
        for (uint32_t i = 0; i < count; i++) grays[i] = (uint16_t)(deep ? i : i * 257);
        cmsDoTransform(handle, grays, transform->gray, count);
        result = FIRN_COLOR_TRANSFORM;
    }
    if (handle) cmsDeleteTransform(handle);
    free(grays);
    return result;
}

static firn_color_result make(cmsHPROFILE profile, const firn_target *target, firn_transform *transform) {
    if (!is_usable(target)) return FIRN_COLOR_BAD_TARGET;
    if (cmsGetColorSpace(profile) != space_of(transform->model)) return FIRN_COLOR_UNUSABLE;
    cmsProfileClassSignature class = cmsGetDeviceClass(profile);
    if (class == cmsSigLinkClass || class == cmsSigNamedColorClass || class == cmsSigAbstractClass)
        return FIRN_COLOR_UNUSABLE;
    if (transform->model == FIRN_MODEL_GRAY) return make_gray(profile, target, transform);
    if (transform->model == FIRN_MODEL_RGB && leaves_colors(profile, target)) return FIRN_COLOR_SAME;
    transform->handle = transform_to(
        target, profile, format_of(transform->from), format_of(transform->to),
        transform->to == FIRN_LAYOUT_RGBA_HALF);
    return transform->handle ? FIRN_COLOR_TRANSFORM : FIRN_COLOR_UNUSABLE;
}

/// Creates the transform for an open profile, and closes the profile.
static firn_color_result make_closing(
    cmsHPROFILE profile, firn_model model, firn_layout from, firn_layout to, const firn_target *target,
    firn_transform **transform) {
    if (!profile) return FIRN_COLOR_UNUSABLE;
    firn_transform *made = calloc(1, sizeof *made);
    firn_color_result result = FIRN_COLOR_UNUSABLE;
    if (made) {
        made->model = model;
        made->from = from;
        made->to = to;
        result = make(profile, target, made);
    }
    cmsCloseProfile(profile);
    if (result == FIRN_COLOR_TRANSFORM)
        *transform = made;
    else
        firn_transform_free(made);
    return result;
}

firn_color_result firn_transform_make(
    const uint8_t *icc, size_t length, firn_model model, firn_layout from, firn_layout to, const firn_target *target,
    firn_transform **transform) {
    *transform = NULL;
    if (length > UINT32_MAX || to == FIRN_LAYOUT_CMYK) return FIRN_COLOR_UNUSABLE;
    if ((model == FIRN_MODEL_CMYK) != (from == FIRN_LAYOUT_CMYK)) return FIRN_COLOR_UNUSABLE;
    return make_closing(cmsOpenProfileFromMem(icc, (cmsUInt32Number)length), model, from, to, target, transform);
}

/// Creates a profile from primaries and a curve.
static cmsHPROFILE described_profile(const firn_color *color, const firn_primaries *primaries) {
    cmsCIExyY white = {primaries->x[0], primaries->y[0], 1};
    cmsCIExyYTRIPLE points = {
        {primaries->x[1], primaries->y[1], 1},
        {primaries->x[2], primaries->y[2], 1},
        {primaries->x[3], primaries->y[3], 1}};
    cmsToneCurve *curve = NULL;
    if (firn_transfer_is_srgb(color)) {
        double parameters[5] = {2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045};
        curve = cmsBuildParametricToneCurve(NULL, 4, parameters);
    } else if (color->transfer == 0) {
        curve = cmsBuildGamma(NULL, 100000.0 / color->gamma);
    } else {
        enum { COUNT = 4096 };
        float values[COUNT];
        for (int i = 0; i < COUNT; i++) values[i] = (float)firn_described_light(color, i / (double)(COUNT - 1));
        curve = cmsBuildTabulatedToneCurveFloat(NULL, COUNT, values);
    }
    if (!curve) return NULL;
    cmsToneCurve *curves[3] = {curve, curve, curve};
    cmsHPROFILE profile = cmsCreateRGBProfile(&white, &points, curves);
    cmsFreeToneCurve(curve);
    return profile;
}

firn_color_result firn_transform_make_described(
    const firn_color *color, firn_layout from, firn_layout to, const firn_target *target, firn_transform **transform) {
    *transform = NULL;
    if (from == FIRN_LAYOUT_CMYK || to == FIRN_LAYOUT_CMYK) return FIRN_COLOR_UNUSABLE;
    if (color->transfer == FIRN_TRANSFER_PQ || color->transfer == FIRN_TRANSFER_HLG) return FIRN_COLOR_UNUSABLE;
    firn_primaries primaries = firn_described_primaries(color);
    if (!target->icc && firn_transfer_is_srgb(color) && firn_primaries_are_srgb(&primaries)) return FIRN_COLOR_SAME;
    return make_closing(described_profile(color, &primaries), FIRN_MODEL_RGB, from, to, target, transform);
}

/// Returns the bytes of a profile, and closes it.
static uint8_t *saved(cmsHPROFILE profile, size_t *length) {
    // The date in the header. lcms takes it from the clock, so equal images would give different files.
    enum { DATE = 24, DATE_BYTES = 12 };
    static const uint8_t date[DATE_BYTES] = {0x07, 0xD0, 0, 1, 0, 1};
    cmsUInt32Number size = 0;
    uint8_t *bytes = NULL;
    if (profile && cmsSaveProfileToMem(profile, NULL, &size) && size > DATE + DATE_BYTES) bytes = malloc(size);
    if (bytes && !cmsSaveProfileToMem(profile, bytes, &size)) {
        free(bytes);
        bytes = NULL;
    }
    if (bytes) memcpy(bytes + DATE, date, sizeof date);
    if (profile) cmsCloseProfile(profile);
    *length = size;
    return bytes;
}

uint8_t *firn_described_icc(const firn_color *color, size_t *length) {
    if (color->transfer == FIRN_TRANSFER_PQ || color->transfer == FIRN_TRANSFER_HLG) return NULL;
    firn_primaries primaries = firn_described_primaries(color);
    if (firn_transfer_is_srgb(color) && firn_primaries_are_srgb(&primaries)) return NULL;
    return saved(described_profile(color, &primaries), length);
}

uint8_t *firn_named_icc(bool adobe, size_t *length) {
    firn_color color = {.primaries = adobe ? 1 : 12, .transfer = adobe ? 0 : 13, .gamma = 100000};
    firn_primaries primaries = firn_described_primaries(&color);
    if (adobe) {
        // The other primaries are those of sRGB. The exponent is 563/256, which a profile stores exactly.
        primaries.x[2] = 0.21;
        primaries.y[2] = 0.71;
    }
    cmsHPROFILE profile = described_profile(&color, &primaries);
    cmsMLU *name = cmsMLUalloc(NULL, 1);
    cmsToneCurve *curve = adobe ? cmsBuildGamma(NULL, 563 / 256.0) : NULL;
    bool done = profile && name && cmsMLUsetASCII(name, "en", "US", adobe ? "Adobe RGB (1998)" : "Display P3")
        && cmsWriteTag(profile, cmsSigProfileDescriptionTag, name);
    static const cmsTagSignature curves[3] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
    for (int i = 0; i < 3 && done && adobe; i++) done = curve && cmsWriteTag(profile, curves[i], curve);
    if (name) cmsMLUfree(name);
    if (curve) cmsFreeToneCurve(curve);
    if (done) return saved(profile, length);
    if (profile) cmsCloseProfile(profile);
    return NULL;
}

// Rows.

static inline size_t size_of(firn_layout layout) { return is_wide(layout) ? 8 : layout == FIRN_LAYOUT_RGB ? 3 : 4; }

/// Converts alpha between layouts that both have it; the second one is wide, or equals the first.
static inline uint16_t alpha_to(firn_layout to, uint32_t alpha, bool deep) {
    if (to == FIRN_LAYOUT_RGBA16) return (uint16_t)(deep ? alpha : alpha * 257);
    return firn_pixels_half_of_alpha((uint16_t)(deep ? alpha : alpha * 257));
}

/// Converts gray pixels by table, using their second component; all of their color components are equal.
static void map_gray(const firn_transform *transform, const uint8_t *from, uint8_t *to, uint32_t width) {
    bool deep = transform->from == FIRN_LAYOUT_RGBA16;
    size_t from_size = size_of(transform->from), to_size = size_of(transform->to);
    for (size_t x = 0; x < width; x++, from += from_size, to += to_size) {
        uint16_t gray = from[1], alpha = from_size == 3 ? 255 : from[3];
        if (deep) {
            memcpy(&gray, from + 2, 2);
            memcpy(&alpha, from + 6, 2);
        }
        if (is_wide(transform->to)) {
            uint16_t pixel[4];
            memcpy(pixel, transform->gray + (size_t)gray * 6, 6);
            pixel[3] = alpha_to(transform->to, alpha, deep);
            memcpy(to, pixel, 8);
            continue;
        }
        const uint8_t *color = transform->gray + (size_t)gray * 3;
        size_t red = transform->to == FIRN_LAYOUT_BGRA ? 2 : 0;
        to[red] = color[0];
        to[1] = color[1];
        to[2 - red] = color[2];
        if (to_size == 4) to[3] = (uint8_t)(deep ? (alpha * 255u + 32895) >> 16 : alpha);
    }
}

void firn_transform_rows(
    const firn_transform *transform, const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride,
    uint32_t width, uint32_t rows) {
    for (uint32_t y = 0; y < rows; y++) {
        const uint8_t *source = from + (size_t)y * from_stride;
        uint8_t *row = to + (size_t)y * to_stride;
        if (transform->gray) {
            map_gray(transform, source, row, width);
            continue;
        }
        cmsDoTransform(transform->handle, source, row, width);
        // lcms does not set alpha if the source pixels have none.
        if (transform->from == FIRN_LAYOUT_CMYK || transform->from == FIRN_LAYOUT_RGB)
            firn_layout_make_opaque(transform->to, row, to_stride, width, 1);
    }
}

void firn_transform_free(firn_transform *transform) {
    if (!transform) return;
    if (transform->handle) cmsDeleteTransform(transform->handle);
    free(transform->gray);
    free(transform);
}
