#if GTK
import Firn
import FirnSync

/// The thumbnails of the grid's images, in the store that file managers share.
///
/// A request for a small image of a local file decodes its thumbnail instead of the file. If there is none, the file is
/// decoded at least at the thumbnail's size, and the thumbnail is stored in the background. Animations, vector images
/// and images no larger than a thumbnail have none.
final class CellThumbnails: Sendable {
    let store: ThumbnailStore
    private let writer: ThumbnailWriter

    /// The sizes, in ascending order. Reading larger ones would take longer than reading most files.
    private static let sizes: [ThumbnailStore.Size] = [.normal, .large, .extraLarge]
    /// The maximum enlargement of a thumbnail, like `resizingMargin` of a view.
    private static let margin = 1.25
    /// The delay of the look-up for a stand-in. Most images are loaded by then.
    static let delay = Duration.milliseconds(50)
    /// The delay of the loading sign. A sign that appears sooner makes loading look slow.
    static let patience = Duration.milliseconds(300)

    init(store: ThumbnailStore, writer: ThumbnailWriter = ThumbnailWriter()) {
        self.store = store
        self.writer = writer
    }

    /// Makes the pipelines of a configuration use the thumbnails.
    func attach(to configuration: inout ImagePipeline.Configuration) {
        let standard = configuration.makeImageDecoder
        let decoders = configuration.decoders
        configuration.makeImageDecoder = { [self] context in
            guard let decoder = standard(context) else { return nil }
            guard let file = CellThumbnails.file(of: context.request),
                let png = decoders.first(where: { $0.recognizes(CellThumbnails.signature) == .png })
            else { return decoder }
            return ThumbnailDecoder(base: decoder, png: png, file: file, thumbnails: self)
        }
    }

    private static let signature = Data([137, 80, 78, 71, 13, 10, 26, 10])

    /// Returns the file whose thumbnail may serve a request; `nil` for other sources and for large sizes.
    private static func file(of request: ImageRequest) -> URL? {
        guard let target = request.targetSize, request.region == nil, request.processors.isEmpty,
            let side = sizes.last?.rawValue,
            Double(min(target.size.width, target.size.height)) <= margin * Double(side)
        else { return nil }
        let address = request.description
        return address.hasPrefix("file:") ? URL(filePath: FileAddress.path(of: address)) : nil
    }

    /// Returns the smallest sufficient thumbnail size; `nil` if there is none, or if the image is no larger.
    static func size(for needed: PixelSize, of image: PixelSize) -> ThumbnailStore.Size? {
        let size = sizes.first { Double($0.rawValue) * margin >= Double(max(needed.width, needed.height)) }
        return size.flatMap { max(image.width, image.height) > $0.rawValue ? $0 : nil }
    }

    /// Stores a thumbnail in the background; `nil` records that the file cannot be decoded.
    ///
    /// - Parameter size: the size of the thumbnail.
    func keep(_ image: Bitmap?, for record: ThumbnailStore.Record, _ size: PixelSize) {
        writer.add { [store] in
            guard let image else {
                try? store.store(nil, for: record)
                return
            }
            guard let small = size == image.size ? image : try? image.resized(to: size),
                let data = try? PNGEncoder(compressionLevel: 3).encode(small)
            else { return }
            try? store.store(data, for: record)
        }
    }

    // Thumbnails of other sizes, shown as stand-ins while an image loads.

    /// The sizes for a cell, the closest first.
    static let cellStandIns: [ThumbnailStore.Size] = [.large, .normal, .extraLarge]
    /// The sizes for the large image, the largest first.
    static let largeStandIns: [ThumbnailStore.Size] = [.extraExtraLarge, .extraLarge, .large, .normal]

    /// Returns the first current thumbnail of a file in these sizes; `nil` if the store has none.
    ///
    /// Stores nothing. The pixels are upright, in the layout for screens.
    func standIn(for path: String, _ sizes: [ThumbnailStore.Size]) async -> Bitmap? {
        guard let decoder = ImageDecoders.decoders(for: [.png]).first else { return nil }
        return try? await BlockingCall<Bitmap?>.run { [store] cancellation in
            let file = URL(filePath: path)
            for size in sizes {
                guard let data = try store.record(of: file, size: size)?.image else { continue }
                let session = decoder.makeSession(limits: ImageLimits(), cancellation: cancellation)
                try session.append(data)
                session.finish()
                return try session.decode(DecodingOptions())
            }
            return nil
        }
    }
}

