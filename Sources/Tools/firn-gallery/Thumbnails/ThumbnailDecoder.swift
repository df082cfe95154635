#if GTK
import Firn
import FirnSync
import FoundationEssentials

/// Decodes a file's thumbnail in place of the file where it has enough pixels.
struct ThumbnailDecoder: ImageDecoding {
    /// The decoder of the file.
    let base: any ImageDecoding
    /// The decoder of thumbnails.
    let png: any ImageDecoding
    let file: URL
    let thumbnails: CellThumbnails

    func recognizes(_ head: Data) -> ImageFormat? { base.recognizes(head) }

    func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        ThumbnailSession(self, base.makeSession(limits: limits, cancellation: cancellation), limits, cancellation)
    }
}

/// The decoding of one file, of which the header is always read.
private final class ThumbnailSession: ImageDecodingSession, ByteSourceReading, WorkSharing {
    private let decoder: ThumbnailDecoder
    private let base: any ImageDecodingSession
    private let limits: ImageLimits
    private let cancellation: CancellationFlag

    init(
        _ decoder: ThumbnailDecoder, _ base: any ImageDecodingSession, _ limits: ImageLimits,
        _ cancellation: CancellationFlag
    ) {
        self.decoder = decoder
        self.base = base
        self.limits = limits
        self.cancellation = cancellation
    }

    func decode(_ options: DecodingOptions) throws(ImageDecodingError) -> Bitmap {
        guard let whole = try size(for: options), let target = options.targetSize,
            let size = CellThumbnails.size(for: target.resolved(for: whole), of: whole),
            let record = try? decoder.thumbnails.store.record(of: decoder.file, size: size)
        else { return try base.decode(options) }
        if record.isUndecodable {
            throw ImageDecodingError(.data, "could not be decoded before, and has not changed")
        }
        let pixels = TargetSize(size.rawValue).resolved(for: whole)
        if let image = record.image.flatMap({ try? thumbnail($0, pixels, options) }) { return image }
        var larger = options
        if pixels.width > target.resolved(for: whole).width { larger.targetSize = TargetSize(pixels, mode: .fit) }
        do {
            let image = try base.decode(larger)
            decoder.thumbnails.keep(image, for: record, pixels)
            return image
        } catch {
            if error.fault == .data { decoder.thumbnails.keep(nil, for: record, pixels) }
            throw error
        }
    }

    /// Returns the size of the image if a thumbnail may serve a decode.
    private func size(for options: DecodingOptions) throws(ImageDecodingError) -> PixelSize? {
        guard options.targetSize != nil, options.region == nil, options.frame == 0, options.appliesOrientation,
            options.appliesColorProfile, !options.allowsPartial, let properties = try base.properties(),
            !properties.isAnimation, properties.vectorSize == nil
        else { return nil }
        return properties.displaySize
    }

    /// Decodes a thumbnail; `nil` if it has another shape than the image.
    private func thumbnail(
        _ data: Data, _ pixels: PixelSize, _ options: DecodingOptions
    ) throws(ImageDecodingError) -> Bitmap? {
        let session = decoder.png.makeSession(limits: limits, cancellation: cancellation)
        try session.append(data)
        session.finish()
        guard let properties = try session.properties() else { return nil }
        let own = properties.displaySize
        guard abs(own.width - pixels.width) <= 1, abs(own.height - pixels.height) <= 1 else { return nil }
        var plain = DecodingOptions()
        let needsAlpha = options.pixelFormat == .rgb8 && properties.hasAlpha
        plain.pixelFormat = needsAlpha ? .bgra8Premultiplied : options.pixelFormat
        return try session.decode(plain)
    }

    // MARK: The decoder of the file

    var stripes: any StripeExecutor {
        get { (base as? any WorkSharing)?.stripes ?? SerialStripes() }
        set { (base as? any WorkSharing)?.stripes = newValue }
    }

    func append(_ data: Data) throws(ImageDecodingError) { try base.append(data) }

    func read(from source: any ByteSource) throws(ImageDecodingError) { try base.append(contentsOf: source) }

    func finish() { base.finish() }

    func properties() throws(ImageDecodingError) -> ImageProperties? { try base.properties() }

    func frames() throws(ImageDecodingError) -> [FrameProperties] { try base.frames() }

    func workingBytes(for options: DecodingOptions) -> Int {
        base.workingBytes(for: options)
    }

    func advance(_ options: DecodingOptions) throws(ImageDecodingError) -> Bool { try base.advance(options) }

    func preview(_ options: DecodingOptions) throws(ImageDecodingError) -> Bitmap? { try base.preview(options) }

    var decodesRegions: Bool { base.decodesRegions }

    var damage: ImageDecodingError? { base.damage }

    var bytesNeeded: Int? { base.bytesNeeded }
}
#endif
