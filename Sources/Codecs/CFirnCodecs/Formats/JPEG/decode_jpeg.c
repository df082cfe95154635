// JPEG with libjpeg-turbo, as a suspending decoder.
//
// A single-scan image is decoded row by row as its bytes arrive and never held whole. A multi-scan image (progressive,
// or one scan per component) is stored as coefficients while its bytes arrive, in libjpeg's "buffered image" mode; then
// its rows are read. Between scans, that mode can render the coefficients so far: a preview.
//
// Limits of previews: each needs a third more bytes than the previous one, and there are at most eight. Each costs
// about a third of a full decode at the same scale, so they cost a file of a hundred scans three more decodes.
//
// Source: ISO/IEC 10918-1; libjpeg.txt "I/O suspension" and "Buffered-image mode"; ICC.1 annex B.4 for APP2;
// JFIF 1.02 for the density; XMP specification part 3, section 1.1.3.
#include "jpeg_decoder.h"

#include <stdlib.h>

#include "jpeg_inks.h"

enum { ROWS_AT_ONCE = 16, SCANS_ALWAYS_ALLOWED = 64, MOST_PREVIEWS = 8 };

/// Smaller coefficient arrays are allocated with malloc, which is faster.
static const uint64_t mapped_coefficients = 1u << 20;

/// Larger coefficient arrays are not kept for further parts of the image: those of about 40 megapixels with subsampled
/// color.
static const uint64_t kept_coefficients = 128u << 20;

/// The fixed cost of a scan, in pixels: rebuilding its tables takes about 10 microseconds.
static const uint64_t least_scan_pixels = 4096;

/// The number of pixels of a scan to process between two pauses: a few milliseconds.
static const uint64_t pixels_at_once = 1u << 19;

// MARK: The steps; each runs inside the setjmp of `guarded`.

typedef firn_status (*step)(jpeg_decoder *self, const void *argument);

/// Runs a step with libjpeg's input in place; converts an error in it to a status.
static firn_status guarded(jpeg_decoder *self, step body, const void *argument) {
    if (!firn_jpeg_lend_input(self)) return FIRN_NEED_DATA;
    if (setjmp(self->escape)) return self->base.failure;
    firn_status status = body(self, argument);
    firn_jpeg_take_back_input(self);
    return status;
}

/// Sets the metadata. The Swift reader handles EXIF orientation and density.
static void describe_metadata(jpeg_decoder *self) {
    j_decompress_ptr jpeg = &self->jpeg;
    firn_header *header = &self->base.header;
    header->exif = self->exif;
    header->xmp = self->xmp;
    // Dots per inch or per centimeter; 0 states only the pixel aspect ratio.
    if (jpeg->saw_JFIF_marker && (jpeg->density_unit == 1 || jpeg->density_unit == 2)) {
        double per_metre = jpeg->density_unit == 1 ? 1 / 0.0254 : 100;
        header->pixels_per_metre_x = (uint32_t)(jpeg->X_density * per_metre + 0.5);
        header->pixels_per_metre_y = (uint32_t)(jpeg->Y_density * per_metre + 0.5);
    }
    self->profile = firn_icc_segments_join(&self->segments, &header->icc_length);
    header->icc = self->profile;
    firn_icc_segments_free(&self->segments);
}

static firn_status header_step(jpeg_decoder *self, const void *unused) {
    (void)unused;
    j_decompress_ptr jpeg = &self->jpeg;
    firn_header *header = &self->base.header;
    if (jpeg_read_header(jpeg, TRUE) == JPEG_SUSPENDED) return FIRN_NEED_DATA;

    firn_status status = firn_check_size(&self->base, jpeg->image_width, jpeg->image_height);
    if (status) return status;
    header->width = jpeg->image_width;
    header->height = jpeg->image_height;
    header->bit_depth = (uint32_t)jpeg->data_precision;
    switch (jpeg->jpeg_color_space) {
    case JCS_GRAYSCALE: header->space = FIRN_SPACE_GRAY; break;
    case JCS_RGB: header->space = FIRN_SPACE_RGB; break;
    case JCS_YCbCr: header->space = FIRN_SPACE_YCBCR; break;
    case JCS_CMYK: header->space = FIRN_SPACE_CMYK; break;
    case JCS_YCCK: header->space = FIRN_SPACE_YCCK; break;
    default:
        return firn_fail(&self->base, FIRN_UNSUPPORTED, "%d color components", jpeg->num_components);
    }
    header->progressive = jpeg->progressive_mode;
    uint64_t row_bytes = (uint64_t)jpeg->image_width * (uint64_t)jpeg->num_components;
    header->working_bytes = row_bytes * (uint64_t)jpeg->max_v_samp_factor * 8 * 3 + (128 << 10);
    if (jpeg_has_multiple_scans(jpeg)) {
        uint64_t coefficients = 0;
        for (int i = 0; i < jpeg->num_components; i++)
            coefficients += (uint64_t)jpeg->comp_info[i].width_in_blocks * jpeg->comp_info[i].height_in_blocks
                * DCTSIZE2 * sizeof(JCOEF);
        if (coefficients > self->base.limits.bytes)
            return firn_fail(
                &self->base, FIRN_LIMIT, "needs %llu bytes for its scans; the limit is %llu",
                (unsigned long long)coefficients, (unsigned long long)self->base.limits.bytes);
        header->working_bytes += coefficients;
        self->coefficients = coefficients;
    }
    describe_metadata(self);
    return FIRN_OK;
}

