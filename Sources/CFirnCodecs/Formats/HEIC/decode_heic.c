// HEIC and HEIF stills with libheif: the primary image, then every other top-level image as a frame.
//
// libheif applies the container's rotation, reflection and cropping, so pixels are upright. The orientation in EXIF
// data repeats the container's and is ignored.
//
// Source: ISO/IEC 23008-12; libheif/heif.h.
#ifdef FIRN_HEIC
#include <stdlib.h>
#include <string.h>

#include <libheif/heif.h>

#include "../../Library/decoder.h"

typedef struct {
    firn_decoder base;
    struct heif_context *context;
    uint64_t position;
    heif_item_id *images;
    uint8_t *icc, *exif, *xmp;
    firn_layout layout;
    /// The handle that is decoded: a frame, or its thumbnail.
    struct heif_image_handle *handle;
    struct heif_image *image;
    uint32_t next_row;
} heic_decoder;

// MARK: Callbacks

static int64_t position(void *context) { return (int64_t)((heic_decoder *)context)->position; }

static int read_bytes(void *target, size_t size, void *context) {
    heic_decoder *self = context;
    // libheif may ask for zero bytes without a buffer.
    if (size == 0) return 0;
    if (!target || firn_input_read(&self->base.input, self->position, target, size) < size) return 1;
    self->position += size;
    return 0;
}

/// Never fails: libheif 1.19 ends the process by an assertion if it does. Past the end, every read fails instead.
static int seek(int64_t offset, void *context) {
    heic_decoder *self = context;
    uint64_t length = firn_input_length(&self->base.input);
    self->position = offset < 0 || (uint64_t)offset > length ? length : (uint64_t)offset;
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

/// Returns the largest side whose square is not less than the limit on pixels; libheif limits images this way.
static int side_limit(uint64_t pixels) {
    uint64_t side = 1;
    while (side * side < pixels && side < INT32_MAX) side *= 2;
    return (int)(side < INT32_MAX ? side : INT32_MAX);
}

static firn_status open_heif(heic_decoder *self) {
    self->context = heif_context_alloc();
    if (!self->context) return firn_fail(&self->base, FIRN_MEMORY, "no memory");
    heif_context_set_maximum_image_size_limit(self->context, side_limit(self->base.limits.pixels));
    // Decodes tiles on this thread.
    heif_context_set_max_decoding_threads(self->context, 0);
    struct heif_error error = heif_context_read_from_reader(self->context, &reader, self, NULL);
    return error.code ? fail_heif(self, error) : FIRN_OK;
}

/// Lists the primary image first, then the others in file order. Some files name a primary image that does not exist.
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
    // Order: entry i is read before entry `kept`, which is never after it, is written.
    for (int i = 1; i <= count && kept < self->base.limits.frames; i++)
        if (!has_primary || self->images[i] != primary) self->images[kept++] = self->images[i];
    if (kept == 0) return firn_fail(&self->base, FIRN_DATA, "holds no image");
    self->base.header.frames = kept;
    return FIRN_OK;
}

/// Takes EXIF data, which follow the distance to their TIFF header (ISO/IEC 23008-12 §A.2.1).
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
        // No block is longer than its file.
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

static void take_color(heic_decoder *self, const struct heif_image_handle *handle) {
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
        header->color.primaries = (uint16_t)nclx->color_primaries;
    if (nclx->transfer_characteristics != heif_transfer_characteristic_unspecified)
        header->color.transfer = (uint16_t)nclx->transfer_characteristics;
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

/// Returns an upper bound of the bytes that libheif 1.15 holds at once for an image of the header's size and depth.
///
/// It makes red, green and blue planes of every image, and one more set while it rotates or crops them. Before that,
/// libde265 holds the planes of the image, once more while it filters them, with 9 bits of block data per pixel; 4:4:4
/// is the largest. A grid takes less, because its tiles are decoded one by one. The compressed bytes are held twice.
static uint64_t working_bytes(const heic_decoder *self) {
    const firn_header *header = &self->base.header;
    uint64_t pixels = (uint64_t)header->width * header->height, sample = header->bit_depth > 8 ? 2 : 1;
    uint64_t planes = pixels * sample * 6 + pixels * 5 / 4 + (header->alpha ? pixels * sample : 0);
    return (4 << 20) + planes + firn_input_length(&self->base.input) * 2;
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
        take_color(self, handle);
        take_metadata(self, handle);
        header->working_bytes = working_bytes(self);
    }
    heif_image_handle_release(handle);
    return status;
}

