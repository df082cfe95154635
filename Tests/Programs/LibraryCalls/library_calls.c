// Functions of the tests' program take precedence over those of its libraries, also for calls from other libraries.
// Each of these counts, and calls the library's own.
#define _GNU_SOURCE
#include "library_calls.h"

#include <dlfcn.h>
#include <stddef.h>

static _Atomic unsigned long calls;
static const char *_Atomic last = "";

unsigned long library_calls(void) { return calls; }

const char *library_last_call(void) { return last; }

#define COUNTED(result, name, parameters, arguments)            \
    result name parameters;                                     \
    result name parameters {                                    \
        static result(*own) parameters;                         \
        if (!own) own = (result(*) parameters)dlsym(RTLD_NEXT, #name); \
        calls++;                                                \
        last = #name;                                           \
        return own arguments;                                   \
    }

// Little CMS
COUNTED(void *, cmsOpenProfileFromMem, (const void *bytes, unsigned length), (bytes, length))
// zlib
COUNTED(int, inflateInit_, (void *stream, const char *version, int size), (stream, version, size))
COUNTED(int, inflateInit2_, (void *stream, int bits, const char *version, int size), (stream, bits, version, size))
COUNTED(unsigned long, crc32, (unsigned long sum, const void *bytes, unsigned length), (sum, bytes, length))
// ISA-L
COUNTED(void, isal_inflate_init, (void *state), (state))
// libpng
COUNTED(
    void *, png_create_read_struct, (const char *version, void *own_, void *error, void *warning),
    (version, own_, error, warning))
// libjpeg
COUNTED(int, jpeg_read_header, (void *decoder, int required), (decoder, required))
// libwebp
COUNTED(
    int, WebPGetFeaturesInternal, (const void *bytes, size_t length, void *features, int version),
    (bytes, length, features, version))
COUNTED(void *, WebPIDecode, (const void *bytes, size_t length, void *config), (bytes, length, config))
// libtiff
COUNTED(
    void *, TIFFClientOpen,
    (const char *name, const char *mode, void *source, void *read, void *write, void *seek, void *close, void *size,
     void *map, void *unmap),
    (name, mode, source, read, write, seek, close, size, map, unmap))
COUNTED(
    void *, TIFFClientOpenExt,
    (const char *name, const char *mode, void *source, void *read, void *write, void *seek, void *close, void *size,
     void *map, void *unmap, void *options),
    (name, mode, source, read, write, seek, close, size, map, unmap, options))
// libheif, libde265, libavif, libjxl, librsvg
COUNTED(void *, heif_context_alloc, (void), ())
COUNTED(void *, de265_new_decoder, (void), ())
COUNTED(void *, avifDecoderCreate, (void), ())
COUNTED(void *, JxlDecoderCreate, (const void *memory), (memory))
COUNTED(
    void *, rsvg_handle_new_from_data, (const void *bytes, size_t length, void *error), (bytes, length, error))
