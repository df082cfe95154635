import CFirnCodecs
import FoundationEssentials

/// Reads JPEG with libjpeg-turbo, and with faster paths where part of the file is enough.
///
/// Each path applies only if its image covers the requested size: the EXIF thumbnail, if the request allows it; the DC
/// coefficients of a progressive file, or of most of a sequential one, which form the image at an eighth; the lowest
/// coefficients of a sequential file, which form the image at a quarter.
final class JPEGReader: FileReader, FormatReader {
    private let library: LibraryReader
    /// The start of the file, once the library has read that far.
    private var head: JPEGHead?
    /// The last requested thumbnail; its image is `nil` if there is no suitable one.
    private var embedded: (request: RowRequest, image: EmbeddedThumbnail?)?

    /// The index by which the codes of a part of a complete file are found.
    private enum Parts {
        case none
        case restarts(RestartIndex)
        /// By ``partIndex``.
        case index(PartHead)
    }

    private var parts: Parts?
    /// Makes the index of the decode that was opened last.
    private var indexBuilder: CodedIndexBuilder?
    private var givenIndex: Data?

    /// Sequential files with at least this many pixels use the decoders for an eighth and a quarter.
    private let minimumSequentialPixels: Int

    var stripes: any StripeExecutor = SerialStripes()
    private let bytesOfStripe: Int

    /// - Parameter minimumSequentialPixels: the least pixels of a sequential file that uses the decoders for an eighth
    ///   and a quarter. Default: 512 x 512. For smaller files the tables cost more than they save.
    /// - Parameter bytesOfStripe: the least bytes between restart markers that a thread decodes in one piece. Default:
    ///   two to three milliseconds' worth.
    init(
        limits: ImageLimits, host: DecoderHost = .own, minimumSequentialPixels: Int = 1 << 18,
        bytesOfStripe: Int = 256 << 10
    ) {
        self.bytesOfStripe = bytesOfStripe
        self.minimumSequentialPixels = minimumSequentialPixels
        library = LibraryReader(FIRN_CODEC_JPEG, format: .jpeg, access: .forwards, limits: limits, host: host)
        super.init(limits: limits, host: host)
    }

    var format: ImageFormat { library.format }
    var decodesAreas: Bool { true }

    func scan(_ chain: inout ByteChain) throws(ImageError) {
        try library.scan(&chain)
        if frames.isEmpty { frames = library.frames }
        try describe(chain)
        if chain.isFinished, !isEndSeen, !frames.isEmpty {
            isEndSeen = true
            frames[0].isComplete = JPEGMarkerWalk.reachesEnd(of: chain)
            // The map itself states its headroom and its size.
            if var map = head?.images?.gainMap(chain) {
                if map.kind == "apple" {
                    map.headroom = map.headroom ?? GainMap.appleHeadroom(xmp: nil, exif: properties?.exif)
                }
                properties?.gainMap = map
            }
        }
    }

    private func describe(_ chain: ByteChain) throws(ImageError) {
        guard properties == nil, var described = library.properties else { return }
        described.orientation = described.exif.flatMap { EXIFDirectories($0)?.orientation } ?? .up
        head = try JPEGHead(chain)
        described.iptc = head?.iptc
        described.iptcDigest = head?.iptcDigest
        described.extendedXMP = described.xmp.flatMap { head?.extensions.packet(of: $0) }
        described.texts["Comment"] = head?.comment
        described.hasOtherTexts = head?.comment != nil
        described.gainMap = head?.gainMap ?? described.xmp.flatMap { GainMap.stated(in: $0) }
        properties = described
    }

    func gainMap(_ chain: ByteChain) -> StoredGainMap? {
        guard chain.isFinished, let map = JPEGGainMap(chain) else { return nil }
        return StoredGainMap(file: chain.part(map.range), metadata: map.metadata, isOrientedLikeBase: true)
    }