static firn_status describe_frame(firn_decoder *base, uint32_t index, firn_frame *frame) {
    heic_decoder *self = (heic_decoder *)base;
    *frame = (firn_frame){base->header.width, base->header.height, 0, base->header.alpha};
    if (index == 0) return FIRN_OK;
    struct heif_image_handle *handle = NULL;
    // An image that cannot be described fails when it is decoded; other images are not affected.
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

/// Returns whether an image of `width` by `height` is at least as large as requested, no larger than the image, and of
/// the same aspect ratio within 2 %.
static bool has_shape_of(
    const struct heif_image_handle *large, int64_t width, int64_t height, const firn_options *options) {
    int64_t full_width = heif_image_handle_get_width(large), full_height = heif_image_handle_get_height(large);
    if (width < options->width || height < options->height || width > full_width || height > full_height) return false;
    int64_t across = width * full_height, down = height * full_width;
    return llabs(across - down) * 50 <= across;
}

/// Returns the smallest thumbnail that can replace the image; NULL if there is none.
static struct heif_image_handle *best_thumbnail(heic_decoder *self, const firn_options *options) {
    enum { MOST = 8 };
    heif_item_id ids[MOST];
    int count = heif_image_handle_get_list_of_thumbnail_IDs(self->handle, ids, MOST);
    struct heif_image_handle *best = NULL;
    for (int i = 0; i < count && i < MOST; i++) {
        struct heif_image_handle *thumbnail = NULL;
        if (heif_image_handle_get_thumbnail(self->handle, ids[i], &thumbnail).code || !thumbnail) continue;
        int width = heif_image_handle_get_width(thumbnail), height = heif_image_handle_get_height(thumbnail);
        bool is_better = has_shape_of(self->handle, width, height, options)
            && heif_image_handle_has_alpha_channel(thumbnail) == heif_image_handle_has_alpha_channel(self->handle)
            && (!best || width < heif_image_handle_get_width(best));
        struct heif_image_handle *other = is_better ? best : thumbnail;
        if (is_better) best = thumbnail;
        if (other) heif_image_handle_release(other);
    }
    return best;
}

/// Decodes an image to red, green and blue planes.
static struct heif_error decode_planes(struct heif_image_handle *handle, struct heif_image **image) {
    struct heif_decoding_options *options = heif_decoding_options_alloc();
    if (!options)
        return (struct heif_error){heif_error_Memory_allocation_error, heif_suberror_Unspecified, "no memory"};
    options->convert_hdr_to_8bit = false;
    struct heif_error error = heif_decode_image(handle, image, heif_colorspace_RGB, heif_chroma_444, options);
    heif_decoding_options_free(options);
    return error;
}

/// Chooses the smallest thumbnail that can replace the image.
///
/// It is decoded at once, because its box may state another size than its pixels have: some cameras store rotated or
/// cropped images with the size before that. A thumbnail that does not fit, or cannot be decoded, is ignored.
static void prefer_thumbnail(heic_decoder *self, const firn_options *options) {
    if (options->width == 0 || options->height == 0) return;
    struct heif_image_handle *thumbnail = best_thumbnail(self, options);
    if (!thumbnail) return;
    struct heif_image *image = NULL;
    struct heif_error error = decode_planes(thumbnail, &image);
    if (!error.code && image) {
        int width = heif_image_get_width(image, heif_channel_R), height = heif_image_get_height(image, heif_channel_R);
        if (has_shape_of(self->handle, width, height, options)) {
            heif_image_handle_release(self->handle);
            self->handle = thumbnail;
            self->image = image;
            return;
        }
    }
    if (image) heif_image_release(image);
    heif_image_handle_release(thumbnail);
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
    int width = heif_image_handle_get_width(self->handle), height = heif_image_handle_get_height(self->handle);
    if (self->image) {
        width = heif_image_get_width(self->image, heif_channel_R);
        height = heif_image_get_height(self->image, heif_channel_R);
    }
    base->output = (firn_output){.width = (uint32_t)width, .height = (uint32_t)height};
    return FIRN_OK;
}

/// Decodes the image in a single call; rows are converted from the result.
static firn_status decode(heic_decoder *self) {
    struct heif_error error = decode_planes(self->handle, &self->image);
    if (error.code) return fail_heif(self, error);
    int width = heif_image_get_width(self->image, heif_channel_R);
    int height = heif_image_get_height(self->image, heif_channel_R);
    if (width != (int)self->base.output.width || height != (int)self->base.output.height)
        return firn_fail(&self->base, FIRN_DATA, "an image has another size than declared");
    return FIRN_OK;
}

/// One plane of the decoded image.
typedef struct {
    const uint8_t *base;
    size_t stride;
    uint32_t width, height, bits;
} heic_plane;

/// Returns the plane of a channel; its base is NULL if there is none, or its format is unsupported.
static heic_plane plane_of(const struct heif_image *image, enum heif_channel channel) {
    if (!heif_image_has_channel(image, channel)) return (heic_plane){0};
    int stride = 0, width = heif_image_get_width(image, channel), height = heif_image_get_height(image, channel);
    int bits = heif_image_get_bits_per_pixel_range(image, channel);
    const uint8_t *base = heif_image_get_plane_readonly(image, channel, &stride);
    if (!base || stride <= 0 || width <= 0 || height <= 0 || bits < 8 || bits > 16) return (heic_plane){0};
    return (heic_plane){base, (size_t)stride, (uint32_t)width, (uint32_t)height, (uint32_t)bits};
}

/// Returns a sample with 8 bits, cutting off the lower ones, or with 16.
static inline uint32_t sample_of(const uint8_t *row, uint32_t bits, uint32_t x, bool is_wide) {
    if (bits == 8) return is_wide ? row[x] * 257u : row[x];
    uint16_t value;
    memcpy(&value, row + (size_t)x * 2, 2);
    uint32_t full = (1u << bits) - 1, cut = value < full ? value : full;
    return is_wide ? cut * 65535u / full : cut >> (bits - 8);
}

static void make_row(
    const heic_plane planes[4], uint32_t y, uint32_t height, firn_layout layout, bool divides, uint8_t *pixels) {
    bool is_wide = layout == FIRN_LAYOUT_RGBA16;
    uint32_t width = planes[0].width, full = is_wide ? 65535 : 255;
    unsigned size = is_wide ? 8 : layout == FIRN_LAYOUT_RGB ? 3 : 4, red = layout == FIRN_LAYOUT_BGRA ? 2 : 0;
    const heic_plane *alpha = &planes[3];
    const uint8_t *rows[4] = {0};
    for (unsigned c = 0; c < 3; c++) rows[c] = planes[c].base + (size_t)y * planes[c].stride;
    // Alpha may be stored at another size; the nearest sample is used.
    if (alpha->base) rows[3] = alpha->base + (size_t)((uint64_t)y * alpha->height / height) * alpha->stride;
    for (uint32_t x = 0; x < width; x++, pixels += size) {
        uint32_t out[4] = {0, 0, 0, full};
        for (unsigned c = 0; c < 3; c++) out[c] = sample_of(rows[c], planes[c].bits, x, is_wide);
        if (rows[3]) {
            uint32_t at = alpha->width == width ? x : (uint32_t)((uint64_t)x * alpha->width / width);
            out[3] = sample_of(rows[3], alpha->bits, at, is_wide);
            for (unsigned c = 0; divides && c < 3; c++) {
                uint64_t value = out[3] ? ((uint64_t)out[c] * full + out[3] / 2) / out[3] : 0;
                out[c] = value < full ? (uint32_t)value : full;
            }
        }
        if (is_wide) {
            uint16_t words[4] = {(uint16_t)out[0], (uint16_t)out[1], (uint16_t)out[2], (uint16_t)out[3]};
            memcpy(pixels, words, 8);
            continue;
        }
        pixels[red] = (uint8_t)out[0];
        pixels[1] = (uint8_t)out[1];
        pixels[2 - red] = (uint8_t)out[2];
        if (size == 4) pixels[3] = (uint8_t)out[3];
    }
}

static firn_status read_rows(
    firn_decoder *base, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    heic_decoder *self = (heic_decoder *)base;
    // Pauses after the decode, which takes most of the time.
    if (!self->image) return decode(self);
    static const enum heif_channel channels[4] = {
        heif_channel_R, heif_channel_G, heif_channel_B, heif_channel_Alpha};
    heic_plane planes[4];
    for (unsigned c = 0; c < 4; c++) {
        planes[c] = plane_of(self->image, channels[c]);
        if (c < 3
            && (!planes[c].base || planes[c].width != base->output.width || planes[c].height != base->output.height))
            return firn_fail(base, FIRN_DATA, "libheif gave no pixels");
    }
    bool divides = heif_image_handle_is_premultiplied_alpha(self->handle) != 0;
    for (*done = 0; *done < rows && self->next_row < base->output.height; ++*done, self->next_row++)
        make_row(planes, self->next_row, base->output.height, self->layout, divides, pixels + *done * stride);
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
