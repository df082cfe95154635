import CGTK4
import Firn
import FirnGTK

/// One picture, large: whole, or zoomed; its neighbours are loaded before they are asked for.
@MainActor
final class GalleryViewer {
    let widget: UnsafeMutablePointer<GtkWidget>
    private let picture: FirnPicture
    private let panel: UnsafeMutablePointer<GtkWidget>
    private let scrolled: UnsafeMutablePointer<GtkWidget>
    private let prefetcher: ImagePrefetcher
    private var pictures: [GalleryPicture] = []
    private(set) var place = 0
    private var zoom = 1.0

    init(pipeline: ImagePipeline) {
        var options = ImageLoadingOptions(
            placeholder: .keep, failureImage: .color(SRGBColor(red: 160, green: 30, blue: 30, alpha: 120)))
        options.resizingMargin = 0.1
        picture = FirnPicture(context: BindingContext.gtk(pipeline: pipeline, policy: .cancel, options: options))
        picture.showsProgress = true
        prefetcher = ImagePrefetcher(pipeline: pipeline)
        guard let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0), let panel = gtk_label_new(""),
            let scrolled = gtk_scrolled_window_new()
        else { fatalError("GTK made no viewer") }
        widget = box
        self.panel = panel
        self.scrolled = scrolled
        gtk_widget_set_hexpand(picture.widget, 1)
        gtk_widget_set_vexpand(picture.widget, 1)
        gtk_scrolled_window_set_child(OpaquePointer(scrolled), picture.widget)
        gtk_widget_set_vexpand(scrolled, 1)
        let column = UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self)
        gtk_box_append(column, scrolled)
        gtk_widget_set_margin_top(panel, 6)
        gtk_widget_set_margin_bottom(panel, 6)
        gtk_label_set_selectable(OpaquePointer(panel), 1)
        gtk_box_append(column, panel)
        picture.onPhaseChange = { [weak self] phase in
            self?.describe()
            // Order: only now, so that neighbours take nothing from the picture itself; and its size is known by now.
            if phase.response != nil { self?.prefetchNeighbours() }
        }
    }

    /// Shows the picture at a place.
    func show(_ place: Int, of pictures: [GalleryPicture]) {
        guard pictures.indices.contains(place) else { return }
        self.pictures = pictures
        self.place = place
        setZoom(1)
        picture.alternativeText = pictures[place].name
        picture.request = pictures[place].request
        describe()
    }

    /// Lets go of the picture.
    func leave() {
        prefetcher.stopPrefetching()
        picture.request = nil
    }

    /// The one before, or the next.
    func move(by step: Int) { show(place + step, of: pictures) }

    /// Larger or smaller; the picture is asked for again when it would be stretched.
    func scaleZoom(by factor: Double) { setZoom(min(8, max(1, zoom * factor))) }

    private func setZoom(_ zoom: Double) {
        self.zoom = zoom
        let isWhole = zoom <= 1.001
        gtk_widget_set_size_request(
            picture.widget, isWhole ? -1 : gint(Double(gtk_widget_get_width(scrolled)) * zoom),
            isWhole ? -1 : gint(Double(gtk_widget_get_height(scrolled)) * zoom))
    }

    private func prefetchNeighbours() {
        prefetcher.stopPrefetching()
        guard let size = picture.displaySize.pixels else { return }
        let requests = [place + 1, place - 1, place + 2].filter { pictures.indices.contains($0) }
            .compactMap { pictures[$0].request }
        prefetcher.startPrefetching(
            with: requests.map { request in
                var request = request
                request.targetSize = TargetSize(size, mode: .fit)
                request.pixelFormat = .rgb8
                return request
            })
    }

    private func describe() {
        guard pictures.indices.contains(place) else { return }
        var words = [pictures[place].name, "\(place + 1) of \(pictures.count)"]
        switch picture.binding.phase {
        case .displayed(let response):
            if let size = response.container.originalSize { words.append("\(size.width) × \(size.height)") }
            if let format = response.container.format { words.append(format.rawValue) }
            words.append(response.cacheType.map { "from the \($0.rawValue) cache" } ?? "loaded")
        case .failed(let error): words.append("\(error)")
        default: words.append("loading…")
        }
        gtk_label_set_text(OpaquePointer(panel), words.joined(separator: "   "))
    }
}
