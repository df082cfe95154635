// Area averaging for a stream of rows.
//
// A new row covers `height / new_height` old rows, the first and last possibly in part; columns likewise. Edges are
// exact fractions of integers. Old rows are first added up column by column, so one row of sums suffices for any image
// height. When a new row is complete, its sums are added up horizontally and divided.
//
// Invariant: `sums` + `counts` contain the sum so far of the old rows under new row `done`, weighted by coverage. Whole
// rows of bytes are added to `counts`, at most 256 of them (256 * 255 < 2^16), and from there to `sums`.
//
// Source: Foley, van Dam et al., "Computer Graphics: Principles and Practice", unweighted area sampling.
#include "firn_reduce.h"

#include <stdlib.h>

#include "halves.h"

typedef float float4 __attribute__((vector_size(16)));
typedef int32_t int4 __attribute__((vector_size(16)));

/// The left edge of a new column: in old column `index`, of which `part` belongs to the previous new column.
typedef struct {
    uint32_t index;
    float part;
} edge;

struct firn_reducer {
    firn_reduce_kind kind;
    uint32_t width, height, new_width, new_height;
    /// The number of sums in a row.
    size_t count;
    /// The number of rows taken, rows done, and rows in `counts`.
    uint32_t taken, done, whole;
    /// One divided by the number of old pixels under a new one.
    float scale;
    /// `count` numbers, plus three that loads of four numbers may read.
    float *sums;
    /// Empty if pixels are not summed as bytes.
    uint16_t *counts;
    /// `new_width` + 1 edges.
    edge *edges;
};

static size_t channels_of(firn_reduce_kind kind) { return kind == FIRN_REDUCE_RGB8 ? 3 : 4; }

static bool counts_bytes(firn_reduce_kind kind) {
    return kind == FIRN_REDUCE_RGB8 || kind == FIRN_REDUCE_PLAIN8;
}

static edge edge_of(uint32_t place, uint32_t size, uint32_t new_size) {
    uint64_t position = (uint64_t)place * size;
    return (edge){(uint32_t)(position / new_size), (float)((double)(position % new_size) / new_size)};
}

size_t firn_reducer_bytes(firn_reduce_kind kind, uint32_t width, uint32_t new_width) {
    size_t count = (size_t)width * channels_of(kind);
    return (count + 3) * sizeof(float) + (counts_bytes(kind) ? count * 2 : 0) + ((size_t)new_width + 1) * sizeof(edge);
}

firn_reducer *firn_reducer_make(
    firn_reduce_kind kind, uint32_t width, uint32_t height, uint32_t new_width, uint32_t new_height) {
    if (!new_width || !new_height || new_width > width || new_height > height) return NULL;
    firn_reducer *reducer = calloc(1, sizeof *reducer);
    if (!reducer) return NULL;
    *reducer = (firn_reducer){
        .kind = kind, .width = width, .height = height, .new_width = new_width, .new_height = new_height,
        .count = (size_t)width * channels_of(kind)};
    reducer->scale = (float)((double)new_width / width * new_height / height);
    reducer->sums = calloc(reducer->count + 3, sizeof(float));
    reducer->edges = calloc((size_t)new_width + 1, sizeof(edge));
    if (counts_bytes(kind)) reducer->counts = calloc(reducer->count, sizeof(uint16_t));
    if (!reducer->sums || !reducer->edges || (counts_bytes(kind) && !reducer->counts)) {
        firn_reducer_free(reducer);
        return NULL;
    }
    for (uint32_t x = 0; x <= new_width; x++) reducer->edges[x] = edge_of(x, width, new_width);
    return reducer;
}

void firn_reducer_free(firn_reducer *reducer) {
    if (!reducer) return;
    free(reducer->sums);
    free(reducer->counts);
    free(reducer->edges);
    free(reducer);
}

// Vertical sums of rows.

