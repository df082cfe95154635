/// Where a server listens: `127.0.0.1:8080`, `[::1]:8080`. Port 0 is any free one.
package struct ListenAddress: Sendable, Equatable, CustomStringConvertible {
    package let host: String
    package let port: Int

    package init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// - Returns: `nil` if the text is not HOST:PORT.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        self.host = String(host)
        self.port = Int(port)
    }

    /// Whether only programs of this machine can connect.
    package var isLoopback: Bool { ["127.0.0.1", "::1", "localhost"].contains(host) }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
