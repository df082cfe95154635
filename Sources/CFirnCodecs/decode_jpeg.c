// JPEG by libjpeg-turbo, as a suspending decoder.
//
// A picture of one scan is decoded row by row and never held whole. One of several scans (progressive, or one scan a
// component) is first absorbed as coefficients, scan by scan, in libjpeg's "buffered image" mode, which also allows
// rendering between scans; then its rows are read.
//
// Source: ISO/IEC 10918-1; libjpeg.txt "I/O suspension" and "Buffered-image mode"; ICC.1 annex B.4 for APP2.
#include <stdio.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <jerror.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "decoder.h"
#include "icc_segments.h"

enum { ROWS_AT_ONCE = 16, SCANS_ALWAYS_ALLOWED = 64 };

/// Scans × pixels that are always worth their time; beyond, a file of many scans is refused.
static const uint64_t scan_pixels = 1ull << 32;

typedef struct {
    firn_decoder base;
    struct jpeg_decompress_struct jpeg;
    struct jpeg_error_mgr errors;
    struct jpeg_source_mgr source;
    jmp_buf escape;
    /// Bytes of a segment that are to be skipped in input that has not come yet.
    size_t skip;
    /// Whether the end of the input was reached and an EOI marker put in its place.
    bool ended;
    bool decompressing;
    bool absorbed;
    /// Bit i is set once a scan holds component i.
    uint32_t components_seen;
    int last_scan;
    firn_layout layout;
    uint8_t *cmyk_row;
    firn_icc_segments segments;
    uint8_t *profile;
    bool orientation_known;
    /// Bytes that the scans of a multi-scan file take.
    uint64_t coefficients;
} jpeg_decoder;

static const uint8_t end_marker[2] = {0xFF, JPEG_EOI};

static jpeg_decoder *of(j_common_ptr jpeg) { return jpeg->client_data; }

// MARK: libjpeg's callbacks

__attribute__((noreturn)) static void escape(jpeg_decoder *self, firn_status status, const char *message) {
    firn_fail(&self->base, status, "%s", message);
    longjmp(self->escape, 1);
}

__attribute__((noreturn)) static void cut_short(jpeg_decoder *self) {
    if (self->decompressing && self->jpeg.output_scanline > 0)
        firn_fail(
            &self->base, FIRN_DATA, "cut short after row %u of %u", self->jpeg.output_scanline,
            self->jpeg.output_height);
    else
        firn_fail(&self->base, FIRN_DATA, self->decompressing ? "cut short in a scan" : "cut short before the picture");
    longjmp(self->escape, 1);
}

static void on_error(j_common_ptr jpeg) {
    char text[JMSG_LENGTH_MAX];
    jpeg->err->format_message(jpeg, text);
    firn_status status = FIRN_DATA;
    switch (jpeg->err->msg_code) {
    case JERR_OUT_OF_MEMORY:
        status = FIRN_MEMORY;
        break;
    case JERR_SOF_UNSUPPORTED:
    case JERR_NOT_COMPILED:
    case JERR_BAD_PRECISION:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
        status = FIRN_UNSUPPORTED;
        break;
    }
    escape(of(jpeg), status, text);
}

static void on_message(j_common_ptr jpeg, int level) {
    if (level >= 0) return;
    jpeg->err->num_warnings++;
    // The entropy decoder wanted bits where there is only our own EOI.
    if (of(jpeg)->ended && jpeg->err->msg_code == JWRN_HIT_MARKER) cut_short(of(jpeg));
}

static void on_output(j_common_ptr jpeg) { (void)jpeg; }

static void init_source(j_decompress_ptr jpeg) { (void)jpeg; }

static boolean fill_input(j_decompress_ptr jpeg) {
    jpeg_decoder *self = jpeg->client_data;
    if (!self->base.input.last) {
        if (jpeg->arith_code && self->decompressing) escape(self, FIRN_DATA, "arithmetic coding cannot wait");
        return FALSE;
    }
    // The arithmetic decoder reads zeros behind the end without a word.
    if (self->decompressing && jpeg->arith_code) cut_short(self);
    self->ended = true;
    jpeg->src->next_input_byte = end_marker;
    jpeg->src->bytes_in_buffer = sizeof end_marker;
    return TRUE;
}

