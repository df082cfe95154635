#include "firn_curl_types.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/// The maximum length of a response's head.
enum { HEAD_LIMIT = 128 << 10 };
/// The number of bytes to read at once. The buffer is allocated for each transfer, and glibc consolidates the heap when
/// a block of 64 KiB or more is freed.
enum { READ_SIZE = 60 << 10 };
/// The maximum wait for a connection: the caller enforces the limits.
static const long NO_LIMIT = 24L * 60 * 60 * 1000;

// MARK: libcurl

#if LIBCURL_VERSION_NUM < 0x075000
#error "Firn needs libcurl 7.80 or newer: older ones do not tell the address of a connection before they send on it"
#endif

/// HTTP/3 falls back to older versions since 7.88.
enum { OLDEST = 0x075000, WITH_FALLBACK = 0x075800 };

const char *firn_curl_start(void) {
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) return "libcurl does not start";
    const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);
    if (info->version_num < OLDEST) return "libcurl is older than 7.80";
    if (info->ssl_version == NULL || strncmp(info->ssl_version, "OpenSSL", 7) != 0) {
        return "libcurl is not the one that is built on OpenSSL";
    }
    return NULL;
}

const char *firn_curl_authority_folder(void) { return curl_version_info(CURLVERSION_NOW)->capath; }

const char *firn_curl_authority_file(void) { return curl_version_info(CURLVERSION_NOW)->cainfo; }

bool firn_curl_has_http3(void) {
    const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);
    return info->version_num >= WITH_FALLBACK && (info->features & CURL_VERSION_HTTP3) != 0;
}

const char *firn_curl_versions(void) { return curl_version(); }

// MARK: Calls of libcurl

static curl_socket_t open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address) {
    (void)purpose;
    firn_curl_transfer *transfer = context;
    if (transfer->calls.connecting(transfer->context, &address->addr) != FIRN_CURL_GO) return CURL_SOCKET_BAD;
    int descriptor = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (descriptor >= 0) {
        transfer->multi->connections++;
        transfer->multi->calls.reset(transfer->multi->context, descriptor, true);
    }
    transfer->lacks_descriptor = descriptor < 0 && (errno == EMFILE || errno == ENFILE);
    return descriptor < 0 ? CURL_SOCKET_BAD : descriptor;
}

static int close_socket(void *context, curl_socket_t descriptor) {
    firn_curl_multi *multi = context;
    multi->connections--;
    multi->calls.reset(multi->context, descriptor, false);
    return close(descriptor);
}

static int before_request(void *context, char *address, char *local, int port, int local_port) {
    (void)local;
    (void)port;
    (void)local_port;
    firn_curl_transfer *transfer = context;
    int step = transfer->calls.sending(transfer->context, address);
    return step == FIRN_CURL_GO ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT;
}

static bool keep_head(firn_curl_transfer *transfer, const char *bytes, size_t count) {
    size_t needed = transfer->head_count + count;
    if (needed > HEAD_LIMIT) return false;
    if (needed > transfer->head_capacity) {
        size_t capacity = transfer->head_capacity == 0 ? 1024 : transfer->head_capacity;
        while (capacity < needed) capacity *= 2;
        uint8_t *grown = realloc(transfer->head, capacity);
        if (grown == NULL) return false;
        transfer->head = grown;
        transfer->head_capacity = capacity;
    }
    memcpy(transfer->head + transfer->head_count, bytes, count);
    transfer->head_count = needed;
    return true;
}

static bool is_empty_line(const char *bytes, size_t count) {
    return (count == 2 && bytes[0] == '\r' && bytes[1] == '\n') || (count == 1 && bytes[0] == '\n');
}

static size_t take_head(char *bytes, size_t size, size_t count, void *context) {
    firn_curl_transfer *transfer = context;
    count *= size;
    // Fields after the body are unused trailers.
    if (transfer->has_head) return count;
    if (!keep_head(transfer, bytes, count)) {
        transfer->calls.head(transfer->context, NULL, 0);
        return 0;
    }
    if (!is_empty_line(bytes, count)) return count;
    bool is_interim = false;
    const char *space = memchr(transfer->head, ' ', transfer->head_count);
    if (space != NULL && (size_t)((const uint8_t *)space - transfer->head) + 4 <= transfer->head_count) {
        is_interim = space[1] == '1';
    }
    if (!is_interim) transfer->has_head = true;
    int step = transfer->calls.head(transfer->context, transfer->head, transfer->head_count);
    transfer->head_count = 0;
    return step == FIRN_CURL_GO ? count : 0;
}

