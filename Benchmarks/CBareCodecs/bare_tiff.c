#ifdef FIRN_TIFF
#include "bare.h"

#include <stdlib.h>
#include <string.h>

#include <tiffio.h>

struct memory {
    const uint8_t *bytes;
    size_t length;
    size_t offset;
};

static tmsize_t read_memory(thandle_t handle, void *target, tmsize_t count) {
    struct memory *memory = handle;
    size_t left = memory->offset < memory->length ? memory->length - memory->offset : 0;
    size_t got = (size_t)count < left ? (size_t)count : left;
    memcpy(target, memory->bytes + memory->offset, got);
    memory->offset += got;
    return (tmsize_t)got;
}

static tmsize_t write_nothing(thandle_t handle, void *bytes, tmsize_t count) {
    (void)handle;
    (void)bytes;
    (void)count;
    return 0;
}

static toff_t seek_memory(thandle_t handle, toff_t offset, int whence) {
    struct memory *memory = handle;
    if (whence == SEEK_CUR) offset += memory->offset;
    if (whence == SEEK_END) offset += memory->length;
    memory->offset = offset;
    return offset;
}

static int close_nothing(thandle_t handle) {
    (void)handle;
    return 0;
}

static toff_t size_of_memory(thandle_t handle) { return ((struct memory *)handle)->length; }

long bare_tiff_decode(const uint8_t *bytes, size_t length) {
    struct memory memory = {bytes, length, 0};
    TIFF *tiff = TIFFClientOpen(
        "memory", "rm", &memory, read_memory, write_nothing, seek_memory, close_nothing, size_of_memory, NULL, NULL);
    if (!tiff) return -1;
    uint32_t width = 0, height = 0;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height);
    uint32_t *pixels = malloc((size_t)width * height * 4);
    long count = -1;
    if (pixels && TIFFReadRGBAImageOriented(tiff, width, height, pixels, ORIENTATION_TOPLEFT, 0))
        count = (long)width * height;
    free(pixels);
    TIFFClose(tiff);
    return count;
}
#else
typedef int bare_tiff_is_left_out;
#endif
