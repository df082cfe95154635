// SVG with librsvg, rendered at the requested size.
//
// The handle has no base address, so librsvg resolves no references outside the file: neither file: nor http:. Only
// data: addresses in the file itself are read.
//
// Source: librsvg/rsvg.h; cairo.h.
#ifdef FIRN_SVG
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../Library/exit.h"
#include "svg_document.h"

/// The maximum side of Cairo's surfaces.
enum { LONGEST_SIDE = 32767 };

/// Up to this many pixels, a drawing is rendered as a whole if a part of it is requested at full size. Cairo rounds
/// curves where it clips them, so a part rendered alone has different pixels on its edges.
static const uint64_t most_whole_pixels = 1u << 22;

/// Up to this many pixels, a scaled drawing with filters is rendered as a whole for a part of it. For a larger one,
/// `filter_margin` pixels around the part are rendered, too: filters mix neighboring pixels.
static const uint64_t most_filtered_pixels = 1u << 24;
enum { filter_margin = 512 };

typedef struct {
    firn_decoder base;
    RsvgHandle *handle;
    cairo_surface_t *surface;
    firn_layout layout;
    uint32_t next_row;
    /// The position and size of the whole drawing on the surface.
    RsvgRectangle viewport;
    /// True if the document is as large as its viewport, so that Cairo must scale it.
    bool is_fluid;
    /// The length of the document's text, in bytes.
    size_t text_bytes;
    /// The memory of embedded images, in bytes.
    uint64_t embedded_bytes;
    /// True if filters may be used, whose results depend on pixels beside the part.
    bool has_filters;
} svg_decoder;

static firn_status fail_svg(svg_decoder *self, GError *error) {
    firn_fail(&self->base, FIRN_DATA, "%s", error && error->message ? error->message : "damaged document");
    if (error) g_error_free(error);
    return FIRN_DATA;
}

// MARK: Header

/// Returns whether a document mentions filters or is not in UTF-8.
static bool may_have_filters(const uint8_t *text, size_t count) {
    if (count > 0 && text[0] >= 0xFE) return true;
    for (size_t i = 0; i + 6 <= count; i++) {
        const uint8_t *found = memchr(text + i, 'f', count - 5 - i);
        if (!found) return false;
        i = (size_t)(found - text);
        if (!memcmp(found, "filter", 6)) return true;
    }
    return false;
}

/// Parses the document from one block of memory, which is then freed.
static firn_status parse(svg_decoder *self) {
    firn_svg_text text;
    firn_status status = firn_svg_read_text(&self->base, &text);
    if (!status) status = firn_svg_check_costs(&self->base, &text);
    if (!status) {
        GError *error = NULL;
        self->has_filters = may_have_filters(text.bytes, text.length);
        self->text_bytes = text.length;
        self->embedded_bytes = firn_svg_embedded_bytes(text.bytes, text.length);
        // libxml2 is used only here; the end of the process cleans it up.
        const bool is_open = firn_library_enter();
        if (is_open) self->handle = rsvg_handle_new_from_data(text.bytes, text.length, &error);
        if (is_open) firn_library_leave();
        if (!self->handle) status = fail_svg(self, error);
    }
    free(text.bytes);
    if (self->handle) rsvg_handle_set_dpi(self->handle, 96);
    return status;
}

static firn_status header(firn_decoder *base) {
    svg_decoder *self = (svg_decoder *)base;
    firn_header *header = &base->header;
    if (!base->input.last) return FIRN_NEED_DATA;
    firn_status status = parse(self);
    if (status) return status;
    firn_svg_size size = firn_svg_find_size(self->handle);
    if (!(size.width > 0) || !(size.height > 0)) return firn_fail(base, FIRN_DATA, "has no size");
    // A drawing has no pixels before it is rendered, so a larger one is rendered smaller.
    const double factor = fmin(1, LONGEST_SIDE / fmax(size.width, size.height));
    header->vector_width = size.width * factor;
    header->vector_height = size.height * factor;
    header->width = (uint32_t)fmax(1, round(header->vector_width));
    header->height = (uint32_t)fmax(1, round(header->vector_height));
    self->is_fluid = size.is_fluid;
    header->alpha = true;
    header->space = FIRN_SPACE_RGB;
    // The document's tree. The surface depends on the requested size.
    header->working_bytes = (8 << 20) + (uint64_t)self->text_bytes * 16 + self->embedded_bytes;
    // A group with an effect has its own surface. A chain of filters holds its inputs and results.
    header->surfaces = self->has_filters ? 12 : 2;
    return FIRN_OK;
}

// MARK: Pixels

static void drop_image(svg_decoder *self) {
    if (self->surface) cairo_surface_destroy(self->surface);
    self->surface = NULL;
}

