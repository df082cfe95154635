import FirnSync

/// Facts about a running request, for logs and the status page.
package final class RequestNote: Sendable {
    private struct State {
        /// As it is in the request.
        var address: String?
        var error: ServeError?
        var name: String?
    }

    private let state = Locked(State())

    /// The source as it may be shown; `nil` before the signature was checked.
    var source: String? { state.withLock { $0.address }.map { RequestNote.shown($0) } }
    var error: ServeError? { state.withLock { $0.error } }

    /// The name of the request, which its response has, too.
    var name: String? { state.withLock { $0.name } }

    func note(name: String) { state.withLock { $0.name = name } }

    /// Notes the address of a source whose request is signed. Its query is never shown, because it may have secrets.
    func note(source address: String) { state.withLock { $0.address = address } }

    func note(_ error: ServeError) { state.withLock { $0.error = error } }

    /// Returns an address without user, query and fragment, in printable ASCII, with at most 120 characters.
    static func shown(_ address: String) -> String {
        var rest = Array(address.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") })[...]
        var scheme: [UInt8] = []
        if let colon = rest.firstIndex(of: UInt8(ascii: ":")), rest[colon...].starts(with: "://".utf8) {
            scheme = Array(rest[..<(colon + 3)])
            rest = rest[(colon + 3)...]
            let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
            if let user = rest[..<end].lastIndex(of: UInt8(ascii: "@")) { rest = rest[(user + 1)...] }
        }
        var bytes = scheme + rest
        if bytes.count > 120 { bytes = Array(bytes.prefix(80)) + Array("...".utf8) + Array(bytes.suffix(37)) }
        return ServeError.printable(bytes, limit: 120)
    }
}
