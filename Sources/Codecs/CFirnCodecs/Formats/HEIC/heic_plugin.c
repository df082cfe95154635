// An HEVC decoder for libheif that reports damaged images.
//
// libheif's own use of libde265 ignores errors, and libde265 leaves undecoded parts of an image uninitialized: they
// show old memory. This decoder takes precedence for all users of libheif in the process, because libheif 1.15 does not
// select the decoder of grid cells by name.
//
// Source: libheif/heif_plugin.h; heif_decoder_libde265.cc of libheif 1.15 for what libheif expects.
#include "heic_plugin.h"

#ifdef FIRN_HEIC
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <libheif/heif.h>
#include <libheif/heif_plugin.h>

#include "heic_version.h"
#include "hevc_decoder.h"

static const struct heif_error success = {heif_error_Ok, heif_suberror_Unspecified, "Success"};
static const struct heif_error no_memory = {
    heif_error_Memory_allocation_error, heif_suberror_Unspecified, "no memory"};
static const struct heif_error cut = {
    heif_error_Decoder_plugin_error, heif_suberror_End_of_data, "a coded image is cut short"};
static const struct heif_error damaged = {
    heif_error_Decoder_plugin_error, heif_suberror_Unspecified, "a coded image is damaged"};
static const struct heif_error unsupported = {
    heif_error_Unsupported_feature, heif_suberror_Unsupported_color_conversion,
    "planes with different numbers of bits"};

static const char *name(void) { return "Firn's HEVC decoder"; }

/// libheif's own decoders have priority 100.
static int priority(enum heif_compression_format format) { return format == heif_compression_HEVC ? 200 : 0; }

/// The decoder of one image.
struct image_decoder {
    firn_hevc *hevc;
    /// True once all units were pushed, and once the image was returned.
    bool is_whole, is_done;
    /// The number that libheif passed with the units and gets back with the image.
    uintptr_t user_data;
};

static struct heif_error open_decoder(void **out) {
    struct image_decoder *decoder = calloc(1, sizeof *decoder);
    *out = decoder;
    if (decoder) decoder->hevc = firn_hevc_open();
    if (decoder && decoder->hevc) return success;
    free(decoder);
    *out = NULL;
    return no_memory;
}

static void close_decoder(void *opened) {
    struct image_decoder *decoder = opened;
    if (decoder) firn_hevc_close(decoder->hevc);
    free(decoder);
}

