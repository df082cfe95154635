#if GTK
import Firn
import FirnSync
import FoundationEssentials

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
#endif
