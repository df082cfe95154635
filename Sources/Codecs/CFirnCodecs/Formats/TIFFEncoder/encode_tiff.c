// TIFF, without libtiff: one page of RGB or RGBA with straight alpha, 8 or 16 bits, in strips compressed by zlib after
// horizontal differencing. Little-endian.
//
// Source: TIFF revision 6.0, sections 2, 7, 8, 14, 18; Adobe Photoshop TIFF technical notes (2002) for Deflate; ICC.1
// annex B.3 for the profile.
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "../../Library/encode.h"
#include "../../Library/fields.h"

enum { HEADER = 8, ENTRY = 12, MOST_ENTRIES = 18 };
enum { SHORT = 3, LONG = 4, RATIONAL = 5, UNDEFINED = 7 };
/// The size of a strip before compression, in bytes, unless a row is longer: readers hold one strip at a time.
enum { STRIP_BYTES = 1 << 18 };

static const char too_long[] = "a TIFF file has at most 4 GiB";

/// The state of a file being written.
typedef struct {
    const firn_image *image;
    firn_bytes output;
    size_t samples;
    /// The number of bytes of a sample, 1 or 2.
    size_t depth;
    size_t row_bytes;
    uint32_t strip_rows;
    uint32_t strips;
    /// The offsets of the strips, then their lengths.
    uint32_t *places;
    /// A strip before compression.
    uint8_t *rows;
    firn_encode_fault fault;
    const char *message;
} writing;

static bool fail(writing *state, firn_encode_fault fault, const char *message) {
    state->fault = fault;
    state->message = message;
    return false;
}

static bool no_memory(writing *state) { return fail(state, FIRN_ENCODE_LIMIT, "there is no memory"); }

/// Replaces each sample of a row with its difference from the previous sample of the same color.
static void difference(const writing *state, uint8_t *row) {
    size_t back = state->samples * state->depth;
    for (size_t at = state->row_bytes - state->depth; at >= back; at -= state->depth) {
        if (state->depth == 1) {
            row[at] = (uint8_t)(row[at] - row[at - back]);
            continue;
        }
        uint32_t own = row[at] | (uint32_t)row[at + 1] << 8;
        uint32_t before = row[at - back] | (uint32_t)row[at - back + 1] << 8;
        firn_put16(row + at, own - before);
    }
}

static void stored_row(const writing *state, uint32_t y, uint8_t *row) {
    if (state->depth == 1) {
        firn_source_row(state->image, y, row);
    } else {
        const uint8_t *source = state->image->pixels + state->image->stride * y;
        for (size_t x = 0; x < state->image->width; x++) {
            for (size_t i = 0; i < state->samples; i++, row += 2) {
                uint16_t word;
                memcpy(&word, source + 8 * x + 2 * i, 2);
                firn_put16(row, word);
            }
        }
        row -= state->row_bytes;
    }
    difference(state, row);
}

/// Compresses one strip to the end of the file.
static bool write_strip(writing *state, uint32_t strip, int level) {
    uint32_t first = strip * state->strip_rows;
    uint32_t count = state->image->height - first;
    if (count > state->strip_rows) count = state->strip_rows;
    for (uint32_t y = 0; y < count; y++) {
        if (y % 16 == 0 && firn_is_cancelled(state->image))
            return fail(state, FIRN_ENCODE_CANCELLED, "encoding was cancelled");
        stored_row(state, first + y, state->rows + state->row_bytes * y);
    }
    uLong bytes = (uLong)(state->row_bytes * count);
    uLongf room = compressBound(bytes);
    if (!firn_bytes_reserve(&state->output, room)) return no_memory(state);
    if (compress2(state->output.bytes + state->output.length, &room, state->rows, bytes, level) != Z_OK)
        return no_memory(state);
    // Leaves room for the directory and the profile, which follow.
    if (state->output.length + room > UINT32_MAX) return fail(state, FIRN_ENCODE_LIMIT, too_long);
    state->places[strip] = (uint32_t)state->output.length;
    state->places[state->strips + strip] = (uint32_t)room;
    state->output.length += room;
    return true;
}

/// A directory being written, and the end of the file after it, where longer values go.
typedef struct {
    writing *state;
    uint8_t entries[MOST_ENTRIES * ENTRY];
    uint32_t count;
} directory;

static uint8_t *add(directory *list, uint32_t tag, uint32_t type, uint32_t count) {
    uint8_t *entry = list->entries + ENTRY * list->count++;
    memset(entry, 0, ENTRY);
    firn_put16(entry, tag);
    firn_put16(entry + 2, type);
    firn_put32(entry + 4, count);
    return entry + 8;
}

static void add_short(directory *list, uint32_t tag, uint32_t value) { firn_put16(add(list, tag, SHORT, 1), value); }

static void add_long(directory *list, uint32_t tag, uint32_t value) { firn_put32(add(list, tag, LONG, 1), value); }

/// Adds a value longer than an entry: its bytes are appended to the file at an even offset.
static bool add_bytes(
    directory *list, uint32_t tag, uint32_t type, size_t count, const uint8_t *bytes, size_t length
) {
    firn_bytes *output = &list->state->output;
    if (length > UINT32_MAX || output->length + 1 > UINT32_MAX - length)
        return fail(list->state, FIRN_ENCODE_LIMIT, too_long);
    if (output->length % 2 == 1 && !firn_bytes_append(output, "", 1)) return no_memory(list->state);
    firn_put32(add(list, tag, type, (uint32_t)count), (uint32_t)output->length);
    return firn_bytes_append(output, bytes, length) || no_memory(list->state);
}

