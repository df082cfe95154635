package import FirnData

/// What a response's head means for its transfer.
package enum AnswerPolicy {
    package enum Verdict: Equatable {
        case deliver(DataResponse)
        case follow(DataRequest)
        case fail(DataLoadingError)
    }

    /// What a loader hands on that others do not.
    package struct Allowance {
        package var acceptsAnyStatus = false
        package var followsRedirects = true
        package var decompresses = true

        package init(acceptsAnyStatus: Bool = false, followsRedirects: Bool = true, decompresses: Bool = true) {
            self.acceptsAnyStatus = acceptsAnyStatus
            self.followsRedirects = followsRedirects
            self.decompresses = decompresses
        }
    }

    /// - Parameter now: seconds since 1970.
    package static func judge(
        status: Int, reason: String, headers: HTTPFields, request: DataRequest, trail: inout RedirectTrail,
        sizeLimit: Int, _ allowed: Allowance = Allowance(), now: @autoclosure () -> Int64 = 0
    ) -> Verdict {
        if RedirectTrail.isRedirect(status), allowed.followsRedirects {
            switch trail.follow(request, status: status, location: headers["Location"]) {
            case .follow(let next): return .follow(next)
            case .fail(let error): return .fail(error)
            }
        }
        let isConfirmation = status == 304 && isConditional(request.headers)
        guard (200..<300).contains(status) || isConfirmation || allowed.acceptsAnyStatus else {
            let words = reason.isEmpty ? "\(status)" : "\(status) \(reason)"
            return .fail(
                DataLoadingError(
                    .status(status), "the server answered \(words)", retryAfter: RetryAfter.delay(headers, now: now())))
        }
        // A part that nobody asked for would be taken for the whole.
        if status == 206, !allowed.acceptsAnyStatus, request.headers["Range"] == nil {
            return .fail(DataLoadingError(.status(status), "the server answered with a part of the body, unasked"))
        }
        if allowed.decompresses, hasBody(request.method, status), case .unknown(let name) = ContentCoding(headers) {
            return .fail(
                DataLoadingError(.other, "the body has the content coding \"\(name)\", which is not gzip or deflate"))
        }
        let length = bodyLength(headers, method: request.method, status, decompresses: allowed.decompresses)
        if let length, length > sizeLimit { return .fail(.tooLarge(sizeLimit)) }
        return .deliver(DataResponse(url: request.url, status: status, headers: headers, expectedLength: length))
    }

    /// Whether a request asks if something that is at hand still holds.
    private static func isConditional(_ headers: HTTPFields) -> Bool {
        headers["If-None-Match"] != nil || headers["If-Modified-Since"] != nil
    }

    /// Length of the body as the receiver will see it; `nil` where the head does not say it.
    package static func bodyLength(
        _ headers: HTTPFields, method: String, _ status: Int = 200, decompresses: Bool = true
    ) -> Int? {
        guard hasBody(method, status) else { return nil }
        // The field then counts the bytes of the compressed form, or is to be ignored (RFC 9112 §6.3).
        if decompresses && ContentCoding(headers) != .none || headers["transfer-encoding"] != nil { return nil }
        guard let text = headers["Content-Length"], let length = Int(text), length >= 0 else { return nil }
        return length
    }

    /// Whether an answer has a body: these have none, whatever their fields say (RFC 9110 §8.6).
    private static func hasBody(_ method: String, _ status: Int) -> Bool { method != "HEAD" && status != 304 }
}
