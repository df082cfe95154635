// Parts of a JPEG: the rows and columns that libjpeg must decode, and the scale.
//
// Chroma is interpolated from neighboring samples, and libjpeg treats the borders of the decoded part like borders of
// the image. A margin of one iMCU (the pixels of one block of the component with the fewest samples) on each side keeps
// those borders outside, so the part's pixels equal those of the whole image.
//
// Skipped rows are entropy-decoded, because their codes have no index, but not transformed.
//
// Source: libjpeg-turbo libjpeg.txt "Partial image decompression"; jdapistd.c.
#include "jpeg_decoder.h"

/// The margin in blocks that a multi-scan image needs: libjpeg smooths incomplete blocks using two blocks on each side,
/// and interpolates chroma using one sample more.
enum { SMOOTHED_BLOCKS = 3 };

/// The number of pixels whose codes are skipped between two pauses: about 10 milliseconds.
static const uint64_t skipped_at_once = 2u << 20;

/// Returns whether a pixel edge of a side of `side` pixels falls on a pixel edge after scaling by N/8.
static bool is_edge(uint64_t edge, uint64_t side, unsigned numerator) {
    return edge == side || edge * numerator % 8 == 0;
}

/// Scales an edge; the last pixel of a side may be partial.
static uint32_t scaled(uint64_t edge, unsigned numerator) { return (uint32_t)((edge * numerator + 7) / 8); }

/// Returns whether N/8 of the image, or of the part, has the requested size. A part must also start and end at whole
/// pixels.
static bool suits(j_decompress_ptr jpeg, const firn_options *options, unsigned numerator) {
    firn_area area = options->area;
    if (!area.width) area = (firn_area){0, 0, jpeg->image_width, jpeg->image_height};
    uint64_t right = (uint64_t)area.x + area.width, bottom = (uint64_t)area.y + area.height;
    return is_edge(area.x, jpeg->image_width, numerator) && is_edge(right, jpeg->image_width, numerator)
        && is_edge(area.y, jpeg->image_height, numerator) && is_edge(bottom, jpeg->image_height, numerator)
        && scaled(right, numerator) - scaled(area.x, numerator) >= options->width
        && scaled(bottom, numerator) - scaled(area.y, numerator) >= options->height;
}

/// Returns the smallest suitable N; 8 without a requested size.
static unsigned choose(j_decompress_ptr jpeg, const firn_options *options) {
    unsigned numerator = options->width && options->height ? 1 : 8;
    while (numerator < 8 && !suits(jpeg, options, numerator)) numerator++;
    return numerator;
}

void firn_jpeg_choose_scale(jpeg_decoder *self, const firn_options *options) {
    self->numerator = choose(&self->jpeg, options);
    if (!options->width || !options->height) return;
    self->jpeg.scale_num = self->numerator;
    self->jpeg.scale_denom = 8;
    jpeg_calc_output_dimensions(&self->jpeg);
}

/// The size in pixels, at the chosen scale, of a block of the component with the most samples.
static uint32_t block_side(const struct jpeg_decompress_struct *jpeg) {
#if JPEG_LIB_VERSION >= 70
    return (uint32_t)jpeg->min_DCT_h_scaled_size;
#else
    return (uint32_t)jpeg->min_DCT_scaled_size;
#endif
}

uint32_t firn_jpeg_mcu_height(const jpeg_decoder *self) {
    return block_side(&self->jpeg) * (uint32_t)self->jpeg.max_v_samp_factor;
}

void firn_jpeg_plan_area(jpeg_decoder *self, const firn_area *area) {
    j_decompress_ptr jpeg = &self->jpeg;
    firn_output *output = &self->base.output;
    unsigned numerator = self->numerator;
    uint32_t left = scaled(area->x, numerator), right = scaled((uint64_t)area->x + area->width, numerator);
    uint32_t top = scaled(area->y, numerator), bottom = scaled((uint64_t)area->y + area->height, numerator);
    // Order: while bytes arrive, a multi-scan image is repeatedly rendered as a whole.
    bool is_cropped = self->base.input.last || !jpeg->buffered_image;
    uint32_t block = block_side(jpeg), across = block * (uint32_t)jpeg->max_h_samp_factor;
    uint32_t down = firn_jpeg_mcu_height(self);
    if (is_cropped) {
        // libjpeg starts at such an edge, and would otherwise move the first column there itself.
        uint32_t edge = jpeg->num_components == 1 ? block : across;
        uint32_t margin = jpeg->buffered_image ? SMOOTHED_BLOCKS * across : across;
        self->first_column = left > margin ? (left - margin) / edge * edge : 0;
        uint32_t end = jpeg->output_width - right > margin ? right + margin : jpeg->output_width;
        self->columns = end - self->first_column;
    }
    // Order: rows are skipped only if no call has to wait for bytes, which libjpeg cannot do while skipping.
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

firn_status firn_jpeg_plan_again(jpeg_decoder *self, const firn_options *options) {
    j_decompress_ptr jpeg = &self->jpeg;
    bool was_cropped = self->columns && self->columns != self->whole_width;
    if (self->is_cut && !options->partial) return firn_fail(&self->base, FIRN_DATA, "cut short in a scan");
    if (!self->absorbed || !self->base.input.last || !options->area.width || options->layout != self->layout
        || choose(jpeg, options) != self->numerator)
        return firn_fail(&self->base, FIRN_UNSUPPORTED, "the coefficients were read for another scale or layout");
    if (!jpeg_finish_output(jpeg)) return firn_fail(&self->base, FIRN_DATA, "the output cannot begin again");
    // Order: cropping reduced it, and is measured against it.
    jpeg->output_width = self->whole_width;
    self->first_column = self->rows_to_skip = 0;
    firn_jpeg_plan_area(self, &options->area);
    // libjpeg cannot return from some columns to all.
    if (was_cropped && self->columns == self->whole_width)
        return firn_fail(&self->base, FIRN_UNSUPPORTED, "the coefficients were read for fewer columns");
    if (!jpeg_start_output(jpeg, jpeg->input_scan_number))
        return firn_fail(&self->base, FIRN_DATA, "the output cannot begin again");
    return firn_jpeg_crop(self);
}

void firn_jpeg_skip_rows(jpeg_decoder *self) {
    j_decompress_ptr jpeg = &self->jpeg;
    uint32_t down = firn_jpeg_mcu_height(self);
    uint64_t row = (uint64_t)jpeg->image_width * (uint64_t)jpeg->max_v_samp_factor * DCTSIZE;
    uint64_t rows = skipped_at_once / row > 1 ? skipped_at_once / row * down : down;
    if (rows > self->rows_to_skip) rows = self->rows_to_skip;
    self->rows_to_skip -= jpeg_skip_scanlines(jpeg, (JDIMENSION)rows);
}
