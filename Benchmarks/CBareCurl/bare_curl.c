#include "bare_curl.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 64 };

struct body {
    CURL *easy;
    long length;
};

static size_t take(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    ((struct body *)context)->length += (long)(size * count);
    return size * count;
}

static void begin(CURLM *multi, struct body *body, const char *base, int number, struct curl_slist *fields) {
    char address[256];
    snprintf(address, sizeof address, "%s/%d.png", base, number);
    body->length = 0;
    curl_easy_setopt(body->easy, CURLOPT_URL, address);
    curl_easy_setopt(body->easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(body->easy, CURLOPT_WRITEDATA, body);
    curl_easy_setopt(body->easy, CURLOPT_HTTPHEADER, fields);
    curl_easy_setopt(body->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(body->easy, CURLOPT_PROXY, "");
    curl_easy_setopt(body->easy, CURLOPT_PRIVATE, body);
    curl_multi_add_handle(multi, body->easy);
}

int bare_curl_load(const char *base, int count, int width, long length) {
    struct body bodies[MOST];
    width = width < MOST ? width : MOST;
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    struct curl_slist *fields = curl_slist_append(NULL, "User-Agent: Firn/0.1.0");
    fields = curl_slist_append(fields, "Accept: image/webp,image/png,image/jpeg,image/gif,image/*;q=0.8,*/*;q=0.5");
    fields = curl_slist_append(fields, "Accept-Encoding: gzip, deflate");
    int next = 0;
    int done = 0;
    int right = 0;
    for (int i = 0; i < width; i++) {
        bodies[i].easy = curl_easy_init();
        if (next < count) begin(multi, &bodies[i], base, ++next, fields);
    }
    while (done < count) {
        int running = 0;
        int left = 0;
        CURLMsg *message = NULL;
        if (curl_multi_perform(multi, &running) != CURLM_OK) break;
        while ((message = curl_multi_info_read(multi, &left)) != NULL) {
            char *private = NULL;
            CURL *easy = message->easy_handle;
            CURLcode code = message->data.result;
            curl_easy_getinfo(easy, CURLINFO_PRIVATE, &private);
            struct body *body = (struct body *)(void *)private;
            curl_multi_remove_handle(multi, easy);
            done++;
            right += code == CURLE_OK && body->length == length;
            if (next < count) begin(multi, body, base, ++next, fields);
        }
        if (done < count) curl_multi_poll(multi, NULL, 0, 1000, NULL);
    }
    for (int i = 0; i < width; i++) curl_easy_cleanup(bodies[i].easy);
    curl_multi_cleanup(multi);
    curl_slist_free_all(fields);
    return right;
}

long bare_curl_get(const char *url, const char *authorities) {
    struct body body = {.easy = NULL, .length = 0};
    curl_global_init(CURL_GLOBAL_DEFAULT);
    body.easy = curl_easy_init();
    curl_easy_setopt(body.easy, CURLOPT_URL, url);
    curl_easy_setopt(body.easy, CURLOPT_CAINFO, authorities);
    curl_easy_setopt(body.easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(body.easy, CURLOPT_WRITEDATA, &body);
    curl_easy_setopt(body.easy, CURLOPT_PROXY, "");
    CURLcode code = curl_easy_perform(body.easy);
    curl_easy_cleanup(body.easy);
    return code == CURLE_OK ? body.length : -1;
}

void bare_curl_hold(const char *base, int count, int connections, int milliseconds) {
    enum { HELD = 1000 };
    static struct body bodies[HELD];
    curl_global_init(CURL_GLOBAL_DEFAULT);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, (long)connections);
    for (int i = 0; i < count && i < HELD; i++) {
        bodies[i].easy = curl_easy_init();
        begin(multi, &bodies[i], base, i + 1, NULL);
    }
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (long end = now.tv_sec * 1000 + now.tv_nsec / 1000000 + milliseconds;;) {
        int running = 0;
        curl_multi_perform(multi, &running);
        clock_gettime(CLOCK_MONOTONIC, &now);
        long left = end - (now.tv_sec * 1000 + now.tv_nsec / 1000000);
        if (left <= 0) break;
        curl_multi_poll(multi, NULL, 0, (int)left, NULL);
    }
}
