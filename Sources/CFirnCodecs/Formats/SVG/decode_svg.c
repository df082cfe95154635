// SVG with librsvg, rendered at the requested size.
//
// The handle has no base address, so librsvg resolves no reference outside the file: neither file: nor http:. Only
// data: addresses in the file itself are read.
//
// Source: SVG 1.1 §7.12 (units), §7.7 (viewBox); CSS 2.1 §4.3.2 (96 pixels to the inch); librsvg/rsvg.h.
#ifdef FIRN_SVG
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <librsvg/rsvg.h>

#include "../../Library/decoder.h"

/// The longest side of Cairo's surfaces.
enum { LONGEST_SIDE = 32767 };

/// A drawing of at most this many pixels is rendered as a whole if a part of it is requested at full size. Cairo rounds
/// curves where it clips them, so a part that is rendered alone has other pixels on its edges.
static const uint64_t most_whole_pixels = 1u << 22;

typedef struct {
    firn_decoder base;
    RsvgHandle *handle;
    cairo_surface_t *surface;
    firn_layout layout;
    uint32_t next_row;
    /// The place and size of the whole drawing on the surface.
    RsvgRectangle viewport;
    /// Whether filters may be used, whose results depend on what is drawn beside the part.
    bool has_filters;
} svg_decoder;

static firn_status fail_svg(svg_decoder *self, GError *error) {
    firn_fail(&self->base, FIRN_DATA, "%s", error && error->message ? error->message : "damaged document");
    if (error) g_error_free(error);
    return FIRN_DATA;
}

// MARK: Header

/// Finds the size in pixels: from width and height, from viewBox if these are relative, otherwise from the drawn
/// content.
static firn_status find_size(svg_decoder *self, double *width, double *height) {
    if (rsvg_handle_get_intrinsic_size_in_pixels(self->handle, width, height)) return FIRN_OK;
    gboolean has_width, has_height, has_box;
    RsvgLength across, down;
    RsvgRectangle box;
    rsvg_handle_get_intrinsic_dimensions(self->handle, &has_width, &across, &has_height, &down, &has_box, &box);
    if (has_box) {
        *width = box.width;
        *height = box.height;
        return FIRN_OK;
    }
    GError *error = NULL;
    if (!rsvg_handle_get_geometry_for_layer(
            self->handle, NULL, &(RsvgRectangle){0, 0, 300, 150}, &box, NULL, &error))
        return fail_svg(self, error);
    *width = box.x + box.width;
    *height = box.y + box.height;
    return FIRN_OK;
}

/// Returns whether a document names filters, or is not in UTF-8, or is compressed.
static bool may_have_filters(const uint8_t *text, size_t count) {
    if (count > 0 && (text[0] == 0x1F || text[0] == 0 || text[0] >= 0xFE)) return true;
    for (size_t i = 0; i + 6 <= count; i++) {
        const uint8_t *found = memchr(text + i, 'f', count - 5 - i);
        if (!found) return false;
        i = (size_t)(found - text);
        if (!memcmp(found, "filter", 6)) return true;
    }
    return false;
}

/// Parses the document from one block of memory, which is freed afterwards.
static firn_status parse(svg_decoder *self) {
    uint64_t length = firn_input_length(&self->base.input);
    if (length == 0 || length > SIZE_MAX) return firn_fail(&self->base, FIRN_DATA, "holds no document");
    uint8_t *text = malloc((size_t)length);
    if (!text) return firn_fail(&self->base, FIRN_MEMORY, "no memory for the document");
    GError *error = NULL;
    size_t count = firn_input_read(&self->base.input, 0, text, (size_t)length);
    self->has_filters = may_have_filters(text, count);
    self->handle = rsvg_handle_new_from_data(text, count, &error);
    free(text);
    if (!self->handle) return fail_svg(self, error);
    rsvg_handle_set_dpi(self->handle, 96);
    return FIRN_OK;
}

static firn_status header(firn_decoder *base) {
    svg_decoder *self = (svg_decoder *)base;
    firn_header *header = &base->header;
    if (!base->input.last) return FIRN_NEED_DATA;
    firn_status status = parse(self);
    if (status) return status;
    double width = 0, height = 0;
    status = find_size(self, &width, &height);
    if (status) return status;
    if (!(width > 0) || !(height > 0)) return firn_fail(base, FIRN_DATA, "has no size");
    width = fmax(1, round(width));
    height = fmax(1, round(height));
    if (width > LONGEST_SIDE || height > LONGEST_SIDE)
        return firn_fail(
            base, FIRN_LIMIT, "is %.0fx%.0f pixels large; the limit is %d a side", width, height, LONGEST_SIDE);
    status = firn_check_size(base, (uint64_t)width, (uint64_t)height);
    if (status) return status;
    header->width = (uint32_t)width;
    header->height = (uint32_t)height;
    header->alpha = true;
    header->space = FIRN_SPACE_RGB;
    // The surface, another one for a group with an effect, and the document's tree.
    header->working_bytes = (8 << 20) + firn_input_length(&base->input) * 16 + (uint64_t)width * (uint64_t)height * 8;
    return FIRN_OK;
}

// MARK: Pixels

static void drop_image(svg_decoder *self) {
    if (self->surface) cairo_surface_destroy(self->surface);
    self->surface = NULL;
}

