// PNG with libpng. Its error handler jumps; the jump stays inside firn_encode_png.
//
// An image is stored in the smallest form: with a palette if it has few colors, as gray if it is gray, without alpha if
// it is opaque. All forms give the same pixels.
#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../Library/encode.h"
#include "palette.h"

/// The storage form of the rows.
typedef enum { STORED_COLOR, STORED_GRAY, STORED_INDEXED } stored;

/// The state that must survive a jump: accessed through a pointer, so that no compiler keeps it in a register.
typedef struct {
    firn_bytes output;
    /// A row in stored form, and a row of words.
    uint8_t *row;
    uint32_t *words;
    firn_palette palette;
    stored stored;
    bool is_cancelled;
    bool no_memory;
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
    if (firn_bytes_append(&state->output, bytes, count)) return;
    state->no_memory = true;
    png_error(png, "there is no memory");
}

static void flush(png_structp png) { (void)png; }

/// Chooses the storage form. A profile describes colors, not gray levels.
static stored choose(const firn_image *image, const firn_png_options *options, writing *state) {
    if (!options->reduces) return STORED_COLOR;
    bool gray = image->icc_length == 0 && !image->primaries && firn_image_is_gray(image);
    if (image->layout == FIRN_SOURCE_RGBA16_STRAIGHT) return gray ? STORED_GRAY : STORED_COLOR;
    // A palette of at most half a byte per pixel is smaller than gray.
    if (firn_palette_collect(image, gray ? 16 : 256, state->words, &state->palette)) {
        // The palette of a tiny image would be larger than its pixels.
        uint64_t pixels = (uint64_t)image->width * image->height;
        if (pixels > 3 * (uint64_t)state->palette.count) return STORED_INDEXED;
    }
    return gray ? STORED_GRAY : STORED_COLOR;
}

static void write_palette(png_structp png, png_infop info, const firn_palette *palette) {
    png_color colors[256];
    png_byte alphas[256];
    int transparent = 0;
    for (int i = 0; i < palette->count; i++) {
        uint32_t color = palette->colors[i];
        colors[i] = (png_color){(png_byte)(color >> 16), (png_byte)(color >> 8), (png_byte)color};
        alphas[i] = (png_byte)(color >> 24);
        if (alphas[i] != 255) transparent = i + 1;
    }
    png_set_PLTE(png, info, colors, palette->count);
    if (transparent > 0) png_set_tRNS(png, info, alphas, transparent, NULL);
}

static void write_light(png_structp png, const firn_mastering *light) {
    uint8_t bytes[24];
    for (int i = 0; i < 8; i++) {
        bytes[2 * i] = (uint8_t)(light->display[i] >> 8);
        bytes[2 * i + 1] = (uint8_t)light->display[i];
    }
    png_save_uint_32(bytes + 16, light->peak);
    png_save_uint_32(bytes + 20, light->black);
    if (light->peak && light->display[0]) png_write_chunk(png, (png_const_bytep) "mDCV", bytes, 24);
    png_save_uint_32(bytes, light->content);
    png_save_uint_32(bytes + 4, light->average);
    if (light->content || light->average) png_write_chunk(png, (png_const_bytep) "cLLI", bytes, 8);
}

static void write_head(png_structp png, png_infop info, const firn_image *image, const writing *state) {
    int depth = image->layout == FIRN_SOURCE_RGBA16_STRAIGHT ? 16 : 8;
    int type = image->opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGBA;
    if (state->stored == STORED_GRAY) type = image->opaque ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_GRAY_ALPHA;
    if (state->stored == STORED_INDEXED) {
        int count = state->palette.count;
        type = PNG_COLOR_TYPE_PALETTE;
        depth = count <= 2 ? 1 : count <= 4 ? 2 : count <= 16 ? 4 : 8;
    }
    png_set_IHDR(
        png, info, image->width, image->height, depth, type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
        PNG_FILTER_TYPE_DEFAULT);
    if (state->stored == STORED_INDEXED) write_palette(png, info, &state->palette);
    if (image->icc && image->icc_length > 0)
        png_set_iCCP(png, info, "icc", PNG_COMPRESSION_TYPE_BASE, image->icc, (png_uint_32)image->icc_length);
    if (firn_has_resolution(image))
        png_set_pHYs(
            png, info, firn_per_metre(image->resolution_x), firn_per_metre(image->resolution_y), PNG_RESOLUTION_METER);
    // libpng only reads the bytes, but its type is not const.
    if (image->exif_length > 0)
        png_set_eXIf_1(png, info, (png_uint_32)image->exif_length, (png_bytep)(uintptr_t)image->exif);
    // Order: before the palette and the profile, which readers without support for code points use.
    png_write_info_before_PLTE(png, info);
    const png_byte points[4] = {(png_byte)image->primaries, (png_byte)image->transfer, 0, 1};
    if (image->primaries) png_write_chunk(png, (png_const_bytep) "cICP", points, sizeof points);
    write_light(png, &image->mastering);
    png_write_info(png, info);
    // Files store the high byte first, and pack several indices per byte.
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (depth == 16) png_set_swap(png);
#endif
    if (depth < 8) png_set_packing(png);
}

