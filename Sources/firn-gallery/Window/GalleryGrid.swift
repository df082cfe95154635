import CGTK4
import Firn
import FirnGTK
import Glibc

/// The grid: cells of one size, as many side by side as there is room for.
@MainActor
final class GalleryGrid {
    let widget: UnsafeMutablePointer<GtkWidget>
    let context: BindingContext
    let factory: PictureListFactory
    let scroll: PictureListScroll
    /// Called with the place of the picture that is to be shown large.
    var onOpen: ((Int) -> Void)?

    private let view: UnsafeMutablePointer<GtkWidget>
    private let model: OpaquePointer
    private let shown: ShownPictures
    private var columns = 0

    /// Width and height of a cell.
    var cell: Int { didSet { if cell != oldValue { cellChanged() } } }

    init(pipeline: ImagePipeline, pictures: [GalleryPicture], cell: Int, policy: ReusePolicy, solid: Bool) {
        self.cell = cell
        let shown = ShownPictures(pictures)
        self.shown = shown
        var options = ImageLoadingOptions(
            placeholder: .color(SRGBColor(red: 128, green: 128, blue: 128, alpha: 60)),
            failureImage: .color(SRGBColor(red: 160, green: 30, blue: 30, alpha: 120)),
            transition: .fadeIn(duration: .milliseconds(120)))
        options.contentModes.success = .fill
        options.isProgressiveRenderingEnabled = false
        context = BindingContext.gtk(pipeline: pipeline, policy: policy, options: options)
        factory = PictureListFactory(context: context) { shown.request($0.position) }
        factory.cellSize = PixelSize(width: cell, height: cell)
        factory.didBind = { picture, item in
            picture.alternativeText = shown.name(item.position)
            if solid { picture.display(DisplayedContent(.placeholder, color: ShownPictures.color(item.position))) }
        }
        model = gtk_string_list_new(nil)
        g_object_ref(UnsafeMutableRawPointer(model))
        let selection = gtk_single_selection_new(model)
        g_object_ref(UnsafeMutableRawPointer(factory.pointer))
        guard let view = gtk_grid_view_new(selection, factory.pointer), let widget = gtk_scrolled_window_new() else {
            fatalError("GTK made no grid")
        }
        self.view = view
        self.widget = widget
        gtk_scrolled_window_set_child(OpaquePointer(widget), view)
        gtk_widget_set_vexpand(widget, 1)
        scroll = PictureListScroll(of: factory, in: widget, itemCount: pictures.count) { shown.request($0) }
        fill(from: 0)
        gtk_grid_view_set_single_click_activate(OpaquePointer(view), 0)
        SignalClosure.connect(
            UnsafeMutableRawPointer(view), "activate",
            number: { [weak self] place in
                self?.onOpen?(Int(place))
            })
        guard let width = gtk_scrolled_window_get_hadjustment(OpaquePointer(widget)) else { return }
        SignalClosure.connect(UnsafeMutableRawPointer(width), "changed") { [weak self] in
            // Order: not here, in the middle of a layout, which GTK's grid does not survive.
            Task { self?.fitColumns() }
        }
    }

    isolated deinit { g_object_unref(UnsafeMutableRawPointer(model)) }

    /// All pictures, in the order shown.
    var pictures: [GalleryPicture] { shown.pictures }

    /// The cells of places, as far as they are bound.
    func cells(in places: Range<Int>) -> [(place: Int, picture: FirnPicture)] {
        places.compactMap { place in
            guard pictures.indices.contains(place) else { return nil }
            return factory.cell(at: place).map { (place, $0) }
        }
    }

    /// Shows other pictures.
    func show(_ pictures: [GalleryPicture]) {
        let before = shown.pictures.count
        shown.pictures = pictures
        fill(from: before)
        scroll.itemCount = pictures.count
    }

    /// Gives the model as many items as there are pictures; their text is not looked at, only their place.
    private func fill(from before: Int) {
        // All anew: a place may now be another picture.
        var names: [UnsafePointer<CChar>?] = Array(repeating: ShownPictures.noText, count: shown.pictures.count)
        names.append(nil)
        gtk_string_list_splice(model, 0, guint(before), names)
    }

    private func cellChanged() {
        factory.cellSize = PixelSize(width: cell, height: cell)
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
        // Order: never a least above the most.
        gtk_grid_view_set_min_columns(OpaquePointer(view), 1)
        gtk_grid_view_set_max_columns(OpaquePointer(view), guint(count))
        gtk_grid_view_set_min_columns(OpaquePointer(view), guint(count))
        scroll.columns = count
    }
}

/// What the grid's places stand for.
@MainActor
final class ShownPictures {
    /// The text of every item of the model, which lives as long as the process.
    static let noText: UnsafePointer<CChar>? = UnsafePointer(strdup(""))

    var pictures: [GalleryPicture]

    init(_ pictures: [GalleryPicture]) { self.pictures = pictures }

    func request(_ place: Int) -> ImageRequest? { pictures.indices.contains(place) ? pictures[place].request : nil }

    func name(_ place: Int) -> String { pictures.indices.contains(place) ? pictures[place].name : "" }

    /// A plain colour for a place.
    static func color(_ place: Int) -> SRGBColor {
        SRGBColor(
            red: UInt8(40 + place * 37 % 180), green: UInt8(40 + place * 71 % 180), blue: UInt8(40 + place * 113 % 180))
    }
}
