// A stream of HEVC images, decoded by libde265 one NAL unit at a time.
//
// Grammar of use:
//
//     open (push step* | image drop | end step*)* close
//
// A stream begins with its parameter sets. Nothing jumps out of a call. A decoder that failed stays failed.
#ifndef FIRN_HEVC_H
#define FIRN_HEVC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firn_decode.h"
#include "firn_planes.h"

typedef struct firn_hevc firn_hevc;

/// Makes a decoder; NULL if the system has no memory, or the decoder is left out of this build.
firn_hevc *firn_hevc_open(void);

/// Hands over one NAL unit without a start code or a length; the bytes are copied. `sample` is told with the image.
firn_status firn_hevc_push(firn_hevc *decoder, const uint8_t *unit, size_t length, int64_t sample);

/// Says that no units follow.
void firn_hevc_end(firn_hevc *decoder);

/// Decodes at most one unit. FIRN_OK: there may be more to do, or an image to take; FIRN_NEED_DATA: a unit is to be
/// pushed; FIRN_END: the stream has ended, and so have its images.
firn_status firn_hevc_step(firn_hevc *decoder);

/// Describes the next image in the order of presentation: its planes, which stay until `drop`, and its sample's number.
/// The matrix is left alone.
///
/// - Returns: false if there is none yet.
bool firn_hevc_image(firn_hevc *decoder, firn_planes *image, int64_t *sample);

/// Lets go of that image.
void firn_hevc_drop(firn_hevc *decoder);

/// Why the decoder failed, in one line; empty if it did not.
const char *firn_hevc_message(const firn_hevc *decoder);

/// Frees all that the decoder holds. NULL is allowed.
void firn_hevc_close(firn_hevc *decoder);

#endif
