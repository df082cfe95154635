// Font files for a process that must not open files.
//
// The zygote knows all font files. A worker requests one by name and gets a read-only descriptor; all other names are
// refused. FreeType opens fonts with `open`, and Cairo checks them with `access`: this program replaces both.
#ifndef FIRN_DECODER_FONTS_H
#define FIRN_DECODER_FONTS_H

#include <stdbool.h>

/// Loads the list of fonts once. Called by the zygote.
void fonts_load(void);

/// Replies to one request on a worker's socket. Called by the zygote.
///
/// - Returns: false if the worker has ended.
bool fonts_reply(int socket);

/// From now on, makes `open` ask the zygote through `socket`. Called by workers.
void fonts_ask(int socket);

#endif
