// Decodes the units of one track of an HEVC sequence for a program.
#ifndef FIRN_DECODER_UNITS_H
#define FIRN_DECODER_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "firn_hevc.h"
#include "firn_worker.h"

/// The decoder of a track, and the bytes of undecoded records.
typedef struct {
    firn_hevc *decoder;
    uint8_t *records;
    size_t length, capacity;
} unit_stream;

/// Takes `fed` bytes of records and decodes until an image is ready, which is then dropped.
///
/// - surface: memory for the planes of the sample `request->first`.
/// - Returns: FIRN_OK with an image, FIRN_NEED_DATA, FIRN_END, or a failure with a message in the reply.
firn_status units_decode(
    unit_stream *stream, const firn_worker_request *request, const uint8_t *records, size_t fed, uint8_t *surface,
    size_t surface_length, firn_worker_reply *reply);

void units_close(unit_stream *stream);

#endif