    func workingBytes(for request: RowRequest) -> Int {
        if thumbnail(request) != nil { return 0 }
        let whole = library.workingBytes(for: request)
        guard let (stored, parts, isProgressive) = reduced(for: request) else { return whole }
        if isProgressive { return DCScan.workingBytes(for: stored) }
        let own = BaselineScan.workingBytes(for: stored, parts: parts, isWhole: head?.hasRestarts == true)
        // The library may have to decode after all.
        return max(own, whole)
    }

    func rowSize(for request: RowRequest) -> PixelSize {
        thumbnail(request)?.size ?? library.rowSize(for: request)
    }

    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageError) -> (any RowSource)? {
        if let thumbnail = thumbnail(request) {
            thumbnail.restart()
            return thumbnail
        }
        if let (stored, parts, isProgressive) = reduced(for: request), let properties {
            let (size, isRGB) = (stored.size(parts: parts), properties.colorSpace == "rgb")
            if isProgressive { return partialFile(DCDecoder(stored, isRGB: isRGB), request, size) }
            indexBuilder = request.makesIndex ? CodedIndexBuilder() : nil
            let decoder = BaselineDecoder(
                stored, parts: parts, isRGB: isRGB, sharing: (stripes, bytesOfStripe), making: indexBuilder)
            return partialFile(decoder, request, size)
        }
        if let rows = try partRows(request, chain) { return rows }
        return try library.openFrame(request, chain)
    }

    /// Returns the rows of `decoder`, or of the library if the file needs a full decode. These throw if the library's
    /// image does not have `size`.
    private func partialFile(
        _ decoder: some JPEGRowDecoder, _ request: RowRequest, _ size: PixelSize
    ) -> any RowSource {
        JPEGRowSource(decoder, size: size, layout: request.layout) { [library] chain throws(ImageError) in
            guard let rows = try library.openFrame(request, chain) else { return nil }
            guard rows.size == size, !rows.isWhole else {
                throw .unsupported("the library gives \(rows.size) pixels where \(size) were expected")
            }
            return rows
        }
    }

    /// Returns the rows of a part from the codes that it needs; `nil` without restart markers or an index.
    private func partRows(_ request: RowRequest, _ chain: ByteChain) throws(ImageError) -> (any RowSource)? {
        guard let area = request.area, let part = try part(area, chain) else { return nil }
        var inner = ByteChain(whole: part.data, watch: chain.watch)
        let reader = LibraryReader(FIRN_CODEC_JPEG, format: .jpeg, access: .forwards, limits: limits, host: host)
        try reader.scan(&inner)
        var request = request
        request.area = part.area
        // `nil` if the library needs bytes that the part lacks.
        return try reader.openFrame(request, inner).map { [inner] rows in PartRowSource(rows) { _ in inner } }
    }

    private func part(_ area: PixelArea, _ chain: ByteChain) throws(ImageError) -> FilePart? {
        switch try findParts(chain) {
        case .none: return nil
        case .restarts(var index):
            // Order: the index is not copied while it grows.
            parts = Parts.none
            defer { parts = .restarts(index) }
            return try FilePart(area, &index, chain)
        case .index(let head):
            guard let index = partIndex.flatMap({ CodedIndex($0, of: head.frame) }) else { return nil }
            return try FilePart(area, index, head, chain)
        }
    }

    private func findParts(_ chain: ByteChain) throws(ImageError) -> Parts {
        if let parts { return parts }
        guard chain.isFinished else { return .none }
        var found = Parts.none
        if let head = try PartHead(chain) {
            if head.restartInterval == 0, head.tables != nil { found = .index(head) }
            if let index = RestartIndex(head), index.isGrid { found = .restarts(index) }
        }
        parts = found
        return found
    }

    /// The least pixels of an image with subsampled chroma whose DC coefficients are used. In photographs of at least
    /// this size, they differ from the library's image by 2 levels on average. In smaller ones the blocks are large
    /// relative to their content, and a whole decode costs little.
    private static let minimumPixels = 1 << 20

    /// Returns the stored frame and the samples of a block, across and down, if an eighth, or of a sequential file a
    /// quarter, is enough for the request.
    private func reduced(for request: RowRequest) -> (frame: JPEGFrame, parts: Int, isProgressive: Bool)? {
        guard request.frame == 0, request.area == nil, let least = request.least, let head, let stored = head.frame,
            [.bgra8, .rgba8, .rgb8].contains(request.layout),
            let parts = [1, 2].first(where: { stored.size(parts: $0).covers(least) })
        else { return nil }
        let pixels = stored.width * stored.height
        let isSuitable =
            head.isProgressive
            ? parts == 1 && (!stored.hasCoarseColor || pixels >= JPEGReader.minimumPixels)
            : pixels >= minimumSequentialPixels
        return isSuitable ? (stored, parts, head.isProgressive) : nil
    }

    /// Returns the EXIF thumbnail, if it suits the request.
    private func thumbnail(_ request: RowRequest) -> EmbeddedThumbnail? {
        guard request.frame == 0, request.allowsEmbeddedPreview, request.area == nil, let properties,
            request.least != nil
        else { return nil }
        if let embedded, embedded.request == request { return embedded.image }
        let image = EmbeddedThumbnail(
            of: properties, for: request, bytesNeeded: head?.end, limits: limits, host: host)
        embedded = (request, image)
        return image
    }

    // MARK: Index of parts

    /// The samples of a block in the decode that makes the index.
    private static let partsOfIndexing = 2

    /// Returns the bytes of the index that a decode of the whole image makes; 0 if the file's parts are found without
    /// one, `nil` if it makes none.
    func indexing(_ request: RowRequest, _ chain: ByteChain) throws(ImageError) -> Int? {
        guard let (frame, parts, isProgressive) = reduced(for: request), !isProgressive,
            parts == JPEGReader.partsOfIndexing
        else { return nil }
        switch try findParts(chain) {
        case .none: return nil
        case .restarts: return 0
        case .index: return CodedIndex.byteCount(frame)
        }
    }

    /// The index by which parts are decoded: that of a decode with ``RowRequest/makesIndex`` that has ended, or of an
    /// earlier one of the same file.
    var partIndex: Data? {
        get { indexBuilder?.index ?? givenIndex }
        set { (indexBuilder, givenIndex) = (nil, newValue) }
    }
}

