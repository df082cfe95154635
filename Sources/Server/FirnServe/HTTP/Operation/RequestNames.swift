import FirnData
import FirnSync
import HTTPTypes

/// Names of requests, in the field X-Request-ID and in logs: the client's, or one that no other request has.
final class RequestNames: Sendable {
    /// Tells servers apart.
    private let server: String
    private let numbers = CoreCounter()

    init() {
        var generator = SystemRandomNumberGenerator()
        let digits = Array("0123456789abcdefghijklmnopqrstuvwxyz")
        server = String((0..<8).map { _ in digits[Int.random(in: 0..<digits.count, using: &generator)] })
    }

    /// Returns a new name.
    func next() -> String { server + String(UInt(bitPattern: numbers.next()), radix: 36) }

    /// Returns the name that a request has, if it is letters, digits, `-` and `_`, or a new one.
    func name(of head: HTTPRequest) -> String {
        guard let given = head.headerFields[.requestName], (1...64).contains(given.utf8.count),
            given.utf8.allSatisfy({ PercentEncoding.isUnreserved($0) && !".~".utf8.contains($0) })
        else { return next() }
        return given
    }
}

extension HTTPField.Name {
    /// The name of a request.
    static let requestName = HTTPField.Name("X-Request-ID") ?? .server
}
