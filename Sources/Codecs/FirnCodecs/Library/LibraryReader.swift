import CFirnCodecs
import FirnSync

/// Reads formats whose C library handles the whole file and its frames.
final class LibraryReader: FileReader, FormatReader {
    /// The order in which a library reads a file.
    enum Access {
        /// Sequentially, from the first byte to the last.
        case forwards
        /// Sequentially; a file that is complete from the start is passed in one piece, so that a library that may fail
        /// on pieces needs no second attempt.
        case forwardsOrWhole
        /// With random access: the header may be known early, but decoding starts over once all bytes are in one piece.
        case anywhere
        /// With random access, and only once all bytes have arrived; a file at rest is not copied.
        case whole
    }

    private let codec: firn_codec
    let format: ImageFormat
    private let access: Access
    private var header: LibraryHeader? { didSet { properties = header?.properties } }
    /// The extents of the frames, as far as the library knows.
    private var extents: [firn_extent] = []
    private var isEndChecked = false
    /// A decoder that has read the header, and no pixel yet; or one of a codec that can restart.
    private var decoder: LibraryDecoder?
    /// The request that `decoder` is starting; `nil` if it is not.
    private var started: RowRequest?

    /// A decoder that holds a progressive JPEG's coefficients for further parts.
    private var kept: LibraryDecoder?
    /// The number of decoders created so far.
    private(set) var decodersMade = 0

    init(_ codec: firn_codec, format: ImageFormat, access: Access, limits: ImageLimits, host: DecoderHost) {
        self.codec = codec
        self.format = format
        self.access = access
        super.init(limits: limits, host: host)
    }

    func scan(_ chain: inout ByteChain) throws(ImageError) {
        if chain.isFinished, !isEndSeen {
            isEndSeen = true
            let isFresh = header == nil && decoder == nil
            if access == .anywhere || (access == .forwardsOrWhole && isFresh), !host.isolates(codec) { chain.join() }
            if access == .anywhere || access == .whole {
                // More bytes at the end may change the header: the file is read again.
                header = nil
                decoder = nil
            }
        }
        if access == .whole, !chain.isFinished { return }
        if header == nil {
            let decoder = if let begun = self.decoder { begun } else { try makeDecoder(chain) }
            self.decoder = decoder
            header = try readHeader(decoder, chain)
            guard let header else { return }
            frames = try readFrames(decoder, header, chain)
            takeBoxes(chain)
            // The file is read again when all its bytes have arrived. Until then, it occupies no worker.
            if access == .anywhere, !chain.isFinished { self.decoder = nil }
        }
        if chain.isFinished, !isEndChecked {
            isEndChecked = true
            try checkEnd(chain)
            takeBoxes(chain)
            for (index, extent) in extents.enumerated() { frames[index].isComplete = extent != FIRN_EXTENT_CUT }
        }
    }

    private func takeBoxes(_ chain: ByteChain) {
        guard [FIRN_CODEC_AVIF, FIRN_CODEC_HEIC, FIRN_CODEC_JXL].contains(codec) else { return }
        let exif = properties?.exif
        properties?.gainMap = GainMap.map(boxesOf: chain, exif: exif)
        properties?.light.take(boxesOf: chain)
    }

    /// Finds out whether the last frame is cut, and reads the metadata, from a whole file in one piece. libjxl reports
    /// neither otherwise.
    private func checkEnd(_ chain: ByteChain) throws(ImageError) {
        guard codec == FIRN_CODEC_JXL, let last = extents.indices.last, extents[last] == FIRN_EXTENT_UNKNOWN else {
            return
        }
        var whole = chain
        whole.join()
        do throws(ImageError) {
            let decoder = try newDecoder(of: whole, isWhole: true, feeds: true)
            var frame = firn_frame()
            guard let header = try readHeader(decoder, whole), decoder.calls.frame(last, &frame) == FIRN_OK
            else { return }
            extents[last] = frame.extent
            properties?.exif = header.properties.exif
            properties?.xmp = header.properties.xmp
            properties?.resolution = header.properties.resolution
        } catch {
            // Other errors of the file are reported when it is decoded.
            try chain.watch.check()
        }
    }

    func gainMap(_ chain: ByteChain) -> StoredGainMap? {
        guard chain.isFinished else { return nil }
        return codec == FIRN_CODEC_JXL ? JXLGainMap(chain)?.stored(in: chain) : HEIFItems(chain)?.gainMap
    }

    var decodesAreas: Bool { true }

    func workingBytes(for request: RowRequest) -> Int {
        let own = header?.workingBytes ?? 0
        if codec == FIRN_CODEC_SVG { return own.saturatingAdd(drawingBytes(for: request)) }
        guard let area = request.area, let frame = frame(request.frame) else { return own }
        // JPEG XL is decoded to the memory of the whole image, AVIF to that of the part and a margin.
        let isWhole = codec == FIRN_CODEC_AVIF || codec == FIRN_CODEC_JXL
        let rows = codec == FIRN_CODEC_AVIF ? area.withMargin : frame.size
        return own.saturatingAdd(AreaRowSource.workingBytes(rows: rows, request.layout, isWhole: isWhole))
    }

