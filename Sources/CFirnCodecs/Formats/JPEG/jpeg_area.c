// Parts of a JPEG: which rows and columns libjpeg has to decode, and at which scale.
//
// Chroma is interpolated from neighboring samples, and libjpeg treats the borders of what it decodes like borders of
// the image. A margin of one iMCU (the pixels of one block of the component with the fewest samples) on each side keeps
// those borders out of the part, so that its pixels are those of the whole image.
//
// Skipped rows are entropy-decoded, because their codes have no index, but not transformed.
//
// Source: libjpeg-turbo libjpeg.txt "Partial image decompression"; jdapistd.c.
#include "jpeg_decoder.h"

/// The pixels whose codes are skipped between two pauses: about 10 milliseconds.
static const uint64_t skipped_at_once = 2u << 20;

/// Whether pixel edge `edge` of a side of `side` pixels stays a pixel edge when the side is scaled by N/8.
static bool is_edge(uint64_t edge, uint64_t side, unsigned numerator) {
    return edge == side || edge * numerator % 8 == 0;
}

/// Scales an edge; the last pixel of a side may be a part of one.
static uint32_t scaled(uint64_t edge, unsigned numerator) { return (uint32_t)((edge * numerator + 7) / 8); }

static bool suits(j_decompress_ptr jpeg, const firn_options *options) {
    const firn_area *area = &options->area;
    unsigned numerator = jpeg->scale_num;
    if (!area->width) return jpeg->output_width >= options->width && jpeg->output_height >= options->height;
    uint64_t right = (uint64_t)area->x + area->width, bottom = (uint64_t)area->y + area->height;
    return is_edge(area->x, jpeg->image_width, numerator) && is_edge(right, jpeg->image_width, numerator)
        && is_edge(area->y, jpeg->image_height, numerator) && is_edge(bottom, jpeg->image_height, numerator)
        && scaled(right, numerator) - scaled(area->x, numerator) >= options->width
        && scaled(bottom, numerator) - scaled(area->y, numerator) >= options->height;
}

void firn_jpeg_choose_scale(j_decompress_ptr jpeg, const firn_options *options) {
    if (!options->width || !options->height) return;
    jpeg->scale_denom = 8;
    for (jpeg->scale_num = 1; jpeg->scale_num < 8; jpeg->scale_num++) {
        jpeg_calc_output_dimensions(jpeg);
        if (suits(jpeg, options)) break;
    }
    jpeg_calc_output_dimensions(jpeg);
}

/// The pixels of a block of the component with the most samples, at the scale chosen.
static uint32_t block_side(j_decompress_ptr jpeg) {
#if JPEG_LIB_VERSION >= 70
    return (uint32_t)jpeg->min_DCT_h_scaled_size;
#else
    return (uint32_t)jpeg->min_DCT_scaled_size;
#endif
}

void firn_jpeg_plan_area(jpeg_decoder *self, const firn_area *area) {
    j_decompress_ptr jpeg = &self->jpeg;
    firn_output *output = &self->base.output;
    // Without a requested size, libjpeg's own scale is 1/1.
    unsigned numerator = jpeg->scale_denom == 8 ? jpeg->scale_num : 8;
    uint32_t left = scaled(area->x, numerator), right = scaled((uint64_t)area->x + area->width, numerator);
    uint32_t top = scaled(area->y, numerator), bottom = scaled((uint64_t)area->y + area->height, numerator);
    // Order: an image of several scans is rendered again and again while its bytes arrive, as a whole.
    bool is_cropped = self->base.input.last || !jpeg->buffered_image;
    uint32_t block = block_side(jpeg), across = block * (uint32_t)jpeg->max_h_samp_factor;
    uint32_t down = block * (uint32_t)jpeg->max_v_samp_factor;
    if (is_cropped) {
        // libjpeg begins at such an edge, and would move the first column there itself.
        uint32_t edge = jpeg->num_components == 1 ? block : across;
        self->first_column = left > across ? (left - across) / edge * edge : 0;
        uint32_t end = jpeg->output_width - right > across ? right + across : jpeg->output_width;
        self->columns = end - self->first_column;
    }
    // Order: rows are skipped only if no call has to wait for bytes, which libjpeg cannot do there.
    if (self->base.input.last && top / down > 1) self->rows_to_skip = (top / down - 1) * down;
    self->end_row = is_cropped ? bottom : jpeg->output_height;
    output->width = is_cropped ? self->columns : jpeg->output_width;
    output->height = self->end_row - self->rows_to_skip;
    output->area = (firn_area){left - self->first_column, top - self->rows_to_skip, right - left, bottom - top};
}

firn_status firn_jpeg_crop(jpeg_decoder *self) {
    JDIMENSION first = self->first_column, columns = self->columns;
    if (!columns || columns == self->jpeg.output_width) return FIRN_OK;
    jpeg_crop_scanline(&self->jpeg, &first, &columns);
    if (first == self->first_column && columns == self->columns) return FIRN_OK;
    return firn_fail(&self->base, FIRN_UNSUPPORTED, "another version of libjpeg-turbo");
}

void firn_jpeg_skip_rows(jpeg_decoder *self) {
    j_decompress_ptr jpeg = &self->jpeg;
    uint32_t down = block_side(jpeg) * (uint32_t)jpeg->max_v_samp_factor;
    uint64_t row = (uint64_t)jpeg->image_width * (uint64_t)jpeg->max_v_samp_factor * DCTSIZE;
    uint64_t rows = skipped_at_once / row > 1 ? skipped_at_once / row * down : down;
    if (rows > self->rows_to_skip) rows = self->rows_to_skip;
    self->rows_to_skip -= jpeg_skip_scanlines(jpeg, (JDIMENSION)rows);
}
