// The fewest calls with which each library encodes an opaque image, with the settings of our encoders.
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jpeglib.h>
#include <png.h>
#include <webp/encode.h>
#ifdef FIRN_AVIF
#include <avif/avif.h>
#endif
#ifdef FIRN_JXL
#include <jxl/encode.h>
#endif

#include "include/CBareCodecs.h"

struct failure {
    struct jpeg_error_mgr manager;
    jmp_buf jump;
};

static void fail(j_common_ptr info) { longjmp(((struct failure *)info->err)->jump, 1); }

static long encode_jpeg(const bare_pixels *pixels, int quality) {
    struct jpeg_compress_struct jpeg;
    struct failure failure;
    unsigned char *bytes = NULL;
    unsigned long length = 0;
    jpeg.err = jpeg_std_error(&failure.manager);
    failure.manager.error_exit = fail;
    if (setjmp(failure.jump)) return -1;
    jpeg_create_compress(&jpeg);
    jpeg_mem_dest(&jpeg, &bytes, &length);
    jpeg.image_width = pixels->width;
    jpeg.image_height = pixels->height;
    jpeg.input_components = 3;
    jpeg.in_color_space = JCS_RGB;
    jpeg_set_defaults(&jpeg);
    jpeg_set_quality(&jpeg, quality, TRUE);
    jpeg_start_compress(&jpeg, TRUE);
    while (jpeg.next_scanline < jpeg.image_height) {
        JSAMPROW row = (JSAMPROW)(uintptr_t)(pixels->rgb + pixels->stride * jpeg.next_scanline);
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    free(bytes);
    return (long)length;
}

struct output {
    uint8_t *bytes;
    size_t length, capacity;
};

static void append(png_structp png, png_bytep bytes, size_t count) {
    struct output *output = png_get_io_ptr(png);
    if (output->length + count > output->capacity) {
        output->capacity = 2 * (output->length + count);
        output->bytes = realloc(output->bytes, output->capacity);
        if (!output->bytes) abort();
    }
    memcpy(output->bytes + output->length, bytes, count);
    output->length += count;
}

static long encode_png(const bare_pixels *pixels, int level) {
    struct output output = {0};
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    if (setjmp(png_jmpbuf(png))) return -1;
    png_set_write_fn(png, &output, append, NULL);
    png_set_compression_level(png, level);
    png_set_IHDR(
        png, info, pixels->width, pixels->height, 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
        PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (unsigned y = 0; y < pixels->height; y++) png_write_row(png, pixels->rgb + pixels->stride * y);
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    free(output.bytes);
    return (long)output.length;
}

static long encode_webp(const bare_pixels *pixels, int quality) {
    WebPConfig config;
    WebPPicture image;
    WebPMemoryWriter writer;
    if (!WebPConfigInit(&config) || !WebPPictureInit(&image)) return -1;
    config.quality = (float)quality;
    image.width = (int)pixels->width;
    image.height = (int)pixels->height;
    WebPMemoryWriterInit(&writer);
    image.writer = WebPMemoryWrite;
    image.custom_ptr = &writer;
    long length = -1;
    if (WebPPictureImportRGB(&image, pixels->rgb, (int)pixels->stride) && WebPEncode(&config, &image))
        length = (long)writer.size;
    WebPPictureFree(&image);
    WebPMemoryWriterClear(&writer);
    return length;
}

#ifdef FIRN_AVIF
static long encode_avif(const bare_pixels *pixels, int speed) {
    avifImage *image = avifImageCreate(pixels->width, pixels->height, 8, AVIF_PIXEL_FORMAT_YUV420);
    avifEncoder *encoder = avifEncoderCreate();
    image->matrixCoefficients = AVIF_MATRIX_COEFFICIENTS_BT601;
    image->yuvRange = AVIF_RANGE_FULL;
    avifRGBImage rgb;
    avifRGBImageSetDefaults(&rgb, image);
    rgb.format = AVIF_RGB_FORMAT_RGB;
    rgb.depth = 8;
    rgb.pixels = (uint8_t *)(uintptr_t)pixels->rgb;
    rgb.rowBytes = (uint32_t)pixels->stride;
    encoder->speed = speed;
    // The quantizer that corresponds to a quality of 0.6.
    encoder->minQuantizer = encoder->maxQuantizer = 25;
    avifRWData file = AVIF_DATA_EMPTY;
    long length = -1;
    if (avifImageRGBToYUV(image, &rgb) == AVIF_RESULT_OK && avifEncoderWrite(encoder, image, &file) == AVIF_RESULT_OK)
        length = (long)file.size;
    avifRWDataFree(&file);
    avifEncoderDestroy(encoder);
    avifImageDestroy(image);
    return length;
}
#endif

#ifdef FIRN_JXL
static long encode_jxl(const bare_pixels *pixels, int effort) {
    size_t row = (size_t)pixels->width * 3, capacity = row * pixels->height + 65536;
    uint8_t *packed = malloc(row * pixels->height), *bytes = malloc(capacity);
    for (unsigned y = 0; y < pixels->height; y++) memcpy(packed + row * y, pixels->rgb + pixels->stride * y, row);
    JxlEncoder *encoder = JxlEncoderCreate(NULL);
    JxlBasicInfo info;
    JxlEncoderInitBasicInfo(&info);
    info.xsize = pixels->width;
    info.ysize = pixels->height;
    info.bits_per_sample = 8;
    JxlColorEncoding colors;
    JxlColorEncodingSetToSRGB(&colors, JXL_FALSE);
    JxlEncoderSetBasicInfo(encoder, &info);
    JxlEncoderSetColorEncoding(encoder, &colors);
    JxlEncoderFrameSettings *settings = JxlEncoderFrameSettingsCreate(encoder, NULL);
    JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, effort);
    JxlEncoderSetFrameDistance(settings, 1);
    JxlPixelFormat format = {3, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
    JxlEncoderAddImageFrame(settings, &format, packed, row * pixels->height);
    JxlEncoderCloseInput(encoder);
    uint8_t *next = bytes;
    size_t room = capacity;
    long length = -1;
    if (JxlEncoderProcessOutput(encoder, &next, &room) == JXL_ENC_SUCCESS) length = (long)(capacity - room);
    JxlEncoderDestroy(encoder);
    free(packed);
    free(bytes);
    return length;
}
#endif

long bare_encode(const char *format, const bare_pixels *pixels, int setting) {
    if (!strcmp(format, "jpeg")) return encode_jpeg(pixels, setting);
    if (!strcmp(format, "png")) return encode_png(pixels, setting);
    if (!strcmp(format, "webp")) return encode_webp(pixels, setting);
#ifdef FIRN_AVIF
    if (!strcmp(format, "avif")) return encode_avif(pixels, setting);
#endif
#ifdef FIRN_JXL
    if (!strcmp(format, "jxl")) return encode_jxl(pixels, setting);
#endif
    return -1;
}
