// PNG by libpng's push reader.
//
// A walker of our own goes over the chunks first. libpng sees only the chunks that make pixels: text, times and other
// ancillary chunks are stepped over unread. Of an animated PNG the default image is decoded; its frames are counted.
//
// Source: W3C PNG (third edition) §5 and §11.3.6 (animation); libpng-manual.txt "Reading PNG files progressively".
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

#include "decoder.h"

/// Compressed bytes given to libpng between two pauses.
enum { SLICE = 32 << 10, SIGNATURE = 8, LAST_PASS = 6 };

typedef struct {
    firn_decoder base;
    png_structp png;
    png_infop png_info;
    jmp_buf escape;
    bool signature_read;
    /// Offset in the input of the next chunk to walk over, once the first IDAT is at its front.
    size_t walked;
    bool at_pixels;
    bool is_interlaced;
    bool has_alpha;
    bool has_exif;
    bool is_palette_read;
    /// A tRNS chunk that came before its palette, and has to wait for it.
    uint8_t early_trns[256 + 12];
    size_t early_trns_length;
    uint32_t declared_frames;
    firn_durations durations;
    firn_layout layout;
    uint8_t *pixels;
    size_t stride;
    uint32_t complete_rows;
    bool complete;
} png_decoder;

static bool is_type(const uint8_t *chunk, const char *type) { return !memcmp(chunk + 4, type, 4); }

