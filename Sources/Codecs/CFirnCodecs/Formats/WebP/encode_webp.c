// WebP with libwebp, lossy and lossless; animations with libwebpmux, which keeps the encoded frames and three canvases.
#include <limits.h>
#include <stdlib.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include "../../Library/encode.h"

static int write_bytes(const uint8_t *bytes, size_t count, const WebPPicture *image) {
    return firn_bytes_append(image->custom_ptr, bytes, count);
}

/// Sets the library's error message. Returns false.
static bool fail(firn_encoded *encoded, firn_bytes *output, WebPEncodingError error) {
    switch (error) {
    case VP8_ENC_ERROR_OUT_OF_MEMORY:
    case VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY:
    case VP8_ENC_ERROR_BAD_WRITE: return firn_encoded_no_memory(encoded, output);
    case VP8_ENC_ERROR_USER_ABORT: return firn_encoded_cancel(encoded, output);
    case VP8_ENC_ERROR_BAD_DIMENSION:
        return firn_encoded_fail(encoded, output, FIRN_ENCODE_LIMIT, "no side may be longer than 16383 pixels");
    case VP8_ENC_ERROR_PARTITION0_OVERFLOW:
    case VP8_ENC_ERROR_PARTITION_OVERFLOW:
    case VP8_ENC_ERROR_FILE_TOO_BIG:
        return firn_encoded_fail(
            encoded, output, FIRN_ENCODE_LIMIT,
            "the image has more detail than the format can hold at this quality");
    default: return firn_encoded_fail(encoded, output, FIRN_ENCODE_LIBRARY, "the encoder failed");
    }
}

/// Handles progress reports of the library; returning zero cancels encoding.
static int go_on(int percent, const WebPPicture *webp) {
    (void)percent;
    return !firn_is_cancelled(webp->user_data);
}

static bool configure(const firn_webp_options *options, WebPConfig *config) {
    if (!WebPConfigInit(config)) return false;
    config->quality = options->quality;
    config->method = options->effort;
    config->lossless = options->lossless;
    // Lossless keeps all bytes, including those of invisible pixels.
    config->exact = options->lossless;
    return WebPValidateConfig(config);
}

static void watch(const firn_image *image, WebPPicture *webp) {
    webp->progress_hook = go_on;
    // The library only passes it to the hook, which only reads it.
    webp->user_data = (void *)(uintptr_t)image;
}

/// Passes the pixels to the library. For lossy encoding, opaque images are converted directly to its luma and chroma
/// planes; other images fill its plane of words row by row.
static bool load(const firn_image *image, const firn_webp_options *options, WebPPicture *webp) {
    webp->width = (int)image->width;
    webp->height = (int)image->height;
    webp->use_argb = options->lossless || !image->opaque || image->stride > INT_MAX;
    if (!webp->use_argb) {
        int stride = (int)image->stride;
        switch (image->layout) {
        case FIRN_SOURCE_BGRA_PREMULTIPLIED: return WebPPictureImportBGRX(webp, image->pixels, stride);
        case FIRN_SOURCE_RGBA_STRAIGHT: return WebPPictureImportRGBX(webp, image->pixels, stride);
        case FIRN_SOURCE_RGB: return WebPPictureImportRGB(webp, image->pixels, stride);
        case FIRN_SOURCE_RGBA16_STRAIGHT:
        case FIRN_SOURCE_RGBA_HALF: webp->use_argb = true;
        }
    }
    if (!WebPPictureAlloc(webp)) return false;
    for (uint32_t y = 0; y < image->height; y++) {
        firn_source_words(image, y, webp->argb + (size_t)webp->argb_stride * y);
    }
    return true;
}

/// Adds a chunk unless it is empty.
static bool add_chunk(WebPMux *mux, const char *name, const uint8_t *bytes, size_t length) {
    WebPData content = {bytes, length};
    return length == 0 || WebPMuxSetChunk(mux, name, &content, 0) == WEBP_MUX_OK;
}

/// Converts a simple file to the extended form, which can carry a profile and EXIF data.
static bool add_metadata(
    const uint8_t *icc, size_t icc_length, const uint8_t *exif, size_t exif_length, firn_bytes *output
) {
    if (icc_length == 0 && exif_length == 0) return true;
    WebPData file = {output->bytes, output->length};
    WebPData whole = {NULL, 0};
    WebPMux *mux = WebPMuxCreate(&file, 0);
    bool done = mux && add_chunk(mux, "ICCP", icc, icc_length) && add_chunk(mux, "EXIF", exif, exif_length)
        && WebPMuxAssemble(mux, &whole) == WEBP_MUX_OK;
    WebPMuxDelete(mux);
    if (done) {
        output->length = 0;
        done = firn_bytes_append(output, whole.bytes, whole.size);
    }
    WebPDataClear(&whole);
    return done;
}

