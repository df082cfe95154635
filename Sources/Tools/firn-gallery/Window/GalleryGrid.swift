#if GTK
import CGTK4
import Firn
import FirnGTK

/// The grid: cells of one size, as many columns as fit.
@MainActor
final class GalleryGrid {
    let widget: UnsafeMutablePointer<GtkWidget>
    let context: BindingContext
    let factory: ImageListFactory
    let scroll: ImageListScroll
    /// Called with the position of the image to show large.
    var onOpen: ((Int) -> Void)?

    /// The duration of the fade-in.
    static let fade = Duration.milliseconds(120)

    private let view: UnsafeMutablePointer<GtkWidget>
    private let model = PlaceModel()
    private var columns = 0

    /// Width and height of a cell.
    var cell: Int { didSet { if cell != oldValue { cellChanged() } } }

    /// The images in the shown order.
    let images: GalleryList

    init(pipeline: ImagePipeline, images: GalleryList, cell: Int, policy: ImageReusePolicy, solid: Bool) {
        self.cell = cell
        self.images = images
        var options = ImageLoadingOptions(
            placeholder: .color(SRGBColor(red: 128, green: 128, blue: 128, alpha: 60)),
            failureImage: FailureImage.placeholder,
            transition: .fadeIn(duration: GalleryGrid.fade))
        options.contentMode = .fill
        options.failureContentMode = .fill
        options.isProgressiveRenderingEnabled = false
        context = BindingContext.gtk(pipeline: pipeline, policy: policy, options: options)
        factory = ImageListFactory(context: context) { images.request($0.position) }
        factory.cellSize = PixelSize(cell)
        factory.didMakeCell = { image in
            GalleryGestures.onClick(image.widget) { [weak image] in image?.retryIfFailed() }
        }
        factory.didBind = { image, item in
            image.alternativeText = images.name(item.position)
            if solid { image.display(DisplayedContent(.placeholder, color: GalleryGrid.color(item.position))) }
        }
        g_object_ref(UnsafeMutableRawPointer(model.pointer))
        let selection = gtk_single_selection_new(model.pointer)
        g_object_ref(UnsafeMutableRawPointer(factory.pointer))
        guard let view = gtk_grid_view_new(selection, factory.pointer), let widget = gtk_scrolled_window_new() else {
            fatalError("GTK made no grid")
        }
        self.view = view
        self.widget = widget
        gtk_scrolled_window_set_child(OpaquePointer(widget), view)
        gtk_widget_set_vexpand(widget, 1)
        scroll = ImageListScroll(of: factory, in: widget, itemCount: images.count) { images.request($0) }
        model.append(images.count)
        gtk_grid_view_set_single_click_activate(OpaquePointer(view), 0)
        SignalClosure.connect(
            UnsafeMutableRawPointer(view), "activate",
            number: { [weak self] place in
                self?.onOpen?(Int(place))
            })
        guard let width = gtk_scrolled_window_get_hadjustment(OpaquePointer(widget)) else { return }
        SignalClosure.connect(UnsafeMutableRawPointer(width), "changed") { [weak self] in
            // Order: not during a layout, which GTK's grid does not support.
            Task { self?.fitColumns() }
        }
    }

    /// Returns the bound cells of a range of positions.
    func cells(in places: Range<Int>) -> [(place: Int, image: FirnPicture)] {
        places.compactMap { place in
            guard images.indices.contains(place) else { return nil }
            return factory.cell(at: place).map { (place, $0) }
        }
    }

    /// Handles appended images.
    func appended(_ count: Int) {
        model.append(count)
        scroll.itemCount = images.count
    }

    /// Handles replaced images.
    func replaced() {
        model.replace(with: images.count)
        scroll.itemCount = images.count
    }

    /// The failed images on the screen.
    var failed: [FirnPicture] { cells(in: scroll.visible).map(\.image).filter { $0.binding.phase.error != nil } }

    /// Retries the failed images on the screen.
    func retry() { for image in failed { image.retry() } }

    /// Takes the keyboard focus.
    func focus() { gtk_widget_grab_focus(view) }

    private func cellChanged() {
        factory.cellSize = PixelSize(cell)
        factory.resizeCells()
        columns = 0
        fitColumns()
    }

    private func fitColumns() {
        let width = gtk_widget_get_width(widget)
        guard width > 0 else { return }
        let count = max(1, Int(width) / (cell + 6))
        guard count != columns else { return }
        columns = count
        // Order: the minimum never exceeds the maximum.
        gtk_grid_view_set_min_columns(OpaquePointer(view), 1)
        gtk_grid_view_set_max_columns(OpaquePointer(view), guint(count))
        gtk_grid_view_set_min_columns(OpaquePointer(view), guint(count))
        scroll.columns = count
    }

    /// Returns a plain color for a position.
    private static func color(_ place: Int) -> SRGBColor {
        SRGBColor(
            red: UInt8(40 + place * 37 % 180), green: UInt8(40 + place * 71 % 180), blue: UInt8(40 + place * 113 % 180))
    }
}
#endif
