// HEIC and HEIF by libheif: the primary image, then every other top-level image as a frame.
//
// libheif applies rotation, reflection and cropping of the container itself, so that pixels come upright and the
// orientation in EXIF data, which repeats the container's, counts for nothing.
//
// Source: ISO/IEC 23008-12; libheif/heif.h.
#ifdef FIRN_HEIC
#include <stdlib.h>
#include <string.h>

#include <libheif/heif.h>

#include "decoder.h"

typedef struct {
    firn_decoder base;
    struct heif_context *context;
    uint64_t position;
    heif_item_id *images;
    uint8_t *icc, *exif, *xmp;
    firn_layout layout;
    /// What is decoded: a frame, or its thumbnail.
    struct heif_image_handle *handle;
    struct heif_image *image;
    uint32_t next_row;
} heic_decoder;

// MARK: Callbacks

static int64_t position(void *context) { return (int64_t)((heic_decoder *)context)->position; }

static int read_bytes(void *target, size_t size, void *context) {
    heic_decoder *self = context;
    // libheif asks for no bytes with no memory for them.
    if (size == 0) return 0;
    if (!target || firn_input_read(&self->base.input, self->position, target, size) < size) return 1;
    self->position += size;
    return 0;
}

static int seek(int64_t offset, void *context) {
    heic_decoder *self = context;
    if (offset < 0 || (uint64_t)offset > firn_input_length(&self->base.input)) return 1;
    self->position = (uint64_t)offset;
    return 0;
}

static enum heif_reader_grow_status wait_for_size(int64_t size, void *context) {
    heic_decoder *self = context;
    bool is_there = size <= 0 || (uint64_t)size <= firn_input_length(&self->base.input);
    return is_there ? heif_reader_grow_status_size_reached : heif_reader_grow_status_size_beyond_eof;
}

static const struct heif_reader reader = {
    .reader_api_version = 1,
    .get_position = position,
    .read = read_bytes,
    .seek = seek,
    .wait_for_file_size = wait_for_size,
};

static firn_status fail_heif(heic_decoder *self, struct heif_error error) {
    firn_status status = FIRN_DATA;
    if (error.code == heif_error_Memory_allocation_error)
        status = error.subcode == heif_suberror_Security_limit_exceeded ? FIRN_LIMIT : FIRN_MEMORY;
    else if (error.code == heif_error_Unsupported_feature || error.code == heif_error_Unsupported_filetype)
        status = FIRN_UNSUPPORTED;
    return firn_fail(&self->base, status, "%s", error.message ? error.message : "damaged file");
}

// MARK: Header

/// The largest side whose square is not less than the limit on pixels, which is how libheif counts.
static int side_limit(uint64_t pixels) {
    uint64_t side = 1;
    while (side * side < pixels && side < INT32_MAX) side *= 2;
    return (int)(side < INT32_MAX ? side : INT32_MAX);
}

static firn_status open_heif(heic_decoder *self) {
    self->context = heif_context_alloc();
    if (!self->context) return firn_fail(&self->base, FIRN_MEMORY, "no memory");
    heif_context_set_maximum_image_size_limit(self->context, side_limit(self->base.limits.pixels));
    // Tiles are decoded in this thread.
    heif_context_set_max_decoding_threads(self->context, 0);
    struct heif_error error = heif_context_read_from_reader(self->context, &reader, self, NULL);
    return error.code ? fail_heif(self, error) : FIRN_OK;
}

/// The primary image first, then the others in the file's order. Some files name a primary image that is not there.
static firn_status list_images(heic_decoder *self) {
    int count = heif_context_get_number_of_top_level_images(self->context);
    if (count < 1) return firn_fail(&self->base, FIRN_DATA, "holds no image");
    self->images = calloc((size_t)count + 1, sizeof *self->images);
    if (!self->images) return firn_fail(&self->base, FIRN_MEMORY, "no memory for the list of images");
    count = heif_context_get_list_of_top_level_image_IDs(self->context, self->images + 1, count);
    heif_item_id primary = 0;
    struct heif_image_handle *handle = NULL;
    uint32_t kept = 0;
    if (!heif_context_get_primary_image_ID(self->context, &primary).code
        && !heif_context_get_image_handle(self->context, primary, &handle).code && handle) {
        self->images[kept++] = primary;
        heif_image_handle_release(handle);
    }
    bool has_primary = kept > 0;
    // Order: entry i is read before entry `kept`, which is never behind it, is written.
    for (int i = 1; i <= count && kept < self->base.limits.frames; i++)
        if (!has_primary || self->images[i] != primary) self->images[kept++] = self->images[i];
    if (kept == 0) return firn_fail(&self->base, FIRN_DATA, "holds no image");
    self->base.header.frames = kept;
    return FIRN_OK;
}