bool firn_encode_webp(const firn_image *image, const firn_webp_options *options, firn_encoded *encoded) {
    firn_bytes output = {0};
    WebPConfig config;
    WebPPicture webp;
    if (!configure(options, &config) || !WebPPictureInit(&webp)) {
        return firn_encoded_fail(encoded, &output, FIRN_ENCODE_LIBRARY, "the library is of another version");
    }
    webp.writer = write_bytes;
    webp.custom_ptr = &output;
    watch(image, &webp);
    bool done = load(image, options, &webp) && WebPEncode(&config, &webp);
    WebPEncodingError error = webp.error_code;
    WebPPictureFree(&webp);
    if (!done) return fail(encoded, &output, error);
    if (!add_metadata(image->icc, image->icc_length, image->exif, image->exif_length, &output)) {
        return firn_encoded_fail(encoded, &output, FIRN_ENCODE_LIBRARY, "the metadata could not be added");
    }
    return firn_encoded_finish(encoded, &output);
}

// MARK: Animation

/// The longest duration of a frame in milliseconds: 24 bits, 4.7 hours.
enum { LONGEST = 0xFFFFFF };

typedef struct {
    firn_animation base;
    WebPAnimEncoder *encoder;
    WebPConfig config;
    firn_webp_options options;
    /// The time of the next frame, in milliseconds.
    uint64_t time;
} webp_animation;

static bool add_frame(
    firn_animation *animation, const firn_image *image, uint32_t milliseconds, firn_encoded *encoded
) {
    webp_animation *self = (webp_animation *)animation;
    WebPPicture webp;
    if (milliseconds > LONGEST) milliseconds = LONGEST;
    // The library's timestamps end after 24 days.
    if (milliseconds > INT_MAX - self->time) milliseconds = (uint32_t)(INT_MAX - self->time);
    if (!WebPPictureInit(&webp))
        return firn_encoded_fail(encoded, NULL, FIRN_ENCODE_LIBRARY, "the library is of another version");
    firn_webp_options exact = self->options;
    // The library compares frames, which requires the plane of words.
    exact.lossless = true;
    watch(image, &webp);
    bool done = load(image, &exact, &webp)
        && WebPAnimEncoderAdd(self->encoder, &webp, (int)self->time, &self->config);
    WebPEncodingError error = webp.error_code;
    WebPPictureFree(&webp);
    if (!done) {
        if (firn_is_cancelled(image)) error = VP8_ENC_ERROR_USER_ABORT;
        return fail(encoded, NULL, error);
    }
    self->time += milliseconds;
    return true;
}

static bool finish(firn_animation *animation, firn_encoded *encoded) {
    webp_animation *self = (webp_animation *)animation;
    firn_bytes output = {0};
    WebPData whole = {NULL, 0};
    bool done = WebPAnimEncoderAdd(self->encoder, NULL, (int)self->time, NULL)
        && WebPAnimEncoderAssemble(self->encoder, &whole) && firn_bytes_append(&output, whole.bytes, whole.size);
    WebPDataClear(&whole);
    if (!done) return firn_encoded_fail(encoded, &output, FIRN_ENCODE_LIBRARY, "the frames could not be joined");
    if (!add_metadata(animation->canvas.icc, animation->canvas.icc_length, NULL, 0, &output)) {
        return firn_encoded_fail(encoded, &output, FIRN_ENCODE_LIBRARY, "the color profile could not be added");
    }
    return firn_encoded_finish(encoded, &output);
}

static void release(firn_animation *animation) { WebPAnimEncoderDelete(((webp_animation *)animation)->encoder); }

static const firn_animation_calls calls = {
    .state_bytes = sizeof(webp_animation), .add = add_frame, .finish = finish, .release = release};

firn_animation *firn_animation_webp(
    const firn_canvas *canvas, const firn_webp_options *options, firn_encoded *encoded
) {
    webp_animation *self = firn_animation_create(&calls, canvas, encoded);
    if (!self) return NULL;
    WebPAnimEncoderOptions settings;
    if (configure(options, &self->config) && WebPAnimEncoderOptionsInit(&settings)) {
        // The field has 16 bits.
        settings.anim_params.loop_count = canvas->plays > 65535 ? 65535 : (int)canvas->plays;
        self->encoder = WebPAnimEncoderNew((int)canvas->width, (int)canvas->height, &settings);
    }
    if (!self->encoder) return firn_animation_no_memory(&self->base, encoded);
    self->options = *options;
    return &self->base;
}
