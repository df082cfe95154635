// One PNG image by libpng's push reader.
//
// What is fed is a stream of signature, header, palette and pixels, made by whoever knows the file; nothing else has to
// be in it. Images without passes give their rows in order; of those with passes every pass is spread over the
// image in blocks, so that it is always a preview of itself.
//
// Source: W3C PNG (third edition) §5; libpng-manual.txt "Reading PNG files progressively".
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "decoder.h"

/// Compressed bytes given to libpng in one call of `read`.
///
/// libpng makes rows of all that it is given, at most 1,032 bytes of each: what the caller has no room for waits in
/// `spilled`. So libpng gets slices whose rows take `MOST_SPILLED` bytes and one row at most.
enum {
    BYTES_AT_ONCE = 64 << 10,
    MOST_SPILLED = 4 << 20,
    MOST_INFLATED = 1032,
    SIGNATURE_AND_HEADER = 33,
    LAST_PASS = 6
};

typedef struct {
    firn_decoder base;
    png_structp png;
    png_infop png_info;
    jmp_buf escape;
    bool is_interlaced;
    unsigned stored_bits;
    firn_layout layout;
    size_t row_bytes;
    size_t slice;
    /// Where this call's rows go: `room` of them, or the whole image.
    uint8_t *pixels;
    size_t stride;
    uint32_t room;
    uint32_t made;
    /// Rows that came when there was no room.
    uint8_t *spilled;
    size_t spilled_capacity;
    uint32_t spilled_from;
    uint32_t spilled_to;
    /// Rows that libpng has made; with passes, rows that no pass will touch again.
    uint32_t complete_rows;
    /// Rows handed over.
    uint32_t given_rows;
    bool at_end;
    /// A failure that is told once all rows before it were given.
    firn_status waiting_failure;
} png_decoder;

static uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// MARK: libpng's callbacks

