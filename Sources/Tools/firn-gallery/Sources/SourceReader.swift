#if GTK
import Dispatch
import FirnSync

/// Reads sources on a thread of its own and delivers the found images in batches, so that the first screen does not
/// wait for the rest.
final class SourceReader: Sendable {
    /// The images found since the last batch.
    struct Batch: Sendable {
        var images: [GalleryImage] = []
        var faults: [String] = []
    }

    /// Maximum number of images in a batch: the window handles these within a frame.
    static let maximumImages = 2_000
    /// Maximum delay of found images.
    static let longestWait = Duration.milliseconds(50)

    private let isStopped = Locked(false)
    private static let queue = DispatchQueue(label: "firn.gallery.sources", qos: .userInitiated)

    /// Stops reading. Images found so far are still delivered.
    func stop() { isStopped.withLock { $0 = true } }

    /// Returns the images among files.
    static func images(at paths: [String]) async -> [GalleryImage] {
        await withCheckedContinuation { continuation in
            queue.async {
                let walk = SourceWalk()
                continuation.resume(returning: paths.compactMap { walk.image(at: $0) })
            }
        }
    }

    /// Returns the images of sources. Blocks none of Swift's threads, since a disk may be slow.
    func batches(of sources: [String], isRecursive: Bool = true) -> AsyncStream<Batch> {
        SourceReader.batches(on: SourceReader.queue) { [self] take in
            SourceWalk(isRecursive: isRecursive).visit(sources) { step in take(step) && !isStopped.withLock { $0 } }
        }
    }

    /// Returns what `visit` finds on a thread of `queue`.
    ///
    /// - Parameter visit: passes each image and fault to its argument, which returns whether more are wanted.
    static func batches(
        on queue: DispatchQueue, _ visit: @escaping @Sendable (_ take: (SourceWalk.Step) -> Bool) -> Void
    ) -> AsyncStream<Batch> {
        AsyncStream { stream in
            let isWanted = Locked(true)
            stream.onTermination = { _ in isWanted.withLock { $0 = false } }
            queue.async {
                var batch = Batch()
                var last = ContinuousClock.now
                // The first batch is a screen or two.
                var most = 200
                visit { step in
                    switch step {
                    case .image(let image): batch.images.append(image)
                    case .fault(let fault): batch.faults.append(fault)
                    }
                    if batch.images.count >= most || last.duration(to: .now) > SourceReader.longestWait {
                        stream.yield(batch)
                        (batch, most, last) = (Batch(), SourceReader.maximumImages, .now)
                    }
                    return isWanted.withLock { $0 }
                }
                stream.yield(batch)
                stream.finish()
            }
        }
    }
}
#endif
