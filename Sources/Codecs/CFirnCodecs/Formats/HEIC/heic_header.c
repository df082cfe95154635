// The images of a HEIC file and their metadata.
//
// libheif applies the container's rotation, reflection and cropping. The EXIF orientation repeats the container's and
// is ignored.
//
// Source: ISO/IEC 23008-12; libheif/heif.h.
#ifdef FIRN_HEIC
#include "heic_decoder.h"
#include "heic_plugin.h"
#include "heic_version.h"

#include <stdlib.h>
#include <string.h>

// MARK: Callbacks

static int64_t position(void *context) { return (int64_t)((heic_decoder *)context)->position; }

/// Never fails within the file, since libheif would then abort on an assertion. Unreadable bytes become zeros, and the
/// libheif call fails afterwards.
static int read_bytes(void *target, size_t size, void *context) {
    heic_decoder *self = context;
    // libheif may request zero bytes without a buffer.
    if (size == 0) return 0;
    uint64_t length = firn_input_length(&self->base.input);
    if (!target || self->position > length || size > length - self->position) return 1;
    size_t count = firn_input_read(&self->base.input, self->position, target, size);
    if (count < size) {
        memset((uint8_t *)target + count, 0, size - count);
        self->is_unreadable = true;
    }
    self->position += size;
    return 0;
}

/// Never fails, since libheif 1.19 would then abort on an assertion. Past the end, every read fails instead.
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

firn_status firn_heic_fail(heic_decoder *self, struct heif_error error) {
    if (self->is_unreadable) return firn_fail(&self->base, FIRN_DATA, "a part of the file cannot be read");
    firn_status status = FIRN_DATA;
    if (error.code == heif_error_Memory_allocation_error)
        status = error.subcode == heif_suberror_Security_limit_exceeded ? FIRN_LIMIT : FIRN_MEMORY;
    else if (error.code == heif_error_Unsupported_feature || error.code == heif_error_Unsupported_filetype)
        status = FIRN_UNSUPPORTED;
    return firn_fail(&self->base, status, "%s", error.message ? error.message : "damaged file");
}

// MARK: Header

/// Returns the smallest power of two whose square reaches the limit on pixels; libheif limits images by such a side.
static int side_limit(uint64_t pixels) {
    uint64_t side = 1;
    while (side * side < pixels && side < INT32_MAX) side *= 2;
    return (int)(side < INT32_MAX ? side : INT32_MAX);
}

static firn_status open_heif(heic_decoder *self) {
    firn_heic_plugin();
    self->context = heif_context_alloc();
    if (!self->context) return firn_fail(&self->base, FIRN_MEMORY, "no memory");
    heif_context_set_maximum_image_size_limit(self->context, side_limit(self->base.limits.pixels));
    firn_heic_use_one_thread(self->context);
    struct heif_error error = heif_context_read_from_reader(self->context, &reader, self, NULL);
    return error.code || self->is_unreadable ? firn_heic_fail(self, error) : FIRN_OK;
}

/// Lists the primary image first, then the others in file order. In some files the primary image does not exist.
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
    // Order: entry i is read before entry `kept` is written, which never lies after it.
    for (int i = 1; i <= count && kept < self->base.limits.frames; i++)
        if (!has_primary || self->images[i] != primary) self->images[kept++] = self->images[i];
    if (kept == 0) return firn_fail(&self->base, FIRN_DATA, "holds no image");
    self->base.header.frames = kept;
    return FIRN_OK;
}

/// Reads EXIF data, which start with the offset of their TIFF header (ISO/IEC 23008-12 §A.2.1).
static void take_exif(firn_header *header, const uint8_t *block, size_t length) {
    if (length < 4) return;
    uint64_t skip = 4 + ((uint64_t)block[0] << 24 | (uint64_t)block[1] << 16 | (uint64_t)block[2] << 8 | block[3]);
    if (skip >= length) return;
    header->exif = block + skip;
    header->exif_length = length - (size_t)skip;
}

static void take_metadata(
    const heic_decoder *self, const struct heif_image_handle *handle, heic_metadata *metadata, firn_header *header) {
    enum { MOST = 16 };
    heif_item_id ids[MOST];
    int count = heif_image_handle_get_list_of_metadata_block_IDs(handle, NULL, ids, MOST);
    for (int i = 0; i < count && i < MOST; i++) {
        const char *type = heif_image_handle_get_metadata_type(handle, ids[i]);
        const char *content = heif_image_handle_get_metadata_content_type(handle, ids[i]);
        bool is_exif = type && !strcmp(type, "Exif") && !metadata->exif;
        bool is_xmp = type && !strcmp(type, "mime") && content && !strcmp(content, "application/rdf+xml")
            && !metadata->xmp;
        size_t length = heif_image_handle_get_metadata_size(handle, ids[i]);
        // No block can be longer than its file.
        if ((!is_exif && !is_xmp) || length == 0 || length > firn_input_length(&self->base.input)) continue;
        uint8_t *block = malloc(length);
        if (!block) continue;
        if (heif_image_handle_get_metadata(handle, ids[i], block).code) {
            free(block);
        } else if (is_exif) {
            metadata->exif = block;
            take_exif(header, block, length);
        } else {
            header->xmp = metadata->xmp = block;
            header->xmp_length = length;
        }
    }
}