__attribute__((noreturn)) static void on_error(png_structp png, png_const_charp message) {
    png_decoder *self = png_get_error_ptr(png);
    bool is_memory = strstr(message, "emory") != NULL;
    firn_fail(&self->base, is_memory ? FIRN_MEMORY : FIRN_DATA, "%s", message);
    longjmp(self->escape, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static unsigned bytes_per_pixel(firn_layout layout) {
    return layout == FIRN_LAYOUT_RGB ? 3 : layout == FIRN_LAYOUT_RGBA16 ? 8 : 4;
}

/// All chunks before the first IDAT were read: from here on the pixels' layout is fixed.
static void on_info(png_structp png, png_infop info) {
    png_decoder *self = png_get_progressive_ptr(png);
    int type = png_get_color_type(png, info), depth = png_get_bit_depth(png, info);
    bool is_transparent = png_get_valid(png, info, PNG_INFO_tRNS) != 0;
    bool has_alpha = type & PNG_COLOR_MASK_ALPHA || is_transparent;
    bool is_wide = self->layout == FIRN_LAYOUT_RGBA16;
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
    if (type == PNG_COLOR_TYPE_GRAY && depth < 8) png_set_expand_gray_1_2_4_to_8(png);
    if (is_transparent) png_set_tRNS_to_alpha(png);
    if (is_wide) {
        if (depth < 16) png_set_expand_16(png);
        const uint16_t one = 1;
        if (*(const uint8_t *)&one) png_set_swap(png);
    } else if (depth == 16) {
        png_set_strip_16(png);
    }
    if (!(type & PNG_COLOR_MASK_COLOR)) png_set_gray_to_rgb(png);
    if (self->layout == FIRN_LAYOUT_RGB) {
        if (has_alpha) png_set_strip_alpha(png);
    } else if (!has_alpha) {
        png_set_add_alpha(png, is_wide ? 0xFFFF : 0xFF, PNG_FILLER_AFTER);
    }
    if (self->layout == FIRN_LAYOUT_BGRA) png_set_bgr(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    if (png_get_image_width(png, info) != self->base.header.width
        || png_get_image_height(png, info) != self->base.header.height)
        png_error(png, "two sizes");
    if (png_get_rowbytes(png, info) != self->row_bytes) png_error(png, "unexpected layout of rows");
}

/// Keeps a row for which there is no room.
static void spill(png_decoder *self, png_const_bytep row) {
    size_t end = ((size_t)self->spilled_to + 1) * self->row_bytes;
    if (end > self->spilled_capacity) {
        size_t capacity = end * 2;
        uint8_t *block = realloc(self->spilled, capacity);
        if (!block) png_error(self->png, "no memory for rows");
        self->spilled = block;
        self->spilled_capacity = capacity;
    }
    memcpy(self->spilled + self->spilled_to * self->row_bytes, row, self->row_bytes);
    self->spilled_to++;
}

static void on_row(png_structp png, png_bytep row, png_uint_32 y, int pass) {
    png_decoder *self = png_get_progressive_ptr(png);
    if (y >= self->base.header.height) return;
    if (self->is_interlaced) {
        if (row) png_progressive_combine_row(png, self->pixels + (size_t)y * self->stride, row);
        if (pass >= LAST_PASS) self->complete_rows = y + 1;
    } else if (row) {
        if (self->made < self->room)
            memcpy(self->pixels + self->made++ * self->stride, row, self->row_bytes);
        else
            spill(self, row);
        self->complete_rows = y + 1;
    }
}

static void on_end(png_structp png, png_infop info) {
    (void)info;
    png_decoder *self = png_get_progressive_ptr(png);
    self->at_end = true;
}

/// Gives libpng the next `length` bytes of the input.
static firn_status process(png_decoder *self, size_t length) {
    const uint8_t *bytes = self->base.input.bytes;
    firn_input_skip(&self->base.input, length);
    if (setjmp(self->escape)) return self->base.failure;
    // libpng does not write to the bytes; its signature is older than const.
    png_process_data(self->png, self->png_info, (png_bytep)bytes, length);
    return FIRN_OK;
}

// MARK: The decoder's calls

static firn_status header(firn_decoder *decoder) {
    png_decoder *self = (png_decoder *)decoder;
    if (decoder->input.length < SIGNATURE_AND_HEADER) return FIRN_NEED_DATA;
    const uint8_t *bytes = decoder->input.bytes;
    if (memcmp(bytes + 12, "IHDR", 4)) return firn_fail(decoder, FIRN_DATA, "does not start with its size");
    uint32_t width = big_endian(bytes + 16), height = big_endian(bytes + 20);
    firn_status status = firn_check_size(decoder, width, height);
    if (status) return status;
    decoder->header.width = width;
    decoder->header.height = height;
    decoder->header.bit_depth = bytes[24];
    decoder->header.alpha = true;
    self->is_interlaced = bytes[28] != 0;
    decoder->header.progressive = self->is_interlaced;
    decoder->header.working_bytes = (uint64_t)width * 8 * 3 + (256 << 10);
    static const uint8_t channels[7] = {1, 0, 3, 1, 2, 0, 4};
    self->stored_bits = (bytes[25] < 7 ? channels[bytes[25]] : 0) * (unsigned)bytes[24];
    if (!self->stored_bits) return firn_fail(decoder, FIRN_DATA, "has a color type that PNG does not know");
    return FIRN_OK;
}

static firn_status start(firn_decoder *decoder, const firn_options *options) {
    png_decoder *self = (png_decoder *)decoder;
    if (options->layout == FIRN_LAYOUT_CMYK || options->layout == FIRN_LAYOUT_RGBA_HALF)
        return firn_fail(decoder, FIRN_UNSUPPORTED, "a PNG holds neither inks nor floats");
    self->layout = options->layout;
    // Sides are below 2^31 and their product is within the limit.
    unsigned pixel_bytes = bytes_per_pixel(options->layout);
    self->row_bytes = (size_t)decoder->header.width * pixel_bytes;
    // A stored bit of a palette may become 32 bits.
    size_t slice = (size_t)MOST_SPILLED * self->stored_bits / (MOST_INFLATED * 8 * pixel_bytes);
    self->slice = self->is_interlaced || slice > 4096 ? 4096 : slice < 64 ? 64 : slice;
    decoder->output.width = decoder->header.width;
    decoder->output.height = decoder->header.height;
    decoder->output.whole = self->is_interlaced;
    return FIRN_OK;
}

/// Hands over rows that had no room before.
static void take_spilled(png_decoder *self) {
    while (self->spilled_from < self->spilled_to && self->made < self->room) {
        memcpy(
            self->pixels + self->made++ * self->stride, self->spilled + self->spilled_from++ * self->row_bytes,
            self->row_bytes);
    }
    if (self->spilled_from == self->spilled_to) self->spilled_from = self->spilled_to = 0;
}

static firn_status read_rows(
    firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    png_decoder *self = (png_decoder *)decoder;
    firn_input *input = &decoder->input;
    uint32_t height = decoder->header.height;
    self->pixels = pixels;
    self->stride = stride;
    self->room = rows;
    self->made = 0;
    take_spilled(self);
    size_t taken = 0;
    while (!self->waiting_failure && self->complete_rows < height && !self->at_end && input->length
           && (self->is_interlaced || self->made < rows) && taken < BYTES_AT_ONCE) {
        size_t slice = input->length < self->slice ? input->length : self->slice;
        self->waiting_failure = process(self, slice);
        taken += slice;
        // Damage behind the last row harms nothing; what comes before it is given first.
        decoder->failure = FIRN_OK;
        if (self->complete_rows == height) self->waiting_failure = FIRN_OK;
    }
    self->given_rows = self->is_interlaced ? self->complete_rows : self->given_rows + self->made;
    *done = self->is_interlaced ? self->complete_rows : self->made;
    if (self->given_rows == height) return FIRN_END;
    if (self->made || self->spilled_from < self->spilled_to) return FIRN_OK;
    if (self->waiting_failure) {
        decoder->failure = self->waiting_failure;
        return decoder->failure;
    }
    if (self->at_end)
        return firn_fail(decoder, FIRN_DATA, "has pixels for %u rows of %u", self->complete_rows, height);
    if (input->length) return FIRN_OK;
    if (input->last)
        return firn_fail(decoder, FIRN_DATA, "cut short after row %u of %u", self->complete_rows, height);
    return FIRN_NEED_DATA;
}

static void close_decoder(firn_decoder *decoder) {
    png_decoder *self = (png_decoder *)decoder;
    png_destroy_read_struct(&self->png, &self->png_info, NULL);
    free(self->spilled);
    free(self);
}

static const firn_codec_calls calls = {
    .close = close_decoder, .header = header, .start = start, .read = read_rows};

firn_decoder *firn_png_open(void) {
    png_decoder *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->base.calls = &calls;
    if (setjmp(self->escape)) {
        png_destroy_read_struct(&self->png, &self->png_info, NULL);
        free(self);
        return NULL;
    }
    self->png = png_create_read_struct(PNG_LIBPNG_VER_STRING, self, on_error, on_warning);
    self->png_info = self->png ? png_create_info_struct(self->png) : NULL;
    if (!self->png_info) {
        png_destroy_read_struct(&self->png, NULL, NULL);
        free(self);
        return NULL;
    }
    // Sides are bounded by firn_check_size; what an ancillary chunk unpacks to, by this.
    png_set_user_limits(self->png, 0x7FFFFFFF, 0x7FFFFFFF);
    png_set_chunk_malloc_max(self->png, 16 << 20);
    // Nothing is asked of ancillary chunks: what describes the image was read before.
    png_set_keep_unknown_chunks(self->png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    png_set_progressive_read_fn(self->png, self, on_info, on_row, on_end);
    return &self->base;
}
