// Prints the results of each kernel for the same input, so that machines can be compared. `Scripts/check-arm` runs it
// with and without AVX2, and as aarch64 code under QEMU.
//
// Kernels that compute with integers print a line `=name checksum` and have to agree bit for bit. Kernels that compute
// with floats print lines `~name[index] value full`, which may differ by rounding: a fused multiplication and addition
// rounds once instead of twice. `full` is the value of a full component.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "CFirnProcessing.h"
#include "firn_composite.h"
#include "firn_light.h"
#include "firn_pixels.h"
#include "firn_reduce.h"
#include "firn_unfilter.h"

enum { COUNT = 1021, ROWS = 37, SLACK = 64 };

/// SplitMix64 (Steele, Lea, Flood 2014).
static uint64_t state = 20261122;

static uint64_t next(void) {
    uint64_t z = state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static void *room(size_t bytes) {
    void *memory = calloc(1, bytes + SLACK);
    if (!memory) abort();
    return memory;
}

static uint8_t *some_bytes(size_t count) {
    uint8_t *bytes = room(count);
    for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)next();
    return bytes;
}

/// Pixels of four bytes whose colors are at most their alpha.
static uint8_t *some_pixels(size_t count) {
    uint8_t *bytes = some_bytes(4 * count);
    for (size_t i = 0; i < 4 * count; i++)
        if (bytes[i] > bytes[i | 3]) bytes[i] = bytes[i | 3];
    return bytes;
}

/// Pixels of four floats, premultiplied.
static float *some_floats(size_t count) {
    float *floats = room(4 * count * sizeof *floats);
    for (size_t i = 0; i < count; i++) {
        float alpha = (float)(next() % 65536) / 65535;
        for (size_t k = 0; k < 3; k++) floats[4 * i + k] = alpha * (float)(next() % 65536) / 65535;
        floats[4 * i + 3] = alpha;
    }
    return floats;
}

static void report(const char *name, const void *memory, size_t length) {
    uint64_t sum = 14695981039346656037u;
    const uint8_t *bytes = memory;
    for (size_t i = 0; i < length; i++) sum = (sum ^ bytes[i]) * 1099511628211u;
    printf("=%s %016" PRIx64 "\n", name, sum);
}

static void report_floats(const char *name, const float *floats, size_t count, double full) {
    for (size_t i = 0; i < count; i += 7) printf("~%s[%zu] %.9g %g\n", name, i, (double)floats[i], full);
}

static void report_rounded8(const char *name, const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i += 7) printf("~%s[%zu] %d 255\n", name, i, bytes[i]);
}

static void report_rounded16(const char *name, const uint16_t *words, size_t count) {
    for (size_t i = 0; i < count; i += 7) printf("~%s[%zu] %d 65535\n", name, i, words[i]);
}

static void blends(void) {
    for (int mixing = 0; mixing < 3; mixing++)
        for (int source = 0; source < 4; source++) {
            firn_blend blend = {(firn_factor)source, (firn_factor)(3 - source), mixing, 1, 0.7f};
            uint8_t *from = some_pixels(COUNT), *to = some_pixels(COUNT);
            firn_blend_row8(&blend, from, to, COUNT);
            report("blend8", to, 4 * COUNT);
            float *above = some_floats(COUNT), *below = some_floats(COUNT);
            firn_blend_floats(&blend, above, below, COUNT);
            report_floats("blend", below, 4 * COUNT, 1);
            free(from), free(to), free(above), free(below);
        }
}

static void sharpening(void) {
    uint8_t *row = some_pixels(COUNT), *blurred = some_pixels(COUNT);
    firn_sharpen_row8(row, blurred, COUNT, 0.6f, 1);
    report_rounded8("sharpen8", blurred, 4 * COUNT);
    firn_sharpen_bytes(row, blurred, 4 * COUNT, 1.3f);
    report_rounded8("sharpen24", blurred, 4 * COUNT);
    float *floats = some_floats(COUNT), *soft = some_floats(COUNT);
    firn_sharpen_floats(floats, soft, COUNT, 0.6f, 1);
    report_floats("sharpen", soft, 4 * COUNT, 1);
    free(row), free(blurred), free(floats), free(soft);
}

