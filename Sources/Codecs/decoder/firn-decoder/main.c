// The program that decodes images for other programs, in confined processes (Documentation/Isolation.md).
//
// It is started with the zygote's socket as descriptor 3.
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// The parts are compiled in this file: seven programs are built beside each program that decodes images, and separate
// files would cost more for headers than for code.
#include "check.c"
#include "confine.c"
#include "crash_log.c"
#include "describe.c"
#include "encode.c"
#include "fonts.c"
#include "memory.c"
#include "metadata.c"
#include "rows.c"
#include "serve.c"
#include "shared_area.c"
#include "units.c"
#include "zygote.c"

enum { CONTROL_SOCKET = 3, THREAD_STACK = 1 << 20 };

static bool is_socket(int descriptor) {
    int kind = 0;
    socklen_t length = sizeof kind;
    return getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &kind, &length) == 0 && kind == SOCK_SEQPACKET;
}

/// Opens /dev/null as 0, 1 and 2, to which libraries print warnings, and closes everything but the socket.
static bool keep_socket(void) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (null < 0) return false;
    for (int standard = 0; standard < 3; standard++)
        if (dup2(null, standard) < 0) return false;
    return close_from(CONTROL_SOCKET + 1) && fcntl(CONTROL_SOCKET, F_SETFD, FD_CLOEXEC) == 0;
}

int main(int count, char **arguments) {
    if (count == 2 && !strcmp(arguments[1], "--check")) return check();
    if (!is_socket(CONTROL_SOCKET)) {
        fputs(
            "firn-decoder decodes images for programs that use Firn, which start it themselves.\n"
            "firn-decoder --check shows how it is confined on this machine.\n",
            stderr);
        return 2;
    }
    if (!keep_socket()) return 1;
    crash_log_open();
    // Terminal signals are for the main program; this one ends with it.
    for (int number = SIGHUP; number <= SIGQUIT; number++) signal(number, SIG_IGN);
    // One heap for all threads, and small stacks: both count as address space, which is limited.
    mallopt(M_ARENA_MAX, 1);
    pthread_attr_t attributes;
    if (!pthread_attr_init(&attributes)) {
        pthread_attr_setstacksize(&attributes, THREAD_STACK);
        pthread_setattr_default_np(&attributes);
    }
    return zygote(CONTROL_SOCKET);
}

// SwiftPM links every program as if it were Swift: with a start file that registers the program's Swift types, and with
// the runtime, which takes longer to load than this program. These are the two functions that the start file needs, and
// a linker flag in the section that Swift object files use: libraries without called functions are not linked. A
// toolchain with other names links the runtime, and the program works the same.
__attribute__((weak)) void swift_addNewDSOImage(const void *sections) { (void)sections; }
__attribute__((weak)) bool _swift_backtrace_isThunkFunction(const char *name) {
    (void)name;
    return false;
}
__asm__(".pushsection .swift1_autolink_entries,\"e\"\n.asciz \"-Wl,--as-needed\"\n.popsection");
