/// A partially stored body whose rest can be requested: creates the request and judges the response.
///
/// Bytes of two responses are joined only if all available evidence confirms that they belong together. Otherwise only
/// the new response counts, or the body is requested again. A pure value, independent of connections and files.
///
/// Source: RFC 9110 §13.1.5 (If-Range), §14 (range requests), §15.3.7 (206).
package struct ResumableBody: Codable, Hashable, Sendable {
    /// The address that responded, after redirects.
    package let url: String
    /// The validator that the rest must match.
    package let validator: BodyValidator
    /// Length of the whole body, if the source stated it.
    package let total: Int?

    /// Reads a response; returns `nil` if its rest cannot be requested separately.
    package init?(_ response: DataResponse, to request: DataRequest) {
        guard request.method == "GET", request.headers["Range"] == nil, response.status == 200 else { return nil }
        let headers = response.headers
        // Ranges would count bytes of the encoded form.
        guard headers["Content-Encoding"] == nil,
            !headers.values("Accept-Ranges").contains(where: { $0.lowercased() == "none" })
        else { return nil }
        guard let validator = BodyValidator(headers) else { return nil }
        url = response.url
        self.validator = validator
        total = response.expectedLength
    }

    /// Returns a request for the bytes from `offset`, or for all if the body has changed.
    ///
    /// - Returns: `nil` if no bytes are stored yet, or none are missing.
    package func request(_ request: DataRequest, from offset: Int) -> DataRequest? {
        guard offset > 0, total.map({ offset < $0 }) ?? true else { return nil }
        var request = request
        request.headers["Range"] = "bytes=\(offset)-"
        request.headers["If-Range"] = validator.text
        // A part of an encoded body cannot be used.
        request.headers["Accept-Encoding"] = "identity"
        return request
    }

    /// The possible use of a response to such a request.
    package enum Judgment: Hashable, Sendable {
        /// Its bytes continue the stored ones, up to this total length.
        case goesOn(total: Int)
        /// It contains the whole body. The stored bytes are discarded.
        case replaces
        /// It cannot be used. The body has to be requested without a range.
        case startsAgain
    }

    /// Judges the response to a request for the bytes from `offset`.
    package func judge(_ response: DataResponse, from offset: Int) -> Judgment {
        guard response.status == 206 else {
            return response.status == 200 ? .replaces : .startsAgain
        }
        let headers = response.headers
        guard response.url == url, validator.matches(headers), headers["Content-Encoding"] == nil,
            !ContentRange.hasParts(headers), let range = ContentRange(headers), range.first == offset
        else { return .startsAgain }
        // The whole rest: the total equals the length stated before, if any.
        guard let length = range.total, range.last == length - 1, total.map({ $0 == length }) ?? true else {
            return .startsAgain
        }
        guard response.expectedLength.map({ $0 == length - offset }) ?? true else { return .startsAgain }
        return .goesOn(total: length)
    }
}

/// The bytes of a body that a response contains: the field `Content-Range` (RFC 9110 §14.4).
package struct ContentRange: Hashable, Sendable {
    /// Position of the first byte.
    package let first: Int
    /// Position of the last byte.
    package let last: Int
    /// Length of the whole body; `nil` if the server does not know it.
    package let total: Int?

    /// Reads the field of a response; returns `nil` if there is none, or several.
    package init?(_ headers: HTTPHeaderFields) {
        let values = headers.values("Content-Range")
        guard values.count == 1, let text = values.first else { return nil }
        self.init(text)
    }

    /// Reads the value of the field; returns `nil` if it is malformed, contradictory, or in another unit than bytes.
    package init?(_ text: String) {
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let places = parts[0].split(separator: "-", omittingEmptySubsequences: false)
        guard places.count == 2, let first = Int(digits: places[0].utf8), let last = Int(digits: places[1].utf8),
            first <= last, last < .max
        else { return nil }
        if parts[1] == "*" {
            total = nil
        } else {
            guard let length = Int(digits: parts[1].utf8), last < length else { return nil }
            total = length
        }
        self.first = first
        self.last = last
    }

    /// Returns whether a body has several parts, each with a range of its own.
    package static func hasParts(_ headers: HTTPHeaderFields) -> Bool {
        headers["Content-Type"]?.lowercased().hasPrefix("multipart/") ?? false
    }
}