    /// Returns the bytes of the surfaces that a drawing, or a part of it, is rendered on.
    ///
    /// Effects may need the pixels around a part (decode_svg.c): all of an image of up to 16 megapixels, otherwise 512
    /// on each side.
    private func drawingBytes(for request: RowRequest) -> Int {
        guard let stored = frame(request.frame)?.size else { return 0 }
        let part = request.area?.size ?? stored
        let size = request.least ?? part
        var pixels = Double(size.width) * Double(size.height)
        if request.area != nil {
            let whole =
                pixels * (Double(stored.width) / Double(part.width))
                * (Double(stored.height) / Double(part.height))
            let around = Double(size.width + 1024) * Double(size.height + 1024)
            pixels = max(pixels, request.least == nil || whole <= 0x1p24 ? whole : around)
        }
        let bytes = pixels * 4 * Double(header?.surfaces ?? 1)
        return Int(exactly: bytes.rounded()) ?? Int.max
    }

    func rowSize(for request: RowRequest) -> PixelSize {
        guard let size = frame(request.frame)?.size else { return PixelSize(0) }
        let area = request.area ?? PixelArea(size)
        guard let least = request.least else { return area.size }
        switch codec {
        case FIRN_CODEC_JPEG: return LibraryReader.eighths(of: area, in: size, covering: least)
        case FIRN_CODEC_SVG: return least
        case FIRN_CODEC_WEBP where request.area == nil: return least
        default: return area.size
        }
    }

    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageError) -> (any RowSource)? {
        if access == .anywhere || access == .whole, !chain.isFinished { return nil }
        let choice = firn_options(request)
        var output = firn_output()
        if let kept, request.area != nil, kept.run(chain, { $0.start(choice, &output) }) == FIRN_OK {
            return try LibraryRowSource(kept, output, layout: request.layout).part(output.area, limits)
        }
        kept = nil
        let decoder = try takeDecoder(for: request, chain)
        guard try decoder.hasSucceeded(decoder.run(chain) { $0.start(choice, &output) }) else {
            // The start continues with further bytes.
            self.decoder = decoder
            started = request
            return nil
        }
        if output.restarts, reachesParts { kept = decoder } else if output.restarts { self.decoder = decoder }
        return try LibraryRowSource(decoder, output, layout: request.layout).part(output.area, limits)
    }

    func page(_ index: Int, _ chain: ByteChain) throws(ImageError) -> ImageProperties? {
        let decoder = try takeDecoder(for: nil, chain)
        self.decoder = decoder
        return try readHeader(decoder, page: index, chain)?.properties
    }

    /// Returns a decoder that has read the header, or that is starting this request.
    private func takeDecoder(for request: RowRequest?, _ chain: ByteChain) throws(ImageError) -> LibraryDecoder {
        let isReached = reachesParts && chain.isFinished && request?.area != nil
        if let decoder, !decoder.calls.hasFailed, started == request || (started == nil && !isReached) {
            self.decoder = nil
            started = nil
            return decoder
        }
        let decoder = try isReached ? newDecoder(of: chain, isWhole: true, feeds: false) : makeDecoder(chain)
        guard try readHeader(decoder, chain) != nil else { throw .data("the data is cut short") }
        return decoder
    }

    /// True if parts of a complete file are decoded with random access, although the library reads forwards: libjpeg
    /// skips rows only if it never has to wait for bytes.
    private var reachesParts: Bool { codec == FIRN_CODEC_JPEG }

    private func makeDecoder(_ chain: ByteChain) throws(ImageError) -> LibraryDecoder {
        // An isolated decoder gets a complete file at once, without a copy.
        let isWhole = access == .whole || (access != .forwards && chain.isFinished)
        return try newDecoder(of: chain, isWhole: isWhole, feeds: access != .whole)
    }

    /// Returns a decoder of a whole file, with random access or in one piece, or one that is fed.
    private func newDecoder(
        of chain: ByteChain, isWhole: Bool, feeds: Bool
    ) throws(ImageError) -> LibraryDecoder {
        decodersMade += 1
        if isWhole, let calls = try host.open(codec, whole: chain, feeds: feeds, limits) {
            return LibraryDecoder(calls)
        }
        return try LibraryDecoder(host.open(codec, limits), reading: .wholeFile)
    }

    private func readHeader(
        _ decoder: LibraryDecoder, page: Int? = nil, _ chain: ByteChain
    ) throws(ImageError) -> LibraryHeader? {
        var found: LibraryHeader?
        let status = try decoder.runWatched(chain) {
            // Order: inside the call, because the fed bytes may contain the profile.
            $0.header(page: page) { found = LibraryHeader($0, format: format) }
        }
        return try decoder.hasSucceeded(status) ? found : nil
    }

    private func readFrames(
        _ decoder: LibraryDecoder, _ header: LibraryHeader, _ chain: ByteChain
    ) throws(ImageError) -> [StoredFrame] {
        var frames: [StoredFrame] = []
        extents = []
        for index in 0..<min(header.properties.frameCount, limits.maximumFrames) {
            try chain.watch.step()
            var raw = firn_frame()
            let status = decoder.calls.frame(index, &raw)
            guard status == FIRN_OK else { throw decoder.calls.error(status) }
            var frame = StoredFrame(
                size: PixelSize(width: Int(raw.width), height: Int(raw.height)),
                duration: header.properties.frameDurations == nil ? nil : Int(raw.duration), hasAlpha: raw.alpha)
            frame.orientation = ImageOrientation(rawValue: Int(raw.orientation))
            frames.append(frame)
            extents.append(raw.extent)
        }
        return frames
    }

    /// Returns the size of a part, or all, of an image as libjpeg scales it: by the smallest N/8 at which it covers
    /// `least`, and starts and ends at whole pixels.
    private static func eighths(
        of area: PixelArea, in size: PixelSize, covering least: PixelSize
    ) -> PixelSize {
        // The area lies in an image whose sides have 16 bits.
        let right = area.x + area.size.width
        let bottom = area.y + area.size.height
        for numerator in 1..<8 {
            func isEdge(_ edge: Int, _ side: Int) -> Bool { edge == side || edge * numerator % 8 == 0 }
            guard isEdge(area.x, size.width), isEdge(right, size.width), isEdge(area.y, size.height),
                isEdge(bottom, size.height)
            else { continue }
            let scaled = PixelSize(
                width: (right * numerator + 7) / 8 - (area.x * numerator + 7) / 8,
                height: (bottom * numerator + 7) / 8 - (area.y * numerator + 7) / 8)
            if scaled.covers(least) { return scaled }
        }
        return area.size
    }
}

