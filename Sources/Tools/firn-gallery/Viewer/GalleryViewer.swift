#if GTK
import CGTK4
import FirnGTK
import FirnSync

/// Shows one image large, whole or zoomed, with an information panel; prefetches its neighbors.
@MainActor
final class GalleryViewer {
    let page: ViewerPage
    let panel: FactsPanel
    let view: FirnZoomView
    /// Shows the image that ``view`` is compared with.
    private let other: FirnZoomView
    /// Both views.
    var views: [FirnZoomView] { [view, other] }
    /// The name of the image in ``other``; `nil` if there is none.
    private var comparedName: String? { didSet { describe() } }
    /// True while one view takes over the part that the other shows.
    private var isFollowing = false
    let crop: CropTool
    /// Called with the place of the image when it changes.
    var onPlace: ((Int) -> Void)?
    /// Returns the image of the cell at a place; `nil` if the grid has no such cell.
    var thumbnail: ((Int) -> ImageContainer?)?
    private let options: ImageLoadingOptions
    private let pipeline: ImagePipeline
    private let thumbnails: CellThumbnails?
    private let prefetcher: ImagePrefetcher
    /// The sources of the prefetched images.
    private(set) var ahead: [String] = []
    private var images = GalleryList([])
    private(set) var place = 0
    /// The source of the shown image, which identifies it when the list changes.
    private var source = ""
    private var facts: Task<Void, Never>? { didSet { oldValue?.cancel() } }
    private var spinning: Task<Void, Never>? { didSet { oldValue?.cancel() } }
    private var finding: Task<Void, Never>? { didSet { oldValue?.cancel() } }
    private var slides: Task<Void, Never>? { didSet { oldValue?.cancel() } }

    var widget: Widget { page.widget }

    /// - Parameter thumbnails: the store of stand-ins while an image loads; `nil` for none.
    init(pipeline: ImagePipeline, thumbnails: CellThumbnails? = nil) {
        self.pipeline = pipeline
        self.thumbnails = thumbnails
        var options = ImageLoadingOptions(failureImage: .color(SRGBColor(red: 0, green: 0, blue: 0, alpha: 0)))
        options.resizingMargin = 0.1
        // Placeholders have the aspect ratio of the image.
        options.placeholderContentMode = .fit
        let context = BindingContext.gtk(pipeline: pipeline, policy: .cancel, options: options)
        // With the pixel format of the grid, so that both share images in the memory cache.
        self.options = context.options
        view = FirnZoomView(context: context)
        other = FirnZoomView(context: context)
        other.widget.isVisible = false
        crop = CropTool(view)
        panel = FactsPanel(context: context)
        prefetcher = ImagePrefetcher(pipeline: pipeline)
        let pair = Widget.box(GTK_ORIENTATION_HORIZONTAL, spacing: 6, [other.widget, view.widget])
        gtk_box_set_homogeneous(pair.cast(), 1)
        page = ViewerPage(image: pair, panel: panel.widget)
        page.overlay.add(crop.widget, GTK_ALIGN_CENTER, GTK_ALIGN_END)
        crop.onChange = { [weak self] in self.map { $0.page.isCropping = $0.crop.isActive } }
        for widget in [view.widget, other.widget] {
            gtk_widget_set_hexpand(widget, 1)
            gtk_widget_set_vexpand(widget, 1)
            widget.onClick { [weak self] _, _ in self?.page.showControls() }
        }
        view.onPhaseChange = { [weak self] phase in
            guard let self else { return }
            // Order: only now, so that neighbors do not delay the image itself.
            if let response = phase.response { self.showResponse(response) }
            self.describe()
        }
        view.alternativeText = tr("Image")
        view.onSwipe = { [weak self] step in
            if let self, !self.crop.isActive { self.move(by: self.widget.isMirrored ? -step : step) }
        }
        for view in views { view.showsCheckerboard = true }
        view.onChange = { [weak self] in
            self?.describe()
            self?.follow(\.view, \.other)
        }
        other.onChange = { [weak self] in self?.follow(\.other, \.view) }
        other.onPhaseChange = { [weak self] in if $0.response != nil { self?.follow(\.view, \.other) } }
    }

    // MARK: Comparing

    /// True while two images are shown side by side.
    var isComparing: Bool { comparedName != nil }

    /// Shows another image beside the current one, with the same zoom and place.
    func compare(with place: Int) {
        comparedName = images.name(place)
        other.alternativeText = comparedName
        other.widget.isVisible = true
        other.request = largeRequest(place)
    }

    func endComparing() {
        guard isComparing else { return }
        comparedName = nil
        other.widget.isVisible = false
        other.request = nil
        gtk_widget_grab_focus(view.widget)
    }

