// GIF by giflib, from the whole file.
//
// A walker of our own goes over the blocks, which is cheap and tells size, frames and repetitions without decoding.
// giflib then unpacks the one frame wanted.
//
// Source: GIF89a specification; the application extension NETSCAPE2.0 for repetitions.
#include <stdlib.h>
#include <string.h>

#include <gif_lib.h>

#include "decoder.h"

enum { FRAME_ROWS_AT_ONCE = 256, NO_INDEX = -1 };

typedef struct {
    uint32_t left, top, width, height;
    bool is_interlaced;
    int transparent;
} frame;

typedef struct {
    firn_decoder base;
    frame first;
    firn_durations durations;
    GifFileType *gif;
    /// How far giflib has read.
    size_t position;
    uint8_t *indices;
    uint32_t row;
    firn_layout layout;
    uint8_t palette[256][4];
} gif_decoder;

static uint32_t little_endian(const uint8_t *bytes) { return bytes[0] | (uint32_t)bytes[1] << 8; }

// MARK: Header

/// The offset behind a chain of sub-blocks; `length` if it is cut short.
static size_t behind_blocks(const uint8_t *bytes, size_t length, size_t offset) {
    while (offset < length) {
        size_t block = bytes[offset++];
        if (block == 0) return offset;
        if (block > length - offset) return length;
        offset += block;
    }
    return length;
}

static size_t color_table_length(uint8_t flags) { return flags & 0x80 ? (size_t)3 << ((flags & 7) + 1) : 0; }

typedef struct {
    uint32_t delay;
    int transparent;
} control;

/// Reads an extension that matters: a frame's control, or the repetitions.
static void take_extension(gif_decoder *self, const uint8_t *bytes, size_t length, size_t offset, control *next) {
    uint8_t label = bytes[offset];
    const uint8_t *block = bytes + offset + 1;
    size_t left = length - offset - 1;
    if (label == 0xF9 && left >= 5 && block[0] >= 4) {
        next->delay = little_endian(block + 2) * 10;
        next->transparent = block[1] & 1 ? block[4] : NO_INDEX;
    } else if (
        label == 0xFF && left >= 16 && block[0] == 11 && block[12] >= 3 && block[13] == 1
        && (!memcmp(block + 1, "NETSCAPE2.0", 11) || !memcmp(block + 1, "ANIMEXTS1.0", 11))) {
        self->base.header.loops = little_endian(block + 14);
    }
}

static firn_status walk(gif_decoder *self) {
    const uint8_t *bytes = self->base.input.bytes;
    size_t length = self->base.input.length;
    firn_header *header = &self->base.header;
    if (length < 13 || (memcmp(bytes, "GIF87a", 6) && memcmp(bytes, "GIF89a", 6)))
        return firn_fail(&self->base, FIRN_DATA, "no GIF signature and screen size");
    header->width = little_endian(bytes + 6);
    header->height = little_endian(bytes + 8);
    header->bit_depth = 8;
    header->space = FIRN_SPACE_INDEXED;
    size_t offset = 13 + color_table_length(bytes[10]);
    control next = {0, NO_INDEX};
    while (offset < length) {
        uint8_t kind = bytes[offset++];
        if (kind == 0x3B) break;
        if (kind == 0x21 && offset < length) {
            take_extension(self, bytes, length, offset, &next);
            offset = behind_blocks(bytes, length, offset + 1);
        } else if (kind == 0x2C && length - offset >= 9) {
            const uint8_t *at = bytes + offset;
            if (self->durations.count == 0)
                self->first = (frame){little_endian(at), little_endian(at + 2), little_endian(at + 4),
                    little_endian(at + 6), (at[8] & 0x40) != 0, next.transparent};
            if (next.transparent != NO_INDEX) header->alpha = true;
            if (self->durations.count >= self->base.limits.frames)
                return firn_fail(
                    &self->base, FIRN_LIMIT, "has more than %u frames, the limit", self->base.limits.frames);
            if (!firn_durations_add(&self->durations, next.delay))
                return firn_fail(&self->base, FIRN_MEMORY, "no memory for the list of frames");
            next = (control){0, NO_INDEX};
            offset += 9 + color_table_length(at[8]) + 1;
            offset = offset < length ? behind_blocks(bytes, length, offset) : length;
        } else if (kind != 0) {
            // Damage: what was found so far counts. A stray terminator, kind 0, is stepped over.
            break;
        }
    }
    return FIRN_OK;
}

