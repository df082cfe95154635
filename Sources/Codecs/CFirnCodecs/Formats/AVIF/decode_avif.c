// AVIF with libavif: stills and sequences.
//
// libavif requests ranges of the file, which are served from the bytes received so far, so the header is known early.
// Pixels are decoded once all bytes have arrived, because a sequence may need any of them.
//
// Source: AV1 Image File Format 1.1; ISO/IEC 14496-12 §12.1.4 (clap); ISO/IEC 23008-12 §6.5.9 (clap), §6.5.10 (irot),
// §6.5.12 (imir); avif/avif.h.
#ifdef FIRN_AVIF
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "avif_items.h"
#include "avif_version.h"
#include "../../Library/decoder.h"

typedef struct {
    firn_decoder base;
    avifDecoder *decoder;
    avifIO io;
    uint32_t *durations;
    /// The first frame with missing bytes.
    uint32_t first_cut;
    firn_layout layout;
    uint32_t frame;
    bool is_decoded;
    /// The size of the coded image and its visible part.
    uint32_t coded_width, coded_height;
    avifCropRect shown;
    /// The pixels to convert.
    avifCropRect view;
} avif_decoder;

// MARK: Callbacks

/// Safety: the returned bytes do not move until our own call returns, and libavif copies them.
static avifResult read_range(avifIO *io, uint32_t flags, uint64_t offset, size_t size, avifROData *out) {
    const firn_input *input = &((avif_decoder *)io->data)->base.input;
    if (flags != 0) return AVIF_RESULT_IO_ERROR;
    uint64_t left = offset <= input->length ? input->length - offset : 0;
    if (!input->last && size > left) return AVIF_RESULT_WAITING_ON_IO;
    if (offset > input->length) return AVIF_RESULT_IO_ERROR;
    out->data = input->bytes + offset;
    out->size = size < left ? size : (size_t)left;
    return AVIF_RESULT_OK;
}

static firn_status fail_avif(avif_decoder *self, avifResult result) {
    const char *details = self->decoder->diag.error;
    firn_status status = result == FIRN_AVIF_NO_MEMORY ? FIRN_MEMORY : FIRN_DATA;
    switch (result) {
    case AVIF_RESULT_NOT_IMPLEMENTED:
    case AVIF_RESULT_UNSUPPORTED_DEPTH:
    case AVIF_RESULT_NO_CODEC_AVAILABLE: status = FIRN_UNSUPPORTED; break;
    case AVIF_RESULT_TRUNCATED_DATA:
    case AVIF_RESULT_IO_ERROR:
    case AVIF_RESULT_WAITING_ON_IO: return firn_fail(&self->base, FIRN_DATA, "the data is cut short");
    default: break;
    }
    return firn_fail(
        &self->base, status, "%s%s%s", avifResultToString(result), details[0] ? ": " : "", details);
}

// MARK: Header

static firn_status open_avif(avif_decoder *self) {
    if (self->decoder) return FIRN_OK;
    avifDecoder *decoder = self->decoder = avifDecoderCreate();
    if (!decoder) return firn_fail(&self->base, FIRN_MEMORY, "no memory");
    uint64_t pixels = self->base.limits.pixels;
    if (pixels && pixels < decoder->imageSizeLimit) decoder->imageSizeLimit = (uint32_t)pixels;
    firn_avif_lift_side_limit(decoder);
    decoder->imageCountLimit = self->base.limits.frames;
    decoder->maxThreads = 1;
    // Some writers omit boxes that the standard requires; browsers accept their files.
    decoder->strictFlags = AVIF_STRICT_DISABLED;
    self->io = (avifIO){.read = read_range, .data = self};
    avifDecoderSetIO(decoder, &self->io);
    return FIRN_OK;
}

/// Returns the EXIF orientation for a rotation followed by a reflection.
static uint32_t orientation_of(const avifImage *image) {
    static const uint8_t turned[4] = {1, 8, 3, 6};
    static const uint8_t upside_down[4] = {4, 5, 2, 7};
    static const uint8_t sideways[4] = {2, 7, 4, 5};
    unsigned angle = image->transformFlags & AVIF_TRANSFORM_IROT ? image->irot.angle & 3 : 0;
    if (!(image->transformFlags & AVIF_TRANSFORM_IMIR)) return turned[angle];
    return firn_avif_mirror_axis(image) ? sideways[angle] : upside_down[angle];
}

