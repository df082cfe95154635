// HEVC with libde265, for image sequences and, through heic_plugin.c, for libheif's stills.
//
// Decodes on one thread. libde265 keeps at most 30 images; the caller ensures that none exceeds its declared size.
//
// Source: ITU-T H.265; libde265/de265.h.
#include "firn_hevc.h"

#ifdef FIRN_HEIC
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../Library/exit.h"
#include "hevc_decoder.h"

struct firn_hevc {
    de265_decoder_context *context;
    firn_status failure;
    bool has_ended;
    char message[200];
};

// MARK: Memory of images

/// The number of bytes after a plane that vector instructions may access.
enum { PADDING = 64 };

/// libde265's own functions, which `prepare_planes` replaces.
static struct de265_image_allocation usual;

/// Allocates the planes of an image and zeroes them, because libde265 leaves undecoded parts uninitialized, and does
/// not always report them.
///
/// The user data of a plane is its first visible sample. For two-byte samples, libde265 finds it at half the distance.
static int make_planes(
    de265_decoder_context *context, struct de265_image_spec *spec, struct de265_image *image, void *owner) {
    if (owner != &usual) return usual.get_buffer(context, spec, image, owner);
    void *planes[3] = {NULL};
    int count = spec->format == de265_image_format_mono8 ? 1 : 3, alignment = spec->alignment > 0 ? spec->alignment : 1;
    if (spec->width <= 0 || spec->height <= 0 || spec->width > INT_MAX / 4) return 0;
    for (int i = 0; i < 3; i++) {
        if (i >= count) {
            de265_set_image_plane(image, i, NULL, 0, NULL);
            continue;
        }
        int across = i > 0 && spec->format != de265_image_format_YUV444P8 ? 2 : 1;
        int down = i > 0 && spec->format == de265_image_format_YUV420P8 ? 2 : 1;
        int sample = de265_get_bits_per_pixel(image, i) > 8 ? 2 : 1;
        int width = (spec->width + across - 1) / across, height = (spec->height + down - 1) / down;
        int stride = (width + alignment - 1) / alignment * alignment * sample;
        size_t bytes = (size_t)stride * (size_t)height + PADDING;
        if (posix_memalign(&planes[i], PADDING, bytes)) {
            planes[i] = NULL;
            while (i-- > 0) {
                free(planes[i]);
                de265_set_image_plane(image, i, NULL, 0, NULL);
            }
            return 0;
        }
        memset(planes[i], 0, bytes);
        size_t hidden = (size_t)(spec->crop_top / down) * (size_t)stride + (size_t)(spec->crop_left / across * sample);
        de265_set_image_plane(image, i, planes[i], stride, (uint8_t *)planes[i] + hidden);
    }
    return 1;
}

/// Replaces libde265's own allocation, which it uses for images with sample adaptive offset and for missing references,
/// regardless of a decoder's functions. Other decoders in the process keep theirs.
static void prepare_planes(void) {
    const struct de265_image_allocation *functions = de265_get_default_image_allocation_functions();
    usual = *functions;
    // Safety: the functions are a variable, and each image keeps a copy. libde265's own function frees the memory, so
    // an image of another thread may get either `get_buffer`.
    __atomic_store_n(&((struct de265_image_allocation *)functions)->get_buffer, make_planes, __ATOMIC_RELEASE);
}

// MARK: Decoding

firn_hevc *firn_hevc_open(void) {
    firn_hevc *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->context = de265_new_decoder();
    if (!self->context) {
        free(self);
        return NULL;
    }
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare_planes);
    struct de265_image_allocation planes = {.get_buffer = make_planes, .release_buffer = usual.release_buffer};
    de265_set_image_allocation_functions(self->context, &planes, &usual);
    de265_set_parameter_bool(self->context, DE265_DECODER_PARAM_SUPPRESS_FAULTY_PICTURES, 1);
    return self;
}

static firn_status fail(firn_hevc *self, firn_status status, const char *message) {
    self->failure = status;
    snprintf(self->message, sizeof self->message, "%s", message);
    return status;
}

static firn_status fail_code(firn_hevc *self, de265_error error) {
    firn_status status = FIRN_DATA;
    if (error == DE265_ERROR_OUT_OF_MEMORY) status = FIRN_MEMORY;
    if (error == DE265_ERROR_NOT_IMPLEMENTED_YET) status = FIRN_UNSUPPORTED;
    fail(self, status, "");
    snprintf(self->message, sizeof self->message, "libde265: %s", de265_get_error_text(error));
    return status;
}

