// Non-interlaced PNG images with samples of at most 8 bits.
//
// A chunk reader passes the bytes of IDAT to ISA-L, which writes filtered rows to a buffer of several rows. Filters are
// undone in place when the caller requests rows, so rows without room are not decoded.
//
// Handles damage like libpng: rows before it are returned; a wrong checksum of IDAT is an error; other chunks before
// the pixels with wrong checksums are ignored; so is everything after the last row.
//
// Source: PNG (third edition) §5.3 (chunks), §9 (filters), §10 (compression); isa-l/igzip_lib.h.
#include "png_plain.h"

#ifdef FIRN_ISAL

#include <stdlib.h>
#include <string.h>

#include <isa-l/crc.h>

#include "firn_unfilter.h"
#include "png_inflate.h"
#include "png_samples.h"

enum { CHUNK_HEAD = 8, SUM = 4, MOST_KEPT = 768, BUFFERED = 128 << 10 };

typedef enum { HEAD, BODY, END } place;

struct firn_png_plain {
    firn_png_samples samples;
    uint32_t width;
    uint32_t height;
    /// The length of a row without its filter byte; and of a whole pixel, at least 1.
    size_t row_bytes;
    unsigned step;

    /// The current chunk of the input: its next part, and the checksum so far.
    place place;
    char type[4];
    uint32_t left;
    uint32_t sum;
    /// The content of a palette or transparency chunk read so far.
    uint8_t kept[MOST_KEPT];
    uint32_t kept_length;
    bool has_palette;
    uint32_t palette_entries;
    bool is_in_pixels;
    bool at_end;

    /// Inflated, filtered rows: bytes from `next` to `filled`, out of `capacity`. The row above `next` is already
    /// unfiltered: it precedes `next` in the buffer, or is `above` at the start of the buffer.
    uint8_t *buffer;
    size_t capacity;
    size_t next;
    size_t filled;
    uint8_t *above;
    uint32_t rows;
    /// A failure to report after all rows before it.
    firn_status failure;

    firn_png_inflate inflate;
};