/// Stops watching the connection of a paused transfer that is its only one: libcurl 8.5 keeps watching, and buffers up
/// to 64 MiB of received bytes.
static void unwatch(firn_curl_transfer *transfer) {
    unsigned int version = curl_version_info(CURLVERSION_NOW)->version_num;
    long http = CURL_HTTP_VERSION_NONE;
    if (version < 0x080500 || version >= 0x080600
        || curl_easy_getinfo(transfer->easy, CURLINFO_HTTP_VERSION, &http) != CURLE_OK
        || http > CURL_HTTP_VERSION_1_1) {
        return;
    }
    transfer->is_unwatched = true;
    transfer->multi->calls.watch(transfer->multi->context, transfer->descriptor, 0);
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context) {
    firn_curl_transfer *transfer = context;
    count *= size;
    switch (transfer->calls.body(transfer->context, (const uint8_t *)bytes, count)) {
    case FIRN_CURL_GO: return count;
    case FIRN_CURL_PAUSE: unwatch(transfer); return CURL_WRITEFUNC_PAUSE;
    default: return count == 0 ? 1 : 0;
    }
}

// MARK: Requests

/// Appends a text to a list. A failure leaves the list unchanged.
static bool append(struct curl_slist **list, const char *text) {
    struct curl_slist *longer = curl_slist_append(*list, text);
    if (longer == NULL) return false;
    *list = longer;
    return true;
}

#define SET(option, value) (curl_easy_setopt(easy, option, value) == CURLE_OK)

static bool set_blob(CURL *easy, CURLoption option, const char *text, size_t length) {
    struct curl_blob blob = {.data = (void *)(uintptr_t)text, .len = length, .flags = CURL_BLOB_NOCOPY};
    return curl_easy_setopt(easy, option, &blob) == CURLE_OK;
}

static bool set_tls(CURL *easy, const firn_curl_tls *tls) {
    bool done = SET(CURLOPT_SSLVERSION, (long)(tls->requires_tls13 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2))
        && SET(CURLOPT_SSL_VERIFYPEER, tls->accepts_everyone ? 0L : 1L)
        && SET(CURLOPT_SSL_VERIFYHOST, tls->accepts_everyone ? 0L : 2L);
    if (tls->authorities != NULL) {
        done = done && set_blob(easy, CURLOPT_CAINFO_BLOB, tls->authorities, tls->authorities_length)
            && SET(CURLOPT_CAINFO, (char *)NULL) && SET(CURLOPT_CAPATH, tls->authority_folder);
    }
    if (tls->chain != NULL) {
        done = done && set_blob(easy, CURLOPT_SSLCERT_BLOB, tls->chain, tls->chain_length)
            && SET(CURLOPT_SSLCERTTYPE, "PEM") && set_blob(easy, CURLOPT_SSLKEY_BLOB, tls->key, tls->key_length)
            && SET(CURLOPT_SSLKEYTYPE, "PEM");
    }
    return done;
}

static bool set_method(CURL *easy, const firn_curl_request *request) {
    if (request->body != NULL) {
        return SET(CURLOPT_POST, 1L) && SET(CURLOPT_POSTFIELDS, (const char *)request->body)
            && SET(CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->body_length)
            && SET(CURLOPT_CUSTOMREQUEST, request->method);
    }
    if (strcmp(request->method, "GET") == 0) return true;
    if (strcmp(request->method, "HEAD") == 0) return SET(CURLOPT_NOBODY, 1L);
    return SET(CURLOPT_CUSTOMREQUEST, request->method);
}

static bool set_lists(firn_curl_transfer *transfer, const firn_curl_request *request) {
    CURL *easy = transfer->easy;
    // Suppresses fields that libcurl would add.
    bool done = append(&transfer->fields, "Expect:");
    bool has_accept = false;
    bool has_type = false;
    for (const char *field = request->fields; done && *field != 0; field += strlen(field) + 1) {
        has_accept = has_accept || strncasecmp(field, "accept:", 7) == 0 || strncasecmp(field, "accept;", 7) == 0;
        has_type = has_type || strncasecmp(field, "content-type", 12) == 0;
        done = append(&transfer->fields, field);
    }
    if (!has_accept) done = done && append(&transfer->fields, "Accept:");
    if (!has_type && request->body != NULL) done = done && append(&transfer->fields, "Content-Type:");
    done = done && SET(CURLOPT_HTTPHEADER, transfer->fields);
    if (request->connect_to != NULL) {
        done = done && append(&transfer->connect_to, request->connect_to)
            && SET(CURLOPT_CONNECT_TO, transfer->connect_to);
    }
    if (request->resolve != NULL) {
        done = done && append(&transfer->resolve, request->resolve) && SET(CURLOPT_RESOLVE, transfer->resolve);
    }
    return done;
}