/// Adds the offsets or lengths of strips.
static bool add_places(directory *list, uint32_t tag, const uint32_t *places) {
    writing *state = list->state;
    if (state->strips == 1) {
        add_long(list, tag, places[0]);
        return true;
    }
    uint8_t *bytes = malloc((size_t)state->strips * 4);
    if (!bytes) return no_memory(state);
    for (uint32_t i = 0; i < state->strips; i++) firn_put32(bytes + 4 * (size_t)i, places[i]);
    bool done = add_bytes(list, tag, LONG, state->strips, bytes, (size_t)state->strips * 4);
    free(bytes);
    return done;
}

/// Adds a number for each sample.
static bool add_depths(directory *list, uint32_t tag) {
    uint8_t bytes[8];
    for (size_t i = 0; i < list->state->samples; i++) firn_put16(bytes + 2 * i, (uint32_t)list->state->depth * 8);
    return add_bytes(list, tag, SHORT, list->state->samples, bytes, 2 * list->state->samples);
}

/// Adds a number of pixels per inch; 1, without a unit, if unknown, because baseline readers may require it.
static bool add_resolution(directory *list, uint32_t tag, double pixels) {
    uint8_t bytes[8];
    bool is_known = firn_has_resolution(list->state->image);
    bool is_whole = !is_known || pixels == (double)(uint32_t)pixels;
    firn_put32(bytes, is_known ? (uint32_t)(pixels * (is_whole ? 1 : 1000) + 0.5) : 1);
    firn_put32(bytes + 4, is_whole ? 1 : 1000);
    return add_bytes(list, tag, RATIONAL, 1, bytes, sizeof bytes);
}

static bool write_directory(writing *state) {
    directory list = {.state = state};
    const firn_image *image = state->image;
    // Order: by tag.
    add_long(&list, 256, image->width);
    add_long(&list, 257, image->height);
    if (!add_depths(&list, 258)) return false;
    add_short(&list, 259, 8);  // Deflate
    add_short(&list, 262, 2);  // RGB
    if (!add_places(&list, 273, state->places)) return false;
    add_short(&list, 277, (uint32_t)state->samples);
    add_long(&list, 278, state->strip_rows);
    if (!add_places(&list, 279, state->places + state->strips)) return false;
    if (!add_resolution(&list, 282, image->resolution_x)) return false;
    if (!add_resolution(&list, 283, image->resolution_y)) return false;
    add_short(&list, 284, 1);  // samples of a pixel beside each other
    add_short(&list, 296, firn_has_resolution(image) ? 2 : 1);  // inch, or no unit
    add_short(&list, 317, 2);  // horizontal differencing
    if (state->samples == 4) add_short(&list, 338, 2);  // straight alpha
    if (image->icc_length > 0
        && !add_bytes(&list, 34675, UNDEFINED, image->icc_length, image->icc, image->icc_length))
        return false;
    firn_bytes *output = &state->output;
    if (output->length % 2 == 1 && !firn_bytes_append(output, "", 1)) return no_memory(state);
    if (output->length > UINT32_MAX - 1024) return fail(state, FIRN_ENCODE_LIMIT, too_long);
    uint8_t number[4] = {0};
    uint32_t start = (uint32_t)output->length;
    firn_put16(number, list.count);
    if (!firn_bytes_append(output, number, 2) || !firn_bytes_append(output, list.entries, ENTRY * list.count))
        return no_memory(state);
    memset(number, 0, sizeof number);
    if (!firn_bytes_append(output, number, 4)) return no_memory(state);
    firn_put32(output->bytes + 4, start);
    return true;
}

static bool write_file(writing *state, int level) {
    static const uint8_t head[HEADER] = {'I', 'I', 42, 0};
    if (!state->places || !state->rows || !firn_bytes_append(&state->output, head, HEADER)) return no_memory(state);
    for (uint32_t strip = 0; strip < state->strips; strip++) {
        if (!write_strip(state, strip, level)) return false;
    }
    return write_directory(state);
}

bool firn_encode_tiff(const firn_image *image, int level, firn_encoded *encoded) {
    writing state = {.image = image, .samples = image->opaque ? 3 : 4, .depth = 1};
    if (image->width == 0 || image->height == 0)
        return firn_encoded_fail(encoded, &state.output, FIRN_ENCODE_IMAGE, "the image has no pixels");
    if (image->layout == FIRN_SOURCE_RGBA_HALF)
        return firn_encoded_fail(encoded, &state.output, FIRN_ENCODE_IMAGE, "no floating numbers are written");
    if (image->layout == FIRN_SOURCE_RGBA16_STRAIGHT) state.depth = 2;
    state.row_bytes = state.samples * state.depth * image->width;
    state.strip_rows = (uint32_t)(STRIP_BYTES / state.row_bytes);
    if (state.strip_rows < 1) state.strip_rows = 1;
    if (state.strip_rows > image->height) state.strip_rows = image->height;
    state.strips = (image->height - 1) / state.strip_rows + 1;
    state.places = calloc(state.strips, 2 * sizeof(uint32_t));
    state.rows = malloc(state.row_bytes * state.strip_rows);
    bool done = write_file(&state, level);
    free(state.places);
    free(state.rows);
    if (done) return firn_encoded_finish(encoded, &state.output);
    return firn_encoded_fail(encoded, &state.output, state.fault, state.message);
}
