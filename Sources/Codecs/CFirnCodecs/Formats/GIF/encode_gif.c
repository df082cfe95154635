// GIF: frames with local palettes, cropped to the part that changed.
//
// A frame waits until the next one arrives, because only then is it known whether it must be cleared. Invariant:
// `shown` is the viewer's canvas before the waiting frame is drawn; pixels are 0xFFRRGGBB, or 0 if transparent.
//
// Source: GIF89a specification; the Netscape application extension for the number of plays.
#include <stdlib.h>
#include <string.h>

#include "../../Library/encode.h"
#include "lzw_write.h"
#include "quantize.h"

typedef struct {
    uint32_t left, top, width, height;
} area;

/// The colors of a frame: exact ones in a hash table, or those chosen by the quantizer.
typedef struct {
    uint32_t colors[256];
    int count;
    bool exact;
    uint16_t slots[1024];
} table;

typedef struct {
    firn_animation base;
    firn_gif_options options;
    firn_quantizer *quantizer;
    firn_bytes output;
    uint32_t *shown;
    uint32_t *waiting;
    uint32_t *coming;
    uint8_t *indices;
    /// The errors of the previous and the current row, three per pixel, with an extra pixel at each end.
    int16_t *errors[2];
    uint32_t duration;
    /// The remainder from rounding durations to hundredths of a second, in milliseconds.
    int32_t owed;
    /// The global color table.
    table global;
    int global_bits;
    bool has_head;
} gif_animation;

// MARK: Tables

static uint32_t slot_of(const table *colors, uint32_t color) {
    uint32_t slot = (color * 2654435761u) >> 22;
    while (colors->slots[slot] && colors->colors[colors->slots[slot] - 1] != color) slot = (slot + 1) & 1023;
    return slot;
}

/// Adds a color unless the table has it; returns false if the table already has `most` colors.
static bool insert(table *colors, uint32_t color, int most) {
    uint32_t slot = slot_of(colors, color);
    if (colors->slots[slot]) return true;
    if (colors->count == most) return false;
    colors->colors[colors->count++] = color;
    colors->slots[slot] = (uint16_t)colors->count;
    return true;
}

static bool is_drawn(const gif_animation *self, size_t pixel) {
    return self->waiting[pixel] && self->waiting[pixel] != self->shown[pixel];
}

/// Collects the colors drawn in `part`, exactly if there are few enough.
static void choose(gif_animation *self, area part, int most, table *colors) {
    memset(colors, 0, sizeof *colors);
    colors->exact = true;
    size_t width = self->base.canvas.width;
    for (uint32_t y = part.top; y < part.top + part.height && colors->exact; y++)
        for (uint32_t x = part.left; x < part.left + part.width && colors->exact; x++)
            if (is_drawn(self, width * y + x)) colors->exact = insert(colors, self->waiting[width * y + x], most);
    if (colors->exact) return;
    firn_quantizer_clear(self->quantizer);
    for (uint32_t y = part.top; y < part.top + part.height; y++)
        for (uint32_t x = part.left; x < part.left + part.width; x++)
            if (is_drawn(self, width * y + x)) firn_quantizer_add(self->quantizer, &self->waiting[width * y + x], 1);
    colors->count = firn_quantizer_choose(self->quantizer, most, colors->colors);
}

/// Returns whether the global table has all colors drawn in `part`.
static bool has_all(const gif_animation *self, area part) {
    if (!self->has_head || !self->global.exact) return false;
    size_t width = self->base.canvas.width;
    for (uint32_t y = part.top; y < part.top + part.height; y++)
        for (uint32_t x = part.left; x < part.left + part.width; x++)
            if (is_drawn(self, width * y + x)
                && !self->global.slots[slot_of(&self->global, self->waiting[width * y + x])])
                return false;
    return true;
}

// MARK: Indices

static int clamp(int value) { return value < 0 ? 0 : value > 255 ? 255 : value; }

