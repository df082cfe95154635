/// Transfers by libcurl's multi interface, for one thread.
///
/// libcurl's own header stays inside this module: its settings are set by a variadic function, which Swift cannot call.
/// All functions are called on one thread, except firn_curl_start.
#ifndef CFIRN_CURL_H
#define CFIRN_CURL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/// The connections of some transfers, and what they share: TLS sessions and certificate stores.
typedef struct firn_curl_multi firn_curl_multi;
/// One request and its response.
typedef struct firn_curl_transfer firn_curl_transfer;

/// Prepares libcurl. To be called once, before everything else.
///
/// Returns NULL, or why this libcurl cannot be used.
const char *firn_curl_start(void);

/// The system's certificates: a folder of links by hash, or a file; NULL for none.
const char *firn_curl_authority_folder(void);
const char *firn_curl_authority_file(void);
/// True if this libcurl speaks HTTP/3.
bool firn_curl_has_http3(void);

/// The versions of libcurl and of the libraries that it uses, in one line.
const char *firn_curl_versions(void);

// MARK: Multi

/// The calls of a multi. Each function is called with the context of the multi.
typedef struct {
    /// Wait until a descriptor can be read (bit 0) or written (bit 1); for nothing (0) before it is closed.
    void (*watch)(void *context, int descriptor, int events);
    /// A descriptor was opened, or is about to be closed.
    void (*reset)(void *context, int descriptor, bool is_open);
    /// Call firn_curl_multi_act without a descriptor after so many milliseconds; -1 for never.
    void (*wake)(void *context, long milliseconds);
} firn_curl_multi_calls;

/// Returns NULL if there is no memory, or no descriptors.
firn_curl_multi *firn_curl_multi_new(const firn_curl_multi_calls *calls, void *context);

/// Closes all connections. No transfer may run in it.
void firn_curl_multi_free(firn_curl_multi *multi);

/// Sets the maximum number of connections, used and idle. Transfers beyond it wait, and idle connections are closed.
void firn_curl_multi_limit(firn_curl_multi *multi, long connections);

/// Returns the number of connections that are open.
int firn_curl_multi_connections(const firn_curl_multi *multi);

/// Acts on the events of a descriptor, or on a time that has come (descriptor -1).
void firn_curl_multi_act(firn_curl_multi *multi, int descriptor, int events);

/// Asks all transfers what they wait for. To be called after one that shared its connection was freed before its end:
/// libcurl 7.88 then no longer watches the connection for the others.
void firn_curl_multi_refresh(firn_curl_multi *multi);

/// Returns a transfer that has ended since the last call, and takes it out of the multi; NULL if there is none.
firn_curl_transfer *firn_curl_multi_ended(firn_curl_multi *multi);

// MARK: Transfers

/// The next step that a call of a transfer asks for.
enum firn_curl_step { FIRN_CURL_GO = 0, FIRN_CURL_PAUSE = 1, FIRN_CURL_STOP = 2 };

/// The events of a transfer, in this order. Each function is called with the context of the transfer.
typedef struct {
    /// A connection is about to be made. Another result than FIRN_CURL_GO refuses it.
    int (*connecting)(void *context, const struct sockaddr *address);
    /// A connection is there, and the request is sent next: to this address. May be called again, if libcurl repeats
    /// a request that was lost with an old connection. Another result than FIRN_CURL_GO ends the transfer.
    int (*sending)(void *context, const char *address);
    /// The head of a response, whole: status line and fields, with their ends of lines. Interim ones come before the
    /// final one. NULL for one that is too long.
    int (*head)(void *context, const uint8_t *bytes, size_t count);
    /// Bytes of the body. After FIRN_CURL_PAUSE they come again when the transfer is resumed.
    int (*body)(void *context, const uint8_t *bytes, size_t count);
} firn_curl_calls;

/// The settings of TLS; NULL or 0 where the default holds. Texts are PEM.
typedef struct {
    const char *authorities;
    size_t authorities_length;
    /// A folder of authorities in addition.
    const char *authority_folder;
    const char *chain;
    size_t chain_length;
    const char *key;
    size_t key_length;
    bool requires_tls13;
    bool accepts_everyone;
} firn_curl_tls;

/// A request. Everything that it points to must live until the transfer is freed, except for the texts.
typedef struct {
    const char *address;
    const char *method;
    /// Fields as "Name: value", or "Name;" for an empty value, each with its NUL; ended by an empty one.
    const char *fields;
    /// NULL for none.
    const uint8_t *body;
    size_t body_length;
    /// "host:port:address:port": connects to this address in place of the host; NULL for none.
    const char *connect_to;
    /// "host:port:address,address": what the host was found at; NULL for what is known.
    const char *resolve;
    /// The proxy's address; "" for none. An HTTP proxy gets requests for http addresses as they are, and makes tunnels
    /// for others.
    const char *proxy;
    const char *proxy_user;
    const char *proxy_password;
    const firn_curl_tls *tls;
    bool allows_http2;
    bool allows_http3;
    /// Waits for a connection that is being made, since it may carry several requests.
    bool waits_for_connection;
    /// Takes no connection that another request has used.
    bool needs_new_connection;
    /// Ends with the connection; firn_curl_certificate then has the times of the server's certificate.
    bool asks_for_certificate;
} firn_curl_request;

/// Starts a request. Returns NULL if there is no memory, or libcurl refuses a setting.
firn_curl_transfer *firn_curl_begin(
    firn_curl_multi *multi, const firn_curl_request *request, const firn_curl_calls *calls, void *context);

/// The context of a transfer.
void *firn_curl_context(const firn_curl_transfer *transfer);

/// Continues a transfer after FIRN_CURL_PAUSE. Its calls may be made before this function returns.
void firn_curl_resume(firn_curl_transfer *transfer);

/// Closes the connection of a transfer when it ends, unless others use it.
void firn_curl_close_connection(firn_curl_transfer *transfer);

/// Ends a transfer, unless it has ended, and frees it. Not from within one of its calls.
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
    /// Lost or reset connection, or a broken frame of chunks.
    FIRN_CURL_LOST,
    FIRN_CURL_CUT_SHORT,
    /// Lost stream of HTTP/2.
    FIRN_CURL_STREAM,
    FIRN_CURL_NOT_HTTP,
    FIRN_CURL_LONG_HEAD,
    FIRN_CURL_TIMEOUT,
    FIRN_CURL_STOPPED,
    FIRN_CURL_NO_MEMORY,
    FIRN_CURL_OTHER,
};

/// The end of a transfer and what was measured. Times in microseconds since its start; 0 for what did not happen.
typedef struct {
    enum firn_curl_fault fault;
    /// The system's number of the error.
    int system_error;
    /// In words; "" for none. Lives as long as the transfer.
    const char *message;
    /// True if a certificate was verified and found wrong.
    long verify_result;
    long proxy_status;
    int64_t connected;
    int64_t secured;
    int64_t bytes;
    /// 10, 11, 20 or 30; 0 before the response.
    int version;
} firn_curl_result;

void firn_curl_look(const firn_curl_transfer *transfer, firn_curl_result *result);

/// A field of the server's own certificate, such as "Expire date"; NULL if it is not known.
const char *firn_curl_certificate(const firn_curl_transfer *transfer, const char *field);

#endif
