import CFirnCodecs
import FirnImage
import FoundationEssentials

/// Reads JPEG with libjpeg-turbo, and with faster paths if part of the file is enough.
///
/// Each path applies only if its image covers the requested size: the EXIF thumbnail, if the request allows it; the DC
/// coefficients of a progressive file, or of most of a sequential one, which form the image at an eighth; the lowest
/// coefficients of a sequential file, which form the image at a quarter.
final class JPEGReader: FileReader, FormatReader {
    private let library: LibraryReader
    /// The start of the file, once the library has read that far.
    private var head: JPEGHead?
    /// The thumbnail decoded last, and its request; its image is `nil` if there is no suitable one.
    private var embedded: (request: RowRequest, image: EmbeddedThumbnail?)?

    /// The restart intervals of a complete file. The inner value is `nil` if the file has none that help.
    private var restarts: RestartIndex??

    /// The least pixels of a sequential file for which only what an eighth or a quarter needs is decoded.
    private let minimumSequentialPixels: Int

    var stripes: any StripeExecutor = SerialStripes()
    private let bytesOfStripe: Int

    /// - Parameter minimumSequentialPixels: the least pixels of a sequential file for which only what an eighth or a
    ///   quarter needs is decoded. Default: those of 512 x 512 pixels. For smaller files the tables cost more than they
    ///   save.
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

    func scan(_ chain: inout ByteChain) throws(ImageDecodingError) {
        try library.scan(&chain)
        if frames.isEmpty { frames = library.frames }
        if chain.isFinished, !isEndSeen, !frames.isEmpty {
            isEndSeen = true
            frames[0].isComplete = JPEGMarkerWalk.reachesEnd(of: chain)
        }
        guard properties == nil, var described = library.properties else { return }
        if let exif = described.exif.flatMap({ EXIFDirectories($0) }) {
            described.orientation = exif.orientation
            described.resolution = described.resolution ?? exif.resolution
        }
        properties = described
        head = try JPEGHead(chain)
    }

    func workingBytes(for request: RowRequest) -> Int {
        if thumbnail(request) != nil { return 0 }
        let whole = library.workingBytes(for: request)
        guard let (stored, parts, isProgressive) = reduced(for: request) else { return whole }
        if isProgressive { return DCScan.workingBytes(for: stored) }
        // The library may have to decode after all.
        return max(BaselineScan.workingBytes(for: stored, parts: parts), whole)
    }

    func rowSize(for request: RowRequest) -> PixelSize {
        thumbnail(request)?.size ?? library.rowSize(for: request)
    }

    func openFrame(_ request: RowRequest, _ chain: ByteChain) throws(ImageDecodingError) -> (any RowSource)? {
        if let thumbnail = thumbnail(request) {
            return EmbeddedRowSource(thumbnail, layout: request.layout, bytesNeeded: head?.end)
        }
        if let (stored, parts, isProgressive) = reduced(for: request), let properties {
            let (size, isRGB) = (stored.size(parts: parts), properties.colorSpace == "rgb")
            if isProgressive { return partialFile(DCDecoder(stored, isRGB: isRGB), request, size) }
            let decoder = BaselineDecoder(stored, parts: parts, isRGB: isRGB, sharing: (stripes, bytesOfStripe))
            return partialFile(decoder, request, size)
        }
        if let rows = try restartRows(request, chain) { return rows }
        return try library.openFrame(request, chain)
    }

    /// Returns the rows that `decoder` decodes; of a file of which a part is not enough, those of the library, which
    /// throw if its image does not have `size`.
    private func partialFile(
        _ decoder: some JPEGRowDecoder, _ request: RowRequest, _ size: PixelSize
    ) -> any RowSource {
        JPEGRowSource(decoder, size: size, layout: request.layout) { [library] chain throws(ImageDecodingError) in
            guard let rows = try library.openFrame(request, chain) else { return nil }
            guard rows.size == size, !rows.isWhole else {
                throw ImageDecodingError(
                    .unsupported, "the library gives \(rows.size) pixels where \(size) were expected")
            }
            return rows
        }
    }

    /// Returns the rows of a part from the restart intervals that it needs; `nil` without suitable restart markers.
    private func restartRows(
        _ request: RowRequest, _ chain: ByteChain
    ) throws(ImageDecodingError) -> (any RowSource)? {
        guard let area = request.area, chain.isFinished else { return nil }
        if restarts == nil { restarts = .some(try RestartIndex(chain)) }
        guard var index = restarts ?? nil, index.isGrid else { return nil }
        // Order: the index is not copied while it grows.
        restarts = .some(nil)
        defer { restarts = index }
        guard let part = try RestartPart(area, &index, chain) else { return nil }
        var inner = ByteChain(whole: part.data, watch: chain.watch)
        let reader = LibraryReader(FIRN_CODEC_JPEG, format: .jpeg, access: .forwards, limits: limits, host: host)
        try reader.scan(&inner)
        var request = request
        request.area = part.area
        // The library may need something of the file that the part lacks.
        return try reader.openFrame(request, inner).map { [inner] rows in PartRowSource(rows) { _ in inner } }
    }

    /// The least pixels of an image with color stored for every four pixels or more for which the DC coefficients are
    /// used. In photographs of this size and more they differ from the library's image by 2 levels on average. In
    /// smaller ones the blocks are large for their content, and a whole decode costs little.
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
        let image = EmbeddedThumbnail(of: properties, for: request, limits: limits, host: host)
        embedded = (request, image)
        return image
    }
}

/// The start of a JPEG, up to the end of its frame header.
struct JPEGHead {
    /// The offset in the file after the frame header.
    let end: Int
    /// The frame, if it may be decoded in part (see ``DCDecoder`` and ``BaselineDecoder``).
    let frame: JPEGFrame?
    let isProgressive: Bool

    /// Walks the markers of a file to its frame header; `nil` if there is none in regular order.
    init?(_ chain: ByteChain) throws(ImageDecodingError) {
        var walk = JPEGMarkerWalk()
        while case .marker(let code, let content) = walk.next(in: chain) {
            try chain.watch.step()
            guard JPEGMarker.isFrame(code) else { continue }
            end = walk.position
            isProgressive = code == JPEGMarker.progressiveFrame
            let isKnown = isProgressive || code == JPEGMarker.baselineFrame || code == JPEGMarker.extendedFrame
            frame = isKnown ? JPEGFrame(content) : nil
            return
        }
        return nil
    }
}