/// EXIF data stand behind the distance to their TIFF header (ISO/IEC 23008-12 §A.2.1).
static void take_exif(heic_decoder *self, uint8_t *block, size_t length) {
    firn_header *header = &self->base.header;
    self->exif = block;
    if (length < 4) return;
    uint64_t skip = 4 + ((uint64_t)block[0] << 24 | (uint64_t)block[1] << 16 | (uint64_t)block[2] << 8 | block[3]);
    if (skip >= length) return;
    header->exif = block + skip;
    header->exif_length = length - (size_t)skip;
}

static void take_metadata(heic_decoder *self, const struct heif_image_handle *handle) {
    enum { MOST = 16 };
    heif_item_id ids[MOST];
    int count = heif_image_handle_get_list_of_metadata_block_IDs(handle, NULL, ids, MOST);
    for (int i = 0; i < count && i < MOST; i++) {
        const char *type = heif_image_handle_get_metadata_type(handle, ids[i]);
        const char *content = heif_image_handle_get_metadata_content_type(handle, ids[i]);
        bool is_exif = type && !strcmp(type, "Exif") && !self->exif;
        bool is_xmp = type && !strcmp(type, "mime") && content && !strcmp(content, "application/rdf+xml") && !self->xmp;
        size_t length = heif_image_handle_get_metadata_size(handle, ids[i]);
        // No block is longer than the file it stands in.
        if ((!is_exif && !is_xmp) || length == 0 || length > firn_input_length(&self->base.input)) continue;
        uint8_t *block = malloc(length);
        if (!block) continue;
        if (heif_image_handle_get_metadata(handle, ids[i], block).code) {
            free(block);
        } else if (is_exif) {
            take_exif(self, block, length);
        } else {
            self->base.header.xmp = self->xmp = block;
            self->base.header.xmp_length = length;
        }
    }
}

static void take_colour(heic_decoder *self, const struct heif_image_handle *handle) {
    firn_header *header = &self->base.header;
    size_t length = heif_image_handle_get_raw_color_profile_size(handle);
    if (length > 0 && length <= self->base.limits.profile_bytes) {
        self->icc = malloc(length);
        if (self->icc && !heif_image_handle_get_raw_color_profile(handle, self->icc).code) {
            header->icc = self->icc;
            header->icc_length = length;
        }
    }
    struct heif_color_profile_nclx *nclx = NULL;
    if (heif_image_handle_get_nclx_color_profile(handle, &nclx).code || !nclx) return;
    if (nclx->color_primaries != heif_color_primaries_unspecified)
        header->colour.primaries = (uint16_t)nclx->color_primaries;
    if (nclx->transfer_characteristics != heif_transfer_characteristic_unspecified)
        header->colour.transfer = (uint16_t)nclx->transfer_characteristics;
    heif_nclx_color_profile_free(nclx);
}

static struct heif_image_handle *open_image(heic_decoder *self, uint32_t frame) {
    struct heif_image_handle *handle = NULL;
    struct heif_error error = heif_context_get_image_handle(self->context, self->images[frame], &handle);
    if (!error.code && handle) return handle;
    fail_heif(self, error);
    return NULL;
}

static firn_status check_image(heic_decoder *self, const struct heif_image_handle *handle) {
    int width = heif_image_handle_get_width(handle), height = heif_image_handle_get_height(handle);
    return firn_check_size(&self->base, width > 0 ? (uint64_t)width : 0, height > 0 ? (uint64_t)height : 0);
}

static firn_status header(firn_decoder *base) {
    heic_decoder *self = (heic_decoder *)base;
    firn_header *header = &base->header;
    if (!base->input.last) return FIRN_NEED_DATA;
    firn_status status = open_heif(self);
    if (!status) status = list_images(self);
    if (status) return status;
    struct heif_image_handle *handle = open_image(self, 0);
    if (!handle) return base->failure;
    status = check_image(self, handle);
    if (!status) {
        header->width = (uint32_t)heif_image_handle_get_width(handle);
        header->height = (uint32_t)heif_image_handle_get_height(handle);
        int bits = heif_image_handle_get_luma_bits_per_pixel(handle);
        header->bit_depth = bits > 0 ? (uint32_t)bits : 8;
        header->alpha = heif_image_handle_has_alpha_channel(handle) != 0;
        header->space = FIRN_SPACE_YCBCR;
        take_colour(self, handle);
        take_metadata(self, handle);
        // The decoder's planes, libheif's copy, a grid's canvas, and the pixels that are copied from.
        uint64_t sample = header->bit_depth > 8 ? 2 : 1;
        header->working_bytes = (4 << 20) + (uint64_t)header->width * header->height * sample * 11;
    }
    heif_image_handle_release(handle);
    return status;
}