/// Returns a threshold from -15 to 16, from a pattern in which neighbors differ as much as possible.
static int pattern(uint32_t x, uint32_t y) {
    uint32_t mixed = x ^ y, value = 0;
    for (int bit = 0; bit < 3; bit++) value |= (mixed >> bit & 1) << (5 - 2 * bit) | (y >> bit & 1) << (4 - 2 * bit);
    return (int)value / 2 - 15;
}

/// Returns the color nearest to a pixel plus its neighbors' errors, and passes on its own error.
static uint8_t diffused(gif_animation *self, const table *colors, uint32_t color, size_t at, int step) {
    int16_t *here = self->errors[0] + 3 * at, *below = self->errors[1] + 3 * at;
    int wanted[3];
    for (int i = 0; i < 3; i++) {
        int own = (int)(color >> (16 - 8 * i) & 255);
        wanted[i] = clamp(own + (here[i] + (here[i] < 0 ? -8 : 8)) / 16);
    }
    uint8_t index = firn_quantizer_nearest(self->quantizer, wanted[0], wanted[1], wanted[2]);
    for (int i = 0; i < 3; i++) {
        int error = wanted[i] - (int)(colors->colors[index] >> (16 - 8 * i) & 255);
        here[3 * step + i] = (int16_t)(here[3 * step + i] + 7 * error);
        below[-3 * step + i] = (int16_t)(below[-3 * step + i] + 3 * error);
        below[i] = (int16_t)(below[i] + 5 * error);
        below[3 * step + i] = (int16_t)(below[3 * step + i] + error);
    }
    return index;
}

static uint8_t index_of(gif_animation *self, const table *colors, uint32_t x, uint32_t y, size_t at, int step) {
    uint32_t color = self->waiting[(size_t)self->base.canvas.width * y + x];
    if (colors->exact) return (uint8_t)(colors->slots[slot_of(colors, color)] - 1);
    int red = color >> 16 & 255, green = color >> 8 & 255, blue = color & 255;
    if (self->options.dithering == 1) return diffused(self, colors, color, at, step);
    if (self->options.dithering == 2) {
        // With more colors, the steps between them are smaller.
        int shift = pattern(x, y) / (colors->count > 128 ? 3 : colors->count > 32 ? 2 : 1);
        red = clamp(red + shift);
        green = clamp(green + shift);
        blue = clamp(blue + shift);
    }
    return firn_quantizer_nearest(self->quantizer, red, green, blue);
}

/// Computes the indices of `part`, alternating the direction of rows, so that errors do not all drift one way.
static void map(gif_animation *self, area part, const table *colors, uint8_t transparent) {
    size_t row_bytes = ((size_t)part.width + 2) * 3 * sizeof(int16_t);
    memset(self->errors[0], 0, row_bytes);
    for (uint32_t row = 0; row < part.height; row++) {
        memset(self->errors[1], 0, row_bytes);
        int step = row % 2 ? -1 : 1;
        for (uint32_t i = 0; i < part.width; i++) {
            uint32_t column = step > 0 ? i : part.width - 1 - i;
            uint32_t x = part.left + column, y = part.top + row;
            self->indices[(size_t)part.width * row + column] =
                is_drawn(self, (size_t)self->base.canvas.width * y + x)
                ? index_of(self, colors, x, y, column + 1, step) : transparent;
        }
        int16_t *above = self->errors[0];
        self->errors[0] = self->errors[1];
        self->errors[1] = above;
    }
}

// MARK: Blocks

static int bits_for(int count) {
    int bits = 1;
    while (1 << bits < count) bits++;
    return bits;
}

static bool put_table(gif_animation *self, const table *colors, int bits) {
    uint8_t bytes[768] = {0};
    for (int i = 0; i < colors->count; i++)
        for (int part = 0; part < 3; part++)
            bytes[3 * i + part] = (uint8_t)(colors->colors[i] >> (16 - 8 * part));
    return firn_bytes_append(&self->output, bytes, (size_t)3 << bits);
}

