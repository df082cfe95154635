#if GTK
import Firn
import FirnDemoServer

/// Connects the window to its sources: the user's, whose folders are observed, or the demonstration's server.
@MainActor
final class GallerySession {
    let window: GalleryWindow
    /// True if all sources have been read.
    private(set) var isRead = true { didSet { window.isReading = !isRead } }
    private let demo: DemoSource?
    private let isOrdered: Bool
    private var reader = SourceReader()
    private let monitor = FolderMonitor()
    /// The folder of the latest image. Most images follow another one of their folder.
    private var lastFolder = ""
    private var adding: Task<Void, Never>?
    private var filling: Task<Void, Never>? { didSet { oldValue?.cancel() } }
    private var dating: Task<Void, Never>? { didSet { oldValue?.cancel() } }

    private var images: GalleryList { window.grid.images }

    /// - Parameter order: the order that the user chose; `nil` for the default.
    init(window: GalleryWindow, demo: DemoSource?, order: GalleryOrder?) {
        self.window = window
        self.demo = demo
        isOrdered = order != nil
        if let order { window.begin(order) }
        window.onSources = { [weak self] in self?.add($0) }
        window.onOpen = { [weak self] folder in
            self?.removeAll()
            self?.add([folder])
        }
        window.onOrder = { [weak self] _ in self?.readDates() }
        window.statistics.onCollection = { [weak self] in self?.show($0) }
        monitor.onChanges = { [weak self] in self?.follow($0) }
        monitor.onRename = { [weak window] in window?.renamed($0, to: $1) }
    }

    /// Reads sources and appends their images. A single file is shown large, with the images of its folder.
    func add(_ sources: [String]) {
        isRead = false
        let isFirst = images.all.isEmpty && adding == nil
        let single = sources.count == 1 ? sources.first.flatMap(SourceWalk.path) : nil
        if isFirst, let single {
            if !isOrdered { window.begin(window.settings.order) }
            if let image = SourceWalk().image(at: single) { return open(image, at: single) }
            window.name = String(GalleryImage(single).name)
        }
        read(sources)
    }

    /// Shows a file large, and adds the images of its folder.
    private func open(_ image: GalleryImage, at path: String) {
        let folder = PathText.parent(path)
        window.name = PathText.split(folder).name
        window.add(SourceReader.Batch(images: [image]))
        window.open(0)
        monitor.watch(folder)
        read([folder], isRecursive: false, except: path)
    }

    private func read(_ sources: [String], isRecursive: Bool = true, except path: String? = nil) {
        let former = adding
        for case let folder? in sources.map(SourceWalk.path) where SourceWalk.isFolder(folder) { monitor.watch(folder) }
        adding = Task { [weak self, reader] in
            // Order: sequential, so that images stay in the order of the arguments.
            await former?.value
            for await var batch in reader.batches(of: sources, isRecursive: isRecursive) {
                if let path { batch.images.removeAll { $0.source == path } }
                self?.append(batch, of: reader)
            }
            guard let self, self.reader === reader else { return }
            self.isRead = true
            self.readDates()
        }
    }

    /// Replaces the images by a collection of the demonstration.
    func show(_ collection: DemoCollection) {
        guard let demo else { return }
        removeAll()
        isRead = false
        window.name = tr("Demonstration")
        filling = Task { [weak self] in
            guard let batches = demo.batches(of: collection) else {
                self?.window.report("the demonstration's server does not start")
                self?.isRead = true
                return
            }
            for await batch in batches {
                guard !Task.isCancelled else { return }
                self?.append(batch, of: nil)
            }
            if !Task.isCancelled { self?.isRead = true }
        }
    }

    /// Stops reading.
    func end() {
        reader.stop()
        monitor.stop()
        filling = nil
        dating = nil
        demo?.stop()
    }

    private func removeAll() {
        reader.stop()
        monitor.stop()
        reader = SourceReader()
        adding = nil
        window.removeAll()
    }

    /// - Parameter source: the reader. Results of a stopped reader are ignored.
    private func append(_ batch: SourceReader.Batch, of source: SourceReader?) {
        guard source == nil || source === reader else { return }
        window.add(batch)
        for case let path? in batch.images.lazy.map(\.path) where PathText.parent(path) != lastFolder {
            lastFolder = PathText.parent(path)
            monitor.watch(lastFolder)
        }
    }

    // MARK: Changes on disk

    /// Applies changes of the observed folders.
    private func follow(_ changes: [String: FolderMonitor.Event]) {
        images.remove(Set(changes.filter { $0.value == .removed }.keys))
        window.refresh()
        Task { [weak self] in
            let written = await SourceReader.images(at: changes.filter { $0.value == .written }.keys.sorted())
            guard let self else { return }
            self.images.append(written.filter { self.images.place(of: $0.source) == nil })
            self.window.refresh()
            if !self.window.isClosed, self.window.isViewing { self.window.viewer.reload() }
            self.readDates()
        }
    }

    // MARK: Dates

    /// The interval of sorting while dates are read.
    private static let step = Duration.milliseconds(500)

    /// Reads when photographs were taken, if the images are sorted by date.
    private func readDates() {
        guard images.order == .date else { return dating = nil }
        dating = Task { [weak self, images] in
            let numbering = images.numbering
            let unread = images.indices.map { images.index($0) }.filter { images.all[$0].taken == nil }
            var times: [(index: Int, time: Int64)] = []
            var last = ContinuousClock.now
            for (number, index) in unread.enumerated() {
                guard !Task.isCancelled, images.numbering == numbering, let path = images.all[index].path else {
                    continue
                }
                let fields = try? await ImageProperties(path: path).metadata
                times.append((index, fields?.taken.flatMap { LocalTime.seconds($0) } ?? images.all[index].modified))
                guard number + 1 == unread.count || last.duration(to: .now) > GallerySession.step else { continue }
                guard !Task.isCancelled, images.numbering == numbering else { return }
                images.setTaken(times)
                times = []
                last = .now
                guard await images.sort(by: .date), let self else { continue }
                self.window.refresh()
            }
        }
    }
}
#endif
