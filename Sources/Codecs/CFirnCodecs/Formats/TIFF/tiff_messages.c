// Messages of libtiff before 4.5, whose handlers are global to the process.
//
// Data structure: a list of the open files. Messages about other files go to the previously set handlers.
//
// Source: libtiff 4.3 tif_error.c.
#ifdef FIRN_TIFF
#include "tiff_version.h"

#ifndef FIRN_TIFF_HAS_OPTIONS
#include "tiff_messages.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct {
    TIFFErrorHandler plain;
    TIFFErrorHandlerExt with_handle;
} handlers;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static firn_tiff_messages *all;
static handlers errors, warnings;

/// Stores an error message; returns false if its file is not in the list.
static bool take(thandle_t handle, bool is_error, const char *format, va_list arguments) {
    pthread_mutex_lock(&lock);
    firn_tiff_messages *found = all;
    while (found && found->handle != handle) found = found->next;
    if (found && is_error && !found->text[0]) vsnprintf(found->text, found->capacity, format, arguments);
    pthread_mutex_unlock(&lock);
    return found;
}

static void pass_on(
    const handlers *others, thandle_t handle, const char *module, const char *format, va_list arguments) {
    va_list copy;
    va_copy(copy, arguments);
    if (others->plain) others->plain(module, format, copy);
    va_end(copy);
    if (others->with_handle) others->with_handle(handle, module, format, arguments);
}

static void take_error(thandle_t handle, const char *module, const char *format, va_list arguments) {
    if (!take(handle, true, format, arguments)) pass_on(&errors, handle, module, format, arguments);
}

static void take_warning(thandle_t handle, const char *module, const char *format, va_list arguments) {
    if (!take(handle, false, format, arguments)) pass_on(&warnings, handle, module, format, arguments);
}

/// Order: the plain handlers first. libtiff calls both kinds, and the plain ones, which print, do not receive the file.
static void replace_handlers(void) {
    errors.plain = TIFFSetErrorHandler(NULL);
    errors.with_handle = TIFFSetErrorHandlerExt(take_error);
    warnings.plain = TIFFSetWarningHandler(NULL);
    warnings.with_handle = TIFFSetWarningHandlerExt(take_warning);
}

void firn_tiff_messages_begin(firn_tiff_messages *messages) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, replace_handlers);
    pthread_mutex_lock(&lock);
    messages->next = all;
    all = messages;
    pthread_mutex_unlock(&lock);
}

void firn_tiff_messages_end(firn_tiff_messages *messages) {
    pthread_mutex_lock(&lock);
    firn_tiff_messages **link = &all;
    while (*link && *link != messages) link = &(*link)->next;
    if (*link) *link = messages->next;
    pthread_mutex_unlock(&lock);
}

#endif
#endif
