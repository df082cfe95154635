package import FoundationEssentials

/// The address of a request as sent: without user name and password, which become a header field.
package struct RequestAddress: Equatable {
    package let url: URL
    package let origin: Origin
    /// The value of `Authorization` (RFC 7617); `nil` if the address has no user.
    package let credentials: String?

    /// Reads an address; returns `nil` if it cannot be loaded.
    ///
    /// - Parameter isPlain: `false` converts the host to its usual form, so that all readers interpret it equally.
    package init?(_ text: String, isPlain: Bool = true) {
        guard let url = URL(string: text), let origin = Origin(url) else { return nil }
        let isUsual = isPlain || origin.host.utf8.allSatisfy { $0 > 32 && $0 != UInt8(ascii: "%") && $0 < 127 }
        guard isUsual || origin.host.contains(":") else { return nil }
        let user = text.utf8.contains(UInt8(ascii: "@")) ? url.user(percentEncoded: false) : nil
        guard user != nil || !isPlain && url.host() != origin.host else {
            self.url = url
            self.origin = origin
            credentials = nil
            return
        }
        guard var parts = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return nil }
        let password = url.password(percentEncoded: false) ?? ""
        parts.user = nil
        parts.password = nil
        if !isPlain { parts.encodedHost = url.host()?.lowercased() }
        guard let bare = parts.url, Origin(bare) == origin else { return nil }
        self.url = bare
        self.origin = origin
        credentials = user.map { "Basic \(Data("\($0):\(password)".utf8).base64EncodedString())" }
    }
}
