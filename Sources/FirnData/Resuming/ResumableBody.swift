/// A body of which the first bytes are at hand and the rest can be asked for: how to ask, and what the answer is worth.
///
/// Bytes of two answers are put together only if the server says in every way there is that they belong together; else
/// the new answer counts alone, or the body is asked for anew. A value that knows nothing of connections or files.
///
/// Source: RFC 9110 §13.1.5 (If-Range), §14 (range requests), §15.3.7 (206).
package struct ResumableBody: Hashable, Sendable {
    /// The address that answered, after redirects.
    package let url: String
    /// What the rest has to have in common with what is at hand.
    package let validator: BodyValidator
    /// Length of the whole, where the source said it.
    package let total: Int?

    /// What an answer says of its body; `nil` if the rest of it could not be had alone.
    package init?(_ response: DataResponse, to request: DataRequest) {
        guard request.method == "GET", request.headers["Range"] == nil, response.status == 200 else { return nil }
        let headers = response.headers
        // The bytes counted would be those of the compressed form.
        guard headers["Content-Encoding"] == nil, !ResumableBody.refusesRanges(headers) else { return nil }
        guard let validator = BodyValidator(headers) else { return nil }
        url = response.url
        self.validator = validator
        total = response.expectedLength
    }

    /// A request for the bytes from `offset` on, or for all of them if the body has changed meanwhile.
    ///
    /// - Returns: `nil` if there is nothing at hand yet, or nothing is missing.
    package func request(_ request: DataRequest, from offset: Int) -> DataRequest? {
        guard offset > 0, total.map({ offset < $0 }) ?? true else { return nil }
        var request = request
        request.headers["Range"] = "bytes=\(offset)-"
        request.headers["If-Range"] = validator.text
        // A part of a compressed body is of no use.
        request.headers["Accept-Encoding"] = "identity"
        return request
    }

    /// What an answer to such a request is worth.
    package enum Judgment: Hashable, Sendable {
        /// Its bytes follow those at hand; there will be so many together.
        case goesOn(total: Int)
        /// It brings the whole body: what is at hand is dropped.
        case replaces
        /// It is of no use: the body has to be asked for without a range.
        case startsAgain
    }

    /// Judges the answer to a request for the bytes from `offset` on.
    package func judge(_ response: DataResponse, from offset: Int) -> Judgment {
        guard response.status == 206 else {
            return response.status == 200 ? .replaces : .startsAgain
        }
        let headers = response.headers
        guard response.url == url, validator.matches(headers), headers["Content-Encoding"] == nil,
            !ResumableBody.hasParts(headers), headers.values("Content-Range").count == 1,
            let range = headers["Content-Range"].flatMap({ ContentRange($0) }), range.first == offset
        else { return .startsAgain }
        // The whole rest, of the length that was said before; or, if none was, of one that is said now.
        guard let length = range.total, range.last == length - 1, total.map({ $0 == length }) ?? true else {
            return .startsAgain
        }
        guard response.expectedLength.map({ $0 == length - offset }) ?? true else { return .startsAgain }
        return .goesOn(total: length)
    }

    private static func refusesRanges(_ headers: HTTPHeaderFields) -> Bool {
        headers.values("Accept-Ranges").contains { $0.lowercased() == "none" }
    }

    private static func hasParts(_ headers: HTTPHeaderFields) -> Bool {
        headers["Content-Type"]?.lowercased().hasPrefix("multipart/") ?? false
    }
}
