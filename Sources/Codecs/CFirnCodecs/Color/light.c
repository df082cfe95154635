// Steps: stored values -> light by table -> (HLG: scene light -> screen light) -> tone mapping of values brighter than
// white -> the result's primaries -> clamp to 0...1 -> encode. For half floats, the result stays linear.
//
// Tone mapping is the EETF of ITU-R BT.2390-10 section 5.4, from a screen of 1000 cd/m2, for which HLG is defined and
// most content is graded, to one with a white of 203 cd/m2. It keeps the darker part of the image and compresses the
// rest. It is applied to the largest of the three components, and the others are scaled by the same factor, so hues are
// kept and grays stay gray.
//
// HLG: ITU-R BT.2100-2 table 5, note 5f: screen light is scene light times luminance to the power of 0.2.
//
// Curves over all magnitudes are tables indexed by the floats' own bits: 512 entries for each power of two, with linear
// interpolation; the error is below 1 in 10^6.
#include "firn_light.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "description.h"
#include "../Pixels/halves.h"

#define PEAK 1000.0
#define WHITE 203.0

enum { STEP_BITS = 14, STEPS_PER_OCTAVE = 1 << (23 - STEP_BITS) };

/// A function of positive numbers over some powers of two, starting at `first`.
typedef struct {
    uint32_t first_bits;
    uint32_t count;
    float values[];
} curve;

struct firn_light {
    firn_layout from, to;
    bool is_hlg;
    bool converts;
    float matrix[9];
    /// The light of each of the 256 or 65536 stored values.
    float *light;
    /// Luminance to the power of 0.2, times the peak; NULL unless HLG.
    curve *screen;
    /// The tone-mapping factor of the largest component; NULL without tone mapping.
    curve *tone;
    /// The curve of sRGB above its linear part; NULL for half floats.
    curve *encoded;
};

static curve *curve_make(int first, int last, double (*function)(double)) {
    uint32_t count = (uint32_t)(last - first) * STEPS_PER_OCTAVE + 2;
    curve *made = malloc(sizeof *made + count * sizeof(float));
    if (!made) return NULL;
    made->first_bits = (uint32_t)(127 + first) << 23;
    made->count = count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bits = made->first_bits + (i << STEP_BITS);
        float x;
        memcpy(&x, &bits, 4);
        made->values[i] = (float)function(x);
    }
    return made;
}

/// Returns the value at `x`, clamped to the ends of the curve.
static inline float curve_value(const curve *curve, float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    if (!(x > 0) || bits <= curve->first_bits) return curve->values[0];
    uint32_t place = bits - curve->first_bits, index = place >> STEP_BITS;
    if (index + 1 >= curve->count) return curve->values[curve->count - 1];
    float part = (float)(place & ((1 << STEP_BITS) - 1)) * (1.0f / (1 << STEP_BITS));
    return curve->values[index] + (curve->values[index + 1] - curve->values[index]) * part;
}

/// Returns the factor if the largest component is `x` times white: EETF(x) / x.
static double tone_factor(double x) {
    double peak = firn_pq_value(PEAK), target = firn_pq_value(WHITE) / peak;
    double knee = 1.5 * target - 0.5;
    double value = fmin(firn_pq_value(x * WHITE) / peak, 1);
    if (value <= knee) return 1;
    double t = (value - knee) / (1 - knee), t2 = t * t, t3 = t2 * t;
    double bent = (2 * t3 - 3 * t2 + 1) * knee + (t3 - 2 * t2 + t) * (1 - knee) + (-2 * t3 + 3 * t2) * target;
    firn_color pq = {.transfer = FIRN_TRANSFER_PQ};
    return firn_described_light(&pq, bent * peak) / x;
}

static double screen_factor(double luminance) { return PEAK / WHITE * pow(luminance, 0.2); }

static double srgb_value(double light) { return 1.055 * pow(light, 1 / 2.4) - 0.055; }

firn_light *firn_light_make(const firn_color *color, firn_layout from, firn_layout to, bool wide) {
    if (from != FIRN_LAYOUT_RGBA && from != FIRN_LAYOUT_RGBA16) return NULL;
    firn_light *light = calloc(1, sizeof *light);
    if (!light) return NULL;
    uint32_t most = from == FIRN_LAYOUT_RGBA16 ? 65535 : 255;
    bool is_hlg = color->transfer == FIRN_TRANSFER_HLG;
    bool tones = (is_hlg || color->transfer == FIRN_TRANSFER_PQ) && to != FIRN_LAYOUT_RGBA_HALF;
    firn_primaries primaries = firn_described_primaries(color);
    light->from = from;
    light->to = to;
    light->is_hlg = is_hlg;
    light->converts = wide || !firn_primaries_are_srgb(&primaries);
    firn_primaries_convert(&primaries, wide ? 12 : 1, light->matrix);
    light->light = malloc((most + 1) * sizeof(float));
    if (is_hlg) light->screen = curve_make(-24, 1, screen_factor);
    if (tones) light->tone = curve_make(-6, 8, tone_factor);
    if (to != FIRN_LAYOUT_RGBA_HALF) light->encoded = curve_make(-9, 1, srgb_value);
    if (!light->light || (is_hlg && !light->screen) || (tones && !light->tone) ||
        (to != FIRN_LAYOUT_RGBA_HALF && !light->encoded)) {
        firn_light_free(light);
        return NULL;
    }
    for (uint32_t i = 0; i <= most; i++) light->light[i] = (float)firn_described_light(color, (double)i / most);
    return light;
}

