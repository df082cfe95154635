// Averages luma and chroma of a lossy WebP before they become pixels.
//
// libwebp scales with loops that take a sample at a time, which is a sixth of the time of a thumbnail. It writes whole
// planes faster than that, and no pixel is converted that disappears in an average. As in libwebp's own result, each
// new sample is the average of the area that it covers: columns of the rows are added up first, then their sums.
//
// Source: Foley, van Dam et al., "Computer Graphics: Principles and Practice", unweighted area sampling; ITU-R BT.601
// for the colors, with the fixed-point numbers of libwebp's dsp/yuv.h, so that a flat color is the same at every size.
#include "webp_planes.h"

#include <stdlib.h>

/// The most rows that a new row covers, so that a column's sum has 16 bits; and the most bytes of the planes, those of
/// 22 megapixels.
enum { MOST_ROWS = 250, MOST_BYTES = 32 << 20 };

/// The columns that are added up at once.
enum { BLOCK = 64 };

/// The start of a new row or column: in the old one `index`, of which `part` 256ths belong to the new one before.
typedef struct {
    uint32_t index, part;
} edge;

typedef struct {
    uint8_t *samples;
    uint32_t width, height;
    /// The edges of the new columns.
    edge *edges;
    /// The new row.
    uint8_t *line;
} plane;

struct firn_webp_planes {
    /// Luma, then the blue and red differences.
    plane planes[3];
    uint8_t *memory;
    size_t bytes;
    /// A sum for each column of luma, and the sum of all columns before each one.
    uint16_t *sums;
    uint32_t *totals;
    uint32_t new_width, new_height;
    uint32_t done;
};

static edge edge_of(uint32_t place, uint32_t size, uint32_t new_size) {
    uint64_t position = (uint64_t)place * size;
    return (edge){(uint32_t)(position / new_size), (uint32_t)(position % new_size * 256 / new_size)};
}

/// Returns the bytes of luma and of both planes of chroma.
static size_t bytes_of(uint32_t width, uint32_t height) {
    return (size_t)width * height + 2 * (size_t)((width + 1) / 2) * ((height + 1) / 2);
}

bool firn_webp_planes_suit(uint32_t width, uint32_t height, uint32_t new_width, uint32_t new_height) {
    return new_width && new_height && new_width <= width / 2 && new_height <= height / 2
        && height / new_height < MOST_ROWS && bytes_of(width, height) <= MOST_BYTES;
}

firn_webp_planes *firn_webp_planes_make(uint32_t width, uint32_t height, uint32_t new_width, uint32_t new_height) {
    firn_webp_planes *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->new_width = new_width;
    self->new_height = new_height;
    self->sums = calloc(width, sizeof *self->sums);
    self->totals = calloc((size_t)width + 1, sizeof *self->totals);
    edge *edges = self->planes[0].edges = malloc(((size_t)new_width + 1) * 2 * sizeof *edges);
    uint8_t *lines = self->planes[0].line = malloc((size_t)new_width * 3);
    self->bytes = bytes_of(width, height);
    // Order: not zeroed, since rows are read once libwebp has written them. Memory that the allocator has kept from an
    // image before costs no page faults, which take longer than the averaging.
    self->memory = malloc(self->bytes);
    if (!self->sums || !self->totals || !edges || !lines || !self->memory) {
        firn_webp_planes_free(self);
        return NULL;
    }
    uint8_t *next = self->memory;
    for (int i = 0; i < 3; i++) {
        plane *plane = &self->planes[i];
        plane->width = i ? (width + 1) / 2 : width;
        plane->height = i ? (height + 1) / 2 : height;
        plane->samples = next;
        plane->line = lines + (size_t)i * new_width;
        plane->edges = edges + (i ? new_width + 1 : 0);
        for (uint32_t x = 0; x <= new_width && i < 2; x++) plane->edges[x] = edge_of(x, plane->width, new_width);
        next += (size_t)plane->width * plane->height;
    }
    return self;
}

void firn_webp_planes_free(firn_webp_planes *self) {
    if (!self) return;
    free(self->sums);
    free(self->totals);
    free(self->planes[0].edges);
    free(self->planes[0].line);
    free(self->memory);
    free(self);
}

void firn_webp_planes_lend(const firn_webp_planes *self, WebPYUVABuffer *buffer) {
    const plane *light = &self->planes[0], *blue = &self->planes[1], *red = &self->planes[2];
    // Sides have 14 bits.
    buffer->y = light->samples;
    buffer->y_stride = (int)light->width;
    buffer->y_size = (size_t)light->width * light->height;
    buffer->u = blue->samples;
    buffer->v = red->samples;
    buffer->u_stride = buffer->v_stride = (int)blue->width;
    buffer->u_size = buffer->v_size = (size_t)blue->width * blue->height;
}

