package import FirnData

/// What a response's head means for its transfer.
package enum AnswerPolicy {
    package enum Verdict: Equatable {
        case deliver(DataResponse)
        case follow(DataRequest)
        case fail(DataLoadingError)
    }

    package static func judge(
        status: Int, reason: String, headers: HTTPFields, request: DataRequest, trail: inout RedirectTrail,
        sizeLimit: Int
    ) -> Verdict {
        if RedirectTrail.isRedirect(status) {
            switch trail.follow(request, status: status, location: headers["Location"]) {
            case .follow(let next): return .follow(next)
            case .fail(let error): return .fail(error)
            }
        }
        guard (200..<300).contains(status) else {
            let words = reason.isEmpty ? "\(status)" : "\(status) \(reason)"
            return .fail(DataLoadingError(.status(status), "the server answered \(words)"))
        }
        // A part that nobody asked for would be taken for the whole.
        if status == 206, request.headers["Range"] == nil {
            return .fail(DataLoadingError(.status(status), "the server answered with a part of the body, unasked"))
        }
        let length = bodyLength(headers, method: request.method)
        if let length, length > sizeLimit { return .fail(.tooLarge(sizeLimit)) }
        return .deliver(DataResponse(url: request.url, status: status, headers: headers, expectedLength: length))
    }

    /// Length of the body as the receiver will see it; `nil` where the head does not say it.
    package static func bodyLength(_ headers: HTTPFields, method: String) -> Int? {
        if method == "HEAD" { return nil }
        // The field then counts the bytes of the compressed form, or is to be ignored (RFC 9112 §6.3).
        if isDecompressed(headers) || headers["Transfer-Encoding"] != nil { return nil }
        guard let text = headers["Content-Length"], let length = Int(text), length >= 0 else { return nil }
        return length
    }

    private static func isDecompressed(_ headers: HTTPFields) -> Bool {
        guard let coding = headers["Content-Encoding"]?.lowercased() else { return false }
        return coding != "identity"
    }
}
