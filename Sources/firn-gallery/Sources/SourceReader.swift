import Dispatch
import FirnReport
import FirnSync

/// Reads sources on a thread of its own and hands over what it found in batches, so that the first screen does not wait for
/// the rest.
final class SourceReader: Sendable {
    /// What was found since the batch before.
    struct Batch: Sendable {
        var images: [GalleryImage] = []
        var faults: [String] = []
    }

    /// How many images a batch has at most: the window takes that many within a frame.
    static let mostImages = 5_000
    /// How long found images are held back at most.
    static let longestWait = Duration.milliseconds(50)

    private let isStopped = Locked(false)
    private static let queue = DispatchQueue(label: "firn.gallery.sources", qos: .userInitiated)

    /// Ends the reading; what has been found so far still comes.
    func stop() { isStopped.withLock { $0 = true } }

    /// The images of sources. Blocks no thread of Swift's, since a disk may take its time.
    func batches(of sources: [String]) -> AsyncStream<Batch> {
        AsyncStream { stream in
            SourceReader.queue.async { [self] in
                var batch = Batch()
                var last = ContinuousClock.now
                // The first is a screen or two.
                var most = 200
                SourceWalk().visit(sources) { step in
                    switch step {
                    case .image(let image): batch.images.append(image)
                    case .fault(let fault): batch.faults.append(fault)
                    }
                    if batch.images.count >= most || last.duration(to: .now) > SourceReader.longestWait {
                        stream.yield(batch)
                        batch = Batch()
                        most = SourceReader.mostImages
                        last = .now
                    }
                    return !isStopped.withLock { $0 }
                }
                stream.yield(batch)
                stream.finish()
            }
        }
    }
}