static void colors(void) {
    firn_color_matrix8 matrix = {{{1200, 2400, 400, 90}, {-500, 4000, 700, 0}, {4096, 0, -90, 12}}, 0};
    for (matrix.isStraight = 0; matrix.isStraight < 2; matrix.isStraight++) {
        uint8_t *row = some_pixels(COUNT);
        firn_color_matrix_row8(&matrix, row, row, COUNT);
        report("matrix8", row, 4 * COUNT);
        free(row);
    }
    matrix.isStraight = 1;
    uint8_t *row = some_bytes(3 * COUNT);
    uint8_t *changed = room(3 * COUNT);
    firn_color_matrix_row24(&matrix, row, changed, COUNT);
    report("matrix24", changed, 3 * COUNT);
    free(row), free(changed);
    row = some_pixels(COUNT);
    firn_color_flatten8(0xFF336699u, row, row, COUNT);
    report("flatten8", row, 4 * COUNT);
    free(row);
    static const float rows[3][4] = {{0.3f, 0.6f, 0.1f, 0.05f}, {-0.2f, 1.1f, 0.2f, 0}, {1, 0, -0.1f, 0}};
    float *floats = some_floats(COUNT);
    firn_color_matrix_floats(rows, floats, COUNT, 1);
    report_floats("matrix", floats, 4 * COUNT, 1);
    free(floats);
}

static void resizing(void) {
    enum { TAPS = 6 };
    uint8_t *rows = some_bytes(COUNT * TAPS);
    int16_t weights[TAPS] = {-400, 2500, 9000, 6000, -800, 84};
    float *sums = room((COUNT + 4) * sizeof *sums);
    firn_mix_rows8(rows, COUNT, weights, TAPS, sums, COUNT);
    report_floats("mix-rows", sums, COUNT, 255 * 16384.0);
    for (size_t channels = 3; channels <= 4; channels++) {
        enum { NEW = 96 };
        intptr_t starts[NEW];
        float *mixed = room(NEW * 4 * sizeof *mixed), *parts = room(NEW * TAPS * sizeof *parts);
        for (size_t i = 0; i < NEW; i++) {
            starts[i] = (intptr_t)(i * 2);
            for (size_t k = 0; k < TAPS; k++) parts[i * TAPS + k] = weights[k] / 16384.0f / 16384.0f;
        }
        firn_mix_pixels(sums, channels, starts, parts, TAPS, mixed, NEW);
        report_floats("mix-pixels", mixed, NEW * 4, 255);
        for (size_t i = 0; i < NEW * 4; i++) mixed[i] = (float)(next() % 2560) / 8 - 20;
        uint8_t *row = room(NEW * 4);
        firn_store_sums8(mixed, channels, row, NEW);
        report("store-sums8", row, NEW * channels);
        free(mixed), free(parts), free(row);
    }
    free(rows), free(sums);
}

static void loading(void) {
    static const size_t bytes[] = {4, 4, 3, 8, 8};
    float *table = room(65536 * sizeof *table);
    for (size_t i = 0; i < 65536; i++) table[i] = (float)i / 65535 * (float)i / 65535;
    for (int layout = 0; layout < 5; layout++) {
        uint8_t *pixels = layout == 4 ? room(8 * COUNT) : layout == 0 ? some_pixels(COUNT) : some_bytes(8 * COUNT);
        float *floats = some_floats(COUNT);
        if (layout == 4) firn_row_store(firn_rgba_half_premultiplied, floats, pixels, COUNT);
        firn_row_load((firn_pixel_layout)layout, pixels, floats, COUNT);
        report_floats("load", floats, 4 * COUNT, 1);
        firn_row_store((firn_pixel_layout)layout, floats, pixels, COUNT);
        report("store", pixels, bytes[layout] * COUNT);
        firn_row_through_table(floats, table, COUNT);
        report_floats("table", floats, 4 * COUNT, 1);
        free(pixels), free(floats);
    }
    uint8_t *rgb = some_bytes(3 * COUNT), *pixels = room(4 * COUNT);
    for (int red = 0; red < 2; red++) {
        firn_row_widen(rgb, pixels, COUNT, red);
        report("widen", pixels, 4 * COUNT);
        firn_row_narrow(pixels, rgb, COUNT, 1 - red);
        report("narrow", rgb, 3 * COUNT);
    }
    float *coverage = room(COUNT * sizeof *coverage);
    for (size_t i = 0; i < COUNT; i++) coverage[i] = (float)(next() % 256) / 255;
    firn_row_cover8(coverage, pixels, COUNT);
    report("cover8", pixels, 4 * COUNT);
    free(rgb), free(pixels), free(coverage), free(table);
}

