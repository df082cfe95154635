// HEIC and HEIF stills with libheif: the primary image, then every other top-level image as a frame.
//
// heic_header.c reads the images and their metadata, heic_thumbnail.c chooses embedded thumbnails, and heic_rows.c
// converts the decoded planes. libheif decodes an image in a single call.
//
// Source: ISO/IEC 23008-12; libheif/heif.h.
#ifdef FIRN_HEIC
#include "heic_decoder.h"
#include "heic_plugin.h"
#include "hevc_decoder.h"

#include <stdlib.h>

static void drop_image(heic_decoder *self) {
    if (self->image) heif_image_release(self->image);
    if (self->handle) heif_image_handle_release(self->handle);
    self->image = NULL;
    self->handle = NULL;
}

static firn_status start(firn_decoder *base, const firn_options *options) {
    heic_decoder *self = (heic_decoder *)base;
    drop_image(self);
    if (options->frame >= base->header.frames) return firn_fail(base, FIRN_DATA, "has no such image");
    self->handle = firn_heic_open_image(self, options->frame);
    if (!self->handle) return base->failure;
    if (options->layout == FIRN_LAYOUT_CMYK || options->layout == FIRN_LAYOUT_RGBA_HALF
        || (options->layout == FIRN_LAYOUT_RGBA16 && heif_image_handle_get_luma_bits_per_pixel(self->handle) <= 8))
        return firn_fail(base, FIRN_UNSUPPORTED, "is not stored in the samples asked for");
    firn_status status = firn_heic_check_image(self, self->handle);
    if (status) return status;
    firn_heic_prefer_thumbnail(self, options);
    self->item = self->images[options->frame];
    self->layout = options->layout;
    self->next_row = 0;
    int width, height;
    firn_heic_size(self, self->item, self->handle, &width, &height);
    if (self->image) {
        width = heif_image_get_width(self->image, heif_channel_R);
        height = heif_image_get_height(self->image, heif_channel_R);
    }
    base->output = (firn_output){.width = (uint32_t)width, .height = (uint32_t)height};
    return FIRN_OK;
}

/// Decodes the image in a single call; rows are converted from the result.
static firn_status decode(heic_decoder *self) {
    struct heif_error error = firn_heic_decode_planes(self, self->item, self->handle, &self->image);
    if (error.code || self->is_unreadable) return firn_heic_fail(self, error);
    int width = heif_image_get_width(self->image, heif_channel_R);
    int height = heif_image_get_height(self->image, heif_channel_R);
    if (width != (int)self->base.output.width || height != (int)self->base.output.height)
        return firn_fail(&self->base, FIRN_DATA, "an image has another size than declared");
    return FIRN_OK;
}

static firn_status read_rows(
    firn_decoder *base, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    heic_decoder *self = (heic_decoder *)base;
    // Returns after decoding, which takes most of the time.
    if (!self->image) return decode(self);
    firn_status status = firn_heic_convert_rows(self, pixels, stride, rows, done);
    if (status == FIRN_END) drop_image(self);
    return status;
}

static void release(firn_decoder *base) {
    heic_decoder *self = (heic_decoder *)base;
    drop_image(self);
    if (self->context) heif_context_free(self->context);
    firn_heic_extents_free(&self->extents);
    free(self->images);
    firn_heic_drop_metadata(&self->first);
    firn_heic_drop_metadata(&self->other);
}

/// Loads the plugins of libheif, which some distributions package separately.
static void prepare(void) {
    heif_context_free(heif_context_alloc());
    firn_heic_plugin();
}

static void library(char *text, size_t capacity) {
    snprintf(text, capacity, "libheif %s, libde265 %s", heif_get_version(), de265_get_version());
}

const firn_codec_calls firn_heic_calls = {
    .library = library,
    .state_bytes = sizeof(heic_decoder), .release = release, .header = firn_heic_header, .start = start,
    .read = read_rows, .frame = firn_heic_describe, .page = firn_heic_page, .prepare = prepare, .restarts = true,
    .has_destructors = true};

#endif
