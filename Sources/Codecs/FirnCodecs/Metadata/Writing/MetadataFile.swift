import FirnData
package import FoundationEssentials

/// New packets of metadata for a file. A packet is `nil` if the old one stays, and empty if it is removed.
struct MetadataPackets: Equatable {
    /// A TIFF file, without a name before it.
    var exif: Data?
    var xmp: Data?
    /// The part of a JPEG's XMP packet that does not fit into its segment.
    var extendedXMP: Data?
    var iptc: Data?
    /// The keywords of texts of a PNG that are removed.
    var texts: Set<String> = []
    /// True if everything else is removed that is not needed to show the image.
    var strips = false

    /// Packets that replace all of a file.
    static func only(exif: Data?) -> MetadataPackets {
        MetadataPackets(exif: exif ?? Data(), xmp: Data(), extendedXMP: Data(), iptc: Data(), strips: true)
    }

    var isEmpty: Bool { self == MetadataPackets() }

    /// Returns a packet to write; `nil` for none.
    static func written(_ packet: Data?) -> Data? { packet.flatMap { $0.isEmpty ? nil : $0 } }
}

/// Replaces the packets of metadata of files. The coded pixels stay as they are, byte for byte.
enum MetadataFile {
    /// The formats that are changed.
    static let formats: Set<ImageFormat> = [.jpeg, .png, .apng, .webp, .tiff, .avif, .heic, .jxl]
    /// Those that hold IPTC records.
    static let formatsWithRecords: Set<ImageFormat> = [.jpeg, .png, .apng, .tiff]
    /// Those of which everything is removed that is not needed to show the image.
    static let strippedFormats: Set<ImageFormat> = [.jpeg, .png, .apng, .webp]

    static func error(_ fault: ImageError.Fault, _ message: String, _ format: ImageFormat) -> ImageError {
        ImageError(fault, at: .writing, message, format: format)
    }

    /// Returns a file with other packets. Records that a format does not hold are left out.
    ///
    /// - Throws: ``ImageError`` if the file is damaged or has an unusual structure, or a packet is too long.
    static func replacing(
        _ packets: MetadataPackets, in file: Data, of format: ImageFormat
    ) throws(ImageError) -> Data {
        if packets.isEmpty { return file }
        let chain = ByteChain(whole: file)
        switch format {
        case .jpeg: return try jpeg(chain, packets)
        case .png, .apng: if let result = png(chain, packets) { return result }
        case .webp: if let result = webp(chain, packets) { return result }
        case .jxl: if let result = jxl(chain, packets) { return result }
        case .avif, .heic: return try HEIFEditor.replacing(packets, in: file, of: format)
        case .tiff: if let result = tiff(file, packets) { return result }
        default: throw error(.unsupported, "metadata of this format are not changed", format)
        }
        throw error(.data, "the structure of the file is damaged, or is none that can be changed", format)
    }

    // MARK: PNG

    /// The chunks that a stripped file has besides those that a decoder needs: they say how the pixels look.
    private static let shownChunks: Set<FourCharacterCode> = [
        "tRNS", "cHRM", "gAMA", "iCCP", "sBIT", "sRGB", "cICP", "mDCV", "cLLI", "bKGD", "hIST", "pHYs", "sPLT", "acTL",
        "fcTL", "fdAT",
    ]