static uint32_t big_endian(const uint8_t *bytes, unsigned count) {
    uint32_t value = 0;
    for (unsigned i = 0; i < count; i++) value = value << 8 | bytes[i];
    return value;
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

/// All chunks before the first IDAT were read: from here on the pixels' layout is fixed.
static void on_info(png_structp png, png_infop info) {
    png_decoder *self = png_get_progressive_ptr(png);
    int type = png_get_color_type(png, info), depth = png_get_bit_depth(png, info);
    if (depth == 16) png_set_strip_16(png);
    if (type == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
    if (type == PNG_COLOR_TYPE_GRAY && depth < 8) png_set_expand_gray_1_2_4_to_8(png);
    if (png_get_valid(png, info, PNG_INFO_tRNS)) png_set_tRNS_to_alpha(png);
    if (!(type & PNG_COLOR_MASK_COLOR)) png_set_gray_to_rgb(png);
    if (self->layout == FIRN_LAYOUT_RGB) {
        if (self->has_alpha) png_set_strip_alpha(png);
    } else if (!self->has_alpha) {
        png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
    }
    if (self->layout == FIRN_LAYOUT_BGRA) png_set_bgr(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    size_t expected = (size_t)self->base.header.width * (self->layout == FIRN_LAYOUT_RGB ? 3 : 4);
    if (png_get_rowbytes(png, info) != expected) png_error(png, "unexpected layout of rows");
}

static void on_row(png_structp png, png_bytep row, png_uint_32 y, int pass) {
    png_decoder *self = png_get_progressive_ptr(png);
    if (y >= self->base.header.height) return;
    if (row) png_progressive_combine_row(png, self->pixels + (size_t)y * self->stride, row);
    if (!self->is_interlaced || pass >= LAST_PASS) self->complete_rows = y + 1;
}

static void on_end(png_structp png, png_infop info) {
    (void)info;
    png_decoder *self = png_get_progressive_ptr(png);
    self->complete = true;
}

/// Gives libpng bytes.
static firn_status give(png_decoder *self, const uint8_t *bytes, size_t length) {
    if (setjmp(self->escape)) return self->base.failure;
    // libpng does not write to the bytes; its signature is older than const.
    png_process_data(self->png, self->png_info, (png_bytep)bytes, length);
    return FIRN_OK;
}

/// Gives libpng the next `length` bytes of the input.
static firn_status process(png_decoder *self, size_t length) {
    firn_status status = give(self, self->base.input.bytes, length);
    firn_input_skip(&self->base.input, length);
    return status;
}

// MARK: Header

static bool is_indexed(png_decoder *self) {
    return png_get_color_type(self->png, self->png_info) == PNG_COLOR_TYPE_PALETTE;
}

static bool is_for_libpng(png_decoder *self, const uint8_t *chunk) {
    // A palette that is only a suggestion makes no pixels.
    if (is_type(chunk, "PLTE")) return is_indexed(self);
    bool is_critical = !(chunk[4] & 0x20);
    return is_critical || is_type(chunk, "tRNS") || is_type(chunk, "iCCP");
}

/// Takes the orientation out of an eXIf chunk, or, where there is none, out of XMP or ImageMagick's text.
static void take_orientation(png_decoder *self, const uint8_t *chunk, size_t length) {
    static const char xmp[] = "XML:com.adobe.xmp", raw[] = "Raw profile type exif";
    uint32_t *orientation = &self->base.header.orientation;
    const uint8_t *payload = chunk + 8;
    if (is_type(chunk, "eXIf")) {
        *orientation = firn_exif_orientation(payload, length);
        self->has_exif = true;
    } else if (self->has_exif) {
        return;
    } else if (is_type(chunk, "iTXt") && length > sizeof xmp && !memcmp(payload, xmp, sizeof xmp)) {
        *orientation = firn_xmp_orientation(payload + sizeof xmp, length - sizeof xmp);
    } else if (is_type(chunk, "tEXt") && length > sizeof raw && !memcmp(payload, raw, sizeof raw)) {
        *orientation = firn_hex_exif_orientation(payload + sizeof raw, length - sizeof raw);
    }
}

/// Adds the duration that an fcTL chunk states.
static firn_status take_frame(png_decoder *self, const uint8_t *chunk, size_t length) {
    if (length < 24) return FIRN_OK;
    uint32_t numerator = big_endian(chunk + 8 + 20, 2), denominator = big_endian(chunk + 8 + 22, 2);
    if (denominator == 0) denominator = 100;
    if (self->durations.count >= self->base.limits.frames)
        return firn_fail(&self->base, FIRN_LIMIT, "has more than %u frames, the limit", self->base.limits.frames);
    if (!firn_durations_add(&self->durations, (numerator * 1000 + denominator / 2) / denominator))
        return firn_fail(&self->base, FIRN_MEMORY, "no memory for the list of frames");
    return FIRN_OK;
}

/// Gives libpng the chunk at the front of the input, but transparency only after the palette that it belongs to.
static firn_status give_chunk(png_decoder *self, const uint8_t *chunk, size_t length) {
    if (is_type(chunk, "tRNS") && is_indexed(self) && !self->is_palette_read && length <= sizeof self->early_trns) {
        memcpy(self->early_trns, chunk, length);
        self->early_trns_length = length;
        firn_input_skip(&self->base.input, length);
        return FIRN_OK;
    }
    bool is_palette = is_type(chunk, "PLTE");
    firn_status status = process(self, length);
    if (status || !is_palette) return status;
    self->is_palette_read = true;
    size_t waiting = self->early_trns_length;
    self->early_trns_length = 0;
    return waiting ? give(self, self->early_trns, waiting) : FIRN_OK;
}

/// Goes over the chunks before the pixels; FIRN_OK with the first IDAT at the front of the input.
static firn_status walk_to_pixels(png_decoder *self) {
    firn_input *input = &self->base.input;
    if (!self->signature_read) {
        if (input->length < SIGNATURE) return FIRN_NEED_DATA;
        firn_status status = process(self, SIGNATURE);
        if (status) return status;
        self->signature_read = true;
    }
    for (;;) {
        if (input->length < 8) return FIRN_NEED_DATA;
        const uint8_t *chunk = input->bytes;
        size_t length = big_endian(chunk, 4);
        if (is_type(chunk, "IDAT")) return FIRN_OK;
        if (length > 0x7FFFFFFF) return firn_fail(&self->base, FIRN_DATA, "a chunk has an impossible length");
        if (input->length < length + 12) return FIRN_NEED_DATA;
        take_orientation(self, chunk, length);
        if (is_type(chunk, "acTL") && length >= 8) {
            self->declared_frames = big_endian(chunk + 8, 4);
            self->base.header.loops = big_endian(chunk + 12, 4);
        } else if (is_type(chunk, "fcTL")) {
            // The default image is the first frame.
            firn_status status = take_frame(self, chunk, length);
            if (status) return status;
        }
        if (is_for_libpng(self, chunk)) {
            // Order: the size is judged before libpng hears of it.
            if (is_type(chunk, "IHDR") && length >= 8) {
                firn_status status = firn_check_size(&self->base, big_endian(chunk + 8, 4), big_endian(chunk + 12, 4));
                if (status) return status;
            }
            firn_status status = give_chunk(self, chunk, length + 12);
            if (status) return status;
        } else {
            firn_input_skip(input, length + 12);
        }
    }
}

static firn_status read_properties(png_decoder *self) {
    firn_header *header = &self->base.header;
    png_structp png = self->png;
    png_infop info = self->png_info;
    if (setjmp(self->escape)) return self->base.failure;
    header->width = png_get_image_width(png, info);
    header->height = png_get_image_height(png, info);
    if (!header->width || !header->height) return firn_fail(&self->base, FIRN_DATA, "pixels come before the size");
    header->bit_depth = png_get_bit_depth(png, info);
    int type = png_get_color_type(png, info);
    header->space = type == PNG_COLOR_TYPE_PALETTE ? FIRN_SPACE_INDEXED
        : type & PNG_COLOR_MASK_COLOR              ? FIRN_SPACE_RGB
                                                   : FIRN_SPACE_GRAY;
    self->has_alpha = type & PNG_COLOR_MASK_ALPHA || png_get_valid(png, info, PNG_INFO_tRNS);
    header->alpha = self->has_alpha;
    self->is_interlaced = png_get_interlace_type(png, info) != PNG_INTERLACE_NONE;
    header->progressive = self->is_interlaced;
    header->working_bytes = (uint64_t)header->width * 8 * 3 + (256 << 10);
    png_charp name;
    png_bytep profile;
    png_uint_32 length;
    int compression;
    if (png_get_iCCP(png, info, &name, &compression, &profile, &length) && length <= self->base.limits.profile_bytes) {
        header->icc = profile;
        header->icc_length = length;
    }
    return FIRN_OK;
}

/// Goes over the chunks behind the first IDAT, up to the file's end or to where it is damaged: frames, orientation.
static firn_status walk_behind_pixels(png_decoder *self) {
    firn_input *input = &self->base.input;
    for (;;) {
        size_t left = input->length - self->walked;
        const uint8_t *chunk = input->bytes + self->walked;
        if (left < 8 || left - 8 < (size_t)big_endian(chunk, 4) + 4) {
            if (!input->last) return FIRN_NEED_DATA;
            break;
        }
        size_t length = big_endian(chunk, 4);
        if (is_type(chunk, "IEND")) break;
        take_orientation(self, chunk, length);
        if (is_type(chunk, "fcTL") && self->durations.count < self->declared_frames) {
            firn_status status = take_frame(self, chunk, length);
            if (status) return status;
        }
        self->walked += length + 12;
    }
    if (self->durations.count) {
        self->base.header.animated = true;
        self->base.header.frames = self->durations.count;
        self->base.header.durations = self->durations.values;
    } else {
        self->base.header.loops = -1;
    }
    return FIRN_OK;
}

static firn_status header(firn_decoder *decoder) {
    png_decoder *self = (png_decoder *)decoder;
    if (!self->at_pixels) {
        firn_status status = walk_to_pixels(self);
        if (status) return status;
        status = read_properties(self);
        if (status) return status;
        self->at_pixels = true;
    }
    // Of a still, what stands behind the pixels is not waited for.
    return self->declared_frames || decoder->input.last ? walk_behind_pixels(self) : FIRN_OK;
}

// MARK: Pixels

static firn_status start(firn_decoder *decoder, const firn_options *options) {
    png_decoder *self = (png_decoder *)decoder;
    if (options->layout == FIRN_LAYOUT_CMYK)
        return firn_fail(decoder, FIRN_UNSUPPORTED, "a picture without inks cannot be read as CMYK");
    self->layout = options->layout;
    decoder->output.width = decoder->header.width;
    decoder->output.height = decoder->header.height;
    decoder->output.whole = true;
    return FIRN_OK;
}

static firn_status read_rows(
    firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    (void)rows;
    png_decoder *self = (png_decoder *)decoder;
    uint32_t height = decoder->header.height;
    self->pixels = pixels;
    self->stride = stride;
    size_t slice = decoder->input.length < SLICE ? decoder->input.length : SLICE;
    if (slice) {
        firn_status status = process(self, slice);
        if (status && self->complete_rows < height) return status;
        // Damage behind the last row harms nothing.
        decoder->failure = FIRN_OK;
    }
    *done = self->complete_rows;
    if (self->complete_rows == height) return FIRN_END;
    if (self->complete) return firn_fail(decoder, FIRN_DATA, "has pixels for %u rows of %u", *done, height);
    if (slice) return FIRN_OK;
    if (decoder->input.last)
        return firn_fail(decoder, FIRN_DATA, "cut short after row %u of %u", self->complete_rows, height);
    return FIRN_NEED_DATA;
}

static void close_decoder(firn_decoder *decoder) {
    png_decoder *self = (png_decoder *)decoder;
    png_destroy_read_struct(&self->png, &self->png_info, NULL);
    free(self->durations.values);
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
    // Sides are bounded by firn_check_size; a profile, unpacked, by this.
    png_set_user_limits(self->png, 0x7FFFFFFF, 0x7FFFFFFF);
    png_set_chunk_malloc_max(self->png, 16 << 20);
    png_set_progressive_read_fn(self->png, self, on_info, on_row, on_end);
    return &self->base;
}
