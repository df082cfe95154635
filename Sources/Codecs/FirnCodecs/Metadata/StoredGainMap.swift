import FirnSync
import FirnSystem
import FoundationEssentials

/// The gain map of a file: the first image of a file of the same format.
struct StoredGainMap {
    /// The file of the map.
    let file: ByteChain
    /// The numbers; `nil` for a map of Apple, whose headroom is in the metadata of both images.
    let metadata: GainMap.Metadata?
    /// True if the map is stored in the orientation of the base, otherwise in one of its own.
    var isOrientedLikeBase = false
}

extension GainMap {
    /// The formats that store gain maps.
    package static let formats: Set<ImageFormat> = [.jpeg, .avif, .jxl]
    /// The least quality of an encoded map, whose errors are multiplied.
    static let leastQuality = 0.9

    /// Returns the file of the map, with at most as many columns and rows as its base: more would show nothing.
    func encoded(
        by encoder: some ImageEncoding, for base: PixelSize, _ cancellation: CancellationFlag
    ) throws(ImageError) -> Data {
        let size = PixelSize(width: min(image.size.width, base.width), height: min(image.size.height, base.height))
        return try encoder.encode(image.resized(to: size, cancellation: cancellation), cancellation: cancellation)
    }
}

// MARK: AVIF and HEIF

extension HEIFItems {
    /// The derived image of an image and its gain map: its content, and both images. `nil` if there is none.
    ///
    /// - Source: ISO 21496-1:2025 annex C.4.
    var toneMapping: (content: [UInt8]?, base: Int?, map: Int?)? {
        guard let item = first(ofType: "tmap") else { return nil }
        let parts = parts(of: item)?.items ?? []
        let bytes = location(of: item).flatMap { chain.bytes(at: $0.lowerBound, count: min($0.count, 1_024)) }
        return (bytes.map { [UInt8]($0) }, parts.first, parts.count == 2 ? parts.last : nil)
    }

    /// The first auxiliary image with a type of gain maps, whose item may be missing; `nil` if there is none.
    var auxiliaryMap: (isApple: Bool, item: Int?)? {
        for (index, property) in properties.enumerated() where property.type == "auxC" {
            guard property.content.count < 256,
                let bytes = chain.bytes(property.content)
            else { continue }
            let isApple = Array(bytes)[...].firstPlace(of: "aux:hdrgainmap") != nil
            guard isApple || Array(bytes)[...].firstPlace(of: "iso:ts:21496:-1") != nil else { continue }
            return (isApple, item(withProperty: index))
        }
        return nil
    }

    /// The gain map of the primary image, as a file with the map as its primary image: derived images, such as grids,
    /// and the items that they need stay where they are. `nil` if there is none with valid metadata.
    var gainMap: StoredGainMap? {
        // Version 0 of the item.
        if let (content, base, map) = toneMapping, base == primary, let map, let content, content.first == 0,
            let metadata = GainMap.Metadata(iso: Data(content.dropFirst()))
        {
            return file(withPrimary: map).map { StoredGainMap(file: $0, metadata: metadata) }
        }
        guard let (isApple, item) = auxiliaryMap, isApple, let item else { return nil }
        return file(withPrimary: item).map { StoredGainMap(file: $0, metadata: nil) }
    }
}

// MARK: JPEG XL

/// The bundle of a gain map in a JPEG XL file: the numbers of ISO 21496-1, colors of the other rendition, which are not
/// used, and a codestream.
///
/// - Source: ISO/IEC 18181-2 (`jhgm`); libjxl's `gain_map.h` for the order of the fields.
struct JXLGainMap {
    let metadata: [UInt8]
    /// The place of the codestream.
    private let stream: Range<Int>

    /// Reads the box; `nil` if there is none. A cut one has the numbers as far as they have arrived.
    init?(_ chain: ByteChain) {
        guard let box = ISOBox.boxes(in: 0..<chain.count, of: chain).first("jhgm"),
            chain.byte(at: box.content.lowerBound) == 0
        else { return nil }
        // Version, length of the numbers, numbers, length of the colors, colors, length of the profile, profile.
        var place = box.content.lowerBound + 1
        func pass(_ size: Int) -> Int {
            let count = min(chain.big(place, size) ?? 0, max(0, box.content.upperBound - place - size))
            place = min(place + size + count, box.content.upperBound)
            return count
        }
        let count = pass(2)
        metadata = [UInt8](chain.bytes(at: place - count, count: count) ?? Data())
        for size in [1, 4] { _ = pass(size) }
        stream = place..<max(place, box.content.upperBound)
    }