/// Records the components of the current scan.
static void see_components(jpeg_decoder *self) {
    j_decompress_ptr jpeg = &self->jpeg;
    self->components_complete = self->components_seen;
    for (int i = 0; i < jpeg->comps_in_scan; i++)
        self->components_seen |= 1u << jpeg->cur_comp_info[i]->component_index;
}

static firn_status start_step(jpeg_decoder *self, const void *argument) {
    const firn_options *options = argument;
    j_decompress_ptr jpeg = &self->jpeg;
    if (self->base.restarts) return firn_jpeg_plan_again(self, options);
    bool has_inks = firn_jpeg_has_inks(self);
    self->layout = options->layout;
    self->partial = options->partial;
    if (options->layout == FIRN_LAYOUT_CMYK && !has_inks)
        return firn_fail(&self->base, FIRN_UNSUPPORTED, "an image without inks cannot be read as CMYK");
    // Order: the arithmetic decoder cannot suspend, so it starts only once all bytes have arrived.
    if (jpeg->arith_code && !self->base.input.last) return FIRN_NEED_DATA;

    firn_jpeg_choose_scale(self, options);
    switch (options->layout) {
    case FIRN_LAYOUT_BGRA: jpeg->out_color_space = JCS_EXT_BGRA; break;
    case FIRN_LAYOUT_RGBA: jpeg->out_color_space = JCS_EXT_RGBA; break;
    case FIRN_LAYOUT_RGB: jpeg->out_color_space = JCS_EXT_RGB; break;
    case FIRN_LAYOUT_CMYK: break;
    default: return firn_fail(&self->base, FIRN_UNSUPPORTED, "has 8 bits a sample and is read as such");
    }
    if (has_inks) jpeg->out_color_space = JCS_CMYK;
    jpeg->buffered_image = jpeg_has_multiple_scans(jpeg);
    self->absorbed = !jpeg->buffered_image;
    self->decompressing = true;
    if (self->coefficients > mapped_coefficients) firn_jpeg_arrays_install(jpeg);
    // In either mode this returns FALSE only if it must be called again with more data.
    if (!jpeg_start_decompress(jpeg)) return FIRN_NEED_DATA;
    if (has_inks && options->layout != FIRN_LAYOUT_CMYK) {
        self->cmyk_row = malloc((size_t)jpeg->output_width * 4);
        if (!self->cmyk_row) return firn_fail(&self->base, FIRN_MEMORY, "no memory for a row");
    }
    see_components(self);
    self->base.output.width = jpeg->output_width;
    self->base.output.height = self->end_row = jpeg->output_height;
    self->base.output.whole = false;
    self->base.output.previews = jpeg->buffered_image;
    self->whole_width = jpeg->output_width;
    if (options->area.width) {
        // Coefficients are kept for further parts.
        self->base.restarts = jpeg->buffered_image && self->base.input.last && self->coefficients <= kept_coefficients;
        firn_jpeg_plan_area(self, &options->area);
        self->base.output.previews = jpeg->buffered_image && !self->columns;
        // Order: a multi-scan image is cropped once its output starts.
        if (!jpeg->buffered_image) return firn_jpeg_crop(self);
    }
    return FIRN_OK;
}

// MARK: Scans

static uint32_t all_components(const jpeg_decoder *self) { return (1u << self->jpeg.num_components) - 1; }

