// The differences between the versions of libtiff that Firn compiles against: 4.2 to 4.7.
//
// Since 4.5, each file has its own message handlers and a limit on single allocations. Before, the handlers are global
// to the process (tiff_messages.c), and no allocation for a directory exceeds the size of the file.
#ifndef FIRN_TIFF_VERSION_H
#define FIRN_TIFF_VERSION_H

#include <tiffio.h>

#if TIFFLIB_VERSION >= 20221213
#define FIRN_TIFF_HAS_OPTIONS
#endif

#endif
