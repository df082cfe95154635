// Runs all transfers through libcurl's multi interface.
#include "firn_curl_types.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

static int watch_socket(CURL *easy, curl_socket_t socket, int what, void *context, void *of_socket) {
    (void)of_socket;
    firn_curl_multi *multi = context;
    char *private = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_PRIVATE, &private) == CURLE_OK && private != NULL) {
        ((firn_curl_transfer *)(void *)private)->descriptor = socket;
    }
    int events = what == CURL_POLL_IN ? 1 : what == CURL_POLL_OUT ? 2 : what == CURL_POLL_INOUT ? 3 : 0;
    multi->calls.watch(multi->context, socket, events);
    return 0;
}

static int set_timer(CURLM *handle, long milliseconds, void *context) {
    (void)handle;
    firn_curl_multi *multi = context;
    multi->calls.wake(multi->context, milliseconds);
    return 0;
}

/// Returns the number of bytes that a descriptor has to read, or that its peer has yet to read.
static int count_of(int descriptor, unsigned long request) {
    int count = 0;
    return ioctl(descriptor, request, &count) == 0 ? count : 0;
}

/// Returns whether a descriptor may carry a pending wake-up: one byte in a pipe or socket pair.
static bool has_wakeup(int descriptor) {
    struct stat status;
    if (fstat(descriptor, &status) != 0) return false;
    if (S_ISFIFO(status.st_mode)) return count_of(descriptor, FIONREAD) == 1;
    int domain = 0;
    socklen_t size = sizeof domain;
    if (!S_ISSOCK(status.st_mode) || getsockopt(descriptor, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0) return false;
    return domain == AF_UNIX && (count_of(descriptor, FIONREAD) == 1 || count_of(descriptor, SIOCOUTQ) > 0);
}

/// Keeps child processes from inheriting libcurl's own wake-up descriptors: a socket pair in 7.81 and 7.88, a pipe in
/// 8.5; newer versions set the flag. They are recognized as descriptors without the flag that carry a pending wake-up,
/// and no longer do once libcurl has handled it.
static void close_wakeup_on_exec(CURLM *multi) {
    enum { MOST = 64 };
    int found[MOST], count = 0, ready = 0;
    curl_multi_wakeup(multi);
    DIR *folder = opendir("/proc/self/fd");
    for (struct dirent *entry; folder != NULL && count < MOST && (entry = readdir(folder)) != NULL;) {
        int descriptor = atoi(entry->d_name);
        if (entry->d_name[0] != '.' && fcntl(descriptor, F_GETFD) == 0 && has_wakeup(descriptor)) {
            found[count++] = descriptor;
        }
    }
    if (folder != NULL) closedir(folder);
    curl_multi_poll(multi, NULL, 0, 0, &ready);
    for (int i = 0; i < count; i++)
        if (!has_wakeup(found[i])) fcntl(found[i], F_SETFD, FD_CLOEXEC);
}

firn_curl_multi *firn_curl_multi_new(const firn_curl_multi_calls *calls, void *context) {
    firn_curl_multi *multi = calloc(1, sizeof *multi);
    if (multi == NULL) return NULL;
    multi->calls = *calls;
    multi->context = context;
    multi->multi = curl_multi_init();
    multi->share = curl_share_init();
    if (multi->multi == NULL || multi->share == NULL) {
        if (multi->multi != NULL) curl_multi_cleanup(multi->multi);
        if (multi->share != NULL) curl_share_cleanup(multi->share);
        free(multi);
        return NULL;
    }
    close_wakeup_on_exec(multi->multi);
    curl_share_setopt(multi->share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    curl_multi_setopt(multi->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl_multi_setopt(multi->multi, CURLMOPT_SOCKETDATA, multi);
    curl_multi_setopt(multi->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(multi->multi, CURLMOPT_TIMERDATA, multi);
    curl_multi_setopt(multi->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    return multi;
}

void firn_curl_multi_free(firn_curl_multi *multi) {
    curl_multi_cleanup(multi->multi);
    curl_share_cleanup(multi->share);
    free(multi);
}

void firn_curl_multi_limit(firn_curl_multi *multi, long connections) {
    curl_multi_setopt(multi->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections);
    curl_multi_setopt(multi->multi, CURLMOPT_MAXCONNECTS, connections);
}

int firn_curl_multi_connections(const firn_curl_multi *multi) { return multi->connections; }

void firn_curl_multi_act(firn_curl_multi *multi, int descriptor, int events) {
    int mask = (events & 1 ? CURL_CSELECT_IN : 0) | (events & 2 ? CURL_CSELECT_OUT : 0)
        | (events & 4 ? CURL_CSELECT_ERR : 0);
    int running = 0;
    curl_multi_socket_action(
        multi->multi, descriptor < 0 ? CURL_SOCKET_TIMEOUT : descriptor, descriptor < 0 ? 0 : mask, &running);
}

void firn_curl_multi_refresh(firn_curl_multi *multi) {
    int running = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    curl_multi_socket_all(multi->multi, &running);
#pragma GCC diagnostic pop
}

firn_curl_transfer *firn_curl_multi_ended(firn_curl_multi *multi) {
    int left = 0;
    CURLMsg *message = NULL;
    while ((message = curl_multi_info_read(multi->multi, &left)) != NULL) {
        if (message->msg != CURLMSG_DONE) continue;
        char *private = NULL;
        CURLcode code = message->data.result;
        CURL *easy = message->easy_handle;
        curl_easy_getinfo(easy, CURLINFO_PRIVATE, &private);
        firn_curl_transfer *transfer = (firn_curl_transfer *)(void *)private;
        transfer->code = code;
        transfer->is_added = false;
        curl_multi_remove_handle(multi->multi, easy);
        return transfer;
    }
    return NULL;
}