static void skip_input(j_decompress_ptr jpeg, long count) {
    jpeg_decoder *self = jpeg->client_data;
    struct jpeg_source_mgr *source = jpeg->src;
    if (count <= 0) return;
    if ((size_t)count <= source->bytes_in_buffer) {
        source->next_input_byte += count;
        source->bytes_in_buffer -= (size_t)count;
    } else {
        self->skip = (size_t)count - source->bytes_in_buffer;
        source->next_input_byte += source->bytes_in_buffer;
        source->bytes_in_buffer = 0;
    }
}

static void term_source(j_decompress_ptr jpeg) { (void)jpeg; }

/// Takes the orientation out of an Exif segment, and a part of a profile out of an ICC segment; keeps nothing else.
static void take_segment(jpeg_decoder *self, int marker, const uint8_t *bytes, size_t length) {
    if (marker == JPEG_APP0 + 1) {
        if (length >= 6 && !memcmp(bytes, "Exif\0\0", 6) && !self->orientation_known) {
            self->base.header.orientation = firn_exif_orientation(bytes, length);
            self->orientation_known = true;
        }
        return;
    }
    firn_icc_segments_add(&self->segments, bytes, length, self->base.limits.profile_bytes);
}

/// Reads an APP1 or APP2 segment once it is there as a whole.
static boolean read_segment(j_decompress_ptr jpeg) {
    jpeg_decoder *self = jpeg->client_data;
    struct jpeg_source_mgr *source = jpeg->src;
    size_t length = 2;
    if (source->bytes_in_buffer >= 2)
        length = (size_t)source->next_input_byte[0] << 8 | source->next_input_byte[1];
    if (length < 2) length = 2;
    if (source->bytes_in_buffer < length) {
        if (!self->base.input.last) return FALSE;
        cut_short(self);
    }
    // After the frame header orientation and profile are fixed.
    if (!self->decompressing) take_segment(self, jpeg->unread_marker, source->next_input_byte + 2, length - 2);
    source->next_input_byte += length;
    source->bytes_in_buffer -= length;
    return TRUE;
}

// MARK: Input

/// Shows libjpeg the input; false if all of it is to be skipped.
static bool lend_input(jpeg_decoder *self) {
    firn_input *input = &self->base.input;
    if (self->ended) return true;
    size_t skip = self->skip < input->length ? self->skip : input->length;
    firn_input_skip(input, skip);
    self->skip -= skip;
    self->source.next_input_byte = input->bytes;
    self->source.bytes_in_buffer = input->length;
    return self->skip == 0 || input->last;
}

/// Takes from the input what libjpeg has used.
static void take_back_input(jpeg_decoder *self) {
    firn_input *input = &self->base.input;
    firn_input_skip(input, self->ended ? input->length : input->length - self->source.bytes_in_buffer);
}

// MARK: The steps; each runs inside the setjmp of `guarded`.

typedef firn_status (*step)(jpeg_decoder *self, const void *argument);

/// Runs a step with libjpeg's input in place; an error inside comes out as a status.
static firn_status guarded(jpeg_decoder *self, step body, const void *argument) {
    if (!lend_input(self)) return FIRN_NEED_DATA;
    if (setjmp(self->escape)) return self->base.failure;
    firn_status status = body(self, argument);
    take_back_input(self);
    return status;
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
        return firn_fail(&self->base, FIRN_UNSUPPORTED, "%d colour components", jpeg->num_components);
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
    self->profile = firn_icc_segments_join(&self->segments, &header->icc_length);
    header->icc = self->profile;
    firn_icc_segments_free(&self->segments);
    return FIRN_OK;
}

/// The smallest N/8 whose picture is at least as large as wanted.
static void choose_scale(j_decompress_ptr jpeg, uint32_t width, uint32_t height) {
    jpeg->scale_denom = 8;
    for (jpeg->scale_num = 1; jpeg->scale_num < 8; jpeg->scale_num++) {
        jpeg_calc_output_dimensions(jpeg);
        if (jpeg->output_width >= width && jpeg->output_height >= height) break;
    }
    jpeg_calc_output_dimensions(jpeg);
}

