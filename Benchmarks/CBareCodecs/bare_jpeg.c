#include "bare.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <jpeglib.h>

struct failure {
    struct jpeg_error_mgr manager;
    jmp_buf jump;
};

static void fail(j_common_ptr info) { longjmp(((struct failure *)info->err)->jump, 1); }
static void silent(j_common_ptr info) { (void)info; }

/// Decodes the source that `decoder` is set up for; if `side` is 0, at full size.
static long decode(struct jpeg_decompress_struct *decoder, unsigned side, unsigned char *volatile *pixels) {
    jpeg_read_header(decoder, TRUE);
    if (side) {
        /* The scale at which the image fits the box; then the smallest N/8 that is not below it. */
        double longest =
            decoder->image_width > decoder->image_height ? decoder->image_width : decoder->image_height;
        double scale = side / longest;
        decoder->scale_denom = 8;
        decoder->scale_num = 8;
        for (unsigned n = 1; n <= 8; n++) {
            if (n / 8.0 >= scale) {
                decoder->scale_num = n;
                break;
            }
        }
    }
    if (decoder->jpeg_color_space == JCS_CMYK || decoder->jpeg_color_space == JCS_YCCK)
        decoder->out_color_space = JCS_CMYK;
    else
        decoder->out_color_space = JCS_EXT_BGRX;
    jpeg_start_decompress(decoder);
    size_t row = (size_t)decoder->output_width * decoder->output_components;
    *pixels = malloc(row * decoder->output_height);
    if (!*pixels) return -1;
    while (decoder->output_scanline < decoder->output_height) {
        JSAMPROW target = *pixels + row * decoder->output_scanline;
        jpeg_read_scanlines(decoder, &target, 1);
    }
    long count = (long)decoder->output_width * decoder->output_height;
    jpeg_finish_decompress(decoder);
    return count;
}

/// Decodes `file`, or the bytes in memory if `file` is NULL.
static long run(FILE *file, const uint8_t *bytes, size_t length, unsigned side) {
    struct jpeg_decompress_struct decoder;
    struct failure failure;
    unsigned char *volatile pixels = NULL;
    volatile long count = -1;
    decoder.err = jpeg_std_error(&failure.manager);
    failure.manager.error_exit = fail;
    failure.manager.output_message = silent;
    if (!setjmp(failure.jump)) {
        jpeg_create_decompress(&decoder);
        if (file)
            jpeg_stdio_src(&decoder, file);
        else
            jpeg_mem_src(&decoder, bytes, length);
        count = decode(&decoder, side, &pixels);
    }
    jpeg_destroy_decompress(&decoder);
    free(pixels);
    return count;
}

long bare_jpeg_decode(const uint8_t *bytes, size_t length) { return run(NULL, bytes, length, 0); }

long bare_jpeg_thumbnail(const char *path, unsigned side) {
    FILE *file = fopen(path, "rb");
    if (!file) return -1;
    long count = run(file, NULL, 0, side);
    fclose(file);
    return count;
}
