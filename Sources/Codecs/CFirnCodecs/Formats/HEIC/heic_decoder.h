// The state of a HEIC decode, shared by its files.
#ifndef FIRN_HEIC_DECODER_H
#define FIRN_HEIC_DECODER_H

#include <libheif/heif.h>

#include "../../Library/decoder.h"
#include "heic_extents.h"

/// Copies of an image's metadata; NULL if it has none.
typedef struct {
    uint8_t *icc, *exif, *xmp;
} heic_metadata;

typedef struct {
    firn_decoder base;
    struct heif_context *context;
    uint64_t position;
    /// True if libheif received zeros for unreadable bytes.
    bool is_unreadable;
    heif_item_id *images;
    firn_heic_extents extents;
    /// The metadata of the first image and of another one.
    heic_metadata first, other;
    firn_layout layout;
    /// The handle being decoded: a frame or its thumbnail.
    struct heif_image_handle *handle;
    struct heif_image *image;
    /// The item of the frame being decoded.
    heif_item_id item;
    uint32_t next_row;
} heic_decoder;

/// Converts a libheif error to a failure.
firn_status firn_heic_fail(heic_decoder *self, struct heif_error error);

/// Reads the file's structure and its first image, once all bytes have arrived.
firn_status firn_heic_header(firn_decoder *base);

/// Describes one of the images.
firn_status firn_heic_describe(firn_decoder *base, uint32_t index, firn_frame *frame);

/// Describes one of the images, including colors and metadata.
firn_status firn_heic_page(firn_decoder *base, uint32_t index, firn_header *header);

void firn_heic_drop_metadata(heic_metadata *metadata);

/// Opens an image of the list; returns NULL after a failure. The caller releases it.
struct heif_image_handle *firn_heic_open_image(heic_decoder *self, uint32_t frame);

/// Reads the size of an image by its handle.
void firn_heic_size(
    const heic_decoder *self, heif_item_id item, const struct heif_image_handle *handle, int *width, int *height);

/// Fails if an image exceeds the limits.
firn_status firn_heic_check_image(heic_decoder *self, const struct heif_image_handle *handle);

/// Decodes the image of an item to red, green and blue planes, plus alpha if present.
struct heif_error firn_heic_decode_planes(
    heic_decoder *self, heif_item_id item, struct heif_image_handle *handle, struct heif_image **image);

/// Replaces `handle` with the smallest thumbnail that fits the request and decodes it; without one, changes nothing.
void firn_heic_prefer_thumbnail(heic_decoder *self, const firn_options *options);

/// Converts rows of the decoded image from `next_row` on, like the decoder's `read`.
firn_status firn_heic_convert_rows(heic_decoder *self, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done);

#endif
