#include "bare.h"

#include <stdio.h>
#include <stdlib.h>

#include <webp/decode.h>

static long run(const uint8_t *bytes, size_t length, unsigned side) {
    WebPDecoderConfig config;
    if (!WebPInitDecoderConfig(&config) || WebPGetFeatures(bytes, length, &config.input) != VP8_STATUS_OK) return -1;
    unsigned width = (unsigned)config.input.width, height = (unsigned)config.input.height;
    unsigned longest = width > height ? width : height;
    if (side && side < longest) {
        config.options.use_scaling = 1;
        config.options.scaled_width = (int)((double)width * side / longest + 0.5);
        config.options.scaled_height = (int)((double)height * side / longest + 0.5);
        if (config.options.scaled_width < 1) config.options.scaled_width = 1;
        if (config.options.scaled_height < 1) config.options.scaled_height = 1;
    }
    config.output.colorspace = MODE_BGRA;
    long count = -1;
    if (WebPDecode(bytes, length, &config) == VP8_STATUS_OK) count = (long)config.output.width * config.output.height;
    WebPFreeDecBuffer(&config.output);
    return count;
}

long bare_webp_decode(const uint8_t *bytes, size_t length) { return run(bytes, length, 0); }

long bare_webp_thumbnail(const char *path, unsigned side) {
    FILE *file = fopen(path, "rb");
    if (!file) return -1;
    fseek(file, 0, SEEK_END);
    long length = ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(length > 0 ? (size_t)length : 1);
    long count = -1;
    if (length > 0 && bytes && fread(bytes, 1, (size_t)length, file) == (size_t)length)
        count = run(bytes, (size_t)length, side);
    free(bytes);
    fclose(file);
    return count;
}