/// The start of a JPEG, up to its first scan.
struct JPEGHead {
    /// The offset in the file after the frame header.
    let end: Int
    /// The frame, if it may be decoded in part (see ``DCDecoder`` and ``BaselineDecoder``).
    let frame: JPEGFrame?
    let isProgressive: Bool
    /// True unless the first scan has no restart markers.
    let hasRestarts: Bool
    /// The block of IPTC records.
    private(set) var iptc: Data?
    private(set) var iptcDigest: Data?
    private(set) var comment: String?
    private(set) var extensions = XMPExtensions()
    /// The gain map that a segment of ISO 21496-1 states.
    private(set) var gainMap: ImageGainMap?
    /// The further images of a file of several (MPF).
    private(set) var images: MPFIndex?

    /// Walks the markers of a file to its first scan; `nil` if there is no frame header in regular order.
    init?(_ chain: ByteChain) throws(ImageError) {
        var walk = JPEGMarkerWalk()
        var header: (code: UInt8, content: Data, end: Int)?
        var (interval, isScanSeen) = (0, false)
        while !isScanSeen, case .marker(let code, let content) = walk.next(in: chain) {
            try chain.watch.step()
            if header == nil, JPEGMarker.isFrame(code) { header = (code, content, walk.position) }
            if code == JPEGMarker.restartInterval, content.count == 2 { interval = content.big(0, 2) }
            isScanSeen = header != nil && code == JPEGMarker.startOfScan
            switch code {
            case JPEGMarker.comment: comment = comment ?? String(ofMetadata: content.prefix { $0 != 0 })
            case JPEGMarker.exif: extensions.take(content)
            case JPEGMarker.photoshop:
                iptc = iptc ?? IPTCRecords.block(inPhotoshop: content)
                iptcDigest = iptcDigest ?? IPTCRecords.block(inPhotoshop: content, resource: 0x0425)
            case JPEGMarker.profile:
                gainMap = gainMap ?? GainMap.inSegment(content)
                images = images ?? MPFIndex(content, at: walk.position - content.count)
            default: break
            }
        }
        guard let (code, content, end) = header else { return nil }
        self.end = end
        isProgressive = code == JPEGMarker.progressiveFrame
        let isKnown = isProgressive || code == JPEGMarker.baselineFrame || code == JPEGMarker.extendedFrame
        frame = isKnown ? JPEGFrame(content) : nil
        hasRestarts = interval > 0 || !isScanSeen
    }
}