static firn_status describe_frame(firn_decoder *base, uint32_t index, firn_frame *frame) {
    heic_decoder *self = (heic_decoder *)base;
    *frame = (firn_frame){base->header.width, base->header.height, 0, base->header.alpha};
    if (index == 0) return FIRN_OK;
    struct heif_image_handle *handle = NULL;
    // An image that cannot be described fails when it is decoded, and spoils nothing here.
    if (heif_context_get_image_handle(self->context, self->images[index], &handle).code || !handle) return FIRN_OK;
    int width = heif_image_handle_get_width(handle), height = heif_image_handle_get_height(handle);
    frame->width = width > 0 ? (uint32_t)width : 0;
    frame->height = height > 0 ? (uint32_t)height : 0;
    frame->alpha = heif_image_handle_has_alpha_channel(handle) != 0;
    heif_image_handle_release(handle);
    return FIRN_OK;
}

// MARK: Pixels

static void give_up(heic_decoder *self) {
    if (self->image) heif_image_release(self->image);
    if (self->handle) heif_image_handle_release(self->handle);
    self->image = NULL;
    self->handle = NULL;
}

/// Whether `small` is at least as large as wanted, of the same shape within 2 %, and has alpha if the picture has.
static bool stands_for(
    const struct heif_image_handle *small, const struct heif_image_handle *large, const firn_options *options) {
    int64_t width = heif_image_handle_get_width(small), height = heif_image_handle_get_height(small);
    int64_t full_width = heif_image_handle_get_width(large), full_height = heif_image_handle_get_height(large);
    if (width < options->width || height < options->height || width > full_width || height > full_height) return false;
    int64_t across = width * full_height, down = height * full_width;
    return llabs(across - down) * 50 <= across
        && heif_image_handle_has_alpha_channel(small) == heif_image_handle_has_alpha_channel(large);
}

/// Takes the smallest thumbnail that is enough instead of the image.
static void prefer_thumbnail(heic_decoder *self, const firn_options *options) {
    enum { MOST = 8 };
    if (options->width == 0 || options->height == 0) return;
    heif_item_id ids[MOST];
    int count = heif_image_handle_get_list_of_thumbnail_IDs(self->handle, ids, MOST);
    struct heif_image_handle *best = NULL;
    for (int i = 0; i < count && i < MOST; i++) {
        struct heif_image_handle *thumbnail = NULL;
        if (heif_image_handle_get_thumbnail(self->handle, ids[i], &thumbnail).code || !thumbnail) continue;
        bool is_better = stands_for(thumbnail, self->handle, options)
            && (!best || heif_image_handle_get_width(thumbnail) < heif_image_handle_get_width(best));
        struct heif_image_handle *other = is_better ? best : thumbnail;
        if (is_better) best = thumbnail;
        if (other) heif_image_handle_release(other);
    }
    if (!best) return;
    heif_image_handle_release(self->handle);
    self->handle = best;
}

static firn_status start(firn_decoder *base, const firn_options *options) {
    heic_decoder *self = (heic_decoder *)base;
    give_up(self);
    if (options->frame >= base->header.frames) return firn_fail(base, FIRN_DATA, "has no such image");
    if (options->layout == FIRN_LAYOUT_CMYK || options->layout == FIRN_LAYOUT_RGBA_HALF
        || (options->layout == FIRN_LAYOUT_RGBA16 && base->header.bit_depth <= 8))
        return firn_fail(base, FIRN_UNSUPPORTED, "is not stored in the samples asked for");
    self->handle = open_image(self, options->frame);
    if (!self->handle) return base->failure;
    firn_status status = check_image(self, self->handle);
    if (status) return status;
    prefer_thumbnail(self, options);
    self->layout = options->layout;
    self->next_row = 0;
    base->output = (firn_output){
        .width = (uint32_t)heif_image_handle_get_width(self->handle),
        .height = (uint32_t)heif_image_handle_get_height(self->handle)};
    return FIRN_OK;
}

