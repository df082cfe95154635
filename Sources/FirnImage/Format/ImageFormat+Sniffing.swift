public import FoundationEssentials

extension ImageFormat {
    /// The number of first bytes that suffice to recognize any format.
    public static let sniffLength = 4096

    /// Recognizes the format by the first bytes of the content; names and media types are ignored.
    ///
    /// - Parameter data: the start of the file. ``sniffLength`` bytes always suffice.
    /// - Returns: `nil` if there is no known signature (yet).
    /// - Source: WHATWG MIME Sniffing §6.1 and each format's specification.
    public static func sniff(_ data: Data) -> ImageFormat? {
        let head = [UInt8](data.prefix(sniffLength))
        func at(_ offset: Int, _ signature: [UInt8]) -> Bool {
            head.count >= offset + signature.count
                && head[offset..<offset + signature.count].elementsEqual(signature)
        }
        func at(_ offset: Int, _ signature: String) -> Bool { at(offset, Array(signature.utf8)) }

        if at(0, [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if at(0, [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            return hasAnimationControl(head) ? .apng : .png
        }
        if at(0, "GIF87a") || at(0, "GIF89a") { return .gif }
        if at(0, "RIFF"), at(8, "WEBP") { return .webp }
        if at(0, [0xFF, 0x0A]) || at(0, [0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20, 0x0D, 0x0A, 0x87, 0x0A]) {
            return .jxl
        }
        if at(4, "ftyp") { return isoBrand(head) }
        if at(0, [0x49, 0x49, 0x2A, 0]) || at(0, [0x4D, 0x4D, 0, 0x2A])
            || at(0, [0x49, 0x49, 0x2B, 0]) || at(0, [0x4D, 0x4D, 0, 0x2B])
        {
            return .tiff
        }
        if at(0, "BM") { return .bmp }
        if at(0, "qoif") { return .qoi }
        if at(0, [0, 0, 1, 0]) || at(0, [0, 0, 2, 0]) { return .ico }
        return looksLikeSVG(head) ? .svg : nil
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
        var brands: [String] = []
        var offset = 8
        while offset + 4 <= end {
            if offset != 12 {  // bytes 12..<16 are the minor version
                brands.append(String(decoding: head[offset..<offset + 4], as: UTF8.self))
            }
            offset += 4
        }
        if brands.contains("avif") || brands.contains("avis") { return .avif }
        let heif: Set = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs", "mif1", "msf1"]
        return brands.contains(where: heif.contains) ? .heic : nil
    }

    /// Returns whether the text starts, after white space, comments and declarations, with an `svg` element.
    private static func looksLikeSVG(_ head: [UInt8]) -> Bool {
        var text = Substring(String(decoding: head, as: UTF8.self))
        if text.hasPrefix("\u{FEFF}") { text = text.dropFirst() }
        while true {
            text = text.drop(while: \.isWhitespace)
            if text.hasPrefix("<!--") {
                guard let end = text.firstRange(of: "-->") else { return false }
                text = text[end.upperBound...]
            } else if text.hasPrefix("<?") || text.hasPrefix("<!") {
                // A document type may contain declarations in brackets.
                guard var end = text.firstIndex(where: { $0 == ">" || $0 == "[" }) else { return false }
                if text[end] == "[", text.hasPrefix("<!") {
                    guard let close = declarationEnd(text[end...]) else { return false }
                    end = close
                } else if text[end] == "[" {
                    guard let close = text.firstIndex(of: ">") else { return false }
                    end = close
                }
                text = text[text.index(after: end)...]
            } else {
                guard text.hasPrefix("<") else { return false }
                let name = text.dropFirst().prefix { !$0.isWhitespace && $0 != ">" && $0 != "/" }
                return name == "svg" || name.hasSuffix(":svg")
            }
        }
    }

    /// Returns the `>` that ends a document type, from its `[` on: the first one after a `]`, with only white space
    /// between (XML 1.0 §2.8).
    private static func declarationEnd(_ text: Substring) -> Substring.Index? {
        var isClosed = false
        for index in text.indices {
            switch text[index] {
            case "]": isClosed = true
            case ">" where isClosed: return index
            default: isClosed = isClosed && text[index].isWhitespace
            }
        }
        return nil
    }
}
