#include "bare.h"

#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

struct memory {
    const uint8_t *bytes;
    size_t left;
};

static int read_memory(GifFileType *gif, GifByteType *target, int count) {
    struct memory *memory = gif->UserData;
    size_t got = (size_t)count < memory->left ? (size_t)count : memory->left;
    memcpy(target, memory->bytes, got);
    memory->bytes += got;
    memory->left -= got;
    return (int)got;
}

/// Decodes the first image and expands its indices to four bytes a pixel.
static long first_image(GifFileType *gif) {
    GifRecordType type;
    for (;;) {
        if (DGifGetRecordType(gif, &type) == GIF_ERROR || type == TERMINATE_RECORD_TYPE) return -1;
        if (type == IMAGE_DESC_RECORD_TYPE) break;
        int code;
        GifByteType *block;
        if (DGifGetExtension(gif, &code, &block) == GIF_ERROR) return -1;
        while (block)
            if (DGifGetExtensionNext(gif, &block) == GIF_ERROR) return -1;
    }
    if (DGifGetImageDesc(gif) == GIF_ERROR) return -1;
    size_t width = (size_t)gif->Image.Width, height = (size_t)gif->Image.Height;
    const ColorMapObject *map = gif->Image.ColorMap ? gif->Image.ColorMap : gif->SColorMap;
    uint32_t palette[256] = {0}, *pixels = malloc(width * height * 4);
    GifPixelType *row = malloc(width);
    for (int i = 0; map && i < map->ColorCount; i++)
        palette[i] = 0xFF000000u | (uint32_t)map->Colors[i].Red << 16 | (uint32_t)map->Colors[i].Green << 8
            | map->Colors[i].Blue;
    long count = -1;
    if (pixels && row) {
        size_t y = 0;
        while (y < height && DGifGetLine(gif, row, (int)width) == GIF_OK) {
            for (size_t x = 0; x < width; x++) pixels[y * width + x] = palette[row[x]];
            y++;
        }
        if (y == height) count = (long)(width * height);
    }
    free(row);
    free(pixels);
    return count;
}

long bare_gif_decode(const uint8_t *bytes, size_t length) {
    struct memory memory = {bytes, length};
    int error = 0;
    GifFileType *gif = DGifOpen(&memory, read_memory, &error);
    if (!gif) return -1;
    long count = first_image(gif);
    DGifCloseFile(gif, &error);
    return count;
}