static firn_status start_step(jpeg_decoder *self, const void *argument) {
    const firn_options *options = argument;
    j_decompress_ptr jpeg = &self->jpeg;
    bool is_cmyk = jpeg->jpeg_color_space == JCS_CMYK || jpeg->jpeg_color_space == JCS_YCCK;
    self->layout = options->layout;
    if (options->layout == FIRN_LAYOUT_CMYK && !is_cmyk)
        return firn_fail(&self->base, FIRN_UNSUPPORTED, "a picture without inks cannot be read as CMYK");
    // Order: the arithmetic decoder cannot be suspended, so all bytes have to be there before it starts.
    if (jpeg->arith_code && !self->base.input.last) return FIRN_NEED_DATA;

    if (options->width && options->height) choose_scale(jpeg, options->width, options->height);
    if (is_cmyk)
        jpeg->out_color_space = JCS_CMYK;
    else
        jpeg->out_color_space = options->layout == FIRN_LAYOUT_BGRA ? JCS_EXT_BGRA
            : options->layout == FIRN_LAYOUT_RGBA                   ? JCS_EXT_RGBA
                                                                    : JCS_EXT_RGB;
    jpeg->buffered_image = jpeg_has_multiple_scans(jpeg);
    self->absorbed = !jpeg->buffered_image;
    self->decompressing = true;
    // In either mode this returns FALSE only if it is to be called again with more data.
    if (!jpeg_start_decompress(jpeg)) return FIRN_NEED_DATA;
    if (is_cmyk && options->layout != FIRN_LAYOUT_CMYK) {
        self->cmyk_row = malloc((size_t)jpeg->output_width * 4);
        if (!self->cmyk_row) return firn_fail(&self->base, FIRN_MEMORY, "no memory for a row");
    }
    for (int i = 0; i < jpeg->comps_in_scan; i++)
        self->components_seen |= 1u << jpeg->cur_comp_info[i]->component_index;
    self->base.output.width = jpeg->output_width;
    self->base.output.height = jpeg->output_height;
    self->base.output.whole = false;
    return FIRN_OK;
}

/// Whether each component came, and where the file is progressive each coefficient to its last bit.
static bool is_complete(jpeg_decoder *self) {
    j_decompress_ptr jpeg = &self->jpeg;
    if (self->components_seen != (1u << jpeg->num_components) - 1) return false;
    if (!jpeg->coef_bits) return true;
    for (int component = 0; component < jpeg->num_components; component++)
        for (int i = 0; i < DCTSIZE2; i++)
            if (jpeg->coef_bits[component][i] != 0) return false;
    return true;
}

/// Reads scans; FIRN_OK with `absorbed` unset after each of them.
static firn_status absorb(jpeg_decoder *self) {
    j_decompress_ptr jpeg = &self->jpeg;
    for (;;) {
        switch (jpeg_consume_input(jpeg)) {
        case JPEG_SUSPENDED:
            return FIRN_NEED_DATA;
        case JPEG_REACHED_SOS: {
            for (int i = 0; i < jpeg->comps_in_scan; i++)
                self->components_seen |= 1u << jpeg->cur_comp_info[i]->component_index;
            uint64_t scans = (uint64_t)jpeg->input_scan_number;
            uint64_t pixels = (uint64_t)jpeg->image_width * jpeg->image_height;
            if (scans > self->base.limits.scans)
                return firn_fail(
                    &self->base, FIRN_LIMIT, "has more than %u scans, the limit", self->base.limits.scans);
            if (scans > SCANS_ALWAYS_ALLOWED && scans > scan_pixels / pixels)
                return firn_fail(
                    &self->base, FIRN_LIMIT, "has more than %llu scans, too many for its size",
                    (unsigned long long)scans - 1);
            return FIRN_OK;
        }
        case JPEG_REACHED_EOI:
            if (self->ended && !is_complete(self))
                return firn_fail(
                    &self->base, FIRN_DATA, "cut short after scan %d", jpeg->input_scan_number);
            if (!jpeg_start_output(jpeg, jpeg->input_scan_number)) return FIRN_NEED_DATA;
            self->absorbed = true;
            return FIRN_OK;
        default:
            break;
        }
    }
}

/// Inks as Adobe stores them, 255 for none, to 255 for full.
static void invert(uint8_t *row, uint32_t width) {
    for (size_t i = 0; i < (size_t)width * 4; i++) row[i] = 255 - row[i];
}