extension PixelArea {
    /// The size of the area with the margin that libraries decode: at most four pixels on each side.
    var withMargin: PixelSize { PixelSize(width: size.width + 8, height: size.height + 8) }
}

extension firn_area {
    /// Converts an area within an image to the C interface's type.
    init(_ area: PixelArea) {
        self.init(
            x: UInt32(clamping: area.x), y: UInt32(clamping: area.y), width: UInt32(clamping: area.size.width),
            height: UInt32(clamping: area.size.height))
    }
}

extension RowSource {
    /// Returns the rows of `area`, the requested part of these; all rows if it is empty.
    func part(_ area: firn_area, _ limits: ImageLimits) throws(ImageError) -> any RowSource {
        guard area.width > 0 else { return self }
        let area = PixelArea(
            x: Int(area.x), y: Int(area.y), size: PixelSize(width: Int(area.width), height: Int(area.height)))
        return area == PixelArea(size) ? self : try AreaRowSource(self, area, limits: limits)
    }
}

extension firn_options {
    /// Converts the request to the C interface's type.
    init(_ request: RowRequest) {
        self.init(
            layout: request.layout.library, area: request.area.map { firn_area($0) } ?? firn_area(),
            width: UInt32(clamping: request.least?.width ?? 0), height: UInt32(clamping: request.least?.height ?? 0),
            frame: UInt32(clamping: request.frame), partial: request.allowsPartial,
            embedded: request.allowsEmbeddedPreview, opaque: false)
    }
}

/// The common state of readers.
class FileReader {
    let limits: ImageLimits
    let host: DecoderHost
    final var properties: ImageProperties?
    final var frames: [StoredFrame] = []
    final var order: FrameOrder?
    /// True if the reader has processed the end of the file.
    final var isEndSeen = false

    init(limits: ImageLimits, host: DecoderHost = .own) {
        self.limits = limits
        self.host = host
    }

    /// Adds the next frame of an animation, and updates the properties.
    final func append(_ frame: StoredFrame) {
        order?.append(frame)
        if order?.last?.hasAlpha == true { properties?.hasAlpha = true }
        frames.append(frame)
        properties?.frameCount = frames.count
        properties?.frameDurations?.append(.milliseconds(frame.duration ?? 0))
    }
}

/// A reader that delegates to another one, which it chooses when all bytes have arrived.
class ChoosingReader: FileReader {
    final var chosen: (any FormatReader)?

    final var decodesAreas: Bool { chosen?.decodesAreas ?? false }

    func workingBytes(for request: RowRequest) -> Int { chosen?.workingBytes(for: request) ?? 0 }

    final func rowSize(for request: RowRequest) -> PixelSize { chosen?.rowSize(for: request) ?? PixelSize(0) }
}
