#ifndef FIRN_CURL_TYPES_H
#define FIRN_CURL_TYPES_H

// The objects behind the handles of firn_curl.h.

#include "firn_curl.h"

#include <curl/curl.h>

struct firn_curl_multi {
    CURLM *multi;
    CURLSH *share;
    firn_curl_multi_calls calls;
    void *context;
    int connections;
};

struct firn_curl_transfer {
    firn_curl_multi *multi;
    CURL *easy;
    firn_curl_calls calls;
    void *context;
    struct curl_slist *fields;
    struct curl_slist *connect_to;
    struct curl_slist *resolve;
    uint8_t *head;
    size_t head_count;
    size_t head_capacity;
    bool has_head;
    bool is_added;
    bool lacks_descriptor;
    /// True if the body is paused and the connection's descriptor is unwatched, without libcurl's knowledge.
    bool is_unwatched;
    /// The descriptor that libcurl last watched for this transfer.
    int descriptor;
    CURLcode code;
    char message[CURL_ERROR_SIZE];
};

#endif