    /// Shows in one view the part that the other shows. Until it has loaded its image, the compared view follows.
    private func follow(_ from: KeyPath<GalleryViewer, FirnZoomView>, _ to: KeyPath<GalleryViewer, FirnZoomView>) {
        let isLoaded = other.binding.phase.response != nil && view.binding.phase.response != nil
        guard isComparing, !isFollowing, isLoaded else { return }
        isFollowing = true
        self[keyPath: to].showPart(of: self[keyPath: from])
        isFollowing = false
    }

    // MARK: Navigation

    /// Shows the image at a place.
    func show(_ place: Int, of images: GalleryList) {
        guard images.indices.contains(place) else { return }
        self.images = images
        self.place = place
        source = images[place].source
        facts = nil
        crop.end()
        panel.show(ImageFacts())
        view.alternativeText = images.name(place)
        page.show(failure: nil)
        load()
        onPlace?(place)
    }

    /// Moves by a number of images, from the last one to the first and back.
    func move(by step: Int) {
        let count = max(1, images.count)
        show((place + step % count + count) % count, of: images)
    }

    /// Shows the first or the last image.
    func showEnd(isLast: Bool) { show(isLast ? images.count - 1 : 0, of: images) }

    /// Handles a list that was sorted, searched or changed. Returns `false` if it has no image.
    func listChanged() -> Bool {
        if let newPlace = images.place(of: source, near: place) {
            place = newPlace
            view.alternativeText = images.name(place)
            describe()
            // The neighbors of the first image arrive after it.
            if isComplete { prefetchNeighbors() }
            return true
        }
        guard images.count > 0 else { return false }
        show(min(place, images.count - 1), of: images)
        return true
    }

    /// Handles a new name of a file.
    func renamed(_ former: String, to new: String) {
        guard source == former else { return }
        source = new
        place = images.place(of: new) ?? place
        let keepsPosition = view.keepsPosition
        view.keepsPosition = true
        reload()
        view.keepsPosition = keepsPosition
    }

    /// Cancels all tasks, so that nothing changes a widget of a destroyed window.
    func close() {
        prefetcher.stopPrefetching()
        ahead = []
        (facts, spinning, finding, slides) = (nil, nil, nil, nil)
    }

    /// Releases the image.
    func leave() {
        close()
        endComparing()
        crop.end()
        page.isBusy = false
        page.isSliding = false
        view.request = nil
    }

    /// Reloads the image if the file has changed.
    func reload() { view.request = largeRequest(place) }

    /// Returns the request of a large image. Damaged files are shown in part.
    private func largeRequest(_ place: Int) -> ImageRequest? {
        var request = images.request(place)
        request?.options.insert(.allowPartial)
        return request
    }

    /// Returns the request of the image, or of a part of it, rotated as it is shown.
    func request(of part: ImagePart? = nil) -> ImageRequest? {
        guard var request = largeRequest(place) else { return nil }
        if let part {
            request.region = .pixels(x: part.x, y: part.y, width: part.width, height: part.height)
            // A vector image is rendered at the displayed size.
            if isDrawing, view.zoom > 1 {
                request.targetSize = TargetSize(width: Int(Double(part.width) * view.zoom), upscale: true)
            }
        }
        if view.rotation != 0 { request.processors.append(.rotate(quarterTurns: view.rotation)) }
        return request
    }

    private var isDrawing: Bool { view.binding.phase.response?.container.vectorSize != nil }

    /// The visible part; `nil` if the whole image is visible.
    var visiblePart: ImagePart? {
        guard let size = view.imageSize else { return nil }
        let end = (Double(gtk_widget_get_width(view.widget)), Double(gtk_widget_get_height(view.widget)))
        let part = ImagePart(of: size, from: view.imagePoint(x: 0, y: 0), to: view.imagePoint(x: end.0, y: end.1))
        return part.flatMap { $0.width < size.width || $0.height < size.height ? $0 : nil }
    }

    private func load() {
        var options = options
        // Only for a larger image: a placeholder is enlarged, but a small image is not.
        if let cell = thumbnail?(place), let size = cell.originalSize, size.width > cell.image.size.width * 2 {
            options.placeholder = .image(cell.image)
            finding = nil
        } else {
            if let blurred = images[place].hash?.shaped { options.placeholder = .image(blurred) }
            findStandIn(options)
        }
        view.options = options
        view.showsProgress = false
        reload()
        describe()
        spinning = Task { [weak self] in
            try? await Task.sleep(for: CellThumbnails.patience)
            guard !Task.isCancelled, let self else { return }
            self.page.isBusy = !self.isComplete
            self.view.showsProgress = true
        }
    }

