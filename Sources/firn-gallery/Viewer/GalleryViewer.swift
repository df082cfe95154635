import CGTK4
import Firn
import FirnGTK

/// One picture, large: whole, or zoomed, with what is known of it beside; its neighbours are loaded before they are asked for.
@MainActor
final class GalleryViewer {
    let widget: UnsafeMutablePointer<GtkWidget>
    let panel = FactsPanel()
    private let pipeline: ImagePipeline
    let picture: FirnPicture
    private let line: UnsafeMutablePointer<GtkWidget>
    let scrolled: UnsafeMutablePointer<GtkWidget>
    private let prefetcher: ImagePrefetcher
    private var pictures = GalleryList([])
    private(set) var place = 0
    var zoom = ViewerZoom()
    private var facts: Task<Void, Never>? { didSet { oldValue?.cancel() } }
    /// The point that stays in the middle while the picture changes its size, as parts of it.
    var middle: (x: Double, y: Double)?
    private var dragStart = (x: 0.0, y: 0.0)

    init(pipeline: ImagePipeline) {
        self.pipeline = pipeline
        var options = ImageLoadingOptions(
            placeholder: .keep, failureImage: FailurePicture.placeholder)
        options.resizingMargin = 0.1
        picture = FirnPicture(context: BindingContext.gtk(pipeline: pipeline, policy: .cancel, options: options))
        picture.showsProgress = true
        prefetcher = ImagePrefetcher(pipeline: pipeline)
        guard let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0), let row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0),
            let line = gtk_label_new(""), let scrolled = gtk_scrolled_window_new()
        else { fatalError("GTK made no viewer") }
        widget = box
        self.line = line
        self.scrolled = scrolled
        gtk_widget_set_hexpand(picture.widget, 1)
        gtk_widget_set_vexpand(picture.widget, 1)
        gtk_scrolled_window_set_child(OpaquePointer(scrolled), picture.widget)
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
        picture.onPhaseChange = { [weak self] phase in
            guard let self else { return }
            // Order: only now, so that neighbours take nothing from the picture itself; and its size is known by now.
            if let response = phase.response { self.came(response) }
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
        GalleryGestures.onClick(picture.widget) { [weak self] in self?.picture.retryIfFailed() }
        for adjustment in adjustments {
            SignalClosure.connect(UnsafeMutableRawPointer(adjustment), "changed") { [weak self] in
                // Order: not here, in the middle of a layout.
                Task { self?.keepMiddle() }
            }
        }
    }

    // MARK: Which picture

    /// Shows the picture at a place.
    func show(_ place: Int, of pictures: GalleryList) {
        guard pictures.indices.contains(place) else { return }
        self.pictures = pictures
        self.place = place
        facts = nil
        panel.show(PictureFacts())
        zoom.picture = nil
        change { $0.showWhole() }
        picture.alternativeText = pictures.name(place)
        picture.request = pictures.request(place)
        describe()
    }

    /// Lets go of the picture.
    func leave() {
        prefetcher.stopPrefetching()
        facts = nil
        picture.request = nil
    }

    /// Whether the picture is there, or will not be.
    var isComplete: Bool {
        switch picture.binding.phase {
        case .displayed, .failed: true
        default: false
        }
    }

    private func move(by step: Int) { show(place + step, of: pictures) }

    private func came(_ response: ImageResponse) {
        zoom.picture = response.container.originalSize ?? response.container.image.size
        measureRoom()
        prefetchNeighbours()
        guard facts == nil, let request = pictures.request(place) else { return }
        facts = Task { [weak self, pipeline] in
            let found = await PictureFacts.of(request, pipeline: pipeline)
            guard !Task.isCancelled, let self else { return }
            self.panel.show(found)
        }
    }

    private func prefetchNeighbours() {
        prefetcher.stopPrefetching()
        guard let size = picture.displaySize.pixels, zoom.scale == nil else { return }
        prefetcher.startPrefetching(
            with: [place + 1, place - 1, place + 2].compactMap { pictures.request($0) }.map { request in
                var request = request
                request.targetSize = TargetSize(size, mode: .fit)
                request.pixelFormat = .rgb8
                return request
            })
    }

    /// What the line below the picture says.
    var text: String { String(cString: gtk_label_get_text(OpaquePointer(line))) }

    func describe() {
        guard pictures.indices.contains(place) else { return }
        var words = [pictures.name(place), "\(place + 1) of \(pictures.count)"]
        switch picture.binding.phase {
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

    /// A key; whether it was one of the viewer's.
    func press(_ key: UInt32) -> Bool {
        switch Int32(bitPattern: key) {
        case GDK_KEY_Left, GDK_KEY_Page_Up: move(by: -1)
        case GDK_KEY_Right, GDK_KEY_space, GDK_KEY_Page_Down: move(by: 1)
        case GDK_KEY_Home: show(0, of: pictures)
        case GDK_KEY_End: show(pictures.count - 1, of: pictures)
        case GDK_KEY_plus, GDK_KEY_equal, GDK_KEY_KP_Add: change { $0.multiply(by: 1.5) }
        case GDK_KEY_minus, GDK_KEY_KP_Subtract: change { $0.multiply(by: 1 / 1.5) }
        case GDK_KEY_0, GDK_KEY_f: change { $0.showWhole() }
        case GDK_KEY_1: change { $0.showPixels() }
        case GDK_KEY_i: panel.isShown.toggle()
        case GDK_KEY_r: picture.retry()
        default: return false
        }
        return true
    }
}
