// JPEG with libjpeg-turbo. Its error handler jumps; the jump stays inside firn_encode_jpeg.
#include <stdio.h>

#include <jpeglib.h>
#include <jerror.h>
#include <math.h>
#include <setjmp.h>

#include "../../Library/encode.h"

/// The maximum length of a profile: 255 segments.
#define MAXIMUM_PROFILE ((size_t)255 * 65519)

/// The prefix of EXIF data, and their maximum length: one segment, less its length field and the prefix.
static const uint8_t exif_name[6] = "Exif\0";
#define MAXIMUM_EXIF ((size_t)65535 - 2 - sizeof exif_name)

typedef struct {
    struct jpeg_error_mgr base;
    jmp_buf jump;
    char message[JMSG_LENGTH_MAX];
} error_manager;

typedef struct {
    struct jpeg_destination_mgr base;
    firn_bytes output;
} destination;

static void on_error(j_common_ptr jpeg) {
    error_manager *manager = (error_manager *)jpeg->err;
    manager->base.format_message(jpeg, manager->message);
    longjmp(manager->jump, 1);
}

static void on_message(j_common_ptr jpeg) { (void)jpeg; }

/// Offers the library the room after the written bytes.
static void offer(j_compress_ptr jpeg) {
    destination *target = (destination *)jpeg->dest;
    if (!firn_bytes_reserve(&target->output, 4096)) ERREXIT1(jpeg, JERR_OUT_OF_MEMORY, 0);
    target->base.next_output_byte = target->output.bytes + target->output.length;
    target->base.free_in_buffer = target->output.capacity - target->output.length;
}

static void begin(j_compress_ptr jpeg) { offer(jpeg); }

static boolean full(j_compress_ptr jpeg) {
    destination *target = (destination *)jpeg->dest;
    // The library has filled the whole buffer, regardless of free_in_buffer.
    target->output.length = target->output.capacity;
    offer(jpeg);
    return TRUE;
}

static void end(j_compress_ptr jpeg) {
    destination *target = (destination *)jpeg->dest;
    target->output.length = target->output.capacity - target->base.free_in_buffer;
}

static J_COLOR_SPACE color_space(firn_source_layout layout) {
    switch (layout) {
    case FIRN_SOURCE_BGRA_PREMULTIPLIED: return JCS_EXT_BGRX;
    case FIRN_SOURCE_RGBA_STRAIGHT: return JCS_EXT_RGBX;
    case FIRN_SOURCE_RGB:
    case FIRN_SOURCE_RGBA16_STRAIGHT:
    case FIRN_SOURCE_RGBA_HALF: break;
    }
    return JCS_RGB;
}

/// Returns the distance of a number from the nearest integer.
static double rest(double number) { return fabs(number - floor(number + 0.5)); }

/// Sets the density as integers: per centimeter if that is more exact than per inch.
static void set_density(j_compress_ptr jpeg, const firn_image *image) {
    double x = image->resolution_x, y = image->resolution_y, metric = 1 / 2.54;
    if (!firn_has_resolution(image) || x >= 65535 || y >= 65535) return;
    bool is_metric = x * metric >= 1 && y * metric >= 1
        && (rest(x * metric) + rest(y * metric)) / metric + 0.001 < rest(x) + rest(y);
    double scale = is_metric ? metric : 1;
    jpeg->density_unit = is_metric ? 2 : 1;
    jpeg->X_density = (UINT16)(x * scale + 0.5);
    jpeg->Y_density = (UINT16)(y * scale + 0.5);
}

/// Writes EXIF data before the profile, because EXIF must come first.
static void write_exif(j_compress_ptr jpeg, const uint8_t *exif, size_t length) {
    if (length == 0) return;
    jpeg_write_m_header(jpeg, JPEG_APP0 + 1, (unsigned int)(sizeof exif_name + length));
    for (size_t i = 0; i < sizeof exif_name; i++) jpeg_write_m_byte(jpeg, exif_name[i]);
    for (size_t i = 0; i < length; i++) jpeg_write_m_byte(jpeg, exif[i]);
}

