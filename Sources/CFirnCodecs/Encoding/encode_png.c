// PNG through libpng. Its error handler jumps; the jump stays inside firn_encode_png.
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include "encode.h"

/// What must survive a jump: it is reached by a pointer, so that no compiler keeps it in a register.
typedef struct {
    firn_bytes output;
    uint8_t *row;
    char message[200];
} writing;

static void on_error(png_structp png, png_const_charp message) {
    writing *state = png_get_error_ptr(png);
    snprintf(state->message, sizeof state->message, "%s", message);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    (void)png;
    (void)message;
}

static void write_bytes(png_structp png, png_bytep bytes, size_t count) {
    writing *state = png_get_io_ptr(png);
    if (!firn_bytes_append(&state->output, bytes, count)) png_error(png, "there is no memory");
}

static void flush(png_structp png) { (void)png; }

static void write_picture(
    png_structp png, png_infop info, const firn_picture *picture, const firn_png_options *options, writing *state
) {
    png_set_write_fn(png, state, write_bytes, flush);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    // A profile that libpng finds fault with is a warning, as it is when it reads one.
    png_set_benign_errors(png, 1);
    png_set_compression_level(png, options->level);
    // Trying all five filters on every row pays only where the compressor tries hard as well.
    if (options->level <= 3) png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB | PNG_FILTER_UP);
    bool words = picture->layout == FIRN_SOURCE_RGBA16_STRAIGHT;
    png_set_IHDR(
        png, info, picture->width, picture->height, words ? 16 : 8,
        picture->opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGBA,
        PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (picture->icc && picture->icc_length > 0) {
        png_set_iCCP(png, info, "icc", PNG_COMPRESSION_TYPE_BASE, picture->icc, (png_uint_32)picture->icc_length);
    }
    png_write_info(png, info);
    if (words) {
        // Files have the high byte first. Alpha that says nothing is left out by libpng.
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
        png_set_swap(png);
#endif
        if (picture->opaque) png_set_filler(png, 0, PNG_FILLER_AFTER);
    }
    bool direct =
        words || picture->layout == (picture->opaque ? FIRN_SOURCE_RGB : FIRN_SOURCE_RGBA_STRAIGHT);
    for (uint32_t y = 0; y < picture->height; y++) {
        if (direct) {
            png_write_row(png, picture->pixels + picture->stride * y);
        } else {
            firn_source_row(picture, y, state->row);
            png_write_row(png, state->row);
        }
    }
    png_write_end(png, NULL);
}

bool firn_encode_png(const firn_picture *picture, const firn_png_options *options, firn_encoded *encoded) {
    writing state = {.row = malloc((size_t)picture->width * 4)};
    png_structp png = state.row ? png_create_write_struct(PNG_LIBPNG_VER_STRING, &state, on_error, on_warning) : NULL;
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_write_struct(&png, NULL);
        free(state.row);
        return firn_encoded_fail(encoded, &state.output, "there is no memory");
    }
    bool failed = true;
    if (!setjmp(png_jmpbuf(png))) {
        write_picture(png, info, picture, options, &state);
        failed = false;
    }
    png_destroy_write_struct(&png, &info);
    free(state.row);
    if (failed) return firn_encoded_fail(encoded, &state.output, state.message);
    return firn_encoded_finish(encoded, &state.output);
}