static firn_status start(firn_decoder *base, const firn_options *options) {
    svg_decoder *self = (svg_decoder *)base;
    drop_image(self);
    if (options->layout != FIRN_LAYOUT_BGRA && options->layout != FIRN_LAYOUT_RGBA)
        return firn_fail(base, FIRN_UNSUPPORTED, "has transparency, which the samples asked for cannot hold");
    firn_area part = options->area;
    uint64_t pixels = (uint64_t)base->header.width * base->header.height;
    bool is_sized = options->width && options->height;
    bool is_part = part.width && !self->has_filters && (is_sized || pixels > most_whole_pixels);
    if (!is_part) part = (firn_area){0, 0, base->header.width, base->header.height};
    bool is_scaled = is_sized && (is_part || !options->area.width);
    uint32_t width = is_scaled ? options->width : part.width;
    uint32_t height = is_scaled ? options->height : part.height;
    firn_status status = firn_check_size(base, width, height);
    if (status) return status;
    if (width > LONGEST_SIDE || height > LONGEST_SIDE)
        return firn_fail(base, FIRN_LIMIT, "a side is longer than %d pixels", LONGEST_SIDE);
    self->layout = options->layout;
    self->next_row = 0;
    double across = (double)width / part.width, down = (double)height / part.height;
    self->viewport = (RsvgRectangle){
        -(double)part.x * across, -(double)part.y * down, base->header.width * across, base->header.height * down};
    base->output = (firn_output){.width = width, .height = height};
    if (!is_part) base->output.area = options->area;
    return FIRN_OK;
}

static firn_status render(svg_decoder *self) {
    const firn_output *output = &self->base.output;
    self->surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)output->width, (int)output->height);
    if (cairo_surface_status(self->surface))
        return firn_fail(&self->base, FIRN_MEMORY, "no memory for %ux%u pixels", output->width, output->height);
    cairo_t *context = cairo_create(self->surface);
    GError *error = NULL;
    gboolean is_drawn = rsvg_handle_render_document(self->handle, context, &self->viewport, &error);
    cairo_status_t status = cairo_status(context);
    cairo_destroy(context);
    if (!is_drawn) return fail_svg(self, error);
    if (status) return firn_fail(&self->base, FIRN_DATA, "%s", cairo_status_to_string(status));
    cairo_surface_flush(self->surface);
    return FIRN_OK;
}

/// Copies a row. Cairo's words hold alpha in the highest byte and blue in the lowest, multiplied by alpha.
///
/// The division rounds so that multiplying again gives cairo's values.
static void copy_row(const uint8_t *source, uint32_t width, unsigned red, uint8_t *pixels) {
    for (uint32_t x = 0; x < width; x++, source += 4, pixels += 4) {
        uint32_t word;
        memcpy(&word, source, 4);
        uint32_t alpha = word >> 24, colors[3] = {word >> 16 & 255, word >> 8 & 255, word & 255};
        for (unsigned c = 0; alpha != 255 && c < 3; c++) {
            colors[c] = alpha ? (colors[c] * 255 + alpha / 2) / alpha : 0;
            if (colors[c] > 255) colors[c] = 255;
        }
        pixels[red] = (uint8_t)colors[0];
        pixels[1] = (uint8_t)colors[1];
        pixels[2 - red] = (uint8_t)colors[2];
        pixels[3] = (uint8_t)alpha;
    }
}

static firn_status read_rows(
    firn_decoder *base, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    svg_decoder *self = (svg_decoder *)base;
    // Pauses after rendering, which takes most of the time.
    if (!self->surface) return render(self);
    const uint8_t *source = cairo_image_surface_get_data(self->surface);
    int source_stride = cairo_image_surface_get_stride(self->surface);
    if (!source || source_stride <= 0) return firn_fail(base, FIRN_DATA, "cairo gave no pixels");
    for (*done = 0; *done < rows && self->next_row < base->output.height; ++*done, self->next_row++)
        copy_row(
            source + (size_t)self->next_row * (size_t)source_stride, base->output.width,
            self->layout == FIRN_LAYOUT_BGRA ? 2 : 0, pixels + *done * stride);
    if (self->next_row < base->output.height) return FIRN_OK;
    drop_image(self);
    return FIRN_END;
}

static void release(firn_decoder *base) {
    svg_decoder *self = (svg_decoder *)base;
    drop_image(self);
    if (self->handle) g_object_unref(self->handle);
}

// MARK: Preparing

/// Draws a document with an embedded PNG and an embedded GIF, for which gdk-pixbuf loads its list of loaders and one of
/// them. It has no text, because Pango starts a thread for that, and a thread does not survive a fork.
static void prepare(void) {
    static const char text[] =
        "<svg xmlns='http://www.w3.org/2000/svg' xmlns:x='http://www.w3.org/1999/xlink' width='2' height='2'>"
        "<image width='1' height='1' x:href='data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklE"
        "QVR42mNgAAAAAgAB4iG8MwAAAABJRU5ErkJggg=='/>"
        "<image width='1' height='1' x:href='data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAUwAOw=='/>"
        "</svg>";
    const firn_limits limits = {.pixels = 64};
    firn_decoder *decoder = firn_decoder_open(FIRN_CODEC_SVG, &limits);
    if (!decoder) return;
    firn_header header;
    firn_options options = {.layout = FIRN_LAYOUT_BGRA};
    firn_output output;
    uint8_t pixels[2 * 2 * 4];
    uint32_t done = 0;
    firn_decoder_feed(decoder, (const uint8_t *)text, sizeof text - 1, true);
    if (!firn_decoder_header(decoder, &header) && !firn_decoder_start(decoder, &options, &output))
        while (!firn_decoder_read(decoder, pixels, 2 * 4, 2, &done)) continue;
    firn_decoder_close(decoder);
}

const firn_codec_calls firn_svg_calls = {
    .state_bytes = sizeof(svg_decoder), .release = release, .header = header, .start = start, .read = read_rows,
    .prepare = prepare, .restarts = true, .areas = true};

#endif
