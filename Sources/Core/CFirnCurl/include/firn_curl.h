/// Transfers by libcurl's multi interface, on one thread.
///
/// libcurl's own header stays inside this module: settings need a variadic function, which Swift cannot call. All
/// functions are called on one thread, except firn_curl_start.
#ifndef CFIRN_CURL_H
#define CFIRN_CURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/// The connections of a group of transfers, and their shared state: TLS sessions and certificate stores.
typedef struct firn_curl_multi firn_curl_multi;
/// One request and its response.
typedef struct firn_curl_transfer firn_curl_transfer;

/// Prepares libcurl. Call once, before everything else.
///
/// Returns NULL, or the reason why this libcurl is unusable.
const char *firn_curl_start(void);

/// The system's certificates: a folder of links by hash, or a file; NULL if there is none.
const char *firn_curl_authority_folder(void);
const char *firn_curl_authority_file(void);
/// True if this libcurl supports HTTP/3.
bool firn_curl_has_http3(void);

/// The versions of libcurl and its libraries, on one line.
const char *firn_curl_versions(void);

// MARK: Multi

/// The callbacks of a multi. Each receives the context of the multi.
typedef struct {
    /// Wait until a descriptor is readable (bit 0) or writable (bit 1); 0 stops waiting, before it is closed.
    void (*watch)(void *context, int descriptor, int events);
    /// A descriptor was opened, or is about to be closed.
    void (*reset)(void *context, int descriptor, bool is_open);
    /// Call firn_curl_multi_act without a descriptor after this many milliseconds; -1 for never.
    void (*wake)(void *context, long milliseconds);
} firn_curl_multi_calls;

/// Returns NULL if memory or descriptors are exhausted.
firn_curl_multi *firn_curl_multi_new(const firn_curl_multi_calls *calls, void *context);

/// Closes all connections. No transfer may be running.
void firn_curl_multi_free(firn_curl_multi *multi);

/// Sets the maximum number of connections, used and idle. Transfers above it wait, and idle connections are closed.
void firn_curl_multi_limit(firn_curl_multi *multi, long connections);

/// Returns the number of open connections.
int firn_curl_multi_connections(const firn_curl_multi *multi);

/// Handles the events of a descriptor, or a timeout (descriptor -1).
void firn_curl_multi_act(firn_curl_multi *multi, int descriptor, int events);

/// Asks all transfers what they wait for. Call after freeing a transfer early that shared its connection: libcurl 7.88
/// then no longer watches the connection for the others.
void firn_curl_multi_refresh(firn_curl_multi *multi);

/// Returns a transfer that has ended and removes it from the multi; NULL if there is none.
firn_curl_transfer *firn_curl_multi_ended(firn_curl_multi *multi);

// MARK: Transfers

/// The next step, as returned by a transfer's callback.
enum firn_curl_step { FIRN_CURL_GO = 0, FIRN_CURL_PAUSE = 1, FIRN_CURL_STOP = 2 };

/// The events of a transfer, in this order. Each callback receives the context of the transfer.
typedef struct {
    /// A connection is about to be made. Any result but FIRN_CURL_GO refuses it.
    int (*connecting)(void *context, const struct sockaddr *address);
    /// A connection to this address is established, and the request is sent next. May be called again if libcurl
    /// repeats a request lost with an old connection. Any result but FIRN_CURL_GO ends the transfer.
    int (*sending)(void *context, const char *address);
    /// The complete head of a response: status line and fields, with their line ends. Interim heads precede the final
    /// one. NULL if it is too long.
    int (*head)(void *context, const uint8_t *bytes, size_t count);
    /// Bytes of the body. After FIRN_CURL_PAUSE they are delivered again on resumption.
    int (*body)(void *context, const uint8_t *bytes, size_t count);
} firn_curl_calls;

/// The TLS settings; NULL or 0 for defaults. Texts are PEM.
typedef struct {
    const char *authorities;
    size_t authorities_length;
    /// An additional folder of authorities.
    const char *authority_folder;
    const char *chain;
    size_t chain_length;
    const char *key;
    size_t key_length;
    bool requires_tls13;
    bool accepts_everyone;
} firn_curl_tls;