    /// - Source: PNG (third edition) §5.3, §11.3.3, §11.3.4.5; XMP specification part 3 §1.1.5.
    private static func png(_ chain: ByteChain, _ packets: MetadataPackets) -> Data? {
        guard var copy = chain.bytes(at: 0, count: 8) else { return nil }
        func isReplaced(_ type: FourCharacterCode, _ content: Data) -> Bool {
            // Bit 5 of the first letter marks a chunk that is not needed to show the file.
            if packets.strips { return !shownChunks.contains(type) && type.rawValue & 0x2000_0000 != 0 }
            guard ["tEXt", "zTXt", "iTXt"].contains(type) else { return type == "eXIf" && packets.exif != nil }
            switch PNGText.keyword(content.prefix(PNGMetadata.headLength)) {
            case PNGText.xmp?, PNGText.hexadecimalXMP?: return packets.xmp != nil
            case PNGText.exif?, PNGText.app1?: return packets.exif != nil
            case let keyword?:
                return packets.texts.contains(keyword) || packets.iptc != nil && PNGText.iptc.contains(keyword)
            case nil: return false
            }
        }
        var added = Data()
        if let exif = MetadataPackets.written(packets.exif) { added += ChunkSum.chunk("eXIf", exif) }
        if let xmp = MetadataPackets.written(packets.xmp) {
            added += ChunkSum.chunk("iTXt", Array("\(PNGText.xmp)\0\0\0\0\0".utf8) + xmp)
        }
        if let iptc = MetadataPackets.written(packets.iptc) {
            let (digits, count) = ([UInt8](iptc).hexadecimal, String(iptc.count))
            let length = String(repeating: " ", count: max(0, 8 - count.count)) + count
            added += ChunkSum.chunk("tEXt", Array("Raw profile type iptc\0\niptc\n\(length)\n\(digits)\n".utf8))
        }
        var offset = 8
        while let length = chain.big(offset, 4), length < 1 << 31, let type = chain.code(at: offset + 4),
            let chunk = chain.bytes(at: offset, count: length + 12)
        {
            if type == "IDAT" {
                copy += added
                added = Data()
            }
            if !isReplaced(type, chunk.dropFirst(8).dropLast(4)) { copy += chunk }
            offset += length + 12
            if type == "IEND" {
                if !added.isEmpty { return nil }
                return packets.strips ? copy : chain.bytes(offset..<chain.count).map { copy + $0 }
            }
        }
        return nil
    }

    // MARK: WebP

    /// - Source: RFC 9649 §2.
    private static func webp(_ chain: ByteChain, _ packets: MetadataPackets) -> Data? {
        guard chain.code(at: 0) == "RIFF", chain.code(at: 8) == "WEBP", let length = chain.little(4, 4), length >= 4,
            length + 8 <= chain.count
        else { return nil }
        func chunk(_ type: FourCharacterCode, _ content: Data) -> Data {
            type.bytes + content.count.littleEndianBytes(4) + content + Data(count: content.count % 2)
        }
        var (head, body, isExtended) = (Data?.none, Data(), false)
        var offset = 12
        while offset + 8 <= length + 8 {
            guard let type = chain.code(at: offset), let count = chain.little(offset + 4, 4),
                let content = chain.bytes(at: offset + 8, count: count), offset + 8 + count <= length + 8
            else { return nil }
            if offset == 12 {
                isExtended = type == "VP8X"
                head = isExtended ? content : extendedHead(type, content)
            }
            switch type {
            case "EXIF" where packets.exif != nil, "XMP " where packets.xmp != nil: break
            case "VP8X" where offset == 12: break
            case _ where packets.strips && !shownParts.contains(type): break
            default: body += chunk(type, content)
            }
            offset += 8 + count + count % 2
        }
        guard var head, head.count >= 10 else { return nil }
        for (type, packet, flag) in [("EXIF", packets.exif, 0x08), ("XMP ", packets.xmp, 0x04)]
            as [(FourCharacterCode, Data?, UInt8)]
        {
            guard let packet else { continue }
            head[head.startIndex] &= ~flag
            guard !packet.isEmpty else { continue }
            body += chunk(type, packet)
            head[head.startIndex] |= flag
            isExtended = true
        }
        let riff = Data("WEBP".utf8) + (isExtended ? chunk("VP8X", head) : Data()) + body
        guard riff.count < 1 << 32, let behind = chain.bytes(length + 8..<chain.count) else { return nil }
        return Data("RIFF".utf8) + riff.count.littleEndianBytes(4) + riff + (packets.strips ? Data() : behind)
    }

    /// The chunks of a stripped file.
    private static let shownParts: Set<FourCharacterCode> = ["VP8X", "ICCP", "ANIM", "ANMF", "ALPH", "VP8 ", "VP8L"]

