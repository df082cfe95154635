/// A version of the IIIF Image API. Each has a path of its own.
enum IIIFVersion: Int, CaseIterable, Sendable {
    /// 2.1.
    case two = 2
    /// 3.0.
    case three = 3

    /// The path under which images are served.
    var prefix: String { self == .two ? "/iiif2/" : "/iiif/" }

    /// - Returns: `nil` if a request target is below neither path.
    init?(target: String) {
        let version = IIIFVersion.allCases.first { target.utf8.starts(with: $0.prefix.utf8) }
        guard let version else { return nil }
        self = version
    }
}

/// Reads the raw target of a request, such as `/iiif/a%2Fb.jpg/full/max/0/default.jpg`.
///
/// Takes linear time and stops at ``maximumLength`` bytes.
struct IIIFParser: Sendable {
    /// The maximum length of the path after the prefix, in bytes.
    static let maximumLength = 4096

    /// Reads a request target, percent-encoded as the client sent it. A query is ignored.
    ///
    /// Returns nil if the target is not below the path of a version.
    /// - Throws: ``ServeError`` with status 400 or 404.
    func parse(target: String) throws(ServeError) -> IIIFRequest? {
        guard let version = IIIFVersion(target: target) else { return nil }
        let path = Array(target.utf8).dropFirst(version.prefix.utf8.count)
            .prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard path.count <= Self.maximumLength else {
            throw .invalid("path", path, "longer than \(Self.maximumLength) bytes", status: 404)
        }
        let segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard let first = segments.first, [1, 2, 5].contains(segments.count) else {
            throw .invalid(
                "path", path, "expected an image, {id}/info.json, or {id}; '/' in {id} is written %2F", status: 404)
        }
        let identifier = try IIIFIdentifier(segment: first)
        return IIIFRequest(
            version: version, identifier: identifier, requestedIdentifier: String(decoding: first, as: UTF8.self),
            resource: try resource(segments.dropFirst(), version))
    }

    private func resource(
        _ segments: ArraySlice<ArraySlice<UInt8>>, _ version: IIIFVersion
    ) throws(ServeError) -> IIIFRequest.Resource {
        guard let first = segments.first else { return .base }
        guard segments.count == 1 else { return .image(try IIIFImageRequest(segments: segments, version: version)) }
        guard let name = PercentEncoding.strictlyDecoded(first), name.elementsEqual("info.json".utf8) else {
            throw .invalid("path", first, "expected info.json", status: 404)
        }
        return .information
    }
}

struct IIIFRequest: Equatable, Sendable {
    /// The requested resource.
    enum Resource: Equatable, Sendable {
        /// `{id}`: a redirect (303) to `info.json`.
        case base
        /// `{id}/info.json`.
        case information
        /// `{id}/{region}/{size}/{rotation}/{quality}.{format}`.
        case image(IIIFImageRequest)
    }

    let version: IIIFVersion
    let identifier: IIIFIdentifier
    /// The identifier as the client spelled it, of valid URI characters.
    let requestedIdentifier: String
    let resource: Resource
}

/// The identifier of an image: a relative path without empty, `.` and `..` segments.
///
/// Identifiers are equal if their bytes are equal; Unicode normalization does not make two files one.
struct IIIFIdentifier: Hashable, Sendable {
    /// The maximum length of an identifier, in decoded bytes.
    static let maximumLength = 1024

    /// The decoded bytes: valid UTF-8 without control characters.
    let bytes: [UInt8]

    /// The decoded identifier, for example `maps/a b.jpg`.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The percent-encoded spelling of canonical URIs, for example `maps%2Fa%20b.jpg`.
    var encoded: String { PercentEncoding.encoded(bytes) }

    /// Decodes one path segment once.
    ///
    /// - Throws: ``ServeError`` with status 400 if the spelling is invalid, or 404 if it names nothing below a root.
    init(segment: some Collection<UInt8>) throws(ServeError) {
        guard !segment.isEmpty else { throw .invalid("identifier", segment, "empty", status: 404) }
        guard segment.allSatisfy(IIIFIdentifier.isSegmentByte) else {
            throw .invalid("identifier", segment, "contains a character that must be percent-encoded")
        }
        guard let bytes = PercentEncoding.strictlyDecoded(segment) else {
            throw .invalid("identifier", segment, "'%' must be followed by two hexadecimal digits")
        }
        guard bytes.count <= Self.maximumLength else {
            throw .invalid("identifier", segment, "longer than \(Self.maximumLength) bytes", status: 404)
        }
        guard String(validating: bytes, as: UTF8.self) != nil else {
            throw .invalid("identifier", segment, "not UTF-8 after decoding")
        }
        guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .invalid("identifier", segment, "contains a control character", status: 404)
        }
        for part in bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard !part.isEmpty, !part.elementsEqual(".".utf8), !part.elementsEqual("..".utf8) else {
                throw .invalid("identifier", segment, "contains an empty, '.' or '..' segment", status: 404)
            }
        }
        self.bytes = bytes
    }

    /// Returns whether a path segment may contain the byte without encoding (RFC 3986 section 3.3). True for `%`, which
    /// starts an encoded byte.
    static func isSegmentByte(_ byte: UInt8) -> Bool {
        PercentEncoding.isUnreserved(byte) || "!$&'()*+,;=:@%".utf8.contains(byte)
    }
}
