#if GTK
import Firn
import FirnSync
import FoundationEssentials

/// The thumbnails of the grid's images, in the store that file managers share.
///
/// A request for a small image of a local file decodes its thumbnail in place of the file. Without one, the file is
/// decoded with the thumbnail's pixels at least, and the thumbnail is stored in the background. Animations, drawings
/// and images that are no larger than a thumbnail have none.
final class CellThumbnails: Sendable {
    let store: ThumbnailStore
    private let writer: ThumbnailWriter

    /// The sizes, the smallest first. Larger ones would take longer to read than most files.
    private static let sizes: [ThumbnailStore.Size] = [.normal, .large, .extraLarge]
    /// The factor by which a thumbnail may be enlarged, as an image of a view may (`resizingMargin`).
    private static let margin = 1.25
    /// The time before thumbnails are looked for. Most images are there by then, and need none.
    static let delay = Duration.milliseconds(50)
    /// The time before a sign of loading. One that is shown sooner makes loading look slow.
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

    /// Returns the file whose thumbnail may serve a request; `nil` for requests of other sources or of many pixels.
    private static func file(of request: ImageRequest) -> URL? {
        guard let target = request.targetSize, request.region == nil, request.processors.isEmpty,
            let side = sizes.last?.rawValue,
            Double(min(target.size.width, target.size.height)) <= margin * Double(side)
        else { return nil }
        let address = request.description
        return address.hasPrefix("file:") ? URL(filePath: FileAddress.path(of: address)) : nil
    }

    /// Returns the size of the thumbnail that has enough pixels; `nil` if there is none, or the image is as small.
    static func size(for needed: PixelSize, of image: PixelSize) -> ThumbnailStore.Size? {
        let size = sizes.first { Double($0.rawValue) * margin >= Double(max(needed.width, needed.height)) }
        return size.flatMap { max(image.width, image.height) > $0.rawValue ? $0 : nil }
    }

    /// Stores a thumbnail later; `nil` if the file cannot be decoded.
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
}

/// Thumbnails of another size than an image needs, which stand in while it loads.
extension CellThumbnails {
    /// The sizes for a cell, the nearest to its own first.
    static let cellStandIns: [ThumbnailStore.Size] = [.large, .normal, .extraLarge]
    /// The sizes for the large image, the largest first.
    static let largeStandIns: [ThumbnailStore.Size] = [.extraExtraLarge, .extraLarge, .large, .normal]

    /// Returns the first thumbnail of these sizes that the store has of a file as it is now; `nil` if it has none.
    ///
    /// Nothing is stored. The pixels are upright, and in the layout of screens.
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

/// Stores thumbnails on a thread of the lowest priority, one after the other, and drops those that are too many.
final class ThumbnailWriter: Sendable {
    private let waiting = Locked(0)
    private let run: @Sendable (@escaping WorkerQueue.Job) -> Void
    private static let queue = WorkerQueue(count: 1)
    /// The most thumbnails that wait. They take half a megabyte each.
    private static let maximum = 64

    /// - Parameter run: runs its argument on a thread. Default: on one for all writers.
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
#endif