static void blurs(void) {
    float weights[] = {0.3f, 0.2f, 0.1f, 0.05f};
    for (size_t channels = 3; channels <= 4; channels++) {
        float *sums = room((COUNT + 8) * channels * sizeof *sums);
        for (size_t i = 0; i < (COUNT + 6) * channels; i++) sums[i] = (float)(next() % 256);
        uint8_t *row = room(4 * COUNT);
        firn_mix_row8(sums + 3 * channels, channels, weights, 3, row, COUNT);
        report_rounded8("mix-row8", row, channels * COUNT);
        free(sums), free(row);
    }
    firn_blur blur = {{4, 0.1f, 0.05f}, {5, 0.05f, 0.02f}, {2, 0.06f, 0.055f}};
    float *scratch = room(firn_blur_scratch(&blur) * sizeof *scratch);
    uint8_t *source = some_pixels(256 * ROWS), *target = room(1024 * 4);
    uint16_t *between = room((1024 * ROWS + 8) * sizeof *between);
    firn_blur_columns8(&blur, source, 1024, ROWS, 0, ROWS, between, 1024, 1024, scratch);
    report_rounded16("blur-columns8", between, 1024 * ROWS);
    firn_blur_rows8(&blur, between, 1024, target, 1024, 4, 256, 4, scratch);
    report_rounded8("blur-rows8", target, 4096);
    free(scratch), free(source), free(target), free(between);
}

static void pixels(void) {
    uint8_t *straight = some_bytes(4 * COUNT), *canvas = some_bytes(4 * COUNT), *wide = room(8 * COUNT);
    firn_composite_straight(canvas, 4 * COUNT, straight, 4 * COUNT, COUNT, 1);
    report("composite-straight", canvas, 4 * COUNT);
    firn_pixels_widen(straight, 4 * COUNT, wide, 8 * COUNT, COUNT, 1);
    report("widen16", wide, 8 * COUNT);
    firn_pixels_premultiply(straight, 4 * COUNT, COUNT, 1);
    report("premultiply", straight, 4 * COUNT);
    firn_pixels_premultiply(canvas, 4 * COUNT, COUNT, 1);
    firn_composite_premultiplied(canvas, 4 * COUNT, straight, 4 * COUNT, COUNT, 1);
    report("composite", canvas, 4 * COUNT);
    free(straight), free(canvas), free(wide);
}

static void unfiltering(void) {
    for (unsigned step = 1; step <= 4; step++)
        for (unsigned filter = 0; filter <= 4; filter++) {
            uint8_t *row = some_bytes(COUNT * step), *above = some_bytes(COUNT * step);
            if (!firn_unfilter(row, above, COUNT * step, step, filter)) abort();
            char name[32];
            snprintf(name, sizeof name, "unfilter-%u-%u", step, filter);
            report(name, row, COUNT * step);
            free(row), free(above);
        }
}

static void reducing(void) {
    static const size_t bytes[] = {3, 4, 4, 8, 8};
    for (int kind = 0; kind < 5; kind++) {
        size_t stride = bytes[kind] * COUNT;
        uint8_t *rows = some_bytes(stride * ROWS), *target = room(stride * ROWS);
        if (kind == 4)
            for (size_t i = 0; i < ROWS; i++) {
                float *floats = some_floats(COUNT);
                firn_row_store(firn_rgba_half_premultiplied, floats, rows + stride * i, COUNT);
                free(floats);
            }
        firn_reducer *reducer = firn_reducer_make((firn_reduce_kind)kind, COUNT, ROWS, 300, 11);
        if (!reducer) abort();
        uint32_t made = firn_reducer_add(reducer, rows, stride, ROWS, target, stride);
        firn_reducer_free(reducer);
        // Wide samples are averaged as floats.
        if (kind == 4) {
            float *floats = room(stride * made);
            firn_row_load(firn_rgba_half_premultiplied, target, floats, COUNT);
            report_floats("reduce", floats, 4 * 300, 1);
            free(floats);
        } else if (kind == 3)
            report_rounded16("reduce", (const uint16_t *)target, 4 * 300);
        else
            report("reduce", target, stride * made);
        free(rows), free(target);
    }
}

int main(void) {
    blends();
    sharpening();
    colors();
    resizing();
    loading();
    blurs();
    pixels();
    unfiltering();
    reducing();
    return 0;
}
