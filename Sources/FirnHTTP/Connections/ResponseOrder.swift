package import FirnData

/// Checks the parts of responses before they are passed to the HTTP client.
///
/// The client ends the process on a status below 100 and on parts in a wrong order. A server must not be able to cause
/// that, so a part that HTTP forbids becomes an error here. An HTTP/1.1 connection has one value for all of its
/// requests, an HTTP/2 stream has its own.
///
/// Invariant: parts pass as `head body* end`, once for each request, and nothing passes after a failure. Source: RFC
/// 9110 §15 (status codes), RFC 9112 §6, RFC 9113 §8.1.
package struct ResponseOrder {
    /// A part of a response.
    package enum Part: Sendable {
        case head(status: Int)
        case body
        case end
    }

    /// The decision about a part.
    package enum Verdict: Equatable, Sendable {
        case pass
        case drop
        case fail(DataLoadingError)
    }

    private enum Phase {
        case idle
        case waitsForHead
        case inBody
        case failed
    }

    /// The maximum number of interim responses (1xx) before the final one. 100, since servers send one or two.
    package static let interimLimit = 100

    private var phase = Phase.idle
    private var interim = 0

    package init() {}

    /// Records that a request was sent.
    package mutating func sent() {
        guard phase == .idle else { return }
        phase = .waitsForHead
        interim = 0
    }

    /// Decides about the next part.
    package mutating func take(_ part: Part) -> Verdict {
        switch (phase, part) {
        case (.failed, _): return .drop
        case (.waitsForHead, .head(let status)): return takeHead(status)
        case (.inBody, .body): return .pass
        case (.inBody, .end):
            phase = .idle
            return .pass
        default: return fail("the parts of the response are out of order")
        }
    }

    private mutating func takeHead(_ status: Int) -> Verdict {
        switch status {
        case 101: return fail("the server changes the protocol, which was not asked for")
        case 100..<200:
            interim += 1
            guard interim <= ResponseOrder.interimLimit else {
                return fail("more than \(ResponseOrder.interimLimit) interim responses")
            }
            return .drop
        case 200..<1000:
            phase = .inBody
            return .pass
        default: return fail("the response is not HTTP: status \(status)")
        }
    }

    private mutating func fail(_ message: String) -> Verdict {
        phase = .failed
        return .fail(DataLoadingError(.other, message))
    }
}
