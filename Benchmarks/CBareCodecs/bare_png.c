#include "bare.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <png.h>

struct memory {
    const uint8_t *bytes;
    size_t left;
};

static void read_memory(png_structp png, png_bytep target, size_t count) {
    struct memory *memory = png_get_io_ptr(png);
    if (count > memory->left) png_error(png, "cut short");
    memcpy(target, memory->bytes, count);
    memory->bytes += count;
    memory->left -= count;
}

/// Decodes all rows to four bytes a pixel; if `keep` is 0, into the memory of one row.
static long run(FILE *file, struct memory *memory, int keep) {
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    uint8_t *volatile pixels = NULL;
    volatile long count = -1;
    if (!setjmp(png_jmpbuf(png))) {
        if (file)
            png_init_io(png, file);
        else
            png_set_read_fn(png, memory, read_memory);
        png_read_info(png, info);
        png_set_expand(png);
        png_set_strip_16(png);
        png_set_gray_to_rgb(png);
        png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
        png_set_bgr(png);
        int passes = png_set_interlace_handling(png);
        png_read_update_info(png, info);
        size_t row = png_get_rowbytes(png, info), height = png_get_image_height(png, info);
        pixels = malloc(row * (keep || passes > 1 ? height : 1));
        for (int pass = 0; pass < passes; pass++)
            for (size_t y = 0; y < height; y++)
                png_read_row(png, pixels + (keep || passes > 1 ? y * row : 0), NULL);
        count = (long)(row / 4 * height);
    }
    png_destroy_read_struct(&png, &info, NULL);
    free(pixels);
    return count;
}

long bare_png_decode(const uint8_t *bytes, size_t length) {
    struct memory memory = {bytes, length};
    return run(NULL, &memory, 1);
}

long bare_png_thumbnail(const char *path, unsigned side) {
    (void)side;
    FILE *file = fopen(path, "rb");
    if (!file) return -1;
    long count = run(file, NULL, 0);
    fclose(file);
    return count;
}