    /// Returns the content of a VP8X chunk for a file that has none.
    ///
    /// - Source: RFC 9649 §2.7.
    private static func extendedHead(_ type: FourCharacterCode, _ frame: Data) -> Data? {
        let bytes = [UInt8](frame.prefix(10))
        let isLossless = type == "VP8L"
        guard isLossless || type == "VP8 ", bytes.count == 10,
            let image = WebPImage(bytes, pixels: 0..<0, isLossless: isLossless, alpha: nil, isDeclaredOpaque: false),
            !image.size.isEmpty
        else { return nil }
        let sides = [image.size.width, image.size.height].flatMap { ($0 - 1).littleEndianBytes(3) }
        return Data([image.hasAlpha ? 0x10 : 0, 0, 0, 0] + sides)
    }

    // MARK: JPEG XL

    /// Writes boxes before those of the codestream. A bare codestream gets a container.
    ///
    /// - Source: ISO/IEC 18181-2 §9.
    private static func jxl(_ chain: ByteChain, _ packets: MetadataPackets) -> Data? {
        var added = Data()
        // The offset of the TIFF header precedes EXIF data.
        if let exif = MetadataPackets.written(packets.exif) { added += ISOBox.box("Exif", Data([0, 0, 0, 0]) + exif) }
        if let xmp = MetadataPackets.written(packets.xmp) { added += ISOBox.box("xml ", xmp) }
        guard let whole = chain.bytes(at: 0, count: chain.count) else { return nil }
        if chain.big(0, 2) == 0xFF0A {
            return added.isEmpty ? whole : JXLGainMap.containerStart + added + ISOBox.box("jxlc", whole)
        }
        let boxes = ISOBox.boxes(in: 0..<chain.count, of: chain)
        guard boxes.first?.type == "JXL ", boxes.last?.content.upperBound == chain.count else { return nil }
        func kind(_ box: ISOBox) -> FourCharacterCode? {
            box.type == "brob" ? chain.code(at: box.content.lowerBound) : box.type
        }
        let replaced = boxes.filter { box in
            kind(box) == "Exif" && packets.exif != nil || kind(box) == "xml " && packets.xmp != nil
        }
        .map(\.typeOffset)
        var copy = Data(capacity: chain.count + added.count)
        for box in boxes {
            if box.type == "jxlc" || box.type == "jxlp" {
                copy += added
                added = Data()
            }
            // The data to restore a JPEG file need its old packets.
            if replaced.contains(box.typeOffset) || box.type == "jbrd" && !replaced.isEmpty { continue }
            guard let bytes = chain.bytes(box.whole) else { return nil }
            copy += bytes
        }
        return added.isEmpty ? copy : nil
    }

    // MARK: TIFF

    private static let xmpTag = 700
    private static let iptcTag = 33_723
    private static let photoshopTag = 34_377

    /// Adds XMP and records to the first page, and EXIF data to a page without any.
    ///
    /// - Source: TIFF 6.0 §2; XMP specification part 3 §1.1.6; EXIF 2.32 §4.6.
    private static func tiff(_ file: Data, _ packets: MetadataPackets) -> Data? {
        guard var directories = EXIFDirectories(file) else { return nil }
        var (removed, added): (Set<Int>, [Int: EXIFDirectories.NewValue]) = ([], [:])
        func set(_ tag: Int, _ packet: Data?, _ type: Int) {
            guard let packet else { return }
            removed.insert(tag)
            guard !packet.isEmpty else { return }
            added[tag] = .field(EXIFField(tag: tag, type: type, count: packet.count, bytes: [UInt8](packet)))
        }
        set(xmpTag, packets.xmp, 1)
        set(iptcTag, packets.iptc, 7)
        let resources = directories.fields(of: .main, isBig: directories.isBig) { $0 == photoshopTag }[photoshopTag]
        if let iptc = packets.iptc, case .field(let field)? = resources {
            guard let new = IPTCRecords.resources(Data(field.bytes), with: MetadataPackets.written(iptc)) else {
                return nil
            }
            set(photoshopTag, new, 7)
        }
        if let exif = MetadataPackets.written(packets.exif), let source = EXIFDirectories(exif) {
            for place in [EXIFDirectories.Place.details, .gps] {
                // Maker notes hold offsets; links to other directories would lead nowhere.
                let fields = source.fields(of: place, isBig: directories.isBig) { ![0x927C, 0xA005].contains($0) }
                guard directories.edit(place, removing: [], adding: fields) else { return nil }
            }
            added.merge(
                source.fields(of: .main, isBig: directories.isBig) { TIFFDirectory.describing.contains($0) }
            ) { $1 }
        }
        guard directories.edit(.main, removing: removed, adding: added) else { return nil }
        return Data(directories.bytes)
    }
}

