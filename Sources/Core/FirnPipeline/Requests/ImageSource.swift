enum ImageSource: Sendable {
    /// An address that the loader, or the engine itself (`file:`, `data:`), reads.
    case address(DataRequest)
    case bytes(Data)
    /// A closure of the caller, run off the drawing thread.
    case closure(@Sendable () async throws -> Data)
    /// A closure of the caller that creates the image; nothing is read or decoded.
    case image(@Sendable () async throws -> ImageContainer)

    enum Reader {
        case file(path: String)
        case inline(url: String)
        case bytes(Data)
        case loader(DataRequest)
        case closure(@Sendable () async throws -> Data)
        case image
        /// The request has no address.
        case nothing
    }

    /// The part that reads the bytes, by the scheme of the address.
    var reader: Reader {
        switch self {
        case .bytes(let data): return .bytes(data)
        case .closure(let body): return .closure(body)
        case .image: return .image
        case .address(let request):
            switch Scheme(request.url) {
            case .file: return .file(path: FileAddress.path(of: request.url))
            case .data: return .inline(url: request.url)
            case .other: return ImageSource.isMissing(request.url) ? .nothing : .loader(request)
            }
        }
    }

    /// Returns the normal form of an address: its scheme in lower case and no white space around it.
    static func normalized(_ address: String) -> String {
        if Scheme(address) != .other { return WebAddress.trimmed(address) }
        if let web = WebAddress.normalized(address) { return web }
        let rest = WebAddress.trimmed(address)
        guard let colon = rest.firstIndex(of: ":") else { return rest }
        let known = rest[...colon].lowercased()
        return Scheme(known) == .other ? rest : known + rest[rest.index(after: colon)...]
    }

    /// Returns whether an address is missing.
    static func isMissing(_ address: String) -> Bool { address.isEmpty || address == ImageRequest.noAddress }

    /// The scheme of an address, as far as it decides which part reads it.
    enum Scheme {
        case file, data, other

        init(_ url: String) {
            // The first letter rules out most addresses. Comparing a prefix costs twenty times as much.
            switch url.utf8.first {
            case UInt8(ascii: "f") where url.hasPrefix("file:"): self = .file
            case UInt8(ascii: "d") where url.hasPrefix("data:"): self = .data
            default: self = .other
            }
        }
    }
}

/// Reads the bytes out of `data:` URLs.
///
/// - Source: Fetch standard, "data: URL processor"; forgiving base64 of the Infra standard, section 7.
enum InlineAddress {
    /// The bytes; `nil` if there is no comma or the base64 is damaged.
    static func bytes(of url: String) -> Data? {
        let rest = url.utf8.dropFirst("data:".utf8.count).prefix { $0 != UInt8(ascii: "#") }
        guard let comma = rest.firstIndex(of: UInt8(ascii: ",")) else { return nil }
        let body = PercentEncoding.decoded(rest[rest.index(after: comma)...])
        return isBase64(rest[..<comma]) ? decoded(body) : Data(body)
    }

    /// Returns whether a type ends in `;base64`, with spaces after the semicolon and around.
    private static func isBase64(_ type: Substring.UTF8View) -> Bool {
        let parts = String(decoding: type, as: UTF8.self).split(separator: ";", omittingEmptySubsequences: false)
        guard parts.count > 1, let last = parts.last else { return false }
        return last.lowercased().split(separator: " ") == ["base64"]
    }

    /// Decodes base64 without padding, too, and with white space.
    private static func decoded(_ text: [UInt8]) -> Data? {
        var letters = text.filter { !" \t\n\u{C}\r".utf8.contains($0) }
        if letters.count % 4 == 0 {
            for _ in 0..<2 where letters.last == UInt8(ascii: "=") { letters.removeLast() }
        }
        guard letters.count % 4 != 1, !letters.contains(UInt8(ascii: "=")) else { return nil }
        letters += repeatElement(UInt8(ascii: "="), count: (4 - letters.count % 4) % 4)
        return Data(base64Encoded: Data(letters))
    }
}
