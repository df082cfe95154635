// Embedded thumbnails of HEIC files, which replace the image for small requests.
#ifdef FIRN_HEIC
#include "heic_decoder.h"
#include "heic_plugin.h"

#include <stdlib.h>

/// Returns whether a thumbnail of `width` by `height` is at least as large as requested, no larger than the image, and
/// has the image's aspect ratio within 2 %.
static bool has_shape_of(
    const struct heif_image_handle *large, int64_t width, int64_t height, const firn_options *options) {
    int64_t full_width = heif_image_handle_get_width(large), full_height = heif_image_handle_get_height(large);
    if (width < options->width || height < options->height || width > full_width || height > full_height) return false;
    int64_t across = width * full_height, down = height * full_width;
    return llabs(across - down) * 50 <= across;
}

/// Returns the smallest thumbnail that can replace the image; NULL if there is none.
static struct heif_image_handle *best_thumbnail(
    heic_decoder *self, const firn_options *options, heif_item_id *item) {
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
        if (is_better) {
            best = thumbnail;
            *item = ids[i];
        }
        if (other) heif_image_handle_release(other);
    }
    return best;
}

/// Decodes an image to red, green and blue planes.
struct heif_error firn_heic_decode_planes(
    heic_decoder *self, heif_item_id item, struct heif_image_handle *handle, struct heif_image **image) {
    firn_heic_cells cells, alpha;
    if (!firn_heic_cells_cover(&self->extents, item, &cells, &alpha))
        return (struct heif_error){
            heif_error_Invalid_input, heif_suberror_Invalid_grid_data, "the cells of a grid do not cover it"};
    struct heif_decoding_options *options = heif_decoding_options_alloc();
    if (!options)
        return (struct heif_error){heif_error_Memory_allocation_error, heif_suberror_Unspecified, "no memory"};
    options->convert_hdr_to_8bit = false;
#if LIBHEIF_NUMERIC_VERSION >= 0x01130000
    // Otherwise these versions return a grid without its damaged cells.
    options->strict_decoding = true;
#endif
#if LIBHEIF_NUMERIC_VERSION >= 0x01100000
    // As in earlier versions. Interpolated chroma would need cells outside the region.
    options->color_conversion_options.preferred_chroma_upsampling_algorithm = heif_chroma_upsampling_nearest_neighbor;
    options->color_conversion_options.only_use_preferred_chroma_algorithm = true;
#endif
    firn_heic_begin(cells, alpha);
    struct heif_error error = heif_decode_image(handle, image, heif_colorspace_RGB, heif_chroma_444, options);
    firn_heic_end();
    heif_decoding_options_free(options);
    return error;
}

/// Chooses the smallest thumbnail that can replace the image.
///
/// Decodes the thumbnail at once, because its box may state the wrong size: for rotated or cropped images, some cameras
/// store the size before the change. Ignores a thumbnail that does not fit or cannot be decoded.
void firn_heic_prefer_thumbnail(heic_decoder *self, const firn_options *options) {
    if (options->width == 0 || options->height == 0) return;
    heif_item_id item = 0;
    struct heif_image_handle *thumbnail = best_thumbnail(self, options, &item);
    if (!thumbnail) return;
    struct heif_image *image = NULL;
    struct heif_error error = firn_heic_decode_planes(self, item, thumbnail, &image);
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

#endif