/// Returns the row in stored form.
static const uint8_t *stored_row(const firn_image *image, uint32_t y, writing *state) {
    const uint8_t *source = image->pixels + image->stride * y;
    size_t width = image->width;
    if (image->layout == FIRN_SOURCE_RGBA16_STRAIGHT) {
        size_t first = state->stored == STORED_GRAY ? 4 : 0;
        size_t bytes = (image->opaque ? 6 : 8) - first;
        if (bytes == 8) return source;
        // Takes the blue component of gray pixels, which precedes alpha.
        for (size_t x = 0; x < width; x++) memcpy(state->row + bytes * x, source + 8 * x + first, bytes);
        return state->row;
    }
    switch (state->stored) {
    case STORED_GRAY: firn_source_gray(image, y, state->row); break;
    case STORED_INDEXED:
        firn_source_words(image, y, state->words);
        for (size_t x = 0; x < width; x++) state->row[x] = firn_palette_index(&state->palette, state->words[x]);
        break;
    case STORED_COLOR:
        if (image->layout == (image->opaque ? FIRN_SOURCE_RGB : FIRN_SOURCE_RGBA_STRAIGHT)) return source;
        firn_source_row(image, y, state->row);
    }
    return state->row;
}

static void write_image(
    png_structp png, png_infop info, const firn_image *image, const firn_png_options *options, writing *state
) {
    png_set_write_fn(png, state, write_bytes, flush);
    png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
    // A profile that libpng rejects causes only a warning, as when reading.
    png_set_benign_errors(png, 1);
    png_set_compression_level(png, options->level);
    // Trying all five filters on every row pays off only at high compression. Filters do not suit indices.
    if (state->stored == STORED_INDEXED)
        png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
    else if (options->level <= 3)
        png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB | PNG_FILTER_UP);
    write_head(png, info, image, state);
    for (uint32_t y = 0; y < image->height; y++) {
        if (y % 16 == 0 && firn_is_cancelled(image)) {
            state->is_cancelled = true;
            png_error(png, "cancelled");
        }
        png_write_row(png, stored_row(image, y, state));
    }
    png_write_end(png, NULL);
}

static bool fail(firn_encoded *encoded, writing *state) {
    if (state->is_cancelled) return firn_encoded_cancel(encoded, &state->output);
    if (state->no_memory) return firn_encoded_no_memory(encoded, &state->output);
    return firn_encoded_fail(encoded, &state->output, FIRN_ENCODE_LIBRARY, state->message);
}

bool firn_encode_png(const firn_image *source, const firn_png_options *options, firn_encoded *encoded) {
    firn_image copy = *source;
    const firn_image *image = &copy;
    if (options->keeps_alpha) copy.opaque = false;
    size_t width = image->width;
    writing state = {.row = malloc(width * 8), .words = malloc(width * sizeof(uint32_t))};
    if (image->layout == FIRN_SOURCE_RGBA_HALF) {
        free(state.row);
        free(state.words);
        return firn_encoded_fail(encoded, &state.output, FIRN_ENCODE_IMAGE, "PNG stores no floating numbers");
    }
    bool has_rows = state.row && state.words;
    png_structp png = has_rows ? png_create_write_struct(PNG_LIBPNG_VER_STRING, &state, on_error, on_warning) : NULL;
    png_infop info = png ? png_create_info_struct(png) : NULL;
    if (!info) {
        png_destroy_write_struct(&png, NULL);
        free(state.row);
        free(state.words);
        return firn_encoded_no_memory(encoded, &state.output);
    }
    bool failed = true;
    if (!setjmp(png_jmpbuf(png))) {
        state.stored = choose(image, options, &state);
        write_image(png, info, image, options, &state);
        failed = false;
    }
    png_destroy_write_struct(&png, &info);
    free(state.row);
    free(state.words);
    if (failed) return fail(encoded, &state);
    return firn_encoded_finish(encoded, &state.output);
}