/// Inks as Adobe stores them to colours, without a profile: each ink takes its share of what black leaves.
static void convert_inks(const uint8_t *from, uint8_t *to, uint32_t width, firn_layout layout) {
    unsigned bytes = layout == FIRN_LAYOUT_RGB ? 3 : 4, red = layout == FIRN_LAYOUT_BGRA ? 2 : 0;
    for (uint32_t x = 0; x < width; x++, from += 4, to += bytes) {
        unsigned light = from[3], color[3];
        for (int i = 0; i < 3; i++) {
            unsigned product = (255u - from[i]) * light + 128;
            unsigned taken = ((product >> 8) + product) >> 8;
            color[i] = light > taken ? light - taken : 0;
        }
        to[red] = (uint8_t)color[0];
        to[1] = (uint8_t)color[1];
        to[2 - red] = (uint8_t)color[2];
        if (bytes == 4) to[3] = 255;
    }
}

typedef struct {
    uint8_t *pixels;
    size_t stride;
    uint32_t rows;
    uint32_t *done;
} window;

static firn_status read_step(jpeg_decoder *self, const void *argument) {
    const window *target = argument;
    j_decompress_ptr jpeg = &self->jpeg;
    if (!self->absorbed) return absorb(self);
    bool is_cmyk = jpeg->out_color_space == JCS_CMYK;
    while (*target->done < target->rows && jpeg->output_scanline < jpeg->output_height) {
        JSAMPROW rows[ROWS_AT_ONCE];
        uint8_t *first = target->pixels + (size_t)*target->done * target->stride;
        uint32_t count = target->rows - *target->done;
        if (count > ROWS_AT_ONCE) count = ROWS_AT_ONCE;
        if (self->cmyk_row) count = 1;
        for (uint32_t i = 0; i < count; i++) rows[i] = first + i * target->stride;
        if (self->cmyk_row) rows[0] = self->cmyk_row;
        uint32_t got = jpeg_read_scanlines(jpeg, rows, count);
        // Order: rows that were made are reported before more bytes are asked for.
        if (got == 0) return *target->done ? FIRN_OK : FIRN_NEED_DATA;
        if (self->cmyk_row)
            convert_inks(self->cmyk_row, first, jpeg->output_width, self->layout);
        else if (is_cmyk)
            for (uint32_t i = 0; i < got; i++) invert(rows[i], jpeg->output_width);
        *target->done += got;
    }
    return jpeg->output_scanline < jpeg->output_height ? FIRN_OK : FIRN_END;
}

// MARK: The codec

static firn_status header(firn_decoder *decoder) { return guarded((jpeg_decoder *)decoder, header_step, NULL); }

static firn_status start(firn_decoder *decoder, const firn_options *options) {
    return guarded((jpeg_decoder *)decoder, start_step, options);
}

static firn_status read_rows(
    firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    window target = {pixels, stride, rows, done};
    return guarded((jpeg_decoder *)decoder, read_step, &target);
}

static void close_decoder(firn_decoder *decoder) {
    jpeg_decoder *self = (jpeg_decoder *)decoder;
#ifdef __GLIBC__
    const bool is_large = self->coefficients > (4u << 20);
#endif
    jpeg_destroy_decompress(&self->jpeg);
    firn_icc_segments_free(&self->segments);
    free(self->profile);
    free(self->cmyk_row);
    free(self);
#ifdef __GLIBC__
    // glibc keeps up to 64 MiB of what was freed, for each thread; so much counts against the next decode.
    if (is_large) malloc_trim(0);
#endif
}

static const firn_codec_calls calls = {
    .close = close_decoder, .header = header, .start = start, .read = read_rows};

firn_decoder *firn_jpeg_open(void) {
    jpeg_decoder *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->base.calls = &calls;
    self->jpeg.err = jpeg_std_error(&self->errors);
    self->errors.error_exit = on_error;
    self->errors.emit_message = on_message;
    self->errors.output_message = on_output;
    if (setjmp(self->escape)) {
        jpeg_destroy_decompress(&self->jpeg);
        free(self);
        return NULL;
    }
    // Order: jpeg_create_decompress clears the struct but keeps `err` and `client_data`.
    self->jpeg.client_data = self;
    jpeg_create_decompress(&self->jpeg);
    self->source.init_source = init_source;
    self->source.fill_input_buffer = fill_input;
    self->source.skip_input_data = skip_input;
    self->source.resync_to_restart = jpeg_resync_to_restart;
    self->source.term_source = term_source;
    self->jpeg.src = &self->source;
    jpeg_set_marker_processor(&self->jpeg, JPEG_APP0 + 1, read_segment);
    jpeg_set_marker_processor(&self->jpeg, JPEG_APP0 + 2, read_segment);
    return &self->base;
}
