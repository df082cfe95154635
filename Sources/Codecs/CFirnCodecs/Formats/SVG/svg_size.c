// Source: SVG 2 §8.2 (width and height) and §8.6 (viewBox); CSS 2.2 §10.3.2 and §10.6.2 (replaced elements); CSS Values
// 4 §6.2 (96 pixels to the inch); librsvg/rsvg.h.
#ifdef FIRN_SVG
#include <math.h>

#include "svg_document.h"

/// The size of an element with neither sides nor an aspect ratio.
static const double default_width = 300, default_height = 150;

/// The default font size in librsvg and in browsers ("medium").
static const double library_font = 12, browser_font = 16;

/// The range of sides, so that their ratios and areas are finite.
static const double shortest = 1e-6, longest = 1e12;

static bool is_in_fonts(RsvgLength length) { return length.unit == RSVG_UNIT_EM || length.unit == RSVG_UNIT_EX; }

/// Returns a length in pixels; NaN if it depends on the viewport and so is not the drawing's own.
static double pixels(gboolean exists, RsvgLength length) {
    if (!exists || !(length.length >= 0)) return NAN;
    switch (length.unit) {
    case RSVG_UNIT_PX: return length.length;
    case RSVG_UNIT_IN: return length.length * 96;
    case RSVG_UNIT_CM: return length.length * 96 / 2.54;
    case RSVG_UNIT_MM: return length.length * 96 / 25.4;
    case RSVG_UNIT_PT: return length.length * 96 / 72;
    case RSVG_UNIT_PC: return length.length * 16;
    case RSVG_UNIT_EM: return length.length * browser_font;
    case RSVG_UNIT_EX: return length.length * browser_font / 2;
    default: return NAN;
    }
}

/// Returns librsvg's root font size, derived from a side stated relative to it; 0 if unknown, as before librsvg 2.52.
static double font_size(RsvgHandle *handle, RsvgLength across, RsvgLength down) {
    double width = 0, height = 0;
#if LIBRSVG_CHECK_VERSION(2, 52, 0)
    if (!rsvg_handle_get_intrinsic_size_in_pixels(handle, &width, &height)) return 0;
#else
    (void)handle;
#endif
    const bool is_across = is_in_fonts(across);
    const RsvgLength length = is_across ? across : down;
    if (!(length.length > 0)) return 0;
    return (is_across ? width : height) / length.length * (length.unit == RSVG_UNIT_EX ? 2 : 1);
}

/// Corrects sides relative to the root font size in `width` and `height` if that size differs from browsers.
static void apply_font(RsvgHandle *handle, RsvgLength across, RsvgLength down, double *width, double *height) {
    static const char sheet[] = ":root { font-size: 16px }";
    const double font = font_size(handle, across, down);
    if (!(font > 0)) return;
    // A root element that explicitly states librsvg's default counts as one without a font size.
    const bool is_default = fabs(font - library_font) < 1e-6;
    if (is_default && rsvg_handle_set_stylesheet(handle, (const guint8 *)sheet, sizeof sheet - 1, NULL)) return;
    if (is_in_fonts(across)) *width *= font / browser_font;
    if (is_in_fonts(down)) *height *= font / browser_font;
}

firn_svg_size firn_svg_find_size(RsvgHandle *handle) {
    gboolean has_width = FALSE, has_height = FALSE, has_box = FALSE;
    RsvgLength across = {0}, down = {0};
    RsvgRectangle box = {0};
    rsvg_handle_get_intrinsic_dimensions(handle, &has_width, &across, &has_height, &down, &has_box, &box);
    double width = pixels(has_width, across), height = pixels(has_height, down);
    const bool has_both = !isnan(width) && !isnan(height);
    has_box = has_box && box.width > 0 && box.height > 0;
    if (has_both && (is_in_fonts(across) || is_in_fonts(down))) apply_font(handle, across, down, &width, &height);
    if (isnan(width) && isnan(height)) {
        width = has_box ? box.width : default_width;
        height = has_box ? box.height : default_height;
    } else if (isnan(width)) {
        width = has_box ? height * (box.width / box.height) : default_width;
    } else if (isnan(height)) {
        height = has_box ? width * (box.height / box.width) : default_height;
    }
    if (width > 0) width = fmin(fmax(width, shortest), longest);
    if (height > 0) height = fmin(fmax(height, shortest), longest);
    return (firn_svg_size){width, height, !has_both && !has_box};
}

#endif
