// The libraries of formats, and a check of those that delegate decoding to other libraries, which may be missing.
#include <stdlib.h>
#include <string.h>

#include "../Registry/formats.h"

/// A red square of 64 pixels, written by heif-enc 1.15.
static const uint8_t heic[] = {
    0, 0, 0, 28, 102, 116, 121, 112, 104, 101, 105, 99, 0, 0, 0, 0, 109, 105, 102, 49, 104, 101, 105, 99, 109, 105,
    97, 102, 0, 0, 1, 66, 109, 101, 116, 97, 0, 0, 0, 0, 0, 0, 0, 33, 104, 100, 108, 114, 0, 0, 0, 0, 0, 0, 0, 0, 112,
    105, 99, 116, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 14, 112, 105, 116, 109, 0, 0, 0, 0, 0, 1, 0, 0, 0,
    34, 105, 108, 111, 99, 0, 0, 0, 0, 68, 64, 0, 1, 0, 1, 0, 0, 0, 0, 1, 102, 0, 1, 0, 0, 0, 0, 0, 0, 0, 25, 0, 0, 0,
    35, 105, 105, 110, 102, 0, 0, 0, 0, 0, 1, 0, 0, 0, 21, 105, 110, 102, 101, 2, 0, 0, 0, 0, 1, 0, 0, 104, 118, 99,
    49, 0, 0, 0, 0, 194, 105, 112, 114, 112, 0, 0, 0, 164, 105, 112, 99, 111, 0, 0, 0, 120, 104, 118, 99, 67, 1, 3,
    112, 0, 0, 0, 0, 0, 0, 0, 0, 0, 30, 240, 0, 252, 253, 248, 248, 0, 0, 15, 3, 32, 0, 1, 0, 24, 64, 1, 12, 1, 255,
    255, 3, 112, 0, 0, 3, 0, 144, 0, 0, 3, 0, 0, 3, 0, 30, 186, 2, 64, 33, 0, 1, 0, 43, 66, 1, 1, 3, 112, 0, 0, 3, 0,
    144, 0, 0, 3, 0, 0, 3, 0, 30, 160, 32, 129, 5, 150, 234, 73, 41, 174, 110, 4, 4, 12, 8, 0, 0, 3, 0, 8, 0, 0, 3, 0,
    8, 64, 34, 0, 1, 0, 7, 68, 1, 193, 114, 176, 34, 64, 0, 0, 0, 20, 105, 115, 112, 101, 0, 0, 0, 0, 0, 0, 0, 64, 0,
    0, 0, 64, 0, 0, 0, 16, 112, 105, 120, 105, 0, 0, 0, 0, 3, 8, 8, 8, 0, 0, 0, 22, 105, 112, 109, 97, 0, 0, 0, 0, 0,
    0, 0, 1, 0, 1, 3, 129, 2, 131, 0, 0, 0, 33, 109, 100, 97, 116, 0, 0, 0, 21, 40, 1, 175, 4, 24, 252, 121, 56, 235,
    255, 250, 89, 79, 223, 80, 23, 108, 12, 71, 67, 128,
};
/// A red square of 16 pixels, written by avifenc 0.11.
static const uint8_t avif[] = {
    0, 0, 0, 32, 102, 116, 121, 112, 97, 118, 105, 102, 0, 0, 0, 0, 97, 118, 105, 102, 109, 105, 102, 49, 109, 105,
    97, 102, 77, 65, 49, 65, 0, 0, 0, 242, 109, 101, 116, 97, 0, 0, 0, 0, 0, 0, 0, 40, 104, 100, 108, 114, 0, 0, 0, 0,
    0, 0, 0, 0, 112, 105, 99, 116, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 108, 105, 98, 97, 118, 105, 102, 0, 0, 0, 0,
    14, 112, 105, 116, 109, 0, 0, 0, 0, 0, 1, 0, 0, 0, 30, 105, 108, 111, 99, 0, 0, 0, 0, 68, 0, 0, 1, 0, 1, 0, 0, 0,
    1, 0, 0, 1, 26, 0, 0, 0, 30, 0, 0, 0, 40, 105, 105, 110, 102, 0, 0, 0, 0, 0, 1, 0, 0, 0, 26, 105, 110, 102, 101,
    2, 0, 0, 0, 0, 1, 0, 0, 97, 118, 48, 49, 67, 111, 108, 111, 114, 0, 0, 0, 0, 106, 105, 112, 114, 112, 0, 0, 0, 75,
    105, 112, 99, 111, 0, 0, 0, 20, 105, 115, 112, 101, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 16, 0, 0, 0, 16, 112, 105,
    120, 105, 0, 0, 0, 0, 3, 8, 8, 8, 0, 0, 0, 12, 97, 118, 49, 67, 129, 32, 0, 0, 0, 0, 0, 19, 99, 111, 108, 114,
    110, 99, 108, 120, 0, 1, 0, 13, 0, 6, 128, 0, 0, 0, 23, 105, 112, 109, 97, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 4, 1, 2,
    131, 4, 0, 0, 0, 38, 109, 100, 97, 116, 18, 0, 10, 8, 56, 12, 255, 249, 64, 67, 65, 164, 50, 16, 27, 64, 0, 0, 64,
    64, 2, 154, 103, 114, 131, 35, 37, 179, 20, 140,
};

