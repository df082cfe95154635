// AVIF, HEIC and JPEG XL.
#include "bare.h"

#include <stdlib.h>

#ifdef FIRN_AVIF
#include <avif/avif.h>

long bare_avif_decode(const uint8_t *bytes, size_t length) {
    avifDecoder *decoder = avifDecoderCreate();
    if (!decoder) return -1;
    decoder->maxThreads = 1;
    long count = -1;
    if (avifDecoderSetIOMemory(decoder, bytes, length) == AVIF_RESULT_OK && avifDecoderParse(decoder) == AVIF_RESULT_OK
        && avifDecoderNextImage(decoder) == AVIF_RESULT_OK) {
        avifRGBImage rgb;
        avifRGBImageSetDefaults(&rgb, decoder->image);
        rgb.format = AVIF_RGB_FORMAT_BGRA;
        rgb.depth = 8;
        avifRGBImageAllocatePixels(&rgb);
        if (avifImageYUVToRGB(decoder->image, &rgb) == AVIF_RESULT_OK) count = (long)rgb.width * rgb.height;
        avifRGBImageFreePixels(&rgb);
    }
    avifDecoderDestroy(decoder);
    return count;
}
#endif

#ifdef FIRN_HEIC
#include <libheif/heif.h>

long bare_heic_decode(const uint8_t *bytes, size_t length) {
    struct heif_context *context = heif_context_alloc();
    struct heif_image_handle *handle = NULL;
    struct heif_image *image = NULL;
    long count = -1;
    heif_context_set_max_decoding_threads(context, 0);
    if (heif_context_read_from_memory_without_copy(context, bytes, length, NULL).code == heif_error_Ok
        && heif_context_get_primary_image_handle(context, &handle).code == heif_error_Ok
        && heif_decode_image(handle, &image, heif_colorspace_RGB, heif_chroma_interleaved_RGBA, NULL).code
            == heif_error_Ok)
        count = (long)heif_image_get_primary_width(image) * heif_image_get_primary_height(image);
    if (image) heif_image_release(image);
    if (handle) heif_image_handle_release(handle);
    heif_context_free(context);
    return count;
}
#endif

#ifdef FIRN_JXL
#include <jxl/decode.h>

long bare_jxl_decode(const uint8_t *bytes, size_t length) {
    JxlDecoder *decoder = JxlDecoderCreate(NULL);
    if (!decoder) return -1;
    JxlPixelFormat format = {4, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    uint8_t *pixels = NULL;
    long count = -1;
    JxlDecoderSubscribeEvents(decoder, JXL_DEC_FULL_IMAGE);
    JxlDecoderSetInput(decoder, bytes, length);
    JxlDecoderCloseInput(decoder);
    for (;;) {
        JxlDecoderStatus status = JxlDecoderProcessInput(decoder);
        if (status == JXL_DEC_NEED_IMAGE_OUT_BUFFER) {
            size_t size = 0;
            if (JxlDecoderImageOutBufferSize(decoder, &format, &size) != JXL_DEC_SUCCESS) break;
            pixels = malloc(size);
            if (!pixels || JxlDecoderSetImageOutBuffer(decoder, &format, pixels, size) != JXL_DEC_SUCCESS) break;
            count = (long)(size / 4);
        } else {
            if (status != JXL_DEC_FULL_IMAGE) count = -1;
            break;
        }
    }
    free(pixels);
    JxlDecoderDestroy(decoder);
    return count;
}
#endif