/// Returns the visible part of one side of the coded image, rounded as in libheif; false if it is empty.
static bool shown_part(uint32_t side, double wanted, double offset, uint32_t *start, uint32_t *length) {
    double first = floor(offset + (side - wanted) / 2), last = floor(first + wanted - 0.5);
    first = fmax(first, 0);
    last = fmin(last, side - 1.0);
    if (!(first <= last)) return false;
    *start = (uint32_t)first;
    *length = (uint32_t)(last - first) + 1;
    return true;
}

/// Reads the clean aperture. Ignores an invalid one.
static void take_shown(avif_decoder *self, const avifImage *image) {
    const avifCleanApertureBox *box = &image->clap;
    avifCropRect part = {0, 0, image->width, image->height};
    self->coded_width = image->width;
    self->coded_height = image->height;
    self->shown = part;
    if (!(image->transformFlags & AVIF_TRANSFORM_CLAP) || !box->widthD || !box->heightD || !box->horizOffD
        || !box->vertOffD)
        return;
    double across = (double)(int32_t)box->horizOffN / box->horizOffD;
    double down = (double)(int32_t)box->vertOffN / box->vertOffD;
    if (shown_part(image->width, (double)box->widthN / box->widthD, across, &part.x, &part.width)
        && shown_part(image->height, (double)box->heightN / box->heightD, down, &part.y, &part.height))
        self->shown = part;
}

static bool is_cropped(const avif_decoder *self) {
    return self->shown.width != self->coded_width || self->shown.height != self->coded_height;
}

static firn_status take_durations(avif_decoder *self, uint32_t count) {
    free(self->durations);
    self->durations = calloc(count, sizeof *self->durations);
    if (!self->durations) return firn_fail(&self->base, FIRN_MEMORY, "no memory for the list of frames");
    for (uint32_t i = 0; i < count; i++) {
        avifImageTiming timing;
        if (avifDecoderNthImageTiming(self->decoder, i, &timing)) continue;
        double milliseconds = timing.duration * 1000;
        if (milliseconds > 0)
            self->durations[i] = milliseconds < UINT32_MAX ? (uint32_t)(milliseconds + 0.5) : UINT32_MAX;
    }
    return FIRN_OK;
}

/// Pixels by which a coded frame may exceed the declared size.
enum { SPARE_PIXELS = 1 << 20 };

/// Limits coded frames to the declared size: memory is planned for that, but each frame states its own size.
static void bind_size(avif_decoder *self) {
    avifDecoder *decoder = self->decoder;
    uint64_t declared = (uint64_t)decoder->image->width * decoder->image->height;
    uint64_t most = declared + declared / 4 + SPARE_PIXELS;
    // libavif passes the limit to the codec with the first frame.
    if (most < decoder->imageSizeLimit) decoder->imageSizeLimit = (uint32_t)most;
}

/// Returns an upper bound: the planes at full size, libavif's copy, and the reference frames of a sequence.
static uint64_t working_bytes(const avif_decoder *self) {
    const firn_header *header = &self->base.header;
    uint64_t planes = self->decoder->alphaPresent ? 4 : 3, sample = header->bit_depth > 8 ? 2 : 1;
    uint64_t coded = (uint64_t)self->coded_width * self->coded_height, pixels = coded + SPARE_PIXELS;
    // A part is cropped from wider rows.
    uint64_t rows = is_cropped(self) ? coded * sample * 4 : 0;
    return (1 << 20) + rows + pixels * planes * sample * (header->animated ? 4 : 2);
}

/// Returns the first frame with missing bytes, or `frames`, by binary search: frames are stored in order, and libavif
/// checks every frame since the last keyframe.
static uint32_t find_cut(const avif_decoder *self, uint32_t frames) {
    uint32_t low = 0, high = frames;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        avifExtent extent;
        uint64_t end = 0;
        if (!avifDecoderNthImageMaxExtent(self->decoder, middle, &extent)
            && __builtin_add_overflow(extent.offset, (uint64_t)extent.size, &end))
            end = UINT64_MAX;
        if (end > self->base.input.length) high = middle;
        else low = middle + 1;
    }
    return low;
}