/// The places of the images behind the first one in a JPEG file of several.
///
/// - Source: CIPA DC-007 (MPF) §5.2.
struct MPFIndex {
    /// The offsets in the file.
    let offsets: [Int]

    private static let maximumImages = 16

    /// Reads an APP2 segment, whose content is at `start` of the file; `nil` for any other.
    init?(_ content: Data, at start: Int) {
        let name = JPEGMarker.indexName
        guard content.starts(with: name), let directories = EXIFDirectories(content.dropFirst(name.count)),
            let list = directories.values(0xB002, in: directories.first)?.range
        else { return nil }
        // An entry: attributes, length, and the offset from the TIFF header, which is 0 for the first image.
        offsets = stride(from: list.lowerBound, to: list.upperBound, by: 16).prefix(MPFIndex.maximumImages).compactMap {
            directories.number($0 + 8, 4).flatMap { $0 > 0 ? start + name.count + $0 : nil }
        }
    }

    /// Returns the gain map among the images; `nil` if there is none.
    func gainMap(_ chain: ByteChain) -> ImageGainMap? {
        offsets.lazy.compactMap { offset -> ImageGainMap? in
            var (walk, map) = (JPEGMarkerWalk(position: offset), ImageGainMap?.none)
            walk.forEachSegment(in: chain) { code, content, _ in
                // The metadata of ISO 21496-1 precede those of Ultra HDR.
                if code == JPEGMarker.profile, let found = GainMap.inSegment(content) { map = found }
                if code == JPEGMarker.exif, map == nil, content.starts(with: JPEGMarker.xmpName) {
                    map = GainMap.stated(in: content.dropFirst(JPEGMarker.xmpName.count))
                }
                let head = [UInt8](content.prefix(6))
                if JPEGMarker.isFrame(code), head.count == 6 {
                    map?.size = PixelSize(width: head.big(3, 2), height: head.big(1, 2))
                    map?.channels = head.big(5, 1)
                }
            }
            return map
        }.first
    }
}

/// The segments of an XMP packet that does not fit into one segment.
///
/// - Source: XMP specification part 3 §1.1.3.1.
struct XMPExtensions {
    /// The parts in the order of the file: the packet's identifier, the offset, the bytes.
    private var parts: [(guid: Data, offset: Int, bytes: Data)] = []
    private static let name = JPEGMarker.extensionName
    private static let maximumBytes = 16 << 20
    private static let maximumParts = 1_000

    /// Takes an APP1 segment.
    mutating func take(_ content: Data) {
        let rest = content.dropFirst(Self.name.count)
        guard rest.count > 40, parts.count < Self.maximumParts, content.starts(with: Self.name) else { return }
        parts.append((rest.prefix(32), rest.dropFirst(36).big(0, 4), rest.dropFirst(40)))
    }

    /// Returns the packet that `main` names; `nil` if there is none, or a part is missing.
    func packet(of main: Data) -> Data? {
        guard !parts.isEmpty, let guid = XMPPacket(main).text("xmpNote:HasExtendedXMP") else { return nil }
        var packet = Data()
        for part in parts.filter({ $0.guid.elementsEqual(guid.utf8) }).sorted(by: { $0.offset < $1.offset }) {
            guard part.offset == packet.count, packet.count + part.bytes.count <= Self.maximumBytes else { break }
            packet.append(part.bytes)
        }
        return packet.isEmpty ? nil : packet
    }
}