/// Adds up `count` columns, at most a block, from one edge to another.
static inline void add_block(
    uint16_t *restrict sums, const uint8_t *restrict first, size_t stride, uint32_t rows, uint32_t before,
    uint32_t after, size_t count) {
    uint16_t whole = (uint16_t)(256 - before), part = (uint16_t)after;
    // Order: the casts to 16 bits come before the shifts, so that vectors of 16 bits are enough.
    for (size_t x = 0; x < count; x++) sums[x] = (uint16_t)((uint16_t)(first[x] * whole + 128) >> 8);
    const uint8_t *row = first + stride;
    for (uint32_t y = 1; y < rows; y++, row += stride)
        for (size_t x = 0; x < count; x++) sums[x] = (uint16_t)(sums[x] + row[x]);
    if (part)
        for (size_t x = 0; x < count; x++)
            sums[x] = (uint16_t)(sums[x] + (uint16_t)((uint16_t)(row[x] * part + 128) >> 8));
}

/// Averages the rows between two edges to `plane->line`.
static void average(const firn_webp_planes *self, const plane *plane, edge top, edge bottom) {
    const uint8_t *first = plane->samples + (size_t)top.index * plane->width;
    uint32_t rows = bottom.index - top.index, width = plane->width, x = 0;
    for (; x + BLOCK <= width; x += BLOCK)
        add_block(self->sums + x, first + x, width, rows, top.part, bottom.part, BLOCK);
    if (x < width) add_block(self->sums + x, first + x, width, rows, top.part, bottom.part, width - x);
    uint32_t total = 0;
    for (x = 0; x < width; x++) self->totals[x + 1] = total += self->sums[x];
    float scale = (float)((double)self->new_width / width * self->new_height / plane->height);
    float before = 0;
    for (uint32_t column = 0; column < self->new_width; column++) {
        edge right = plane->edges[column + 1];
        // The image's own edge has no part: nothing beyond it counts.
        float part = right.part ? (float)(self->sums[right.index] * right.part) * (1 / 256.0f) : 0;
        float value = (float)(self->totals[right.index] - self->totals[plane->edges[column].index]) + part - before;
        value = value * scale + 0.5f;
        plane->line[column] = value < 255 ? (uint8_t)value : 255;
        before = part;
    }
}

/// Returns the byte of a color component that has 6 bits of fraction.
static inline uint8_t byte_of(int value) { return value < 0 ? 0 : value >= 256 << 6 ? 255 : (uint8_t)(value >> 6); }

static void convert(const firn_webp_planes *self, firn_layout layout, uint8_t *pixels) {
    const uint8_t *light = self->planes[0].line, *blue = self->planes[1].line, *red = self->planes[2].line;
    uint32_t size = layout == FIRN_LAYOUT_RGB ? 3 : 4, last = layout == FIRN_LAYOUT_BGRA ? 0 : 2;
    for (uint32_t x = 0; x < self->new_width; x++, pixels += size) {
        int y = light[x] * 19077 >> 8, u = blue[x], v = red[x];
        pixels[2 - last] = byte_of(y + (v * 26149 >> 8) - 14234);
        pixels[1] = byte_of(y - (u * 6419 >> 8) - (v * 13320 >> 8) + 8708);
        pixels[last] = byte_of(y + (u * 33050 >> 8) - 17685);
        if (size == 4) pixels[3] = 255;
    }
}

uint32_t firn_webp_planes_read(
    firn_webp_planes *self, uint32_t ready, firn_layout layout, uint8_t *pixels, size_t stride, uint32_t rows) {
    uint32_t written = 0, half = ready == self->planes[0].height ? self->planes[1].height : ready / 2;
    for (; written < rows && self->done < self->new_height; written++, self->done++) {
        edge top[3], bottom[3];
        for (int i = 0; i < 3; i++) {
            top[i] = edge_of(self->done, self->planes[i].height, self->new_height);
            bottom[i] = edge_of(self->done + 1, self->planes[i].height, self->new_height);
            if (bottom[i].index + (bottom[i].part > 0) > (i ? half : ready)) return written;
        }
        for (int i = 0; i < 3; i++) average(self, &self->planes[i], top[i], bottom[i]);
        convert(self, layout, pixels + written * stride);
    }
    return written;
}
