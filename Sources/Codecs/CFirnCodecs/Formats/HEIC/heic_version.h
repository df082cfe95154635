// The differences between the versions of libheif that Firn compiles against: 1.12 to 1.23.
//
// Since 1.13, the number of threads that decode a grid can be set, and colors are set by number. Version 1.12 decodes
// grid cells on up to four threads of its own. Before 1.15, the declared size of a cropped image is one pixel too small
// on each odd side; the decoded image is correct.
#ifndef FIRN_HEIC_VERSION_H
#define FIRN_HEIC_VERSION_H

#include <stdbool.h>
#include <stdint.h>

#include <libheif/heif.h>

/// True if libheif may decode grid cells on its own threads; the expected cell sizes are then stored per process,
/// otherwise per thread.
#if LIBHEIF_NUMERIC_VERSION >= 0x010D0000
#define FIRN_HEIC_OWN_THREADS false
#define FIRN_HEIC_OF_THREAD _Thread_local
#else
#define FIRN_HEIC_OWN_THREADS true
#define FIRN_HEIC_OF_THREAD
#endif

/// True if the declared size of a cropped image may be a pixel too small.
#if LIBHEIF_NUMERIC_VERSION >= 0x010F0000
#define FIRN_HEIC_SHRINKS false
#else
#define FIRN_HEIC_SHRINKS true
#endif

/// Requests that cells are decoded on the calling thread. No effect before libheif 1.13.
static inline void firn_heic_use_one_thread(struct heif_context *context) {
#if LIBHEIF_NUMERIC_VERSION >= 0x010D0000
    heif_context_set_max_decoding_threads(context, 0);
#else
    (void)context;
#endif
}

/// Describes colors by code points (ITU-T H.273). libheif ignores unknown ones.
static inline void firn_heic_set_colors(
    struct heif_color_profile_nclx *colors, int primaries, int transfer, int matrix) {
#if LIBHEIF_NUMERIC_VERSION >= 0x010D0000
    (void)heif_nclx_color_profile_set_color_primaries(colors, (uint16_t)primaries);
    (void)heif_nclx_color_profile_set_transfer_characteristics(colors, (uint16_t)transfer);
    (void)heif_nclx_color_profile_set_matrix_coefficients(colors, (uint16_t)matrix);
#else
    colors->color_primaries = (enum heif_color_primaries)primaries;
    colors->transfer_characteristics = (enum heif_transfer_characteristics)transfer;
    colors->matrix_coefficients = (enum heif_matrix_coefficients)matrix;
#endif
}

#endif