static void count_bytes(uint16_t *restrict counts, const uint8_t *restrict row, size_t count) {
    for (size_t i = 0; i < count; i++) counts[i] = (uint16_t)(counts[i] + row[i]);
}

static void add_counts(float *restrict sums, uint16_t *restrict counts, size_t count) {
    for (size_t i = 0; i < count; i++) sums[i] += (float)counts[i];
    memset(counts, 0, count * sizeof *counts);
}

static void add_bytes(float *restrict sums, const uint8_t *restrict row, size_t count, float weight) {
    for (size_t i = 0; i < count; i++) sums[i] += weight * (float)row[i];
}

static void add_straight_bytes(float *restrict sums, const uint8_t *restrict row, size_t count, float weight) {
    for (size_t i = 0; i < count; i += 4) {
        float alpha = weight * (float)row[i + 3];
        for (size_t k = 0; k < 3; k++) sums[i + k] += alpha * (float)row[i + k];
        sums[i + 3] += alpha;
    }
}

static void add_straight_words(float *restrict sums, const uint16_t *restrict row, size_t count, float weight) {
    for (size_t i = 0; i < count; i += 4) {
        float alpha = weight * (float)row[i + 3];
        for (size_t k = 0; k < 3; k++) sums[i + k] += alpha * (float)row[i + k];
        sums[i + 3] += alpha;
    }
}

static void add_straight_halves(float *restrict sums, const uint16_t *restrict row, size_t count, float weight) {
    for (size_t i = 0; i < count; i += 4) {
        float alpha = weight * firn_half_to_float(row[i + 3]);
        for (size_t k = 0; k < 3; k++) sums[i + k] += alpha * firn_half_to_float(row[i + k]);
        sums[i + 3] += alpha;
    }
}

/// Adds a row times `weight`, which is 1 for a whole row.
static void add_row(firn_reducer *reducer, const void *row, float weight) {
    switch (reducer->kind) {
    case FIRN_REDUCE_RGB8:
    case FIRN_REDUCE_PLAIN8:
        if (weight != 1) {
            add_bytes(reducer->sums, row, reducer->count, weight);
            return;
        }
        count_bytes(reducer->counts, row, reducer->count);
        if (++reducer->whole < 256) return;
        add_counts(reducer->sums, reducer->counts, reducer->count);
        reducer->whole = 0;
        return;
    case FIRN_REDUCE_STRAIGHT8: add_straight_bytes(reducer->sums, row, reducer->count, weight); return;
    case FIRN_REDUCE_STRAIGHT16: add_straight_words(reducer->sums, row, reducer->count, weight); return;
    case FIRN_REDUCE_STRAIGHT_HALF: add_straight_halves(reducer->sums, row, reducer->count, weight); return;
    }
}

// Horizontal sums, and new pixels.

static inline float4 load(const float *sums) {
    float4 value;
    memcpy(&value, sums, sizeof value);
    return value;
}

/// Returns the sum of the columns between two edges. Uses two chains of additions, since each addition in a chain
/// depends on the previous one.
static inline float4 across(const float *sums, size_t channels, edge from, edge to) {
    float4 even = load(sums + from.index * channels) * (1 - from.part);
    float4 odd = {0, 0, 0, 0};
    uint32_t x = from.index + 1;
    for (; x + 1 < to.index; x += 2) {
        odd += load(sums + x * channels);
        even += load(sums + (x + 1) * channels);
    }
    if (x < to.index) odd += load(sums + x * channels);
    // The image's own edge has no part: nothing beyond it is read.
    if (to.part > 0) even += load(sums + to.index * channels) * to.part;
    return even + odd;
}

static void write_bytes(const firn_reducer *reducer, uint8_t *row, size_t channels) {
    for (uint32_t x = 0; x < reducer->new_width; x++) {
        float4 sum = across(reducer->sums, channels, reducer->edges[x], reducer->edges[x + 1]);
        int4 value = __builtin_convertvector(sum * reducer->scale + 0.5f, int4);
        for (size_t k = 0; k < channels; k++) row[x * channels + k] = (uint8_t)value[k];
    }
}

