public import FoundationEssentials

extension ImageFormat {
    /// The number of leading bytes that suffice to recognize any format.
    public static let sniffLength = 4096

    /// Recognizes the format by the first bytes of the content, ignoring names and media types; `nil` if no known
    /// signature is found (yet).
    ///
    /// - Parameter data: the start of the file. ``sniffLength`` bytes always suffice; an XML document whose prolog is
    ///   longer than that counts as SVG. Takes linear time.
    /// - Source: WHATWG MIME Sniffing §6.1 and each format's specification.
    public init?(_ data: Data) {
        let head = [UInt8](data.prefix(ImageFormat.sniffLength))
        func startsWith(_ signature: [UInt8]) -> Bool {
            head.count >= signature.count
                && zip(signature, head).allSatisfy { $0 == UInt8(ascii: "?") || $0 == $1 }
        }
        let found: ImageFormat? =
            switch KnownFormat.all.first(where: { $0.signatures.contains(where: startsWith) })?.format {
            case .png: ImageFormat.hasAnimationControl(head) ? .apng : .png
            case .avif: ImageFormat.isoBrand(head)
            case let format?: format
            case nil: ImageFormat.isDrawing(head, of: data) ? .svg : nil
            }
        guard let found else { return nil }
        self = found
    }

    /// Returns whether an `acTL` chunk precedes the first `IDAT`.
    private static func hasAnimationControl(_ head: [UInt8]) -> Bool {
        var offset = 8
        while offset + 8 <= head.count {
            let type = head[offset + 4..<offset + 8]
            if type.elementsEqual("acTL".utf8) { return true }
            if type.elementsEqual("IDAT".utf8) { return false }
            let length = head[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
            offset += length + 12
        }
        return false
    }

    /// Recognizes AVIF and HEIC by the brands of an ISO base media `ftyp` box.
    private static func isoBrand(_ head: [UInt8]) -> ImageFormat? {
        let length = head.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let end = min(head.count, length)
        // Bytes 12..<16 are the minor version.
        let brands = stride(from: 8, through: end - 4, by: 4).filter { $0 != 12 }
            .map { String(decoding: head[$0..<$0 + 4], as: UTF8.self) }
        if brands.contains("avif") || brands.contains("avis") { return .avif }
        let heif: Set = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "msf1"]
        return brands.contains(where: heif.contains) ? .heic : nil
    }

    /// Returns whether the content is an SVG document, possibly compressed with gzip (.svgz).
    ///
    /// A prolog may have any length. If it is longer than the bytes and than ``sniffLength``, the content counts as
    /// SVG; the decoder finds out.
    private static func isDrawing(_ head: [UInt8], of data: Data) -> Bool {
        let isCut = data.count >= sniffLength
        if GzipHead.isGzip(head) {
            let text = GzipHead.content(of: head, limit: sniffLength)
            let verdict = MarkupProlog.verdict(of: text)
            return verdict == .svg || verdict == .undecided && (isCut || text.count >= sniffLength)
        }
        switch MarkupProlog.verdict(of: head) {
        case .svg: return true
        case .other: return false
        case .undecided where data.count > head.count:
            return MarkupProlog.verdict(of: [UInt8](data)) != .other
        case .undecided: return isCut
        }
    }
}
