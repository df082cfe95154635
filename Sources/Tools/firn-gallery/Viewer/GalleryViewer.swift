#if GTK
import CGTK4
import Firn
import FirnGTK

/// Shows one image large, whole or zoomed, with an information panel; prefetches its neighbors.
@MainActor
final class GalleryViewer {
    let page: ViewerPage
    let panel: FactsPanel
    let image: FirnPicture
    let scrolled: Widget = gtk_scrolled_window_new()
    /// Called with the place of the image when it changes.
    var onPlace: ((Int) -> Void)?
    private let pipeline: ImagePipeline
    private let prefetcher: ImagePrefetcher
    private var images = GalleryList([])
    private(set) var place = 0
    /// The source of the shown image, by which it is found when the list changes.
    private var source = ""
    /// Quarter turns clockwise.
    private var turns = 0
    var zoom = ViewerZoom()
    private var facts: Task<Void, Never>? { didSet { oldValue?.cancel() } }
    private var spinning: Task<Void, Never>? { didSet { oldValue?.cancel() } }
    private var slides: Task<Void, Never>? { didSet { oldValue?.cancel() } }
    /// The point that stays in the center while the image changes its size, as fractions of it.
    var middle: (x: Double, y: Double)?
    private var dragStart = (x: 0.0, y: 0.0)

    var widget: Widget { page.widget }

    init(pipeline: ImagePipeline) {
        self.pipeline = pipeline
        var options = ImageLoadingOptions(
            placeholder: .keep, failureImage: .color(SRGBColor(red: 0, green: 0, blue: 0, alpha: 0)))
        options.resizingMargin = 0.1
        let context = BindingContext.gtk(pipeline: pipeline, policy: .cancel, options: options)
        image = FirnPicture(context: context)
        image.showsProgress = true
        panel = FactsPanel(context: context)
        prefetcher = ImagePrefetcher(pipeline: pipeline)
        page = ViewerPage(image: scrolled, panel: panel.widget)
        gtk_widget_set_hexpand(image.widget, 1)
        gtk_widget_set_vexpand(image.widget, 1)
        gtk_scrolled_window_set_child(scrolled.opaque, image.widget)
        gtk_widget_set_vexpand(scrolled, 1)
        gtk_widget_set_hexpand(scrolled, 1)
        // It has the focus, so that Enter and space press none of the buttons.
        gtk_widget_set_focusable(scrolled, 1)
        AccessibleText.set(GTK_ACCESSIBLE_PROPERTY_LABEL, tr("Large Image"), of: scrolled.opaque)
        connect()
    }

    private func connect() {
        image.onPhaseChange = { [weak self] phase in
            guard let self else { return }
            // Order: only now, so that neighbors do not delay the image itself; its size is known by now.
            if let response = phase.response { self.showResponse(response) }
            self.describe()
        }
        GalleryGestures.onWheel(scrolled) { [weak self] turn in
            self?.change { $0.multiply(by: turn < 0 ? 1.25 : 0.8) }
            return true
        }
        GalleryGestures.onDrag(
            scrolled, begin: { [weak self] in self?.dragStart = self?.position ?? (0, 0) },
            move: { [weak self] x, y in
                guard let self else { return }
                self.position = (self.dragStart.x - x, self.dragStart.y - y)
            })
        GalleryGestures.onClick(scrolled) { [weak self] _, _ in self?.page.showControls() }
        for adjustment in adjustments {
            SignalClosure.connect(UnsafeMutableRawPointer(adjustment), "changed") { [weak self] in
                // Order: not during a layout.
                Task { self?.keepMiddle() }
            }
        }
    }

    // MARK: Navigation

    /// Shows the image at a place.
    func show(_ place: Int, of images: GalleryList) {
        guard images.indices.contains(place) else { return }
        self.images = images
        self.place = place
        source = images[place].source
        turns = 0
        facts = nil
        panel.show(ImageFacts())
        zoom.image = nil
        change { $0.showWhole() }
        image.alternativeText = images.name(place)
        page.show(failure: nil)
        load()
        onPlace?(place)
    }

    /// Moves by a number of images.
    func move(by step: Int) { show(place + step, of: images) }

    /// Shows the first or the last image.
    func showEnd(isLast: Bool) { show(isLast ? images.count - 1 : 0, of: images) }