/// Returns whether a warning means that part of an image is missing.
static bool is_damage(de265_error warning) {
    switch (warning) {
    case DE265_WARNING_PREMATURE_END_OF_SLICE_SEGMENT:
    case DE265_WARNING_INCORRECT_ENTRY_POINT_OFFSET:
    case DE265_WARNING_CTB_OUTSIDE_IMAGE_AREA:
    case DE265_WARNING_SLICEHEADER_INVALID:
    case DE265_WARNING_EOSS_BIT_NOT_SET:
    case DE265_WARNING_SLICE_SEGMENT_ADDRESS_INVALID:
    case DE265_WARNING_DEPENDENT_SLICE_WITH_ADDRESS_ZERO: return true;
    default: return false;
    }
}

firn_status firn_hevc_push(firn_hevc *self, const uint8_t *unit, size_t length, int64_t sample) {
    if (self->failure) return self->failure;
    // The header alone takes two bytes.
    if (!unit || length < 3) return FIRN_OK;
    if (length > INT_MAX / 2) return fail(self, FIRN_LIMIT, "a unit is too long for libde265");
    de265_error error = de265_push_NAL(self->context, unit, (int)length, sample, NULL);
    return de265_isOK(error) ? FIRN_OK : fail_code(self, error);
}

void firn_hevc_end(firn_hevc *self) {
    if (self->failure || self->has_ended) return;
    self->has_ended = true;
    de265_flush_data(self->context);
}

static firn_status step(firn_hevc *self) {
    // Order: units wait until images are taken, so libde265's buffer is never full.
    if (de265_peek_next_picture(self->context)) return FIRN_OK;
    int more = 0;
    de265_error error = de265_decode(self->context, &more);
    // Order: drains libde265's list of warnings.
    de265_error warning, damage = DE265_OK;
    while ((warning = de265_get_warning(self->context)) != DE265_OK)
        if (is_damage(warning)) damage = warning;
    if (damage != DE265_OK) return fail_code(self, damage);
    if (error == DE265_ERROR_WAITING_FOR_INPUT_DATA) return self->has_ended ? FIRN_END : FIRN_NEED_DATA;
    if (!de265_isOK(error)) return fail_code(self, error);
    if (more || de265_peek_next_picture(self->context)) return FIRN_OK;
    return self->has_ended ? FIRN_END : FIRN_NEED_DATA;
}

firn_status firn_hevc_step(firn_hevc *self) {
    if (self->failure) return self->failure;
    if (!firn_library_enter()) return fail(self, FIRN_DATA, "the program ends");
    firn_status status = step(self);
    firn_library_leave();
    return status;
}

const struct de265_image *firn_hevc_next(firn_hevc *self) {
    return self->failure ? NULL : de265_peek_next_picture(self->context);
}

bool firn_hevc_image(firn_hevc *self, firn_planes *image, int64_t *sample) {
    const struct de265_image *found = firn_hevc_next(self);
    if (!found) return false;
    bool is_gray = de265_get_chroma_format(found) == de265_chroma_mono;
    *sample = de265_get_image_PTS(found);
    for (int i = 0; i < 3; i++) {
        firn_plane *plane = &image->planes[i];
        *plane = (firn_plane){0};
        if (is_gray && i > 0) continue;
        int stride = 0, width = de265_get_image_width(found, i), height = de265_get_image_height(found, i);
        (void)de265_get_image_plane(found, i, &stride);
        const uint8_t *base = de265_get_image_plane_user_data(found, i);
        int bits = de265_get_bits_per_pixel(found, i);
        if (!base || stride <= 0 || width <= 0 || height <= 0 || bits <= 0) continue;
        *plane = (firn_plane){base, (size_t)stride, (uint32_t)width, (uint32_t)height, (uint32_t)bits};
    }
    return true;
}

void firn_hevc_drop(firn_hevc *self) {
    if (de265_peek_next_picture(self->context)) de265_release_next_picture(self->context);
}

const char *firn_hevc_message(const firn_hevc *self) { return self->message; }

void firn_hevc_close(firn_hevc *self) {
    if (!self) return;
    de265_free_decoder(self->context);
    free(self);
}

#endif