/// Returns the margin to render on one side of a part of `side` pixels, at most `most` pixels.
static double margin(double most, uint32_t side) {
    const double room = side < LONGEST_SIDE ? (LONGEST_SIDE - side) / 2 : 0;
    return fmin(fmax(ceil(most), 0), fmin(filter_margin, room));
}

static firn_status start(firn_decoder *base, const firn_options *options) {
    svg_decoder *self = (svg_decoder *)base;
    drop_image(self);
    if (options->layout != FIRN_LAYOUT_BGRA && options->layout != FIRN_LAYOUT_RGBA)
        return firn_fail(base, FIRN_UNSUPPORTED, "has transparency, which the samples asked for cannot hold");
    const firn_area whole = {0, 0, base->header.width, base->header.height};
    const firn_area part = options->area.width ? options->area : whole;
    const bool is_sized = options->width && options->height;
    const uint32_t width = is_sized ? options->width : part.width, height = is_sized ? options->height : part.height;
    // The whole drawing at the scale of the part.
    const double across = (double)width / part.width, down = (double)height / part.height;
    const double whole_width = whole.width * across, whole_height = whole.height * down;
    const double pixels = whole_width * whole_height;
    const bool has_margin = self->has_filters || (!is_sized && pixels <= most_whole_pixels);
    const bool is_whole = has_margin && fmax(whole_width, whole_height) <= LONGEST_SIDE
                          && (!is_sized || pixels <= most_filtered_pixels);
    const double left = part.x * across, top = part.y * down;
    double before[2] = {0}, after[2] = {0};
    if (options->area.width && has_margin) {
        const double right = whole_width - left - width, bottom = whole_height - top - height;
        before[0] = is_whole ? ceil(left) : margin(left, width);
        before[1] = is_whole ? ceil(top) : margin(top, height);
        after[0] = is_whole ? fmax(ceil(right), 0) : margin(right, width);
        after[1] = is_whole ? fmax(ceil(bottom), 0) : margin(bottom, height);
    }
    const double full_width = before[0] + width + after[0], full_height = before[1] + height + after[1];
    if (full_width > LONGEST_SIDE || full_height > LONGEST_SIDE)
        return firn_fail(base, FIRN_LIMIT, "a side is longer than %d pixels", LONGEST_SIDE);
    firn_status status = firn_check_size(base, (uint64_t)full_width, (uint64_t)full_height);
    if (status) return status;
    self->layout = options->layout;
    self->next_row = 0;
    self->viewport = (RsvgRectangle){before[0] - left, before[1] - top, whole_width, whole_height};
    base->output = (firn_output){.width = (uint32_t)full_width, .height = (uint32_t)full_height};
    if (full_width > width || full_height > height)
        base->output.area = (firn_area){(uint32_t)before[0], (uint32_t)before[1], width, height};
    return FIRN_OK;
}

static firn_status render(svg_decoder *self) {
    const firn_output *output = &self->base.output;
    self->surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, (int)output->width, (int)output->height);
    if (cairo_surface_status(self->surface))
        return firn_fail(&self->base, FIRN_MEMORY, "no memory for %ux%u pixels", output->width, output->height);
    cairo_t *context = cairo_create(self->surface);
    RsvgRectangle viewport = self->viewport;
    if (self->is_fluid) {
        const double width = self->base.header.vector_width, height = self->base.header.vector_height;
        cairo_translate(context, viewport.x, viewport.y);
        cairo_scale(context, viewport.width / width, viewport.height / height);
        viewport = (RsvgRectangle){0, 0, width, height};
    }
    GError *error = NULL;
    gboolean is_drawn = rsvg_handle_render_document(self->handle, context, &viewport, &error);
    cairo_status_t status = cairo_status(context);
    cairo_destroy(context);
    if (!is_drawn) return fail_svg(self, error);
    if (status) return firn_fail(&self->base, FIRN_DATA, "%s", cairo_status_to_string(status));
    cairo_surface_flush(self->surface);
    return FIRN_OK;
}

/// Copies a row. Cairo's words are premultiplied, with alpha in the highest byte and blue in the lowest.
///
/// The division rounds so that multiplying again gives Cairo's values.
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
    // Returns after rendering, which takes most of the time.
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

/// Renders a document with an embedded PNG and GIF, for which gdk-pixbuf loads its list of loaders and one loader. The
/// document has no text, because Pango would start a thread, and threads do not survive a fork.
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

static void library(char *text, size_t capacity) {
    // Before 2.52 the variables with the library's version have other names.
    snprintf(text, capacity, "librsvg %d.%d", LIBRSVG_MAJOR_VERSION, LIBRSVG_MINOR_VERSION);
}

const firn_codec_calls firn_svg_calls = {
    .library = library,
    .state_bytes = sizeof(svg_decoder), .release = release, .header = header, .start = start, .read = read_rows,
    .prepare = prepare, .restarts = true, .areas = true};

#endif