static firn_status header(firn_decoder *decoder) {
    gif_decoder *self = (gif_decoder *)decoder;
    if (!decoder->input.last) return FIRN_NEED_DATA;
    firn_status status = walk(self);
    if (status) return status;
    firn_header *header = &decoder->header;
    if (self->durations.count == 0) return firn_fail(decoder, FIRN_DATA, "holds no frame");
    frame *first = &self->first;
    // A first frame larger than the screen enlarges it, as other decoders have it.
    if (first->left + first->width > header->width) header->width = first->left + first->width;
    if (first->top + first->height > header->height) header->height = first->top + first->height;
    status = firn_check_size(decoder, header->width, header->height);
    if (status) return status;
    if (first->width < header->width || first->height < header->height) header->alpha = true;
    header->progressive = first->is_interlaced;
    header->frames = self->durations.count;
    header->animated = header->frames > 1;
    header->durations = header->animated ? self->durations.values : NULL;
    header->working_bytes = first->width + (64 << 10);
    return FIRN_OK;
}

// MARK: Pixels

static int supply(GifFileType *gif, GifByteType *to, int count) {
    gif_decoder *self = gif->UserData;
    size_t left = self->base.input.length - self->position;
    size_t given = count < 0 ? 0 : (size_t)count < left ? (size_t)count : left;
    memcpy(to, self->base.input.bytes + self->position, given);
    self->position += given;
    return (int)given;
}

static firn_status fail_gif(gif_decoder *self, int error) {
    const char *text = GifErrorString(error);
    if (error == D_GIF_ERR_NOT_ENOUGH_MEM) return firn_fail(&self->base, FIRN_MEMORY, "no memory");
    return firn_fail(&self->base, FIRN_DATA, "%s", text ? text : "damaged");
}

/// Brings giflib to the first frame's pixels.
static firn_status open_frame(gif_decoder *self) {
    int error = 0;
    self->gif = DGifOpen(self, supply, &error);
    if (!self->gif) return fail_gif(self, error);
    for (;;) {
        GifRecordType type;
        if (DGifGetRecordType(self->gif, &type) == GIF_ERROR) {
            // giflib does not know stray block terminators.
            if (self->gif->Error == D_GIF_ERR_WRONG_RECORD && self->position > 0
                && self->base.input.bytes[self->position - 1] == 0)
                continue;
            return fail_gif(self, self->gif->Error);
        }
        if (type == IMAGE_DESC_RECORD_TYPE)
            return DGifGetImageDesc(self->gif) == GIF_ERROR ? fail_gif(self, self->gif->Error) : FIRN_OK;
        if (type != EXTENSION_RECORD_TYPE) return firn_fail(&self->base, FIRN_DATA, "holds no frame");
        int code;
        GifByteType *extension;
        if (DGifGetExtension(self->gif, &code, &extension) == GIF_ERROR) return fail_gif(self, self->gif->Error);
        while (extension)
            if (DGifGetExtensionNext(self->gif, &extension) == GIF_ERROR) return fail_gif(self, self->gif->Error);
    }
}