static bool put_head(gif_animation *self, const table *colors, int bits) {
    const firn_canvas *canvas = &self->base.canvas;
    uint8_t head[13] = {'G', 'I', 'F', '8', '9', 'a', (uint8_t)canvas->width, (uint8_t)(canvas->width >> 8),
                        (uint8_t)canvas->height, (uint8_t)(canvas->height >> 8), (uint8_t)(0xF0 | (bits - 1)), 0, 0};
    if (!firn_bytes_append(&self->output, head, sizeof head) || !put_table(self, colors, bits)) return false;
    self->has_head = true;
    self->global = *colors;
    self->global_bits = bits;
    // A file without the extension is played once. The field counts additional plays.
    if (canvas->still || canvas->plays == 1) return true;
    uint32_t more = canvas->plays == 0 ? 0 : canvas->plays - 1 > 65535 ? 65535 : canvas->plays - 1;
    uint8_t loops[19] = {0x21, 0xFF, 11, 'N', 'E', 'T', 'S', 'C', 'A', 'P', 'E', '2', '.', '0', 3, 1,
                         (uint8_t)more, (uint8_t)(more >> 8), 0};
    return firn_bytes_append(&self->output, loops, sizeof loops);
}

/// Returns the duration of the waiting frame in hundredths of a second.
///
/// Viewers show frames of up to one hundredth for a tenth of a second. So a frame of more than 10 ms gets at least two
/// hundredths, and a shorter frame at most one.
static uint32_t take_duration(gif_animation *self) {
    int64_t exact = (int64_t)self->duration + self->owed;
    int64_t rounded = exact < 0 ? 0 : (exact + 5) / 10, stored = rounded;
    if (self->duration <= 10 && stored > 1) stored = 1;
    if (self->duration > 10 && stored < 2) stored = 2;
    if (stored > 65535) stored = 65535;
    self->owed = stored == rounded ? (int32_t)(exact - rounded * 10) : 0;
    return (uint32_t)stored;
}

static bool put_frame_head(gif_animation *self, area part, bool clears, bool local, int bits, int transparent) {
    uint32_t hundredths = self->base.canvas.still ? 0 : take_duration(self);
    if (hundredths || clears || transparent >= 0) {
        uint8_t control[8] = {0x21, 0xF9, 4, (uint8_t)((clears ? 2 : 1) << 2 | (transparent >= 0)),
                              (uint8_t)hundredths, (uint8_t)(hundredths >> 8),
                              (uint8_t)(transparent < 0 ? 0 : transparent), 0};
        if (!firn_bytes_append(&self->output, control, sizeof control)) return false;
    }
    uint8_t frame[10] = {0x2C, (uint8_t)part.left, (uint8_t)(part.left >> 8), (uint8_t)part.top,
                         (uint8_t)(part.top >> 8), (uint8_t)part.width, (uint8_t)(part.width >> 8),
                         (uint8_t)part.height, (uint8_t)(part.height >> 8),
                         (uint8_t)(local ? 0x80 | (bits - 1) : 0)};
    return firn_bytes_append(&self->output, frame, sizeof frame);
}

// MARK: Frames

/// Returns the area to draw, including everything to be cleared afterwards; one pixel if nothing changed.
static area changed(const gif_animation *self, bool clears) {
    uint32_t width = self->base.canvas.width, height = self->base.canvas.height;
    uint32_t left = width, top = height, right = 0, bottom = 0;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            size_t pixel = (size_t)width * y + x;
            if (!(clears ? self->waiting[pixel] != 0 : is_drawn(self, pixel))) continue;
            if (x < left) left = x;
            if (x >= right) right = x + 1;
            if (y < top) top = y;
            bottom = y + 1;
        }
    return right > left ? (area){left, top, right - left, bottom - top} : (area){0, 0, 1, 1};
}