static firn_status header(firn_decoder *base) {
    avif_decoder *self = (avif_decoder *)base;
    firn_header *header = &base->header;
    firn_status status = open_avif(self);
    if (status) return status;
    avifDecoder *decoder = self->decoder;
    // Metadata may be anywhere, so it is read once the whole file has arrived.
    decoder->ignoreExif = decoder->ignoreXMP = !base->input.last;
    self->io.sizeHint = base->input.last ? base->input.length : UINT32_MAX;
    // Order: before libavif, even if it would find another error in the first bytes: the error must not depend on
    // splits.
    switch (firn_avif_count_items(base->input.bytes, base->input.length, base->input.last)) {
    case FIRN_AVIF_FEW_ITEMS: break;
    case FIRN_AVIF_MANY_ITEMS: return firn_fail(base, FIRN_LIMIT, "has more than %d items", FIRN_AVIF_MOST_ITEMS);
    case FIRN_AVIF_NO_ITEMS: return FIRN_NEED_DATA;
    }
    avifResult result = avifDecoderParse(decoder);
    if (result == AVIF_RESULT_WAITING_ON_IO && !base->input.last) return FIRN_NEED_DATA;
    // libavif reports an incomplete box as damage, even while the file is still arriving.
    if (result == AVIF_RESULT_TRUNCATED_DATA && !base->input.last) return FIRN_NEED_DATA;
    if (result) return fail_avif(self, result);
    bind_size(self);
    const avifImage *image = decoder->image;
    status = firn_check_size(base, image->width, image->height);
    if (status) return status;
    take_shown(self, image);
    header->width = self->shown.width;
    header->height = self->shown.height;
    header->bit_depth = image->depth;
    header->orientation = orientation_of(image);
    header->alpha = decoder->alphaPresent;
    header->space = image->yuvFormat == AVIF_PIXEL_FORMAT_YUV400      ? FIRN_SPACE_GRAY
        : image->matrixCoefficients == AVIF_MATRIX_COEFFICIENTS_IDENTITY ? FIRN_SPACE_RGB
                                                                         : FIRN_SPACE_YCBCR;
    if (decoder->imageCount > 1) {
        status = take_durations(self, (uint32_t)decoder->imageCount);
        if (status) return status;
        header->animated = true;
        header->frames = (uint32_t)decoder->imageCount;
        header->durations = self->durations;
        header->loops = firn_avif_plays(decoder);
    }
    if (image->icc.size && image->icc.size <= base->limits.profile_bytes) {
        header->icc = image->icc.data;
        header->icc_length = image->icc.size;
    }
    header->exif = image->exif.data;
    header->exif_length = image->exif.size;
    header->xmp = image->xmp.data;
    header->xmp_length = image->xmp.size;
    if (image->colorPrimaries != 2) header->color.primaries = image->colorPrimaries;
    if (image->transferCharacteristics != 2) header->color.transfer = image->transferCharacteristics;
    header->working_bytes = working_bytes(self);
    if (base->input.last) self->first_cut = find_cut(self, header->frames);
    return FIRN_OK;
}

static firn_status describe_frame(firn_decoder *base, uint32_t index, firn_frame *frame) {
    const firn_header *header = &base->header;
    uint32_t duration = header->durations ? header->durations[index] : 0, first_cut = ((avif_decoder *)base)->first_cut;
    firn_extent extent = !base->input.last ? FIRN_EXTENT_UNKNOWN
        : index < first_cut                ? FIRN_EXTENT_WHOLE
                                           : FIRN_EXTENT_CUT;
    *frame = (firn_frame){header->width, header->height, duration, header->alpha, extent, 0};
    return FIRN_OK;
}

// MARK: Pixels

/// Narrows a range to a part of it, extended to even pixels and by at least one chroma sample: libavif interpolates
/// chroma at the border of the converted part as at the border of the image.
static void widen(uint32_t *start, uint32_t *length, uint32_t first, uint32_t count) {
    uint32_t side = *length, end = first + count;
    *start = first > 2 ? (first - 2) & ~1u : 0;
    end = side - end > 3 ? (end + 3) & ~1u : side;
    *length = end - *start;
}