/// Returns whether all components have arrived, and for a progressive file all bits of each coefficient.
static bool is_complete(jpeg_decoder *self) {
    j_decompress_ptr jpeg = &self->jpeg;
    if (self->components_seen != all_components(self)) return false;
    if (!jpeg->coef_bits) return true;
    for (int component = 0; component < jpeg->num_components; component++)
        for (int i = 0; i < DCTSIZE2; i++)
            if (jpeg->coef_bits[component][i] != 0) return false;
    return true;
}

/// Checks the limits for a new scan.
static firn_status check_scans(jpeg_decoder *self) {
    uint64_t scans = (uint64_t)self->jpeg.input_scan_number;
    uint64_t pixels = (uint64_t)self->jpeg.image_width * self->jpeg.image_height;
    if (pixels < least_scan_pixels) pixels = least_scan_pixels;
    if (scans > SCANS_ALWAYS_ALLOWED && scans > self->base.limits.scanned_pixels / pixels)
        return firn_fail(
            &self->base, FIRN_LIMIT, "has more than %llu scans, too many for its size",
            (unsigned long long)scans - 1);
    return FIRN_OK;
}

/// Handles a file that ended before its last scan did. Rows that the first component's scan covers are valid: other
/// components and later scans only add color and detail.
static firn_status end_early(jpeg_decoder *self) {
    j_decompress_ptr jpeg = &self->jpeg;
    self->is_cut = true;
    bool is_first_complete = self->components_complete & 1;
    if (self->ends_in_scan && !is_first_complete)
        self->known_rows = self->mcu_rows_in_scan * firn_jpeg_mcu_height(self);
    bool is_known = is_first_complete || (self->components_seen & 1 && (!self->ends_in_scan || self->known_rows));
    if (self->partial && is_known) return FIRN_OK;
    return firn_fail(&self->base, FIRN_DATA, "cut short after scan %d", jpeg->input_scan_number);
}

/// Reads scans. Returns FIRN_OK after each scan, and occasionally within; sets `absorbed` after the last.
static firn_status absorb(jpeg_decoder *self) {
    j_decompress_ptr jpeg = &self->jpeg;
    uint64_t pixels = 0, pixels_of_row = (uint64_t)jpeg->image_width * (uint64_t)jpeg->max_v_samp_factor * DCTSIZE;
    while (pixels < pixels_at_once) {
        switch (jpeg_consume_input(jpeg)) {
        case JPEG_SUSPENDED:
            return FIRN_NEED_DATA;
        case JPEG_REACHED_SOS:
            see_components(self);
            return check_scans(self);
        case JPEG_REACHED_EOI:
            if (self->ended && !is_complete(self)) {
                firn_status status = end_early(self);
                if (status) return status;
            }
            if (!jpeg_start_output(jpeg, jpeg->input_scan_number)) return FIRN_NEED_DATA;
            self->absorbed = true;
            return firn_jpeg_crop(self);
        default:
            pixels += pixels_of_row;
            break;
        }
    }
    return FIRN_OK;
}

// MARK: Rows

typedef struct {
    uint8_t *pixels;
    size_t stride;
    uint32_t rows;
    uint32_t *done;
} window;

/// The row after the last one that can be read.
static uint32_t last_row(const jpeg_decoder *self) {
    return self->known_rows && self->known_rows < self->end_row ? self->known_rows : self->end_row;
}

/// Reads rows as far as the received bytes allow; returns false once they are used up.
static bool read_rows_into(jpeg_decoder *self, const window *target) {
    j_decompress_ptr jpeg = &self->jpeg;
    uint32_t end = last_row(self);
    while (*target->done < target->rows && jpeg->output_scanline < end) {
        JSAMPROW rows[ROWS_AT_ONCE];
        uint8_t *first = target->pixels + (size_t)*target->done * target->stride;
        uint32_t count = target->rows - *target->done;
        if (count > ROWS_AT_ONCE) count = ROWS_AT_ONCE;
        // libjpeg returns as many rows as there is room for, even below the part.
        if (count > end - jpeg->output_scanline) count = end - jpeg->output_scanline;
        if (self->cmyk_row) count = 1;
        for (uint32_t i = 0; i < count; i++) rows[i] = first + i * target->stride;
        if (self->cmyk_row) rows[0] = self->cmyk_row;
        uint32_t got = jpeg_read_scanlines(jpeg, rows, count);
        if (got == 0) return false;
        if (self->cmyk_row)
            firn_jpeg_convert_inks(self->cmyk_row, first, jpeg->output_width, self->layout);
        else if (jpeg->out_color_space == JCS_CMYK)
            for (uint32_t i = 0; i < got; i++) firn_jpeg_invert_inks(rows[i], jpeg->output_width);
        *target->done += got;
    }
    return true;
}