bool firn_encode_jpeg(const firn_image *image, const firn_jpeg_options *options, firn_encoded *encoded) {
    struct jpeg_compress_struct jpeg = {0};
    error_manager errors;
    destination target = {.base = {.init_destination = begin, .empty_output_buffer = full, .term_destination = end}};

    if (!image->opaque) {
        return firn_encoded_fail(
            encoded, &target.output, FIRN_ENCODE_IMAGE,
            "the image has transparent pixels, which JPEG cannot store; flatten it or choose PNG or WebP");
    }
    if (image->layout == FIRN_SOURCE_RGBA16_STRAIGHT || image->layout == FIRN_SOURCE_RGBA_HALF) {
        return firn_encoded_fail(encoded, &target.output, FIRN_ENCODE_IMAGE, "JPEG stores 8 bits a component, not 16");
    }
    if (image->icc_length > MAXIMUM_PROFILE) {
        return firn_encoded_fail(encoded, &target.output, FIRN_ENCODE_LIMIT, "the color profile is too long for JPEG");
    }
    if (image->exif_length > MAXIMUM_EXIF) {
        return firn_encoded_fail(encoded, &target.output, FIRN_ENCODE_LIMIT, "the EXIF data are too long for JPEG");
    }
    jpeg.err = jpeg_std_error(&errors.base);
    errors.base.error_exit = on_error;
    errors.base.output_message = on_message;
    if (setjmp(errors.jump)) {
        jpeg_destroy_compress(&jpeg);
        bool limit = jpeg.err->msg_code == JERR_OUT_OF_MEMORY || jpeg.err->msg_code == JERR_EMPTY_IMAGE
            || jpeg.err->msg_code == JERR_IMAGE_TOO_BIG;
        return firn_encoded_fail(
            encoded, &target.output, limit ? FIRN_ENCODE_LIMIT : FIRN_ENCODE_LIBRARY, errors.message);
    }
    jpeg_create_compress(&jpeg);
    jpeg.dest = &target.base;
    jpeg.image_width = image->width;
    jpeg.image_height = image->height;
    jpeg.input_components = image->layout == FIRN_SOURCE_RGB ? 3 : 4;
    jpeg.in_color_space = color_space(image->layout);
    jpeg_set_defaults(&jpeg);
    set_density(&jpeg, image);
    jpeg_set_quality(&jpeg, options->quality, TRUE);
    if (options->full_chroma) {
        jpeg.comp_info[0].h_samp_factor = 1;
        jpeg.comp_info[0].v_samp_factor = 1;
    }
    jpeg.optimize_coding = options->optimized;
    if (options->progressive) jpeg_simple_progression(&jpeg);
    // The accurate transform: the fast one saves little with SIMD and is off by up to two levels.
    jpeg.dct_method = JDCT_ISLOW;
    jpeg_start_compress(&jpeg, TRUE);
    write_exif(&jpeg, image->exif, image->exif_length);
    if (image->icc && image->icc_length > 0) {
        jpeg_write_icc_profile(&jpeg, image->icc, (unsigned int)image->icc_length);
    }
    while (jpeg.next_scanline < jpeg.image_height) {
        if (jpeg.next_scanline % 16 == 0 && firn_is_cancelled(image)) {
            jpeg_destroy_compress(&jpeg);
            return firn_encoded_cancel(encoded, &target.output);
        }
        // The library only reads rows, but its type is not const.
        JSAMPROW row = (JSAMPROW)(uintptr_t)(image->pixels + image->stride * jpeg.next_scanline);
        jpeg_write_scanlines(&jpeg, &row, 1);
    }
    jpeg_finish_compress(&jpeg);
    jpeg_destroy_compress(&jpeg);
    return firn_encoded_finish(encoded, &target.output);
}
