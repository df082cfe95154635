// Chooses a palette: splits the colors by largest variance, then moves each color to the mean of its nearest colors.
//
// Data structure: moments of the colors (count, sums, sum of squares) over a grid of 32 × 32 × 32 cells, as prefix sums
// along each axis, so that the moments of any box take eight lookups.
// Invariant: boxes are half open at the low side, (low, high], in cells counted from 1; index 0 of every axis is zero.
//
// Source: X. Wu, "Color quantization by dynamic programming and principal analysis", ACM Trans. Graphics 11 (1992), and
// his "Efficient statistical computations for optimal color quantization", Graphics Gems II (1991); S. Lloyd, "Least
// squares quantization in PCM", IEEE Trans. Inf. Theory 28 (1982), for moving the colors.
#include "quantize.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 33, CELLS = SIDE * SIDE * SIDE, CACHE = 64 * 64 * 64, MOVES = 2 };

typedef struct {
    double count, red, green, blue, squares;
} moments;

typedef struct {
    int low[3];
    int high[3];
    double variance;
} box;

struct firn_quantizer {
    moments cells[CELLS];
    moments sums[CELLS];
    uint32_t palette[256];
    int count;
    /// The nearest color of each cell of 4 × 4 × 4 levels, plus one; 0 if not yet computed.
    uint16_t cache[CACHE];
};

firn_quantizer *firn_quantizer_open(void) { return calloc(1, sizeof(firn_quantizer)); }

void firn_quantizer_close(firn_quantizer *quantizer) { free(quantizer); }

void firn_quantizer_clear(firn_quantizer *quantizer) { memset(quantizer->cells, 0, sizeof quantizer->cells); }

static int cell_index(int red, int green, int blue) { return (red * SIDE + green) * SIDE + blue; }

void firn_quantizer_add(firn_quantizer *quantizer, const uint32_t *colors, size_t count) {
    for (size_t i = 0; i < count; i++) {
        int red = colors[i] >> 16 & 255, green = colors[i] >> 8 & 255, blue = colors[i] & 255;
        moments *cell = &quantizer->cells[cell_index((red >> 3) + 1, (green >> 3) + 1, (blue >> 3) + 1)];
        cell->count += 1;
        cell->red += red;
        cell->green += green;
        cell->blue += blue;
        cell->squares += red * red + green * green + blue * blue;
    }
}

static void accumulate(moments *to, const moments *from, double sign) {
    to->count += sign * from->count;
    to->red += sign * from->red;
    to->green += sign * from->green;
    to->blue += sign * from->blue;
    to->squares += sign * from->squares;
}

/// Replaces the cells with prefix sums.
static void cumulate(firn_quantizer *quantizer) {
    moments *sums = quantizer->sums;
    memset(sums, 0, sizeof quantizer->sums);
    for (int red = 1; red < SIDE; red++) {
        moments plane[SIDE] = {{0}};
        for (int green = 1; green < SIDE; green++) {
            moments line = {0};
            for (int blue = 1; blue < SIDE; blue++) {
                int index = cell_index(red, green, blue);
                accumulate(&line, &quantizer->cells[index], 1);
                accumulate(&plane[blue], &line, 1);
                sums[index] = sums[cell_index(red - 1, green, blue)];
                accumulate(&sums[index], &plane[blue], 1);
            }
        }
    }
}

static moments sum_of(const firn_quantizer *quantizer, const int low[3], const int high[3]) {
    moments sum = {0};
    for (int corner = 0; corner < 8; corner++) {
        int at[3], lows = 0;
        for (int axis = 0; axis < 3; axis++) {
            bool is_low = corner >> axis & 1;
            at[axis] = is_low ? low[axis] : high[axis];
            lows += is_low;
        }
        accumulate(&sum, &quantizer->sums[cell_index(at[0], at[1], at[2])], lows % 2 ? -1 : 1);
    }
    return sum;
}

/// Returns the square of the sum divided by the count; splitting maximizes it.
static double weight(const moments *sum) {
    if (sum->count < 0.5) return 0;
    return (sum->red * sum->red + sum->green * sum->green + sum->blue * sum->blue) / sum->count;
}

static void measure(const firn_quantizer *quantizer, box *whole) {
    moments sum = sum_of(quantizer, whole->low, whole->high);
    int cells = (whole->high[0] - whole->low[0]) * (whole->high[1] - whole->low[1]) * (whole->high[2] - whole->low[2]);
    whole->variance = cells > 1 ? sum.squares - weight(&sum) : 0;
}