/// Stores thumbnails one after the other on a thread of the lowest priority. Drops thumbnails when too many wait.
final class ThumbnailWriter: Sendable {
    private let waiting = Locked(0)
    private let run: @Sendable (@escaping WorkerQueue.Job) -> Void
    private static let queue = WorkerQueue(count: 1)
    /// The maximum number of waiting thumbnails, half a megabyte each.
    private static let maximum = 64

    /// - Parameter run: runs its argument. Default: on one thread for all writers.
    init(
        run: @escaping @Sendable (@escaping WorkerQueue.Job) -> Void = { job in
            ThumbnailWriter.queue.run {
                WorkerPriority.lowest()
                job()
            }
        }
    ) { self.run = run }

    func add(_ work: @escaping WorkerQueue.Job) {
        let hasRoom = waiting.withLock { waiting in
            guard waiting < ThumbnailWriter.maximum else { return false }
            waiting += 1
            return true
        }
        guard hasRoom else { return }
        run { [waiting] in
            waiting.withLock { $0 -= 1 }
            work()
        }
    }
}

/// Decodes a file's thumbnail instead of the file if it has enough pixels.
struct ThumbnailDecoder: ImageDecoding {
    /// The decoder of the file.
    let base: any ImageDecoding
    /// The decoder of thumbnails.
    let png: any ImageDecoding
    let file: URL
    let thumbnails: CellThumbnails

    func recognizes(_ head: Data) -> ImageFormat? { base.recognizes(head) }

    func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        ThumbnailSession(self, base.makeSession(limits: limits, cancellation: cancellation)) { [png] in
            png.makeSession(limits: limits, cancellation: cancellation)
        }
    }
}

/// Decodes one file or its thumbnail. Always reads the file's header.
private final class ThumbnailSession: ImageDecodingSession, ByteSourceReading, WorkSharing {
    private let decoder: ThumbnailDecoder
    private let base: any ImageDecodingSession
    /// Starts the decoding of the thumbnail.
    private let makePNGSession: () -> any ImageDecodingSession

    init(
        _ decoder: ThumbnailDecoder, _ base: any ImageDecodingSession,
        makePNGSession: @escaping () -> any ImageDecodingSession
    ) {
        (self.decoder, self.base, self.makePNGSession) = (decoder, base, makePNGSession)
    }

    func decode(_ options: DecodingOptions) throws(ImageError) -> Bitmap {
        guard let whole = try size(for: options), let target = options.targetSize,
            let size = CellThumbnails.size(for: target.resolved(for: whole), of: whole),
            let record = try? decoder.thumbnails.store.record(of: decoder.file, size: size)
        else { return try base.decode(options) }
        if record.isUndecodable {
            throw ImageError(.data, at: .decoding, "could not be decoded before, and has not changed")
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

    /// Returns the size of the image; `nil` if no thumbnail can serve the decode.
    private func size(for options: DecodingOptions) throws(ImageError) -> PixelSize? {
        guard options.targetSize != nil, options.region == nil, options.frame == 0, options.appliesOrientation,
            options.appliesColorProfile, !options.allowsPartial, let properties = try base.properties(),
            !properties.isAnimation, properties.vectorSize == nil
        else { return nil }
        return properties.displaySize
    }

    /// Decodes a thumbnail; `nil` if its aspect ratio is not the image's.
    private func thumbnail(
        _ data: Data, _ pixels: PixelSize, _ options: DecodingOptions
    ) throws(ImageError) -> Bitmap? {
        let session = makePNGSession()
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

    func append(_ data: Data) throws(ImageError) { try base.append(data) }

    func read(from source: any ByteSource) throws(ImageError) { try base.append(contentsOf: source) }

    func finish() { base.finish() }

    func properties() throws(ImageError) -> ImageProperties? { try base.properties() }

    func frames() throws(ImageError) -> [FrameProperties] { try base.frames() }

    func workingBytes(for options: DecodingOptions) -> Int {
        base.workingBytes(for: options)
    }

    func advance(_ options: DecodingOptions) throws(ImageError) -> Bool { try base.advance(options) }

    func preview(_ options: DecodingOptions) throws(ImageError) -> Bitmap? { try base.preview(options) }

    var decodesRegions: Bool { base.decodesRegions }

    var damage: ImageError? { base.damage }

    var bytesNeeded: Int? { base.bytesNeeded }
}
#endif