/// The one call that decodes; rows are copied from what it leaves.
static firn_status decode(heic_decoder *self) {
    bool is_wide = self->layout == FIRN_LAYOUT_RGBA16;
    struct heif_decoding_options *options = heif_decoding_options_alloc();
    if (!options) return firn_fail(&self->base, FIRN_MEMORY, "no memory");
    options->convert_hdr_to_8bit = !is_wide;
    struct heif_error error = heif_decode_image(
        self->handle, &self->image, heif_colorspace_RGB,
        is_wide ? heif_chroma_interleaved_RRGGBBAA_LE : heif_chroma_interleaved_RGBA, options);
    heif_decoding_options_free(options);
    if (error.code) return fail_heif(self, error);
    int width = heif_image_get_width(self->image, heif_channel_interleaved);
    int height = heif_image_get_height(self->image, heif_channel_interleaved);
    if (width != (int)self->base.output.width || height != (int)self->base.output.height)
        return firn_fail(&self->base, FIRN_DATA, "an image has another size than declared");
    return FIRN_OK;
}

static void copy_bytes(const uint8_t *source, uint32_t width, firn_layout layout, bool divides, uint8_t *pixels) {
    unsigned size = layout == FIRN_LAYOUT_RGB ? 3 : 4, red = layout == FIRN_LAYOUT_BGRA ? 2 : 0;
    for (uint32_t x = 0; x < width; x++, source += 4, pixels += size) {
        unsigned colours[3] = {source[0], source[1], source[2]}, alpha = source[3];
        for (unsigned c = 0; divides && c < 3; c++) {
            colours[c] = alpha ? (colours[c] * 255 + alpha / 2) / alpha : 0;
            if (colours[c] > 255) colours[c] = 255;
        }
        pixels[red] = (uint8_t)colours[0];
        pixels[1] = (uint8_t)colours[1];
        pixels[2 - red] = (uint8_t)colours[2];
        if (size == 4) pixels[3] = (uint8_t)alpha;
    }
}

static void copy_words(const uint8_t *source, uint32_t width, unsigned bits, bool divides, uint8_t *pixels) {
    uint32_t full = (1u << bits) - 1;
    for (uint32_t x = 0; x < width; x++, source += 8, pixels += 8) {
        uint16_t out[4];
        for (unsigned c = 0; c < 4; c++) {
            uint32_t value = (uint32_t)source[c * 2] | (uint32_t)source[c * 2 + 1] << 8;
            out[c] = (uint16_t)((value < full ? value : full) * 65535u / full);
        }
        for (unsigned c = 0; divides && c < 3; c++) {
            uint32_t value = out[3] ? (uint32_t)out[c] * 65535u / out[3] : 0;
            out[c] = (uint16_t)(value < 65535 ? value : 65535);
        }
        memcpy(pixels, out, 8);
    }
}

static firn_status read_rows(
    firn_decoder *base, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    heic_decoder *self = (heic_decoder *)base;
    // A pause after the decode, since it is the long part.
    if (!self->image) return decode(self);
    int source_stride = 0;
    const uint8_t *source = heif_image_get_plane_readonly(self->image, heif_channel_interleaved, &source_stride);
    int bits = heif_image_get_bits_per_pixel_range(self->image, heif_channel_interleaved);
    if (!source || source_stride <= 0 || bits < 8 || bits > 16)
        return firn_fail(base, FIRN_DATA, "libheif gave no pixels");
    bool divides = heif_image_handle_is_premultiplied_alpha(self->handle) != 0;
    for (*done = 0; *done < rows && self->next_row < base->output.height; ++*done, self->next_row++) {
        const uint8_t *row = source + (size_t)self->next_row * (size_t)source_stride;
        uint8_t *target = pixels + *done * stride;
        if (self->layout == FIRN_LAYOUT_RGBA16)
            copy_words(row, base->output.width, (unsigned)bits, divides, target);
        else
            copy_bytes(row, base->output.width, self->layout, divides, target);
    }
    if (self->next_row < base->output.height) return FIRN_OK;
    give_up(self);
    return FIRN_END;
}

static void close_decoder(firn_decoder *base) {
    heic_decoder *self = (heic_decoder *)base;
    give_up(self);
    if (self->context) heif_context_free(self->context);
    free(self->images);
    free(self->icc);
    free(self->exif);
    free(self->xmp);
    free(self);
}

static const firn_codec_calls calls = {
    .close = close_decoder,
    .header = header,
    .start = start,
    .read = read_rows,
    .frame = describe_frame,
    .restarts = true,
};

firn_decoder *firn_heic_open(void) {
    heic_decoder *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->base.calls = &calls;
    return &self->base;
}

#endif