static uint32_t big_endian(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

bool firn_png_plain_reads(const uint8_t *header, firn_layout layout) {
    uint8_t depth = header[8], type = header[9];
    bool is_known = type == 0 || type == 3   ? depth == 1 || depth == 2 || depth == 4 || depth == 8
                    : type == 2 || type == 4 || type == 6 ? depth == 8
                                                          : false;
    bool is_layout = layout == FIRN_LAYOUT_RGB || layout == FIRN_LAYOUT_RGBA || layout == FIRN_LAYOUT_BGRA;
    return is_known && is_layout && !header[10] && !header[11] && !header[12];
}

firn_png_plain *firn_png_plain_open(const uint8_t *header, firn_layout layout) {
    static const unsigned channels[7] = {1, 0, 3, 1, 2, 0, 4};
    // Zeroed like the buffer below: even if ISA-L counts unwritten bytes, no other memory is shown.
    firn_png_plain *plain = calloc(1, sizeof *plain);
    if (!plain) return NULL;
    plain->width = big_endian(header);
    plain->height = big_endian(header + 4);
    plain->samples.depth = header[8];
    plain->samples.type = header[9];
    plain->samples.layout = layout;
    firn_png_samples_start(&plain->samples);
    // The width is below 2^31, and a pixel has at most four bytes.
    size_t bits = channels[header[9]] * (size_t)header[8];
    plain->row_bytes = (plain->width * bits + 7) / 8;
    plain->step = bits < 8 ? 1 : (unsigned)(bits / 8);
    size_t stored = plain->row_bytes + 1, rows = stored < BUFFERED ? BUFFERED / stored : 1;
    if (rows > plain->height) rows = plain->height;
    plain->capacity = rows * stored;
    plain->buffer = calloc(1, plain->capacity);
    plain->above = calloc(1, plain->row_bytes);
    if (!plain->buffer || !plain->above) {
        firn_png_plain_close(plain);
        return NULL;
    }
    firn_png_inflate_start(&plain->inflate);
    return plain;
}

void firn_png_plain_close(firn_png_plain *plain) {
    if (!plain) return;
    firn_png_inflate_release(&plain->inflate);
    free(plain->buffer);
    free(plain->above);
    free(plain);
}

static bool is(const firn_png_plain *self, const char *type) { return !memcmp(self->type, type, 4); }

// MARK: Chunks

/// Starts the chunk whose length and type are at the front of the input.
static firn_status begin_chunk(firn_png_plain *self, firn_decoder *decoder) {
    const uint8_t *head = decoder->input.bytes;
    uint32_t length = big_endian(head);
    memcpy(self->type, head + 4, 4);
    if (length > INT32_MAX) return firn_fail(decoder, FIRN_DATA, "has a chunk of %u bytes", length);
    self->left = length;
    self->sum = crc32_gzip_refl(0, (const unsigned char *)self->type, 4);
    self->kept_length = 0;
    self->place = BODY;
    firn_input_skip(&decoder->input, CHUNK_HEAD);
    if (is(self, "IDAT")) {
        if (self->samples.type == 3 && !self->has_palette)
            return firn_fail(decoder, FIRN_DATA, "has no palette before its pixels");
        self->is_in_pixels = true;
    } else if (is(self, "IEND")) {
        self->at_end = true;
    } else if (self->is_in_pixels && !self->inflate.is_over) {
        return firn_fail(decoder, FIRN_DATA, "has other chunks among those of its pixels");
    }
    return FIRN_OK;
}

/// Ends the chunk whose checksum is at the front of the input.
static firn_status end_chunk(firn_png_plain *self, firn_decoder *decoder) {
    bool is_sound = big_endian(decoder->input.bytes) == self->sum;
    firn_input_skip(&decoder->input, SUM);
    self->place = HEAD;
    if (is(self, "PLTE")) {
        if (self->samples.type != 3) return FIRN_OK;
        if (!is_sound) return firn_fail(decoder, FIRN_DATA, "wrong checksum of the palette");
        if (!self->kept_length || self->kept_length % 3 || self->kept_length > MOST_KEPT || self->has_palette)
            return firn_fail(decoder, FIRN_DATA, "damaged palette");
        self->has_palette = true;
        self->palette_entries = self->kept_length / 3;
        firn_png_palette(&self->samples, self->kept, self->kept_length);
    } else if (is(self, "tRNS") && is_sound && !self->is_in_pixels) {
        uint32_t length = self->kept_length;
        bool is_fit = self->samples.type == 3   ? length && length <= self->palette_entries
                      : self->samples.type == 0 ? length == 2
                                                : length == 6;
        if (is_fit) firn_png_transparency(&self->samples, self->kept, length);
    } else if (is(self, "IDAT") && !is_sound) {
        return firn_fail(decoder, FIRN_DATA, "wrong checksum of the pixels");
    }
    return FIRN_OK;
}

/// Stores `count` bytes of a chunk for later, at most as many as a palette has.
static void keep(firn_png_plain *self, const uint8_t *bytes, size_t count) {
    if (self->kept_length < MOST_KEPT) {
        size_t room = MOST_KEPT - self->kept_length;
        memcpy(self->kept + self->kept_length, bytes, count < room ? count : room);
    }
    self->kept_length += (uint32_t)count;
}

// MARK: Rows

/// Inflates at most `count` bytes of input; sets `taken` to the number used. Without input, inflates bytes that ISA-L
/// holds: it may have read everything when the buffer was full before the last pixel.
static firn_status inflate_some(firn_png_plain *self, firn_decoder *decoder, size_t count, size_t *taken) {
    if (self->inflate.is_over && !self->inflate.damage) {
        *taken = count;
        return FIRN_OK;
    }
    size_t made = 0;
    firn_inflated result = firn_png_inflate_some(
        &self->inflate, decoder->input.bytes, count, taken, self->buffer + self->filled, self->capacity - self->filled,
        &made);
    self->filled += made;
    switch (result) {
    case FIRN_INFLATE_OK: return FIRN_OK;
    case FIRN_INFLATE_NO_MEMORY: return firn_fail(decoder, FIRN_MEMORY, "no memory for rows");
    case FIRN_INFLATE_WRONG_SUM: return firn_fail(decoder, FIRN_DATA, "wrong checksum of the rows");
    default: return firn_fail(decoder, FIRN_DATA, "damaged pixels");
    }
}

/// Moves the remaining rows to the start of the buffer.
static void make_room(firn_png_plain *self) {
    if (!self->next) return;
    memcpy(self->above, self->buffer + self->next - self->row_bytes, self->row_bytes);
    memmove(self->buffer, self->buffer + self->next, self->filled - self->next);
    self->filled -= self->next;
    self->next = 0;
}

/// Reads chunks until a row is complete or input runs out. `budget` is the maximum number of bytes to take.
static firn_status fill(firn_png_plain *self, firn_decoder *decoder, size_t *budget) {
    firn_input *input = &decoder->input;
    make_room(self);
    firn_status status = FIRN_OK;
    while (!status && self->filled <= self->row_bytes && *budget && !self->at_end) {
        if (self->inflate.holds_bytes) {
            // Order: before the next chunk, which may be the last one.
            size_t taken;
            status = inflate_some(self, decoder, 0, &taken);
        } else if (self->place == HEAD) {
            if (input->length < CHUNK_HEAD) break;
            status = begin_chunk(self, decoder);
        } else if (!self->left) {
            if (input->length < SUM) break;
            status = end_chunk(self, decoder);
        } else {
            size_t count = self->left < input->length ? self->left : input->length, taken = count;
            if (count > *budget) count = taken = *budget;
            if (!count) break;
            if (is(self, "IDAT"))
                status = inflate_some(self, decoder, count, &taken);
            else if (is(self, "PLTE") || is(self, "tRNS"))
                keep(self, input->bytes, count);
            if (status) break;
            self->sum = crc32_gzip_refl(self->sum, input->bytes, taken);
            firn_input_skip(input, taken);
            self->left -= (uint32_t)taken;
            *budget -= taken;
        }
    }
    return status;
}

/// Writes the next, complete row to `pixels`.
static firn_status take_row(firn_png_plain *self, firn_decoder *decoder, uint8_t *pixels) {
    uint8_t *row = self->buffer + self->next + 1;
    const uint8_t *above = self->next ? row - 1 - self->row_bytes : self->above;
    if (!firn_unfilter(row, above, self->row_bytes, self->step, row[-1]))
        return firn_fail(decoder, FIRN_DATA, "has a row with the unknown filter %u", row[-1]);
    firn_png_samples_write(&self->samples, row, pixels, self->width);
    self->next += self->row_bytes + 1;
    self->rows++;
    return FIRN_OK;
}

firn_status firn_png_plain_read(
    firn_png_plain *self, firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    size_t budget = FIRN_PNG_BYTES_AT_ONCE;
    uint32_t made = 0;
    while (made < rows && self->rows < self->height) {
        if (self->filled - self->next > self->row_bytes) {
            // Rows that were complete before any damage come first.
            firn_status status = take_row(self, decoder, pixels + made * stride);
            if (status) {
                self->failure = status;
                self->filled = self->next;
            } else {
                made++;
            }
        } else if (!self->failure && budget && !self->at_end) {
            size_t length = decoder->input.length, filled = self->filled - self->next;
            self->failure = fill(self, decoder, &budget);
            if (!self->failure && decoder->input.length == length && self->filled == filled) break;
        } else {
            break;
        }
    }
    *done = made;
    decoder->failure = FIRN_OK;
    if (self->rows == self->height) return FIRN_END;
    if (made) return FIRN_OK;
    if (self->failure) return decoder->failure = self->failure;
    if (self->at_end) return firn_fail(decoder, FIRN_DATA, "has pixels for %u rows of %u", self->rows, self->height);
    if (!budget) return FIRN_OK;
    if (decoder->input.last)
        return firn_fail(decoder, FIRN_DATA, "cut short after row %u of %u", self->rows, self->height);
    return FIRN_NEED_DATA;
}

#else

bool firn_png_plain_reads(const uint8_t *header, firn_layout layout) {
    (void)header;
    (void)layout;
    return false;
}

firn_png_plain *firn_png_plain_open(const uint8_t *header, firn_layout layout) {
    (void)header;
    (void)layout;
    return NULL;
}

void firn_png_plain_close(firn_png_plain *plain) { (void)plain; }

firn_status firn_png_plain_read(
    firn_png_plain *plain, firn_decoder *decoder, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    (void)plain;
    (void)pixels;
    (void)stride;
    (void)rows;
    *done = 0;
    return firn_fail(decoder, FIRN_UNSUPPORTED, "PNG is read by libpng here");
}

#endif