static void take_color(
    const heic_decoder *self, const struct heif_image_handle *handle, heic_metadata *metadata, firn_header *header) {
    size_t length = heif_image_handle_get_raw_color_profile_size(handle);
    if (length > 0 && length <= self->base.limits.profile_bytes) {
        metadata->icc = malloc(length);
        if (metadata->icc && !heif_image_handle_get_raw_color_profile(handle, metadata->icc).code) {
            header->icc = metadata->icc;
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

struct heif_image_handle *firn_heic_open_image(heic_decoder *self, uint32_t frame) {
    struct heif_image_handle *handle = NULL;
    struct heif_error error = heif_context_get_image_handle(self->context, self->images[frame], &handle);
    if (!error.code && handle) return handle;
    firn_heic_fail(self, error);
    return NULL;
}

void firn_heic_size(
    const heic_decoder *self, heif_item_id item, const struct heif_image_handle *handle, int *width, int *height) {
    *width = heif_image_handle_get_width(handle);
    *height = heif_image_handle_get_height(handle);
    if (FIRN_HEIC_SHRINKS) firn_heic_correct_size(&self->extents, item, width, height);
}

firn_status firn_heic_check_image(heic_decoder *self, const struct heif_image_handle *handle) {
    int width = heif_image_handle_get_width(handle), height = heif_image_handle_get_height(handle);
    return firn_check_size(&self->base, width > 0 ? (uint64_t)width : 0, height > 0 ? (uint64_t)height : 0);
}

/// Returns an upper bound of the bytes that libheif 1.15 holds at once for an image of the header's size and depth.
///
/// It creates red, green and blue planes for every image, and another set while it rotates or crops them. Before that,
/// libde265 holds the planes of the image, twice while filtering, plus 9 bits of block data per pixel; 4:4:4 is the
/// largest case. A grid takes less, because its tiles are decoded one by one. The compressed bytes are held twice.
static uint64_t working_bytes(const heic_decoder *self, const firn_header *header) {
    uint64_t pixels = (uint64_t)header->width * header->height, sample = header->bit_depth > 8 ? 2 : 1;
    uint64_t planes = pixels * sample * 6 + pixels * 5 / 4 + (header->alpha ? pixels * sample : 0);
    return (4 << 20) + planes + firn_input_length(&self->base.input) * 2;
}

void firn_heic_drop_metadata(heic_metadata *metadata) {
    free(metadata->icc);
    free(metadata->exif);
    free(metadata->xmp);
    *metadata = (heic_metadata){0};
}

/// Describes an image, including colors and metadata.
static firn_status describe(heic_decoder *self, uint32_t index, heic_metadata *metadata, firn_header *header) {
    struct heif_image_handle *handle = firn_heic_open_image(self, index);
    if (!handle) return self->base.failure;
    firn_status status = firn_heic_check_image(self, handle);
    if (!status) {
        int width, height;
        firn_heic_size(self, self->images[index], handle, &width, &height);
        header->width = (uint32_t)width;
        header->height = (uint32_t)height;
        int bits = heif_image_handle_get_luma_bits_per_pixel(handle);
        header->bit_depth = bits > 0 ? (uint32_t)bits : 8;
        header->alpha = heif_image_handle_has_alpha_channel(handle) != 0;
        header->space = FIRN_SPACE_YCBCR;
        header->color = (firn_color){0};
        header->icc = header->exif = header->xmp = NULL;
        header->icc_length = header->exif_length = header->xmp_length = 0;
        firn_heic_drop_metadata(metadata);
        take_color(self, handle, metadata, header);
        take_metadata(self, handle, metadata, header);
        header->working_bytes = working_bytes(self, header);
    }
    heif_image_handle_release(handle);
    return status;
}

firn_status firn_heic_page(firn_decoder *base, uint32_t index, firn_header *header) {
    heic_decoder *self = (heic_decoder *)base;
    return describe(self, index, &self->other, header);
}

firn_status firn_heic_header(firn_decoder *base) {
    heic_decoder *self = (heic_decoder *)base;
    if (!base->input.last) return FIRN_NEED_DATA;
    firn_status status = open_heif(self);
    if (!status) firn_heic_extents_read(&self->extents, &base->input);
    // libheif 1.15 would recurse into such an image until the stack overflows.
    if (!status && self->extents.is_circular) status = firn_fail(base, FIRN_DATA, "an image is made of itself");
    if (!status) status = list_images(self);
    return status ? status : describe(self, 0, &self->first, &base->header);
}

firn_status firn_heic_describe(firn_decoder *base, uint32_t index, firn_frame *frame) {
    heic_decoder *self = (heic_decoder *)base;
    firn_extent extent = firn_heic_extent(&self->extents, self->images[index], firn_input_length(&base->input));
    *frame = (firn_frame){base->header.width, base->header.height, 0, base->header.alpha, extent, 0};
    if (index == 0) return FIRN_OK;
    struct heif_image_handle *handle = NULL;
    // An image that cannot be described fails when decoded; other images are not affected.
    if (heif_context_get_image_handle(self->context, self->images[index], &handle).code || !handle) return FIRN_OK;
    int width, height;
    firn_heic_size(self, self->images[index], handle, &width, &height);
    frame->width = width > 0 ? (uint32_t)width : 0;
    frame->height = height > 0 ? (uint32_t)height : 0;
    frame->alpha = heif_image_handle_has_alpha_channel(handle) != 0;
    heif_image_handle_release(handle);
    return FIRN_OK;
}

#endif