static void make_palette(gif_decoder *self) {
    const ColorMapObject *map = self->gif->Image.ColorMap ? self->gif->Image.ColorMap : self->gif->SColorMap;
    unsigned red = self->layout == FIRN_LAYOUT_BGRA ? 2 : 0;
    for (int i = 0; i < 256; i++) {
        uint8_t *entry = self->palette[i];
        if (map && i < map->ColorCount) {
            entry[red] = map->Colors[i].Red;
            entry[1] = map->Colors[i].Green;
            entry[2 - red] = map->Colors[i].Blue;
        } else {
            // Without any table the indices are greys; behind a table's end they are black.
            memset(entry, map ? 0 : i, 3);
        }
        entry[3] = 255;
        if (i == self->first.transparent) memset(entry, 0, 4);
    }
}

static firn_status start(firn_decoder *decoder, const firn_options *options) {
    gif_decoder *self = (gif_decoder *)decoder;
    if (options->layout == FIRN_LAYOUT_CMYK)
        return firn_fail(decoder, FIRN_UNSUPPORTED, "a picture without inks cannot be read as CMYK");
    self->layout = options->layout;
    firn_status status = open_frame(self);
    if (status) return status;
    // Invariant: walker and giflib saw the same frame; its size is what all memory was judged by.
    const GifImageDesc *image = &self->gif->Image;
    if ((uint32_t)image->Width != self->first.width || (uint32_t)image->Height != self->first.height
        || (uint32_t)image->Left != self->first.left || (uint32_t)image->Top != self->first.top)
        return firn_fail(decoder, FIRN_DATA, "damaged before its first frame");
    make_palette(self);
    self->indices = malloc((size_t)self->first.width + 1);
    if (!self->indices) return firn_fail(decoder, FIRN_MEMORY, "no memory for a row");
    decoder->output.width = decoder->header.width;
    decoder->output.height = decoder->header.height;
    decoder->output.whole = true;
    return FIRN_OK;
}

/// The row of the frame at which its `n`th stored row stands.
static uint32_t interlaced_row(uint32_t n, uint32_t height) {
    static const struct { uint32_t first, step; } passes[] = {{0, 8}, {4, 8}, {2, 4}, {1, 2}};
    for (unsigned pass = 0; pass < 4; pass++) {
        uint32_t first = passes[pass].first, step = passes[pass].step;
        uint32_t rows = height > first ? (height - first + step - 1) / step : 0;
        if (n < rows) return first + n * step;
        n -= rows;
    }
    return 0;
}

static firn_status read_rows(
    firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    (void)rows;
    gif_decoder *self = (gif_decoder *)decoder;
    const frame *first = &self->first;
    unsigned bytes = self->layout == FIRN_LAYOUT_RGB ? 3 : 4;
    for (int n = 0; n < FRAME_ROWS_AT_ONCE && first->width && self->row < first->height; n++, self->row++) {
        if (DGifGetLine(self->gif, self->indices, (int)first->width) == GIF_ERROR) {
            int error = self->gif->Error;
            if (error == D_GIF_ERR_EOF_TOO_SOON || error == D_GIF_ERR_READ_FAILED)
                return firn_fail(decoder, FIRN_DATA, "cut short after row %u of %u", self->row, first->height);
            return fail_gif(self, error);
        }
        uint32_t y = first->top + (first->is_interlaced ? interlaced_row(self->row, first->height) : self->row);
        uint8_t *to = pixels + (size_t)y * stride + (size_t)first->left * bytes;
        for (uint32_t x = 0; x < first->width; x++, to += bytes) memcpy(to, self->palette[self->indices[x]], bytes);
    }
    if (first->width && self->row < first->height) return FIRN_OK;
    *done = decoder->header.height;
    return FIRN_END;
}

static void close_decoder(firn_decoder *decoder) {
    gif_decoder *self = (gif_decoder *)decoder;
    if (self->gif) DGifCloseFile(self->gif, NULL);
    free(self->durations.values);
    free(self->indices);
    free(self);
}

static const firn_codec_calls calls = {
    .close = close_decoder, .header = header, .start = start, .read = read_rows};

firn_decoder *firn_gif_open(void) {
    gif_decoder *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->base.calls = &calls;
    return &self->base;
}
