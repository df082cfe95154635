// Decodes a stream of HEVC images with libde265, one NAL unit at a time.
//
// Order of calls:
//
//     open (push step* | image drop | end step*)* close
//
// A stream starts with its parameter sets. No function jumps out of a call. Failures are sticky.
#ifndef FIRN_HEVC_H
#define FIRN_HEVC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "firn_decode.h"
#include "firn_planes.h"

typedef struct firn_hevc firn_hevc;

/// Creates a decoder; returns NULL if memory is exhausted or this build lacks the decoder.
firn_hevc *firn_hevc_open(void);

/// Feeds one NAL unit without start code or length; copies its bytes. The image is reported with `sample`.
firn_status firn_hevc_push(firn_hevc *decoder, const uint8_t *unit, size_t length, int64_t sample);

/// Marks the end of the stream: no units follow.
void firn_hevc_end(firn_hevc *decoder);

/// Decodes at most one unit. Returns FIRN_OK if there may be more to do or an image is ready; FIRN_NEED_DATA if a unit
/// must be pushed; FIRN_END if the stream and its images have ended.
firn_status firn_hevc_step(firn_hevc *decoder);

/// Describes the next image in presentation order: its planes, which are valid until `drop`, and its sample number.
/// Does not set the matrix.
///
/// - Returns: false if there is none yet.
bool firn_hevc_image(firn_hevc *decoder, firn_planes *image, int64_t *sample);

/// Releases the image that `firn_hevc_image` described.
void firn_hevc_drop(firn_hevc *decoder);

/// Returns why the decoder failed, on one line; empty if it did not fail.
const char *firn_hevc_message(const firn_hevc *decoder);

/// Frees everything that the decoder holds. NULL is allowed.
void firn_hevc_close(firn_hevc *decoder);

#endif