    /// Handles a list that was sorted or searched, or has other images. Returns whether there still is an image.
    func listChanged() -> Bool {
        if let found = images.place(of: source, near: place) {
            place = found
            describe()
            return true
        }
        guard images.count > 0 else { return false }
        show(min(place, images.count - 1), of: images)
        return true
    }

    /// Releases the image.
    func leave() {
        prefetcher.stopPrefetching()
        facts = nil
        spinning = nil
        slides = nil
        page.isBusy = false
        image.request = nil
    }

    /// Loads the image anew, as it is now on disk.
    func reload() { image.request = request }

    /// Rotates what is shown, not the file.
    func turn(by quarters: Int) {
        turns = (turns + quarters) & 3
        zoom.image = nil
        change { $0.showWhole() }
        load()
    }

    /// The request of the image, rotated as it is shown.
    var request: ImageRequest? {
        guard var request = images.request(place) else { return nil }
        if turns != 0 { request.processors.append(.rotate(quarterTurns: turns)) }
        return request
    }

    private func load() {
        image.request = request
        describe()
        spinning = Task { [weak self] in
            try? await Task.sleep(for: GalleryViewer.patience)
            guard !Task.isCancelled, let self else { return }
            self.page.isBusy = !self.isComplete
        }
    }

    /// A spinner that is shown sooner makes loading look slow.
    private static let patience = Duration.milliseconds(300)

    /// True if the image is shown or has failed.
    var isComplete: Bool {
        switch image.binding.phase {
        case .displayed, .failed: true
        default: false
        }
    }

    private func showResponse(_ response: ImageResponse) {
        let size = response.container.originalSize ?? response.container.image.size
        zoom.image = turns & 1 == 0 ? size : PixelSize(width: size.height, height: size.width)
        zoom.isVector = response.container.vectorSize != nil
        measureRoom()
        prefetchNeighbors()
        guard facts == nil else { return }
        facts = Task { [weak self, pipeline] in
            let found = await ImageFacts.of(response, pipeline: pipeline)
            guard !Task.isCancelled, let self else { return }
            self.panel.show(found)
        }
    }

    private func prefetchNeighbors() {
        prefetcher.stopPrefetching()
        guard let size = image.displaySize.pixels, zoom.scale == nil else { return }
        prefetcher.startPrefetching(
            with: [place + 1, place - 1, place + 2].compactMap { images.request($0) }.map { request in
                var request = request
                request.targetSize = TargetSize(size, mode: .fit)
                request.pixelFormat = .rgb8
                return request
            })
    }

    // MARK: Words

    /// The facts about the image, in one line, for statistics and tests.
    var text: String {
        guard images.indices.contains(place) else { return "" }
        var words = [images.name(place), "\(place + 1) of \(images.count)"]
        switch image.binding.phase {
        case .displayed(let response):
            if let size = response.container.originalSize { words.append("\(size.width) × \(size.height)") }
            if let format = response.container.format { words.append(format.rawValue) }
            words.append(response.cacheType.map { "from the \($0.rawValue) cache" } ?? "loaded")
            if let text = zoom.text { words.append(text) }
        case .failed(let error): words.append("\(error)")
        default: words.append("loading…")
        }
        return words.joined(separator: "   ")
    }

    func describe() {
        guard images.indices.contains(place) else { return }
        var words = [tr("%1 of %2", String(place + 1), String(images.count))]
        if case .displayed = image.binding.phase, let text = zoom.text { words.append(text) }
        page.describe(images.name(place), words.joined(separator: " · "))
        if isComplete { page.isBusy = false }
        if let error = image.binding.phase.error {
            page.show(failure: FailureText.line(error), error.message)
        } else {
            page.show(failure: nil)
        }
    }

    // MARK: Slide show

    /// The time that an image of a slide show stays.
    private static let slide = Duration.seconds(4)

    /// True if images follow each other; after the last one the first.
    var isSliding: Bool {
        get { slides != nil }
        set {
            guard newValue else { return slides = nil }
            slides = Task { [weak self] in
                while true {
                    try? await Task.sleep(for: GalleryViewer.slide)
                    guard !Task.isCancelled, let self else { return }
                    // An image that is slow to load stays for its time, too.
                    if self.isComplete { self.show((self.place + 1) % max(1, self.images.count), of: self.images) }
                }
            }
        }
    }
}
#endif