    /// The gain map; `nil` if its numbers are invalid.
    func stored(in chain: ByteChain) -> StoredGainMap? {
        guard let metadata = GainMap.Metadata(iso: Data(metadata)) else { return nil }
        return StoredGainMap(file: chain.part(stream), metadata: metadata)
    }

    /// Returns a file with a gain map behind its other boxes. A bare codestream gets a container.
    ///
    /// - Parameter map: the file of the map, a bare codestream.
    static func file(_ base: Data, map: Data, _ metadata: GainMap.Metadata) -> Data {
        let bundle = [0] + metadata.iso.count.bigEndianBytes(2) + metadata.iso + [UInt8](repeating: 0, count: 5)
        let box = ISOBox.box("jhgm", bundle + map)
        guard base.starts(with: [0xFF, 0x0A]) else { return base + box }
        return containerStart + ISOBox.box("jxlc", base) + box
    }

    /// The first boxes of a file with boxes.
    static let containerStart =
        ISOBox.box("JXL ", [0x0D, 0x0A, 0x87, 0x0A]) + ISOBox.box("ftyp", Array("jxl \0\0\0\0jxl ".utf8))
}

// MARK: Apple

extension GainMap {
    /// Creates a map of Apple, whose light is `base * (1 + (headroom - 1) * map)`. The map's values, encoded with the
    /// curve of BT.709, are replaced by logarithms.
    ///
    /// - Parameter headroom: a logarithm.
    /// - Source: Apple, "Applying Apple HDR effect to your photos"; ITU-R BT.709-6 §1.2.
    init?(apple map: Bitmap, headroom: Double) {
        var metadata = Metadata(maximum: SIMD3(repeating: headroom), alternateHeadroom: headroom)
        (metadata.baseOffset, metadata.alternateOffset) = (.zero, .zero)
        let values = (0..<256).map { value -> UInt8 in
            let encoded = Double(value) / 255
            let light = encoded < 0.081 ? encoded / 4.5 : pow((encoded + 0.099) / 1.099, 1 / 0.45)
            let gain = log2(1 + (exp2(headroom) - 1) * light) / headroom
            return headroom > 0 ? UInt8(saturating: (gain * 255).rounded()) : 0
        }
        let image = try? Bitmap(size: map.size, format: .rgb8, isOpaque: true) { target in
            map.withUnsafeBytes { source in
                for y in 0..<map.size.height {
                    let row = target.row(y)
                    // Safety: rows of both images have three bytes for each pixel.
                    for x in 0..<3 * map.size.width {
                        row.storeBytes(
                            of: values[Int(source[y * map.bytesPerRow + x])], toByteOffset: x, as: UInt8.self)
                    }
                }
            }
        }
        guard let image else { return nil }
        self.init(image: image, metadata: metadata)
    }

    /// Returns the headroom of a map of Apple as a logarithm, at least 0; `nil` if no metadata state one.
    ///
    /// - Parameters:
    ///   - xmp: the packet of the map.
    ///   - exif: the data of the base, whose maker notes are a directory behind a name.
    /// - Source: Apple, "Applying Apple HDR effect to your photos".
    static func appleHeadroom(xmp: Data?, exif: Data?) -> Double? {
        let factor = xmp.flatMap { XMPPacket($0).text("HDRGainMap:HDRGainMapHeadroom") }.flatMap { Double($0) }
        if let factor, factor > 0, factor.isFinite { return max(0, log2(factor)) }
        guard let directories = exif.flatMap({ EXIFDirectories($0) }),
            let details = directories.value(0x8769, in: directories.first),
            let place = directories.values(0x927C, in: details)?.range
        else { return nil }
        let bytes = directories.bytes[place]
        guard bytes.starts(with: Array("Apple iOS\0".utf8)) else { return nil }
        // The offsets in the directory behind 14 bytes count from the name.
        let order = bytes.dropFirst(12).prefix(2)
        let isBig = order.elementsEqual("MM".utf8)
        let head: [UInt8] = isBig ? [0x4D, 0x4D, 0, 0x2A, 0, 0, 0, 14] : [0x49, 0x49, 0x2A, 0, 14, 0, 0, 0]
        guard isBig || order.elementsEqual("II".utf8), let notes = EXIFDirectories(Data(head + bytes.dropFirst(8))),
            let first = notes.numbers(33, in: notes.first).first
        else { return nil }
        // Many images have the first number alone.
        let second = notes.numbers(48, in: notes.first).first ?? 0
        let stops =
            switch (first < 1, second <= 0.01) {
            case (true, true): 1.8 - 20 * second
            case (true, false): 1.601 - 0.101 * second
            case (false, true): 3 - 70 * second
            case (false, false): 2.303 - 0.303 * second
            }
        return stops.isFinite ? max(0, stops) : nil
    }
}