/// Changes the orientation that an image file states. The coded pixels stay as they are.
package enum OrientationTag {
    /// The formats of files that can state an orientation.
    package static let formats: Set<ImageFormat> = [.jpeg, .png, .apng, .webp, .tiff]

    /// Returns a copy of a file with another orientation; that of the first page of a file with several.
    ///
    /// - Returns: `nil` if the format cannot state one, if the file is damaged before its pixels, or if it is a
    ///   BigTIFF.
    package static func copy(
        _ file: Data, _ properties: ImageProperties, orientation: ImageOrientation
    ) -> Data? {
        let format = properties.format
        let old = format == .tiff ? file : properties.exif ?? EXIFDirectories.empty
        guard formats.contains(format), var directories = EXIFDirectories(old) else { return nil }
        let value = directories.encoded(orientation.rawValue, 2)
        let field = EXIFField(tag: 0x0112, type: TIFFKind.short, count: 1, bytes: value)
        guard directories.edit(.main, removing: [], adding: [field.tag: .field(field)]) else { return nil }
        let new = Data(directories.bytes)
        return format == .tiff ? new : try? MetadataFile.replacing(MetadataPackets(exif: new), in: file, of: format)
    }
}

extension ImageOrientation {
    /// The orientations by clockwise quarter turns, and those of images that are mirrored left to right before.
    private static let turns: [[ImageOrientation]] = [
        [.up, .right, .down, .left], [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored],
    ]

    /// Returns the orientation of the displayed image after it is mirrored left to right and then rotated clockwise.
    package func changed(mirrored: Bool, quarterTurns: Int) -> ImageOrientation {
        let isMirrored = !ImageOrientation.turns[0].contains(self)
        let turns = ImageOrientation.turns[isMirrored ? 1 : 0].firstIndex(of: self) ?? 0
        return ImageOrientation.turns[isMirrored != mirrored ? 1 : 0][((mirrored ? -turns : turns) &+ quarterTurns) & 3]
    }
}

/// Copies image files without their metadata. The coded pixels and all that is needed to show them stay byte for byte.
///
/// Removed are EXIF data, XMP, IPTC, texts, comments, thumbnails, the time of the last change, private and unknown
/// parts, and bytes after the image. Color profiles and the gain map of a JPEG stay, because the colors would change
/// without them.
package enum StrippedFile {
    /// Returns a copy of a file with `exif` as its only metadata.
    ///
    /// - Parameter exif: a TIFF file, with or without `Exif\0\0` before it; `nil` for none.
    /// - Returns: nil if the format cannot be copied, or if the file is damaged or cut short.
    package static func copy(_ file: Data, format: ImageFormat, exif: Data?) -> Data? {
        guard MetadataFile.strippedFormats.contains(format) else { return nil }
        let packets = MetadataPackets.only(exif: exif?.withoutEXIFName)
        let base = try? MetadataFile.replacing(packets, in: file, of: format)
        // The gain map stays, with its numbers as its only metadata.
        let chain = ByteChain(whole: file)
        guard let base, format == .jpeg, let found = JPEGGainMap(chain), let numbers = found.metadata,
            let stored = chain.bytes(found.range),
            let map = try? MetadataFile.replacing(.only(exif: nil), in: stored, of: .jpeg)
        else { return base }
        return JPEGGainMap.file(base, map: map, numbers) ?? base
    }

    /// Returns EXIF data that hold only an orientation; `nil` for an upright image, which needs none.
    ///
    /// - Source: EXIF 2.32 §4.6.4 A (0x0112).
    package static func exif(_ orientation: ImageOrientation) -> Data? {
        let bytes = orientation.rawValue.littleEndianBytes(2)
        let field = EXIFField(tag: 0x0112, type: TIFFKind.short, count: 1, bytes: bytes)
        return orientation == .up ? nil : EXIFField.data([field], isBig: false)
    }
}