/// Writes the waiting frame; viewers clear it afterwards if `clears`.
static bool put_waiting(gif_animation *self, bool clears) {
    area whole = {0, 0, self->base.canvas.width, self->base.canvas.height};
    area part = self->has_head ? changed(self, clears) : whole;
    bool kept = false;
    for (uint32_t y = part.top; y < part.top + part.height && !kept; y++)
        for (uint32_t x = part.left; x < part.left + part.width && !kept; x++)
            kept = !is_drawn(self, (size_t)whole.width * y + x);
    // One of the 256 indices is reserved for pixels that are not drawn.
    int most = self->options.colors - (kept ? 1 : 0);
    table colors;
    bool local = !has_all(self, part) || self->global.count > most;
    if (local)
        choose(self, part, most, &colors);
    else
        colors = self->global;
    int transparent = kept ? colors.count : -1;
    int bits = bits_for(colors.count + (kept ? 1 : 0));
    if (!self->has_head) {
        if (!put_head(self, &colors, bits)) return false;
        local = false;
    } else if (!local) {
        // The global table may have no room for the reserved index.
        local = bits > self->global_bits;
        if (!local) bits = self->global_bits;
    }
    if (!put_frame_head(self, part, clears, local, bits, transparent)) return false;
    if (local && !put_table(self, &colors, bits)) return false;
    map(self, part, &colors, (uint8_t)(transparent < 0 ? 0 : transparent));
    return firn_lzw_append(
        &self->output, self->indices, (size_t)part.width * part.height, bits < 2 ? 2 : bits);
}

static bool add_frame(
    firn_animation *animation, const firn_image *image, uint32_t milliseconds, firn_encoded *encoded
) {
    gif_animation *self = (gif_animation *)animation;
    size_t width = image->width, count = width * image->height;
    for (uint32_t y = 0; y < image->height; y++) firn_source_words(image, y, self->coming + width * y);
    bool clears = false;
    for (size_t i = 0; i < count; i++) {
        // GIF has no partial transparency.
        self->coming[i] = self->coming[i] >> 31 ? self->coming[i] | 0xFF000000 : 0;
        clears |= !self->coming[i] && self->waiting[i];
    }
    if (animation->count > 0) {
        if (!put_waiting(self, clears)) return firn_encoded_no_memory(encoded, &self->output);
        if (firn_is_cancelled(image)) return firn_encoded_cancel(encoded, &self->output);
        uint32_t *before = self->shown;
        self->shown = self->waiting;
        self->waiting = before;
        if (clears) memset(self->shown, 0, count * sizeof *self->shown);
    }
    uint32_t *free_one = self->waiting;
    self->waiting = self->coming;
    self->coming = free_one;
    self->duration = milliseconds;
    return true;
}

static bool finish(firn_animation *animation, firn_encoded *encoded) {
    gif_animation *self = (gif_animation *)animation;
    uint8_t end = 0x3B;
    if (!put_waiting(self, false) || !firn_bytes_append(&self->output, &end, 1))
        return firn_encoded_no_memory(encoded, &self->output);
    return firn_encoded_finish(encoded, &self->output);
}

static void release(firn_animation *animation) {
    gif_animation *self = (gif_animation *)animation;
    firn_quantizer_close(self->quantizer);
    free(self->output.bytes);
    free(self->shown);
    free(self->waiting);
    free(self->coming);
    free(self->indices);
    free(self->errors[0]);
    free(self->errors[1]);
}

static const firn_animation_calls calls = {
    .state_bytes = sizeof(gif_animation), .add = add_frame, .finish = finish, .release = release};

firn_animation *firn_animation_gif(
    const firn_canvas *canvas, const firn_gif_options *options, firn_encoded *encoded
) {
    gif_animation *self = firn_animation_create(&calls, canvas, encoded);
    if (!self) return NULL;
    size_t count = (size_t)canvas->width * canvas->height, row = ((size_t)canvas->width + 2) * 3;
    self->options = *options;
    self->quantizer = firn_quantizer_open();
    self->shown = calloc(count, sizeof *self->shown);
    self->waiting = calloc(count, sizeof *self->waiting);
    self->coming = calloc(count, sizeof *self->coming);
    self->indices = malloc(count);
    self->errors[0] = calloc(row, sizeof(int16_t));
    self->errors[1] = calloc(row, sizeof(int16_t));
    if (!self->quantizer || !self->shown || !self->waiting || !self->coming || !self->indices || !self->errors[0]
        || !self->errors[1])
        return firn_animation_no_memory(&self->base, encoded);
    return &self->base;
}