    /// Shows a shared thumbnail until the image is loaded, if the image is larger.
    private func findStandIn(_ options: ImageLoadingOptions) {
        guard let thumbnails, let path = images[place].path else { return finding = nil }
        finding = Task { [weak self] in
            guard let small = await thumbnails.standIn(for: path, CellThumbnails.largeStandIns),
                let size = try? await ImageProperties(path: path).displaySize,
                size.width > small.size.width * 2, !Task.isCancelled, let self, !self.isComplete
            else { return }
            var options = options
            options.placeholder = .image(small)
            self.view.options = options
        }
    }

    /// True while a stand-in is shown.
    var hasStandIn: Bool { view.binding.content.kind == .placeholder && view.binding.content.image != nil }

    /// True if the image is shown or has failed.
    var isComplete: Bool { view.binding.phase.isEnded }

    /// True if the image has failed, or is fully sharp and at rest.
    var isSettled: Bool { isComplete && (view.binding.phase.error != nil || (view.isSharp && !view.isMoving)) }

    private func showResponse(_ response: ImageResponse) {
        prefetchNeighbors()
        guard facts == nil else { return }
        facts = Task { [weak self, pipeline] in
            let loaded = await ImageFacts.of(response, pipeline: pipeline)
            guard !Task.isCancelled, let self else { return }
            self.panel.show(loaded)
        }
    }

    private func prefetchNeighbors() {
        let places = view.isFitted ? [place + 1, place - 1, place + 2].filter(images.indices.contains) : []
        let sources = places.map { images[$0].source }
        guard sources != ahead else { return }
        prefetcher.stopPrefetching()
        ahead = []
        let scale = Int(max(1, gtk_widget_get_scale_factor(view.widget)))
        let size = PixelSize(
            width: Int(gtk_widget_get_width(view.widget)) * scale,
            height: Int(gtk_widget_get_height(view.widget)) * scale)
        guard !size.isEmpty else { return }
        ahead = sources
        prefetcher.startPrefetching(
            with: places.compactMap {
                largeRequest($0)?.fitted(to: TargetSize(size, mode: .fit), format: .rgb8)
            })
    }

    // MARK: Text

    /// The image in one line, for statistics and tests.
    var text: String {
        guard images.indices.contains(place) else { return "" }
        var words = [images.name(place), "\(place + 1) of \(images.count)"]
        if let comparedName { words.append("beside \(comparedName)") }
        switch view.binding.phase {
        case .displayed(let response):
            if let size = response.container.originalSize { words.append("\(size.width) × \(size.height)") }
            if let format = response.container.format { words.append(format.rawValue) }
            if !response.isComplete { words.append("incomplete") }
            words.append(response.cacheType.map { "from the \($0.rawValue) cache" } ?? "loaded")
            words.append(zoomText)
        case .failed(let error): words.append("\(error)")
        default: words.append("loading…")
        }
        return words.joined(separator: "   ")
    }

    /// The zoom in percent.
    private var zoomText: String { "\(Int(saturating: (view.zoom * 100).rounded())) %" }

    private func describe() {
        guard images.indices.contains(place) else { return }
        var words = [tr("%1 of %2", String(place + 1), String(images.count))]
        if view.imageSize != nil, view.binding.phase.error == nil { words.append(zoomText) }
        if view.binding.phase.response?.isComplete == false { words.append(tr("incomplete")) }
        let name = images.name(place)
        page.describe(comparedName.map { "\($0) | \(name)" } ?? name, words.joined(separator: " · "))
        if isComplete { page.isBusy = false }
        let error = view.binding.phase.error
        page.show(failure: error.map { FailureText.line($0) }, error?.message ?? "")
    }

    // MARK: Slide show

    /// The seconds that an image of a slide show is shown for.
    var slideSeconds = 4
    /// True if a slide show has a random order.
    var isShuffled = false

    /// Returns the number of images that a slide show moves on by; a random one leads to every other image.
    static func step(of count: Int, isShuffled: Bool) -> Int { isShuffled ? .random(in: 1...max(1, count - 1)) : 1 }

    /// True while a slide show runs. It starts over after the last image.
    var isSliding: Bool {
        get { slides != nil }
        set {
            page.isSliding = newValue
            guard newValue else { return slides = nil }
            slides = Task { [weak self] in
                while let seconds = self?.slideSeconds {
                    try? await Task.sleep(for: .seconds(seconds))
                    guard !Task.isCancelled, let self else { return }
                    // An image that is still loading gets another interval.
                    guard self.isComplete else { continue }
                    self.move(by: GalleryViewer.step(of: self.images.count, isShuffled: self.isShuffled))
                }
            }
        }
    }
}
#endif