/// Splits a box so that the two parts vary least; returns false if any cut leaves one part empty.
static bool split(const firn_quantizer *quantizer, box *first, box *second) {
    moments whole = sum_of(quantizer, first->low, first->high);
    double best = 0;
    int best_axis = -1, best_cut = 0;
    for (int axis = 0; axis < 3; axis++) {
        for (int cut = first->low[axis] + 1; cut < first->high[axis]; cut++) {
            int high[3] = {first->high[0], first->high[1], first->high[2]};
            high[axis] = cut;
            moments lower = sum_of(quantizer, first->low, high), upper = whole;
            accumulate(&upper, &lower, -1);
            if (lower.count < 0.5 || upper.count < 0.5) continue;
            double gain = weight(&lower) + weight(&upper);
            if (gain <= best) continue;
            best = gain;
            best_axis = axis;
            best_cut = cut;
        }
    }
    if (best_axis < 0) return false;
    *second = *first;
    first->high[best_axis] = best_cut;
    second->low[best_axis] = best_cut;
    measure(quantizer, first);
    measure(quantizer, second);
    return true;
}

static uint32_t mean(const moments *sum) {
    uint32_t red = (uint32_t)(sum->red / sum->count + 0.5), green = (uint32_t)(sum->green / sum->count + 0.5);
    return red << 16 | green << 8 | (uint32_t)(sum->blue / sum->count + 0.5);
}

static int search(const firn_quantizer *quantizer, int red, int green, int blue) {
    int best = 0, least = 1 << 30;
    for (int i = 0; i < quantizer->count; i++) {
        uint32_t color = quantizer->palette[i];
        int dr = (int)(color >> 16 & 255) - red, dg = (int)(color >> 8 & 255) - green, db = (int)(color & 255) - blue;
        int distance = dr * dr + dg * dg + db * db;
        if (distance >= least) continue;
        least = distance;
        best = i;
    }
    return best;
}

/// Moves every color to the mean of its nearest cells.
static void move(firn_quantizer *quantizer) {
    moments sums[256] = {{0}};
    for (int i = 0; i < CELLS; i++) {
        const moments *cell = &quantizer->cells[i];
        if (cell->count < 0.5) continue;
        uint32_t color = mean(cell);
        int nearest = search(quantizer, color >> 16 & 255, color >> 8 & 255, color & 255);
        accumulate(&sums[nearest], cell, 1);
    }
    for (int i = 0; i < quantizer->count; i++)
        if (sums[i].count > 0.5) quantizer->palette[i] = mean(&sums[i]);
}

int firn_quantizer_choose(firn_quantizer *quantizer, int most, uint32_t *palette) {
    box boxes[256] = {{{0, 0, 0}, {SIDE - 1, SIDE - 1, SIDE - 1}, 0}};
    int count = 1;
    cumulate(quantizer);
    measure(quantizer, &boxes[0]);
    while (count < most) {
        int widest = 0;
        for (int i = 1; i < count; i++)
            if (boxes[i].variance > boxes[widest].variance) widest = i;
        if (boxes[widest].variance <= 0) break;
        if (split(quantizer, &boxes[widest], &boxes[count]))
            count++;
        else
            boxes[widest].variance = 0;
    }
    quantizer->count = 0;
    for (int i = 0; i < count; i++) {
        moments sum = sum_of(quantizer, boxes[i].low, boxes[i].high);
        if (sum.count > 0.5) quantizer->palette[quantizer->count++] = mean(&sum);
    }
    for (int i = 0; i < MOVES; i++) move(quantizer);
    memset(quantizer->cache, 0, sizeof quantizer->cache);
    memcpy(palette, quantizer->palette, (size_t)quantizer->count * sizeof *palette);
    return quantizer->count;
}

uint8_t firn_quantizer_nearest(firn_quantizer *quantizer, int red, int green, int blue) {
    uint16_t *known = &quantizer->cache[(red >> 2) << 12 | (green >> 2) << 6 | blue >> 2];
    if (!*known) *known = (uint16_t)(search(quantizer, (red & ~3) + 2, (green & ~3) + 2, (blue & ~3) + 2) + 1);
    return (uint8_t)(*known - 1);
}
