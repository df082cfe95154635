// librsvg loads fontconfig. Its functions are looked up by name, so the build needs no additional library.
#include "fonts.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "firn_packets.h"

// MARK: The zygote's side

/// The start of fontconfig's FcFontSet.
typedef struct {
    int count;
    int room;
    void **patterns;
} font_set;

/// The paths of all font files, sorted.
static char **files;
static size_t file_count;

static int compare(const void *one, const void *other) { return strcmp(*(char *const *)one, *(char *const *)other); }

static void take_set(const font_set *set, int (*file_of)(void *, const char *, int, unsigned char **)) {
    if (!set || set->count <= 0) return;
    char **list = realloc(files, (file_count + (size_t)set->count) * sizeof *files);
    if (!list) return;
    files = list;
    for (int i = 0; i < set->count; i++) {
        unsigned char *name = NULL;
        if (file_of(set->patterns[i], "file", 0, &name) || !name) continue;
        char *copy = strdup((const char *)name);
        if (copy) files[file_count++] = copy;
    }
}

#define RULES(name) "<include ignore_missing=\"yes\">/usr/share/fontconfig/conf.avail/" name ".conf</include>"

/// The rules if `/usr` exists without `/etc`, as in GNOME's sandbox for thumbnailers: the font directory, and the
/// families of "sans-serif" and similar names. Without a configuration, fontconfig uses arbitrary fonts for them.
static const char own_rules[] =
    "<fontconfig><dir>/usr/share/fonts</dir><cachedir>/var/cache/fontconfig</cachedir>"
    RULES("30-metric-aliases") RULES("40-nonlatin") RULES("45-generic") RULES("45-latin")
    RULES("49-sansserif") RULES("60-generic") RULES("60-latin") RULES("65-nonlatin")
    "</fontconfig>";

/// Configures fontconfig if it has no configuration.
static void configure(void) {
    static const char *const variables[] = {"FONTCONFIG_FILE", "FONTCONFIG_PATH", "FONTCONFIG_SYSROOT"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i])) return;
    if (!access("/etc/fonts/fonts.conf", F_OK)) return;
    void *(*create)(void) = (void *(*)(void))dlsym(RTLD_DEFAULT, "FcConfigCreate");
    int (*read_rules)(void *, const unsigned char *, int) =
        (int (*)(void *, const unsigned char *, int))dlsym(RTLD_DEFAULT, "FcConfigParseAndLoadFromMemory");
    int (*set_current)(void *) = (int (*)(void *))dlsym(RTLD_DEFAULT, "FcConfigSetCurrent");
    void (*destroy)(void *) = (void (*)(void *))dlsym(RTLD_DEFAULT, "FcConfigDestroy");
    void *own = create && read_rules && set_current && destroy ? create() : NULL;
    if (!own) return;
    // fontconfig retains the current configuration.
    if (read_rules(own, (const unsigned char *)own_rules, 0)) set_current(own);
    destroy(own);
}

void fonts_load(void) {
    static bool is_loaded;
    if (is_loaded) return;
    is_loaded = true;
    configure();
    int (*initialize)(void) = (int (*)(void))dlsym(RTLD_DEFAULT, "FcInit");
    int (*set_interval)(void *, int) = (int (*)(void *, int))dlsym(RTLD_DEFAULT, "FcConfigSetRescanInterval");
    font_set *(*fonts)(void *, int) = (font_set * (*)(void *, int)) dlsym(RTLD_DEFAULT, "FcConfigGetFonts");
    int (*file_of)(void *, const char *, int, unsigned char **) =
        (int (*)(void *, const char *, int, unsigned char **))dlsym(RTLD_DEFAULT, "FcPatternGetString");
    if (!initialize || !set_interval || !fonts || !file_of || !initialize()) return;
    // Workers cannot check for added fonts.
    set_interval(NULL, 0);
    for (int set = 0; set < 2; set++) take_set(fonts(NULL, set), file_of);
    qsort(files, file_count, sizeof *files, compare);
}

static bool is_font(const char *name) { return bsearch(&name, files, file_count, sizeof *files, compare); }

bool fonts_reply(int socket) {
    char name[PATH_MAX];
    int given[FIRN_PACKET_DESCRIPTORS];
    long length = firn_packet_receive(socket, name, sizeof name, given);
    for (int i = 0; i < FIRN_PACKET_DESCRIPTORS; i++)
        if (given[i] >= 0) close(given[i]);
    if (length <= 0) return false;
    int file = -1;
    if (name[length - 1] == 0) {
        if (is_font(name)) file = open(name, O_RDONLY | O_CLOEXEC);
    }
    uint8_t is_found = file >= 0;
    bool is_sent = firn_packet_send(socket, &is_found, 1, &file, is_found);
    if (file >= 0) close(file);
    return is_sent;
}

// MARK: The worker's side

static int broker = -1;

void fonts_ask(int socket) { broker = socket; }

/// Requests a file to read. Threads take turns, because each reply belongs to the previous request.
static int request(const char *name) {
    static bool is_busy;
    size_t length = strlen(name) + 1;
    if (length > PATH_MAX) {
        errno = ENAMETOOLONG;
        return -1;
    }
    while (__atomic_test_and_set(&is_busy, __ATOMIC_ACQUIRE)) syscall(SYS_sched_yield);
    int given[FIRN_PACKET_DESCRIPTORS] = {-1, -1};
    uint8_t is_found = 0;
    if (firn_packet_send(broker, name, length, NULL, 0)) firn_packet_receive(broker, &is_found, 1, given);
    __atomic_clear(&is_busy, __ATOMIC_RELEASE);
    if (given[0] < 0) errno = ENOENT;
    return given[0];
}

/// Replaces the C library's `open` for this program and its libraries.
int open(const char *name, int flags, ...) {
    if (broker >= 0) {
        if ((flags & O_ACCMODE) == O_RDONLY) return request(name);
        errno = EACCES;
        return -1;
    }
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return (int)syscall(SYS_openat, AT_FDCWD, name, flags, mode);
}

int open64(const char *name, int flags, ...) __attribute__((alias("open")));

/// Replaces `access`, which Cairo calls for a font before FreeType opens it. A worker uses the zygote's list of fonts.
int access(const char *name, int mode) {
    if (broker < 0) return (int)syscall(SYS_faccessat, AT_FDCWD, name, mode);
    if (mode == F_OK || mode == R_OK) {
        if (is_font(name)) return 0;
        errno = ENOENT;
    } else {
        errno = EACCES;
    }
    return -1;
}

/// Replaces `fstat`, which the C library implements with a call that can also look up files by name.
int fstat(int file, struct stat *status) {
#ifdef SYS_fstat
    return (int)syscall(SYS_fstat, file, status);
#else
    return (int)syscall(SYS_newfstatat, file, "", status, AT_EMPTY_PATH);
#endif
}

int fstat64(int file, struct stat64 *status) __attribute__((alias("fstat")));
