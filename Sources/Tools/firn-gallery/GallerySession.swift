#if GTK
import Firn
import FirnDemoServer

/// The window and its sources: sources from the user, or the demonstration's server.
@MainActor
final class GallerySession {
    let window: GalleryWindow
    /// Whether all sources have been read.
    private(set) var isRead = false
    /// The longest time for which a batch of found images blocked drawing.
    private(set) var longestBatch = Duration.zero
    private let demo: DemoSource?
    private var port: Int?
    private var reader = SourceReader()
    private var adding: Task<Void, Never>?
    private var filling: Task<Void, Never>? { didSet { oldValue?.cancel() } }

    init(window: GalleryWindow, demo: DemoSource?) {
        self.window = window
        self.demo = demo
        window.onSources = { [weak self] in self?.add($0) }
        window.header.onCollection = { [weak self] in self?.show($0) }
    }

    /// Reads sources and appends their images.
    func add(_ sources: [String]) {
        isRead = false
        let former = adding
        adding = Task { [weak self, reader] in
            // Order: one after the other, so that images stay in the order of the arguments.
            await former?.value
            for await batch in reader.batches(of: sources) { self?.take(batch, of: reader) }
            if self?.reader === reader { self?.isRead = true }
        }
    }

    /// Replaces the images by a collection of the demonstration.
    func show(_ collection: DemoCollection) {
        guard let demo else { return }
        isRead = false
        reader.stop()
        reader = SourceReader()
        window.removeAll()
        filling = Task { [weak self] in
            if self?.port == nil { self?.port = demo.start() }
            guard !Task.isCancelled else { return }
            guard let port = self?.port else {
                self?.window.report("the demonstration's server does not start")
                self?.isRead = true
                return
            }
            for await batch in demo.batches(of: collection, port: port) {
                guard !Task.isCancelled else { return }
                self?.take(batch, of: nil)
            }
            if !Task.isCancelled { self?.isRead = true }
        }
    }

    /// Stops reading.
    func end() {
        reader.stop()
        filling = nil
        demo?.stop()
    }

    /// - Parameter source: the reader; results of a stopped reader are ignored.
    private func take(_ batch: SourceReader.Batch, of source: SourceReader?) {
        guard source == nil || source === reader else { return }
        let start = ContinuousClock.now
        window.add(batch)
        longestBatch = max(longestBatch, start.duration(to: .now))
    }
}
#endif