/// Returns whether the red square decodes; otherwise writes the reason.
static bool decodes(firn_decoder *decoder, const uint8_t *file, size_t length, char *reason, size_t capacity) {
    enum { SIDE = 64 };
    firn_options options = {.layout = FIRN_LAYOUT_RGBA};
    firn_output output = {0};
    uint8_t *pixels = calloc(SIDE * SIDE, 4);
    uint32_t done = 0;
    firn_status status = pixels == NULL ? FIRN_MEMORY : firn_decoder_feed(decoder, file, length, true);
    firn_header header = {0};
    if (!status) {
        do { status = firn_decoder_header(decoder, &header); } while (status == FIRN_PAUSE);
    }
    if (!status) status = firn_decoder_start(decoder, &options, &output);
    if (!status && (output.width > SIDE || output.height > SIDE)) status = FIRN_DATA;
    for (uint32_t row = 0; !status; row += output.whole ? 0 : done) {
        uint32_t rows = output.whole ? output.height : output.height - row;
        status = firn_decoder_read(decoder, pixels + (size_t)row * SIDE * 4, SIDE * 4, rows, &done);
    }
    bool is_red = status == FIRN_END && pixels[0] > 200 && pixels[1] < 50 && pixels[2] < 50;
    if (!is_red) {
        const char *message = firn_decoder_message(decoder);
        snprintf(reason, capacity, "%s", pixels == NULL ? "no memory" : *message != 0 ? message : "it decodes wrongly");
    }
    free(pixels);
    return is_red;
}

/// Returns whether a format's test image decodes, or there is none; otherwise writes the reason.
static bool works(firn_codec codec, char *reason, size_t capacity) {
    const uint8_t *file = codec == FIRN_CODEC_HEIC ? heic : codec == FIRN_CODEC_AVIF ? avif : NULL;
    if (file == NULL) return true;
    const firn_limits limits = {.pixels = 1 << 20, .bytes = 1 << 24, .scanned_pixels = 1 << 24, .frames = 10,
        .profile_bytes = 1 << 16, .file_bytes = 1 << 16, .expansion = 10};
    firn_decoder *decoder = firn_decoder_open(codec, &limits);
    if (decoder == NULL) {
        snprintf(reason, capacity, "no memory");
        return false;
    }
    bool is_decoded =
        decodes(decoder, file, codec == FIRN_CODEC_HEIC ? sizeof heic : sizeof avif, reason, capacity);
    firn_decoder_close(decoder);
    return is_decoded;
}

void firn_codec_library(firn_codec codec, char *text, size_t capacity) {
    const firn_codec_calls *calls = firn_codec_calls_of(codec);
    char reason[200] = "";
    *text = 0;
    if (calls == NULL) return;
    calls->library(text, capacity);
    if (works(codec, reason, sizeof reason)) return;
    size_t length = strlen(text);
    snprintf(text + length, capacity - length, "; cannot decode: %s", reason);
}
