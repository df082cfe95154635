#if GTK
import CGTK4
import Firn
import FirnGTK

/// Shows one image large, whole or zoomed, with an information panel; prefetches its neighbors.
@MainActor
final class GalleryViewer {
    let widget: UnsafeMutablePointer<GtkWidget>
    let panel = FactsPanel()
    private let pipeline: ImagePipeline
    let image: FirnPicture
    private let line: UnsafeMutablePointer<GtkWidget>
    let scrolled: UnsafeMutablePointer<GtkWidget>
    private let prefetcher: ImagePrefetcher
    private var images = GalleryList([])
    private(set) var place = 0
    var zoom = ViewerZoom()
    private var facts: Task<Void, Never>? { didSet { oldValue?.cancel() } }
    /// The point that stays in the center while the image changes its size, as fractions of it.
    var middle: (x: Double, y: Double)?
    private var dragStart = (x: 0.0, y: 0.0)

    init(pipeline: ImagePipeline) {
        self.pipeline = pipeline
        var options = ImageLoadingOptions(
            placeholder: .keep, failureImage: FailureImage.placeholder)
        options.resizingMargin = 0.1
        image = FirnPicture(context: BindingContext.gtk(pipeline: pipeline, policy: .cancel, options: options))
        image.showsProgress = true
        prefetcher = ImagePrefetcher(pipeline: pipeline)
        guard let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0), let row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0),
            let line = gtk_label_new(""), let scrolled = gtk_scrolled_window_new()
        else { fatalError("GTK made no viewer") }
        widget = box
        self.line = line
        self.scrolled = scrolled
        gtk_widget_set_hexpand(image.widget, 1)
        gtk_widget_set_vexpand(image.widget, 1)
        gtk_scrolled_window_set_child(OpaquePointer(scrolled), image.widget)
        gtk_widget_set_vexpand(scrolled, 1)
        gtk_widget_set_hexpand(scrolled, 1)
        let across = UnsafeMutableRawPointer(row).assumingMemoryBound(to: GtkBox.self)
        gtk_box_append(across, scrolled)
        gtk_box_append(across, panel.widget)
        let column = UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self)
        gtk_box_append(column, row)
        gtk_widget_set_margin_top(line, 6)
        gtk_widget_set_margin_bottom(line, 6)
        gtk_label_set_ellipsize(OpaquePointer(line), PANGO_ELLIPSIZE_MIDDLE)
        gtk_box_append(column, line)
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
        GalleryGestures.onClick(image.widget) { [weak self] in self?.image.retryIfFailed() }
        for adjustment in adjustments {
            SignalClosure.connect(UnsafeMutableRawPointer(adjustment), "changed") { [weak self] in
                // Order: not during a layout.
                Task { self?.keepMiddle() }
            }
        }
    }

    // MARK: Navigation

    /// Shows the image at a position.
    func show(_ place: Int, of images: GalleryList) {
        guard images.indices.contains(place) else { return }
        self.images = images
        self.place = place
        facts = nil
        panel.show(ImageFacts())
        zoom.image = nil
        change { $0.showWhole() }
        image.alternativeText = images.name(place)
        image.request = images.request(place)
        describe()
    }

    /// Releases the image.
    func leave() {
        prefetcher.stopPrefetching()
        facts = nil
        image.request = nil
    }

    /// Whether the image is shown or has failed.
    var isComplete: Bool {
        switch image.binding.phase {
        case .displayed, .failed: true
        default: false
        }
    }

    private func move(by step: Int) { show(place + step, of: images) }

    private func showResponse(_ response: ImageResponse) {
        zoom.image = response.container.originalSize ?? response.container.image.size
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

    /// The line below the image.
    var text: String { String(cString: gtk_label_get_text(OpaquePointer(line))) }

    func describe() {
        guard images.indices.contains(place) else { return }
        var words = [images.name(place), "\(place + 1) of \(images.count)"]
        switch image.binding.phase {
        case .displayed(let response):
            if let size = response.container.originalSize { words.append("\(size.width) × \(size.height)") }
            if let format = response.container.format { words.append(format.rawValue) }
            words.append(response.cacheType.map { "from the \($0.rawValue) cache" } ?? "loaded")
            if let text = zoom.text { words.append(text) }
        case .failed(let error): words.append("\(error); r or a click tries again")
        default: words.append("loading…")
        }
        gtk_label_set_text(OpaquePointer(line), words.joined(separator: "   "))
    }

    // MARK: Keys

    /// Handles a key. Returns whether it was one of the viewer's.
    func press(_ key: UInt32) -> Bool {
        switch Int32(bitPattern: key) {
        case GDK_KEY_Left, GDK_KEY_Page_Up: move(by: -1)
        case GDK_KEY_Right, GDK_KEY_space, GDK_KEY_Page_Down: move(by: 1)
        case GDK_KEY_Home: show(0, of: images)
        case GDK_KEY_End: show(images.count - 1, of: images)
        case GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add: change { $0.multiply(by: 1.5) }
        case GDK_KEY_minus, GDK_KEY_KP_Subtract: change { $0.multiply(by: 1 / 1.5) }
        case GDK_KEY_0, GDK_KEY_f: change { $0.showWhole() }
        case GDK_KEY_1: change { $0.showPixels() }
        case GDK_KEY_i: panel.isShown.toggle()
        case GDK_KEY_r: image.retry()
        default: return false
        }
        return true
    }
}
#endif
