import FirnBinding
import FirnCache
import FirnData
import FirnImage
import FirnPipeline
import FirnSync
import FirnTesting
import FoundationEssentials
import FirnSystem
import TestSupport
import Testing

/// Tests the work that a view's load does on the drawing thread.
@Suite(.timeLimit(.minutes(5))) @MainActor struct DrawingThreadTests {
    /// Records which parts of a pipeline are called, and whether the drawing thread calls them while it binds or
    /// delivers.
    private final class CallNotes: Sendable {
        private struct State {
            var drawing: pthread_t?
            var onDrawingThread: Set<String> = []
            var elsewhere: Set<String> = []
        }

        private let state = Locked(State())

        func note(_ part: String) {
            let thread = pthread_self()
            state.withLock { state in
                let isDrawing = state.drawing.map { pthread_equal($0, thread) != 0 } ?? false
                if isDrawing { state.onDrawingThread.insert(part) } else { state.elsewhere.insert(part) }
            }
        }

        /// Runs `body` as work of the drawing thread.
        func drawing(_ body: () -> Void) {
            state.withLock { $0.drawing = pthread_self() }
            body()
            state.withLock { $0.drawing = nil }
        }

        var onDrawingThread: Set<String> { state.withLock { $0.onDrawingThread } }
        var elsewhere: Set<String> { state.withLock { $0.elsewhere } }
    }

    private struct NotedLoader: DataLoading {
        let loader: ScriptedLoader
        let notes: CallNotes

        func startLoading(
            _ request: DataRequest, receive: @escaping @Sendable (DataEvent) -> Void
        ) -> any DataTransfer {
            notes.note("loader")
            return loader.startLoading(request, receive: receive)
        }
    }

    private struct NotedDecoder: ImageDecoding {
        let decoder = ScriptedDecoder()
        let notes: CallNotes

        func recognizes(_ head: Data) -> ImageFormat? {
            notes.note("recognition")
            return decoder.recognizes(head)
        }

        func makeSession(
            limits: ImageLimits, cancellation: CancellationFlag
        ) -> any ImageDecodingSession {
            notes.note("decoder")
            return decoder.makeSession(limits: limits, cancellation: cancellation)
        }
    }

    private struct NotedProcessor: ImageProcessing {
        let identifier = "noted"
        let notes: CallNotes

        func process(_ container: ImageContainer, context: ImageProcessingContext) -> ImageContainer {
            notes.note("processor")
            return container
        }
    }

    private struct NotedCache: DataCaching {
        let cache: DataCache
        let notes: CallNotes

        func entry(for key: String) throws(DataCachingError) -> DataCacheEntry? {
            notes.note("look-up on disk")
            return try cache.entry(for: key)
        }

        func contains(_ key: String) -> Bool {
            notes.note("look-up on disk")
            return cache.contains(key)
        }

        func store(_ entry: DataCacheEntry, for key: String) throws(DataCachingError) {
            notes.note("store")
            try cache.store(entry, for: key)
        }

        func stage(
            _ entry: DataCacheEntry, for key: String, done: @escaping @Sendable (DataCachingError?) -> Void
        ) {
            notes.note("store")
            cache.stage(entry, for: key, done: done)
        }

        func remove(_ key: String) throws(DataCachingError) {
            notes.note("removal")
            try cache.remove(key)
        }

        func removeAll() throws(DataCachingError) {
            notes.note("removal")
            try cache.removeAll()
        }
    }

    /// Frames whose calls count as the drawing thread's.
    private struct NotedFrames: FrameScheduling {
        let frames = ManualFrames()
        let notes: CallNotes

        func soon(_ body: @escaping @MainActor @Sendable () -> Void) {
            frames.soon { notes.drawing { body() } }
        }

        func afterFrame(_ body: @escaping @MainActor @Sendable () -> Void) {
            frames.afterFrame { notes.drawing { body() } }
        }
    }

    @Test func `A view that is bound reads no file, decodes nothing and asks no loader on its thread (F22)`() async {
        let notes = CallNotes()
        let fixture = PipelineFixture(memory: true) {
            $0.dataLoader = NotedLoader(loader: $0.dataLoader as? ScriptedLoader ?? ScriptedLoader(), notes: notes)
            $0.decoders = [NotedDecoder(notes: notes)]
            $0.dataCache = NotedCache(
                cache: DataCache(directory: "/cache", fileSystem: InMemoryFileSystem()), notes: notes)
        }
        let frames = NotedFrames(notes: notes)
        // The clock stands still: no frame uses up its time, however slow the machine is.
        let context = BindingContext(
            pipeline: fixture.pipeline, policy: .cancel, frames: frames, now: { Duration.zero })
        let labels = (0..<20).map { _ in PhotoLabel(gallery: context) }
        let urls = (0..<10).map { fixture.image("\($0)") }
        for (number, label) in labels.enumerated() {
            let request = ImageRequest(url: urls[number % urls.count], processors: [NotedProcessor(notes: notes)])
            // The second half finds its images in memory.
            let isInMemory = number >= urls.count
            notes.drawing { label.photo = request }
            // A load that ends before the view listens is shown at once, without a call.
            if !isInMemory, label.image == nil { await frames.frames.turn() }
            #expect(label.image != nil, "label \(number)")
        }
        // Views are unbound before the frame is over.
        notes.drawing { for label in labels { label.photo = nil } }
        frames.frames.endFrame()
        await fixture.pipeline.flush()
        #expect(notes.onDrawingThread.isEmpty, "\(notes.onDrawingThread.sorted())")
        #expect(
            notes.elsewhere.isSuperset(of: [
                "loader", "recognition", "decoder", "processor", "look-up on disk", "store",
            ]))
    }
}