static firn_status read_step(jpeg_decoder *self, const void *argument) {
    const window *target = argument;
    if (!self->absorbed) return absorb(self);
    if (self->rows_to_skip) {
        firn_jpeg_skip_rows(self);
        return FIRN_OK;
    }
    // Order: decoded rows are reported before more bytes are requested.
    if (!read_rows_into(self, target) && *target->done == 0) return FIRN_NEED_DATA;
    uint32_t end = last_row(self);
    if (self->jpeg.output_scanline < end) return FIRN_OK;
    if (end == self->end_row) return FIRN_END;
    return firn_fail(
        &self->base, FIRN_DATA, "cut short after row %u of %u", end, (unsigned)self->jpeg.output_height);
}

/// Renders the complete scans, unless too little has arrived since the last preview.
static firn_status preview_step(jpeg_decoder *self, const void *argument) {
    const window *target = argument;
    j_decompress_ptr jpeg = &self->jpeg;
    // Order: a scan counts as complete once the next one has started, because jpeg_finish_output looks for the next SOS
    // and would suspend until it arrives.
    int scan = jpeg->input_scan_number - 1;
    if (self->absorbed || self->columns || self->components_complete != all_components(self)) return FIRN_NEED_DATA;
    if (scan <= self->scan_shown || self->previews == MOST_PREVIEWS) return FIRN_NEED_DATA;
    if (self->used < self->used_at_preview + self->used_at_preview / 3) return FIRN_NEED_DATA;
    if (!jpeg_start_output(jpeg, scan)) return FIRN_NEED_DATA;
    read_rows_into(self, target);
    if (*target->done < target->rows || !jpeg_finish_output(jpeg))
        return firn_fail(&self->base, FIRN_DATA, "scan %d cannot be shown", scan);
    self->previews++;
    self->scan_shown = scan;
    self->used_at_preview = self->used;
    return FIRN_OK;
}

// MARK: The codec

static firn_status header(firn_decoder *decoder) { return guarded((jpeg_decoder *)decoder, header_step, NULL); }

static firn_status start(firn_decoder *decoder, const firn_options *options) {
    return guarded((jpeg_decoder *)decoder, start_step, options);
}

static firn_status read_rows(
    firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    window target = {pixels, stride, rows, done};
    firn_status status = guarded((jpeg_decoder *)decoder, read_step, &target);
    // Returns rows decoded before the damage; the next call reports the damage.
    return decoder->failure && *done > 0 ? FIRN_OK : status;
}

static firn_status preview(firn_decoder *decoder, uint8_t *pixels, size_t stride) {
    uint32_t done = 0;
    window target = {pixels, stride, decoder->output.height, &done};
    return guarded((jpeg_decoder *)decoder, preview_step, &target);
}

static void release(firn_decoder *decoder) {
    jpeg_decoder *self = (jpeg_decoder *)decoder;
    jpeg_destroy_decompress(&self->jpeg);
    firn_jpeg_arrays_free(&self->arrays);
    firn_icc_segments_free(&self->segments);
    free(self->profile);
    free(self->exif);
    free(self->xmp);
    free(self->cmyk_row);
    free(self->window);
}

static bool open_decoder(firn_decoder *decoder) {
    jpeg_decoder *self = (jpeg_decoder *)decoder;
    firn_jpeg_prepare_errors(self);
    if (setjmp(self->escape)) return false;
    jpeg_create_decompress(&self->jpeg);
    firn_jpeg_prepare_source(self);
    return true;
}

static void library(char *text, size_t capacity) {
#define TEXT_OF(token) #token
#define TEXT(macro) TEXT_OF(macro)
#ifdef LIBJPEG_TURBO_VERSION
    snprintf(text, capacity, "libjpeg-turbo " TEXT(LIBJPEG_TURBO_VERSION));
#else
    snprintf(text, capacity, "libjpeg " TEXT(JPEG_LIB_VERSION));
#endif
}

const firn_codec_calls firn_jpeg_calls = {
    .library = library,
    .state_bytes = sizeof(jpeg_decoder), .open = open_decoder, .release = release, .header = header, .start = start,
    .read = read_rows, .preview = preview, .areas = true};
