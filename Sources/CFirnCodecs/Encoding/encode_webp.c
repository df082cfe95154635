// WebP through libwebp, lossy and lossless.
#include <limits.h>
#include <stdlib.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include "encode.h"

static int write_bytes(const uint8_t *bytes, size_t count, const WebPPicture *picture) {
    return firn_bytes_append(picture->custom_ptr, bytes, count);
}

static const char *reason(WebPEncodingError error) {
    switch (error) {
    case VP8_ENC_ERROR_OUT_OF_MEMORY:
    case VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY:
    case VP8_ENC_ERROR_BAD_WRITE: return "there is no memory";
    case VP8_ENC_ERROR_BAD_DIMENSION: return "no side may be longer than 16383 pixels";
    case VP8_ENC_ERROR_PARTITION0_OVERFLOW:
    case VP8_ENC_ERROR_PARTITION_OVERFLOW:
    case VP8_ENC_ERROR_FILE_TOO_BIG: return "the picture has more detail than the format can hold at this quality";
    default: return "the encoder failed";
    }
}

/// Gives the library the pixels. Opaque pictures go straight to its luma and chroma planes if it is lossy; others
/// need its plane of words, which are filled row by row.
static bool load(const firn_picture *picture, const firn_webp_options *options, WebPPicture *webp) {
    webp->width = (int)picture->width;
    webp->height = (int)picture->height;
    webp->use_argb = options->lossless || !picture->opaque || picture->stride > INT_MAX;
    if (!webp->use_argb) {
        int stride = (int)picture->stride;
        switch (picture->layout) {
        case FIRN_SOURCE_BGRA_PREMULTIPLIED: return WebPPictureImportBGRX(webp, picture->pixels, stride);
        case FIRN_SOURCE_RGBA_STRAIGHT: return WebPPictureImportRGBX(webp, picture->pixels, stride);
        case FIRN_SOURCE_RGB: return WebPPictureImportRGB(webp, picture->pixels, stride);
        case FIRN_SOURCE_RGBA16_STRAIGHT: webp->use_argb = true;
        }
    }
    if (!WebPPictureAlloc(webp)) return false;
    for (uint32_t y = 0; y < picture->height; y++) {
        firn_source_words(picture, y, webp->argb + (size_t)webp->argb_stride * y);
    }
    return true;
}

/// Wraps a simple file into the extended form, which can carry a profile.
static bool add_profile(const firn_picture *picture, firn_bytes *output) {
    WebPData file = {output->bytes, output->length};
    WebPData profile = {picture->icc, picture->icc_length};
    WebPData whole = {NULL, 0};
    WebPMux *mux = WebPMuxCreate(&file, 0);
    bool done = mux && WebPMuxSetChunk(mux, "ICCP", &profile, 0) == WEBP_MUX_OK
        && WebPMuxAssemble(mux, &whole) == WEBP_MUX_OK;
    WebPMuxDelete(mux);
    if (done) {
        output->length = 0;
        done = firn_bytes_append(output, whole.bytes, whole.size);
    }
    WebPDataClear(&whole);
    return done;
}

bool firn_encode_webp(const firn_picture *picture, const firn_webp_options *options, firn_encoded *encoded) {
    firn_bytes output = {0};
    WebPConfig config;
    WebPPicture webp;
    if (!WebPConfigInit(&config) || !WebPPictureInit(&webp)) {
        return firn_encoded_fail(encoded, &output, "the library is of another version");
    }
    config.quality = options->quality;
    config.lossless = options->lossless;
    // Lossless means all bytes, those of invisible pixels too.
    config.exact = options->lossless;
    webp.writer = write_bytes;
    webp.custom_ptr = &output;
    bool done = load(picture, options, &webp) && WebPEncode(&config, &webp);
    WebPEncodingError error = webp.error_code;
    WebPPictureFree(&webp);
    if (!done) return firn_encoded_fail(encoded, &output, reason(error));
    if (picture->icc && picture->icc_length > 0 && !add_profile(picture, &output)) {
        return firn_encoded_fail(encoded, &output, "the colour profile could not be added");
    }
    return firn_encoded_finish(encoded, &output);
}