/// Takes units, each preceded by its length in four bytes.
static struct heif_error push(void *opened, const void *data, size_t size) {
    struct image_decoder *decoder = opened;
    const uint8_t *bytes = data;
    while (size > 0) {
        if (size < 4) return cut;
        size_t length = (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 | bytes[3];
        bytes += 4;
        size -= 4;
        if (length > size) return cut;
        firn_status status = firn_hevc_push(decoder->hevc, bytes, length, 0);
        if (status) return status == FIRN_MEMORY ? no_memory : damaged;
        bytes += length;
        size -= length;
    }
    return success;
}

/// Copies the planes of an image.
static struct heif_error copy_planes(const firn_planes *planes, struct heif_image *image) {
    static const enum heif_channel channels[3] = {heif_channel_Y, heif_channel_Cb, heif_channel_Cr};
    for (unsigned c = 0; c < 3 && planes->planes[c].base; c++) {
        const firn_plane *from = &planes->planes[c];
        if (from->bits != planes->planes[0].bits) return unsupported;
        struct heif_error error =
            heif_image_add_plane(image, channels[c], (int)from->width, (int)from->height, (int)from->bits);
        if (error.code) return error;
        int stride = 0;
        uint8_t *to = heif_image_get_plane(image, channels[c], &stride);
        size_t row = (size_t)from->width * (from->bits > 8 ? 2 : 1);
        if (!to || stride <= 0 || (size_t)stride < row || from->stride < row) return damaged;
        for (uint32_t y = 0; y < from->height; y++)
            memcpy(to + (size_t)y * (size_t)stride, from->base + (size_t)y * from->stride, row);
    }
    return success;
}

/// Copies the color description of the stream.
static void describe_colors(const struct de265_image *from, struct heif_image *image) {
    struct heif_color_profile_nclx *colors = heif_nclx_color_profile_alloc();
    if (!colors) return;
    firn_heic_set_colors(
        colors, de265_get_image_colour_primaries(from), de265_get_image_transfer_characteristics(from),
        de265_get_image_matrix_coefficients(from));
    colors->full_range_flag = de265_get_image_full_range_flag(from) != 0;
    (void)heif_image_set_nclx_color_profile(image, colors);
    heif_nclx_color_profile_free(colors);
}

/// Converts the next image.
static struct heif_error take_image(firn_hevc *decoder, struct heif_image **out) {
    firn_planes planes = {0};
    int64_t sample;
    const struct de265_image *found = firn_hevc_next(decoder);
    if (!found || !firn_hevc_image(decoder, &planes, &sample) || !planes.planes[0].base) return damaged;
    bool is_gray = de265_get_chroma_format(found) == de265_chroma_mono;
    if (!is_gray && (!planes.planes[1].base || !planes.planes[2].base)) return damaged;
    // libheif and libde265 number the subsamplings alike.
    struct heif_error error = heif_image_create(
        (int)planes.planes[0].width, (int)planes.planes[0].height,
        is_gray ? heif_colorspace_monochrome : heif_colorspace_YCbCr,
        (enum heif_chroma)de265_get_chroma_format(found), out);
    if (error.code) return error;
    error = copy_planes(&planes, *out);
    if (!error.code) {
        describe_colors(found, *out);
        return success;
    }
    heif_image_release(*out);
    *out = NULL;
    return error;
}

// MARK: Cells of grids

static FIRN_HEIC_OF_THREAD firn_heic_cells expected[2];

/// Held while libheif decodes an image, and while cells are counted, if it may use its own threads, which do not know
/// their caller.
static pthread_mutex_t one_image = PTHREAD_MUTEX_INITIALIZER, counting = PTHREAD_MUTEX_INITIALIZER;

static void set_expected(firn_heic_cells cells, firn_heic_cells alpha) {
    if (FIRN_HEIC_OWN_THREADS) pthread_mutex_lock(&counting);
    expected[0] = cells;
    expected[1] = alpha;
    if (FIRN_HEIC_OWN_THREADS) pthread_mutex_unlock(&counting);
}

void firn_heic_begin(firn_heic_cells cells, firn_heic_cells alpha) {
    if (FIRN_HEIC_OWN_THREADS) pthread_mutex_lock(&one_image);
    set_expected(cells, alpha);
}

void firn_heic_end(void) {
    set_expected((firn_heic_cells){0}, (firn_heic_cells){0});
    if (FIRN_HEIC_OWN_THREADS) pthread_mutex_unlock(&one_image);
}

/// Returns the cell of the next image. libheif decodes alpha cells last.
static firn_heic_cells next_cell(void) {
    if (FIRN_HEIC_OWN_THREADS) pthread_mutex_lock(&counting);
    firn_heic_cells *cells = expected[0].count ? &expected[0] : &expected[1], cell = *cells;
    if (cells->count) cells->count--;
    if (FIRN_HEIC_OWN_THREADS) pthread_mutex_unlock(&counting);
    return cell;
}

/// Returns whether the next image is at least as large as its cell.
static bool fits(const struct heif_image *image) {
    firn_heic_cells cell = next_cell();
    int width = heif_image_get_primary_width(image), height = heif_image_get_primary_height(image);
    return !cell.count
        || (width >= 0 && (uint32_t)width >= cell.width && height >= 0 && (uint32_t)height >= cell.height);
}

/// Returns the last image of the units.
static struct heif_error decode(void *opened, struct heif_image **out) {
    firn_hevc *hevc = ((struct image_decoder *)opened)->hevc;
    *out = NULL;
    firn_hevc_end(hevc);
    firn_status status;
    while (!(status = firn_hevc_step(hevc))) {
        if (!firn_hevc_next(hevc)) continue;
        if (*out) heif_image_release(*out);
        struct heif_error error = take_image(hevc, out);
        firn_hevc_drop(hevc);
        if (error.code) return error;
    }
    if (status == FIRN_END && *out && fits(*out)) return success;
    if (*out) heif_image_release(*out);
    *out = NULL;
    return status == FIRN_MEMORY ? no_memory : damaged;
}

#if LIBHEIF_NUMERIC_VERSION >= 0x010D0000
static void set_strict(void *decoder, int flag) {
    (void)decoder;
    (void)flag;
}
#endif

// Since 1.21, libheif refuses plugins before version 5, which can decode sequences. Firn reads sequences itself.
#if LIBHEIF_NUMERIC_VERSION >= 0x01150000
static int priority_of(const heif_decoder_plugin_compressed_format_description *format) {
    return priority(format->format);
}

static heif_error open_with_options(void **decoder, const heif_decoder_plugin_options *options) {
    (void)options;
    return open_decoder(decoder);
}

static heif_error push_with(void *decoder, const void *data, size_t size, uintptr_t user_data) {
    ((struct image_decoder *)decoder)->user_data = user_data;
    return push(decoder, data, size);
}

static heif_error flush(void *decoder) {
    ((struct image_decoder *)decoder)->is_whole = true;
    return success;
}

/// Returns the image once all units have arrived, and none before or after.
static heif_error decode_next(
    void *opened, heif_image **out, uintptr_t *user_data, const heif_security_limits *limits
) {
    struct image_decoder *decoder = opened;
    (void)limits;
    *out = NULL;
    if (!decoder->is_whole || decoder->is_done) return success;
    decoder->is_done = true;
    if (user_data) *user_data = decoder->user_data;
    return decode(decoder, out);
}
#endif

static const struct heif_decoder_plugin plugin = {
    .get_plugin_name = name,
    .does_support_format = priority,
    .new_decoder = open_decoder,
    .free_decoder = close_decoder,
    .push_data = push,
    .decode_image = decode,
#if LIBHEIF_NUMERIC_VERSION >= 0x01150000
    .plugin_api_version = 5,
    .set_strict_decoding = set_strict,
    .id_name = "firn-hevc",
    .minimum_required_libheif_version = LIBHEIF_MAKE_VERSION(1, 21, 0),
    .does_support_format2 = priority_of,
    .new_decoder2 = open_with_options,
    .push_data2 = push_with,
    .flush_data = flush,
    .decode_next_image2 = decode_next,
#elif LIBHEIF_NUMERIC_VERSION >= 0x010F0000
    .plugin_api_version = 3,
    .set_strict_decoding = set_strict,
    .id_name = "firn-hevc",
#elif LIBHEIF_NUMERIC_VERSION >= 0x010D0000
    .plugin_api_version = 2,
    .set_strict_decoding = set_strict,
#else
    .plugin_api_version = 1,
#endif
};

static void add(void) { (void)heif_register_decoder_plugin(&plugin); }

void firn_heic_plugin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, add);
}

#endif