/// Returns the components of a straight pixel: divides colors by alpha. Transparent pixels are black.
static inline float4 straight(float4 sum, float scale) {
    float alpha = sum[3];
    float4 none = {0, 0, 0, 0};
    if (!(alpha > 0)) return none;
    float4 value = sum / alpha;
    value[3] = alpha * scale;
    return value;
}

static void write_straight_bytes(const firn_reducer *reducer, uint8_t *row) {
    for (uint32_t x = 0; x < reducer->new_width; x++) {
        float4 sum = across(reducer->sums, 4, reducer->edges[x], reducer->edges[x + 1]);
        int4 value = __builtin_convertvector(straight(sum, reducer->scale) + 0.5f, int4);
        for (size_t k = 0; k < 4; k++) row[x * 4 + k] = (uint8_t)(value[3] ? value[k] : 0);
    }
}

static void write_straight_words(const firn_reducer *reducer, uint16_t *row) {
    for (uint32_t x = 0; x < reducer->new_width; x++) {
        float4 sum = across(reducer->sums, 4, reducer->edges[x], reducer->edges[x + 1]);
        int4 value = __builtin_convertvector(straight(sum, reducer->scale) + 0.5f, int4);
        for (size_t k = 0; k < 4; k++) row[x * 4 + k] = (uint16_t)(value[3] ? value[k] : 0);
    }
}

static void write_straight_halves(const firn_reducer *reducer, uint16_t *row) {
    for (uint32_t x = 0; x < reducer->new_width; x++) {
        float4 sum = across(reducer->sums, 4, reducer->edges[x], reducer->edges[x + 1]);
        float4 value = straight(sum, reducer->scale);
        for (size_t k = 0; k < 4; k++) row[x * 4 + k] = firn_half_from_float(value[k]);
    }
}

/// Writes the complete new row and starts the next.
static void write_row(firn_reducer *reducer, void *row) {
    if (reducer->whole) add_counts(reducer->sums, reducer->counts, reducer->count);
    reducer->whole = 0;
    switch (reducer->kind) {
    case FIRN_REDUCE_RGB8: write_bytes(reducer, row, 3); break;
    case FIRN_REDUCE_PLAIN8: write_bytes(reducer, row, 4); break;
    case FIRN_REDUCE_STRAIGHT8: write_straight_bytes(reducer, row); break;
    case FIRN_REDUCE_STRAIGHT16: write_straight_words(reducer, row); break;
    case FIRN_REDUCE_STRAIGHT_HALF: write_straight_halves(reducer, row); break;
    }
    memset(reducer->sums, 0, reducer->count * sizeof *reducer->sums);
    reducer->done++;
}

uint32_t firn_reducer_add(
    firn_reducer *reducer, const void *rows, size_t stride, uint32_t count, void *target, size_t target_stride) {
    uint32_t begun_at = reducer->done;
    for (uint32_t i = 0; i < count && reducer->taken < reducer->height; i++) {
        const uint8_t *row = (const uint8_t *)rows + (size_t)i * stride;
        uint8_t *made = (uint8_t *)target + (size_t)(reducer->done - begun_at) * target_stride;
        // New rows are at least as high as old ones, so an old row completes at most one new row.
        edge end = edge_of(reducer->done + 1, reducer->height, reducer->new_height);
        if (reducer->taken < end.index) {
            add_row(reducer, row, 1);
            if (reducer->taken + 1 == end.index && end.part == 0) write_row(reducer, made);
        } else {
            add_row(reducer, row, end.part);
            write_row(reducer, made);
            add_row(reducer, row, 1 - end.part);
        }
        reducer->taken++;
    }
    return reducer->done - begun_at;
}