/// A request. Everything it points to must live until the transfer is freed, except for the texts.
typedef struct {
    const char *address;
    const char *method;
    /// Fields as "Name: value", or "Name;" for an empty value, each NUL-terminated; an empty one ends the list.
    const char *fields;
    /// NULL if there is no body.
    const uint8_t *body;
    size_t body_length;
    /// "host:port:address:port": connects to this address instead of the host; NULL for no change.
    const char *connect_to;
    /// "host:port:address,address": the addresses of the host; NULL to use known ones.
    const char *resolve;
    /// The proxy's address; "" for none. An HTTP proxy forwards requests for http addresses, and opens tunnels for
    /// others.
    const char *proxy;
    const char *proxy_user;
    const char *proxy_password;
    const firn_curl_tls *tls;
    bool allows_http2;
    bool allows_http3;
    /// Waits for a connection in progress, since it may carry several requests.
    bool waits_for_connection;
    /// Uses no connection that another request has used.
    bool needs_new_connection;
    /// Ends once connected; firn_curl_certificate then returns the times of the server's certificate.
    bool asks_for_certificate;
} firn_curl_request;

/// Starts a request. Returns NULL if memory is exhausted or libcurl refuses a setting.
firn_curl_transfer *firn_curl_begin(
    firn_curl_multi *multi, const firn_curl_request *request, const firn_curl_calls *calls, void *context);

/// Returns the context of a transfer.
void *firn_curl_context(const firn_curl_transfer *transfer);

/// Continues a transfer after FIRN_CURL_PAUSE. Its callbacks may run before this function returns.
void firn_curl_resume(firn_curl_transfer *transfer);

/// Closes the connection of a transfer at its end, unless others use it.
void firn_curl_close_connection(firn_curl_transfer *transfer);

/// Ends a transfer, unless it has ended, and frees it. Not from within one of its callbacks.
void firn_curl_free(firn_curl_transfer *transfer);

// MARK: Results

/// The reason why a transfer failed.
enum firn_curl_fault {
    FIRN_CURL_NONE,
    FIRN_CURL_BAD_ADDRESS,
    FIRN_CURL_UNKNOWN_HOST,
    FIRN_CURL_UNKNOWN_PROXY,
    FIRN_CURL_NO_CONNECTION,
    /// The process has no descriptor left for a connection.
    FIRN_CURL_NO_DESCRIPTOR,
    FIRN_CURL_PROXY,
    FIRN_CURL_TLS,
    FIRN_CURL_UNTRUSTED,
    FIRN_CURL_BAD_AUTHORITIES,
    FIRN_CURL_BAD_IDENTITY,
    FIRN_CURL_NO_RESPONSE,
    /// Lost or reset connection, or malformed chunked coding.
    FIRN_CURL_LOST,
    FIRN_CURL_CUT_SHORT,
    /// Lost HTTP/2 stream.
    FIRN_CURL_STREAM,
    FIRN_CURL_NOT_HTTP,
    FIRN_CURL_LONG_HEAD,
    FIRN_CURL_TIMEOUT,
    FIRN_CURL_STOPPED,
    FIRN_CURL_NO_MEMORY,
    FIRN_CURL_OTHER,
};

/// The result of a transfer with its measurements. Times are in microseconds since its start; 0 if the phase did not
/// happen.
typedef struct {
    enum firn_curl_fault fault;
    /// The system's error number.
    int system_error;
    /// The error in words; "" if there is none. Valid as long as the transfer.
    const char *message;
    /// Nonzero if a certificate failed verification.
    long verify_result;
    long proxy_status;
    int64_t connected;
    int64_t secured;
    int64_t bytes;
    /// 10, 11, 20 or 30; 0 before the response.
    int version;
} firn_curl_result;

void firn_curl_look(const firn_curl_transfer *transfer, firn_curl_result *result);

/// Returns a field of the server's own certificate, such as "Expire date"; NULL if unknown.
const char *firn_curl_certificate(const firn_curl_transfer *transfer, const char *field);

#endif