static firn_status start(firn_decoder *base, const firn_options *options) {
    avif_decoder *self = (avif_decoder *)base;
    if (options->frame >= base->header.frames) return firn_fail(base, FIRN_DATA, "has no such frame");
    if (options->layout == FIRN_LAYOUT_CMYK || options->layout == FIRN_LAYOUT_RGBA_HALF
        || (options->layout == FIRN_LAYOUT_RGBA16 && base->header.bit_depth <= 8))
        return firn_fail(base, FIRN_UNSUPPORTED, "is not stored in the samples asked for");
    self->layout = options->layout;
    self->frame = options->frame;
    self->is_decoded = false;
    firn_area part = options->area;
    if (!part.width && is_cropped(self)) part = (firn_area){0, 0, self->shown.width, self->shown.height};
    self->view = (avifCropRect){0, 0, self->coded_width, self->coded_height};
    if (part.width) {
        part.x += self->shown.x;
        part.y += self->shown.y;
        widen(&self->view.x, &self->view.width, part.x, part.width);
        widen(&self->view.y, &self->view.height, part.y, part.height);
        part.x -= self->view.x;
        part.y -= self->view.y;
    }
    base->output = (firn_output){
        self->view.width, self->view.height, .whole = true, .in_order = true, .area = part};
    return FIRN_OK;
}

/// Decodes in one call and converts in the next, so that the caller can stop in between.
static firn_status read_rows(
    firn_decoder *base, uint8_t *pixels, size_t stride, uint32_t rows, uint32_t *done) {
    (void)rows;
    avif_decoder *self = (avif_decoder *)base;
    const avifImage *image = self->decoder->image;
    if (!self->is_decoded) {
        avifResult result = avifDecoderNthImage(self->decoder, self->frame);
        if (result == AVIF_RESULT_WAITING_ON_IO && !base->input.last) return FIRN_NEED_DATA;
        if (result) return fail_avif(self, result);
        image = self->decoder->image;
        if (image->width != self->coded_width || image->height != self->coded_height)
            return firn_fail(base, FIRN_DATA, "a frame has another size than declared");
        self->is_decoded = true;
        return FIRN_OK;
    }
    if (stride > UINT32_MAX) return firn_fail(base, FIRN_LIMIT, "rows are too long for libavif");
    // libavif decodes whole images; only the part is converted.
    avifImage *view = avifImageCreateEmpty();
    if (!view) return firn_fail(base, FIRN_MEMORY, "no memory");
    avifResult result = firn_avif_set_view(view, image, &self->view);
    avifRGBImage target;
    avifRGBImageSetDefaults(&target, view);
    target.format = self->layout == FIRN_LAYOUT_BGRA ? AVIF_RGB_FORMAT_BGRA
        : self->layout == FIRN_LAYOUT_RGB           ? AVIF_RGB_FORMAT_RGB
                                                    : AVIF_RGB_FORMAT_RGBA;
    target.depth = self->layout == FIRN_LAYOUT_RGBA16 ? 16 : 8;
    target.alphaPremultiplied = AVIF_FALSE;
    target.pixels = pixels;
    target.rowBytes = (uint32_t)stride;
    if (!result) result = avifImageYUVToRGB(view, &target);
    avifImageDestroy(view);
    if (result) return fail_avif(self, result);
    *done = base->output.height;
    return FIRN_END;
}

static void release(firn_decoder *base) {
    avif_decoder *self = (avif_decoder *)base;
    if (self->decoder) avifDecoderDestroy(self->decoder);
    free(self->durations);
}

static void library(char *text, size_t capacity) {
    char codecs[256] = "";
    avifCodecVersions(codecs);
    const char *limit = AVIF_VERSION < 1000000 ? "; without repetition counts of animations (since 1.0)" : "";
    snprintf(text, capacity, "libavif %s (%s)%s", avifVersion(), codecs, limit);
}

const firn_codec_calls firn_avif_calls = {
    .library = library,
    .state_bytes = sizeof(avif_decoder), .release = release, .header = header, .start = start, .read = read_rows,
    .frame = describe_frame, .restarts = true, .areas = true};

#endif