static bool set_proxy(CURL *easy, const firn_curl_request *request) {
    // Set even without a proxy: otherwise libcurl would read the environment.
    bool done = SET(CURLOPT_PROXY, request->proxy) && SET(CURLOPT_NOPROXY, "");
    if (*request->proxy == 0) return done;
    done = done && SET(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    if (request->proxy_user != NULL) {
        done = done && SET(CURLOPT_PROXYUSERNAME, request->proxy_user)
            && SET(CURLOPT_PROXYPASSWORD, request->proxy_password == NULL ? "" : request->proxy_password)
            && SET(CURLOPT_PROXYAUTH, (long)CURLAUTH_BASIC);
    }
    return done;
}

static long version_of(const firn_curl_request *request) {
    if (request->allows_http3 && firn_curl_has_http3()) return CURL_HTTP_VERSION_3;
    return request->allows_http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1;
}

/// Allows only HTTP, also for redirects. All versions support the numeric option; the option by names came with 7.85.
static bool set_protocols(CURL *easy) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    return SET(CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#pragma GCC diagnostic pop
}

static bool set_all(firn_curl_transfer *transfer, const firn_curl_request *request) {
    CURL *easy = transfer->easy;
    return SET(CURLOPT_BUFFERSIZE, (long)READ_SIZE) && SET(CURLOPT_URL, request->address)
        && set_protocols(easy)
        && SET(CURLOPT_PATH_AS_IS, 1L) && SET(CURLOPT_DISALLOW_USERNAME_IN_URL, 1L) && SET(CURLOPT_NOSIGNAL, 1L)
        && SET(CURLOPT_PRIVATE, transfer) && SET(CURLOPT_ERRORBUFFER, transfer->message)
        && SET(CURLOPT_SHARE, transfer->multi->share) && SET(CURLOPT_DNS_CACHE_TIMEOUT, -1L)
        && SET(CURLOPT_CONNECTTIMEOUT_MS, NO_LIMIT)
        && SET(CURLOPT_HTTP_VERSION, version_of(request))
        // Otherwise libcurl 7.88 decodes transfer codings that were not requested, and fails on unknown ones.
        && SET(CURLOPT_HTTP_CONTENT_DECODING, 0L)
        && SET(CURLOPT_PIPEWAIT, request->waits_for_connection ? 1L : 0L)
        && SET(CURLOPT_FRESH_CONNECT, request->needs_new_connection ? 1L : 0L)
        && SET(CURLOPT_OPENSOCKETFUNCTION, open_socket) && SET(CURLOPT_OPENSOCKETDATA, transfer)
        && SET(CURLOPT_CLOSESOCKETFUNCTION, close_socket) && SET(CURLOPT_CLOSESOCKETDATA, transfer->multi)
        && SET(CURLOPT_PREREQFUNCTION, before_request) && SET(CURLOPT_PREREQDATA, transfer)
        && SET(CURLOPT_HEADERFUNCTION, take_head) && SET(CURLOPT_HEADERDATA, transfer)
        && SET(CURLOPT_WRITEFUNCTION, take_body) && SET(CURLOPT_WRITEDATA, transfer)
        && (!request->asks_for_certificate || (SET(CURLOPT_CONNECT_ONLY, 1L) && SET(CURLOPT_CERTINFO, 1L)))
        && set_tls(easy, request->tls) && set_method(easy, request) && set_proxy(easy, request)
        && set_lists(transfer, request);
}

firn_curl_transfer *firn_curl_begin(
    firn_curl_multi *multi, const firn_curl_request *request, const firn_curl_calls *calls, void *context) {
    firn_curl_transfer *transfer = calloc(1, sizeof *transfer);
    if (transfer == NULL) return NULL;
    transfer->multi = multi;
    transfer->descriptor = -1;
    transfer->calls = *calls;
    transfer->context = context;
    // Each transfer has its own handle. libcurl 7.88 keeps more than settings in a handle: bytes held back when a
    // transfer ended early, and a freed pointer to the last field of a head.
    transfer->easy = curl_easy_init();
    if (transfer->easy != NULL && set_all(transfer, request)
        && curl_multi_add_handle(multi->multi, transfer->easy) == CURLM_OK) {
        transfer->is_added = true;
        return transfer;
    }
    firn_curl_free(transfer);
    return NULL;
}

void *firn_curl_context(const firn_curl_transfer *transfer) { return transfer->context; }

void firn_curl_resume(firn_curl_transfer *transfer) {
    if (!transfer->is_added) return;
    if (transfer->is_unwatched) transfer->multi->calls.watch(transfer->multi->context, transfer->descriptor, 1);
    transfer->is_unwatched = false;
    curl_easy_pause(transfer->easy, CURLPAUSE_CONT);
}

void firn_curl_close_connection(firn_curl_transfer *transfer) {
    if (transfer->is_added) curl_easy_setopt(transfer->easy, CURLOPT_FORBID_REUSE, 1L);
}

void firn_curl_free(firn_curl_transfer *transfer) {
    if (transfer->easy != NULL) {
        if (transfer->is_added) curl_multi_remove_handle(transfer->multi->multi, transfer->easy);
        curl_easy_cleanup(transfer->easy);
    }
    curl_slist_free_all(transfer->fields);
    curl_slist_free_all(transfer->connect_to);
    curl_slist_free_all(transfer->resolve);
    free(transfer->head);
    free(transfer);
}

// MARK: Results

static enum firn_curl_fault fault_of(CURLcode code) {
    // CURLE_TOO_LARGE, since 8.6.
    enum { LONG_HEAD = 100 };
    switch ((int)code) {
    case CURLE_OK: return FIRN_CURL_NONE;
    case CURLE_URL_MALFORMAT: return FIRN_CURL_BAD_ADDRESS;
    case CURLE_COULDNT_RESOLVE_HOST: return FIRN_CURL_UNKNOWN_HOST;
    case CURLE_COULDNT_RESOLVE_PROXY: return FIRN_CURL_UNKNOWN_PROXY;
    case CURLE_COULDNT_CONNECT: return FIRN_CURL_NO_CONNECTION;
    case CURLE_PROXY: return FIRN_CURL_PROXY;
    case CURLE_SSL_CONNECT_ERROR: return FIRN_CURL_TLS;
    case CURLE_PEER_FAILED_VERIFICATION: return FIRN_CURL_UNTRUSTED;
    case CURLE_SSL_CACERT_BADFILE: return FIRN_CURL_BAD_AUTHORITIES;
    case CURLE_SSL_CERTPROBLEM: return FIRN_CURL_BAD_IDENTITY;
    case CURLE_GOT_NOTHING: return FIRN_CURL_NO_RESPONSE;
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR: return FIRN_CURL_LOST;
    case CURLE_PARTIAL_FILE: return FIRN_CURL_CUT_SHORT;
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_HTTP3: return FIRN_CURL_STREAM;
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_FILESIZE_EXCEEDED: return FIRN_CURL_NOT_HTTP;
    case CURLE_OPERATION_TIMEDOUT: return FIRN_CURL_TIMEOUT;
    case CURLE_WRITE_ERROR:
    case CURLE_ABORTED_BY_CALLBACK: return FIRN_CURL_STOPPED;
    case LONG_HEAD: return FIRN_CURL_LONG_HEAD;
    case CURLE_OUT_OF_MEMORY: return FIRN_CURL_NO_MEMORY;
    default: return FIRN_CURL_OTHER;
    }
}

void firn_curl_look(const firn_curl_transfer *transfer, firn_curl_result *result) {
    CURL *easy = transfer->easy;
    *result = (firn_curl_result){.fault = fault_of(transfer->code)};
    if (transfer->lacks_descriptor && result->fault == FIRN_CURL_NO_CONNECTION) {
        result->fault = FIRN_CURL_NO_DESCRIPTOR;
    }
    long system_error = 0;
    long version = 0;
    curl_off_t number = 0;
    curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &system_error);
    result->system_error = (int)system_error;
    result->message = transfer->message[0] != 0 ? transfer->message
        : transfer->code == CURLE_OK            ? ""
                                                : curl_easy_strerror(transfer->code);
    curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &result->verify_result);
    curl_easy_getinfo(easy, CURLINFO_HTTP_CONNECTCODE, &result->proxy_status);
    if (curl_easy_getinfo(easy, CURLINFO_CONNECT_TIME_T, &number) == CURLE_OK) result->connected = number;
    if (curl_easy_getinfo(easy, CURLINFO_APPCONNECT_TIME_T, &number) == CURLE_OK) result->secured = number;
    if (curl_easy_getinfo(easy, CURLINFO_SIZE_DOWNLOAD_T, &number) == CURLE_OK) result->bytes = number;
    curl_easy_getinfo(easy, CURLINFO_HTTP_VERSION, &version);
    result->version = version == CURL_HTTP_VERSION_1_0 ? 10
        : version == CURL_HTTP_VERSION_1_1             ? 11
        : version == CURL_HTTP_VERSION_2_0             ? 20
        : version == CURL_HTTP_VERSION_3               ? 30
                                                       : 0;
}

const char *firn_curl_certificate(const firn_curl_transfer *transfer, const char *field) {
    struct curl_certinfo *chain = NULL;
    if (curl_easy_getinfo(transfer->easy, CURLINFO_CERTINFO, &chain) != CURLE_OK || chain == NULL) return NULL;
    if (chain->num_of_certs < 1) return NULL;
    size_t length = strlen(field);
    for (const struct curl_slist *entry = chain->certinfo[0]; entry != NULL; entry = entry->next) {
        if (strncmp(entry->data, field, length) == 0 && entry->data[length] == ':') return entry->data + length + 1;
    }
    return NULL;
}
