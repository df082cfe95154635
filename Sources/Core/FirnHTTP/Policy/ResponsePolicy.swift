/// Decides how a transfer handles the head of a response.
package enum ResponsePolicy {
    package enum Verdict: Equatable {
        case deliver(DataResponse)
        case follow(DataRequest)
        /// Redirects led to an address whose stored response is fresh: confirmed without a request.
        case settle(DataResponse)
        case fail(DataLoadingError)
    }

    package static func judge(
        status: Int, reason: String, headers: HTTPHeaderFields, request: DataRequest, chain: inout RedirectChain,
        sizeLimit: Int, _ settings: LoaderConfiguration = LoaderConfiguration()
    ) -> Verdict {
        if ResponseStatus.isRedirect(status), settings.followsRedirects {
            switch chain.follow(request, status: status, headers: headers) {
            case .follow(let next) where RedirectChain.isSettled(next):
                var response = DataResponse(url: next.url, status: 304)
                response.isUnasked = true
                response.redirects = chain.redirects
                return .settle(response)
            case let verdict: return verdict
            }
        }
        var response = DataResponse(url: request.url, status: status, headers: headers)
        if !settings.acceptsAnyStatus, let error = response.failure(for: request, reason: reason) {
            return .fail(error)
        }
        var (status, headers) = (status, headers)
        if status == 206, !settings.acceptsAnyStatus, request.headers["Range"] == nil {
            // A partial response must not pass for the whole body, unless it has all bytes.
            guard isWhole(headers) else {
                return .fail(
                    DataLoadingError(.status(status), "the server sent a part of the body that was not requested"))
            }
            status = 200
            headers["Content-Range"] = nil
        }
        let coding = ContentCoding(headers, decodesContent: settings.decompresses)
        if hasBody(request.method, status), case .unknown(let names) = coding {
            return .fail(
                DataLoadingError(
                    .other,
                    "the body has the coding \"\(names)\"; up to \(ContentCoding.limit) of gzip and deflate are decoded"
                ))
        }
        let length = bodyLength(headers, method: request.method, status, decompresses: settings.decompresses)
        if let length, length > sizeLimit { return .fail(.tooLarge(sizeLimit)) }
        response = DataResponse(url: request.url, status: status, headers: headers, expectedLength: length)
        response.redirects = chain.redirects
        return .deliver(response)
    }

    /// Returns whether a partial response has all bytes of the body.
    private static func isWhole(_ headers: HTTPHeaderFields) -> Bool {
        guard let range = ContentRange(headers), range.first == 0, let total = range.total, range.last == total - 1
        else { return false }
        return bodyLength(headers, method: "GET").map { $0 == total } ?? true
    }

    /// Returns the length of the body as delivered; `nil` if the head does not state it.
    package static func bodyLength(
        _ headers: HTTPHeaderFields, method: String, _ status: Int = 200, decompresses: Bool = true
    ) -> Int? {
        if status == 204, method != "HEAD" { return 0 }
        guard hasBody(method, status) else { return nil }
        // The field counts compressed bytes, or must be ignored (RFC 9112 §6.3).
        return decompresses && ContentCoding(headers) != .none ? nil : headers.bodyLength
    }

    /// Returns whether a response has a body, regardless of its fields (RFC 9110 §8.6).
    private static func hasBody(_ method: String, _ status: Int) -> Bool { method != "HEAD" && status != 304 }
}

/// The codings of a body that are decoded here: content codings (RFC 9110 §8.4.1), and transfer codings except
/// `chunked`, which libcurl decodes.
package enum ContentCoding: Equatable, Sendable {
    /// A supported coding.
    package enum Step: Equatable, Sendable {
        case gzip
        case deflate
    }

    /// The codings in the order in which they were applied; at most ``limit``.
    case steps([Step])
    /// The names of the codings, if one is unsupported or there are too many.
    case unknown(String)

    package static let none = ContentCoding.steps([])

    /// The maximum number of codings of a body. Servers behind a proxy that also compresses send two.
    package static let limit = 2

    /// Registered codings, current or former, that are not supported.
    ///
    /// - Source: IANA, HTTP Content Coding Registry.
    private static let others: Set<String> = [
        "aes128gcm", "br", "compress", "x-compress", "dcb", "dcz", "exi", "pack200-gzip", "zstd",
    ]

    /// Reads the codings from a response's header. Like browsers, ignores names that are not codings: object stores
    /// return values from uploads, such as `utf-8`, `binary` or `aws-chunked`.
    ///
    /// - Parameter decodesContent: false to keep content codings. Transfer codings are always decoded. Default: true.
    package init(_ headers: HTTPHeaderFields, decodesContent: Bool = true) {
        let values = (decodesContent ? headers.values("Content-Encoding") : []) + headers.values("Transfer-Encoding")
        let names = values.flatMap { $0.split(separator: ",") }
            .map { String($0).lowercased().filter { !$0.isWhitespace } }
            .filter { ContentCoding.step($0) != nil || ContentCoding.others.contains($0) }
        let steps = names.compactMap { ContentCoding.step($0) }
        let isKnown = steps.count == names.count && steps.count <= ContentCoding.limit
        self = isKnown ? .steps(steps) : .unknown(names.joined(separator: ", "))
    }

    private static func step(_ name: String) -> Step? {
        switch name {
        case "gzip", "x-gzip": .gzip
        case "deflate", "x-deflate": .deflate
        default: nil
        }
    }
}