void firn_light_free(firn_light *light) {
    if (!light) return;
    free(light->light);
    free(light->screen);
    free(light->tone);
    free(light->encoded);
    free(light);
}

/// Converts linear light from the file's primaries to the result's.
static inline void convert(const firn_light *light, float rgb[3]) {
    if (light->is_hlg) {
        float luminance = 0.2627f * rgb[0] + 0.6780f * rgb[1] + 0.0593f * rgb[2];
        float factor = curve_value(light->screen, luminance);
        for (int k = 0; k < 3; k++) rgb[k] *= factor;
    }
    if (light->tone) {
        float largest = rgb[0] > rgb[1] ? rgb[0] : rgb[1];
        if (rgb[2] > largest) largest = rgb[2];
        float factor = curve_value(light->tone, largest);
        for (int k = 0; k < 3; k++) rgb[k] *= factor;
    }
    if (light->converts) {
        const float *m = light->matrix;
        float r = rgb[0], g = rgb[1], b = rgb[2];
        for (int k = 0; k < 3; k++) rgb[k] = m[3 * k] * r + m[3 * k + 1] * g + m[3 * k + 2] * b;
    }
}

/// Clamps to 0...1 and encodes as sRGB.
static inline float encode(const firn_light *light, float value) {
    if (!(value > 0)) return 0;
    if (value >= 1) return 1;
    return value <= 0.0031308f ? value * 12.92f : curve_value(light->encoded, value);
}

/// Writes one pixel; `alpha` is from 0 to 65535.
static inline void store(const firn_light *light, float rgb[3], uint32_t alpha, uint8_t *row, size_t x) {
    if (light->to == FIRN_LAYOUT_RGBA_HALF) {
        uint16_t halves[4];
        for (int k = 0; k < 3; k++) halves[k] = firn_half_from_float(rgb[k]);
        halves[3] = firn_half_from_float((float)alpha / 65535);
        memcpy(row + x * 8, halves, 8);
        return;
    }
    for (int k = 0; k < 3; k++) rgb[k] = encode(light, rgb[k]);
    if (light->to == FIRN_LAYOUT_RGBA16) {
        uint16_t words[4];
        for (int k = 0; k < 3; k++) words[k] = (uint16_t)(rgb[k] * 65535 + 0.5f);
        words[3] = (uint16_t)alpha;
        memcpy(row + x * 8, words, 8);
        return;
    }
    uint8_t bytes[3];
    for (int k = 0; k < 3; k++) bytes[k] = (uint8_t)(rgb[k] * 255 + 0.5f);
    size_t size = light->to == FIRN_LAYOUT_RGB ? 3 : 4;
    uint8_t *pixel = row + x * size;
    bool blue_first = light->to == FIRN_LAYOUT_BGRA;
    pixel[0] = bytes[blue_first ? 2 : 0];
    pixel[1] = bytes[1];
    pixel[2] = bytes[blue_first ? 0 : 2];
    if (size == 4) pixel[3] = (uint8_t)((alpha * 255 + 32895) >> 16);
}

void firn_light_rows(
    const firn_light *light, const uint8_t *from, size_t from_stride, uint8_t *to, size_t to_stride, uint32_t width,
    uint32_t rows) {
    for (uint32_t y = 0; y < rows; y++) {
        const uint8_t *source = from + (size_t)y * from_stride;
        uint8_t *target = to + (size_t)y * to_stride;
        for (size_t x = 0; x < width; x++) {
            uint16_t words[4];
            if (light->from == FIRN_LAYOUT_RGBA16) {
                memcpy(words, source + x * 8, 8);
            } else {
                for (int k = 0; k < 4; k++) words[k] = source[x * 4 + (size_t)k];
            }
            float rgb[3] = {light->light[words[0]], light->light[words[1]], light->light[words[2]]};
            convert(light, rgb);
            store(light, rgb, light->from == FIRN_LAYOUT_RGBA16 ? words[3] : words[3] * 257u, target, x);
        }
    }
}
