import CGTK4
import Firn
import FirnGTK

/// The grid: cells of one size, as many side by side as there is room for.
@MainActor
final class GalleryGrid {
    let widget: UnsafeMutablePointer<GtkWidget>
    let context: BindingContext
    let factory: PictureListFactory
    let scroll: PictureListScroll
    /// Called with the place of the picture that is to be shown large.
    var onOpen: ((Int) -> Void)?

    /// How long pictures take to fade in.
    static let fade = Duration.milliseconds(120)

    private let view: UnsafeMutablePointer<GtkWidget>
    private let model = PlaceModel()
    private var columns = 0

    /// Width and height of a cell.
    var cell: Int { didSet { if cell != oldValue { cellChanged() } } }

    /// The pictures, in the order shown.
    let pictures: GalleryList

    init(pipeline: ImagePipeline, pictures: GalleryList, cell: Int, policy: ReusePolicy, solid: Bool) {
        self.cell = cell
        self.pictures = pictures
        var options = ImageLoadingOptions(
            placeholder: .color(SRGBColor(red: 128, green: 128, blue: 128, alpha: 60)),
            failureImage: FailurePicture.placeholder,
            transition: .fadeIn(duration: GalleryGrid.fade))
        options.contentModes.success = .fill
        options.contentModes.failure = .fill
        options.isProgressiveRenderingEnabled = false
        context = BindingContext.gtk(pipeline: pipeline, policy: policy, options: options)
        factory = PictureListFactory(context: context) { pictures.request($0.position) }
        factory.cellSize = PixelSize(width: cell, height: cell)
        factory.didMakeCell = { picture in
            GalleryGestures.onClick(picture.widget) { [weak picture] in picture?.retryIfFailed() }
        }
        factory.didBind = { picture, item in
            picture.alternativeText = pictures.name(item.position)
            if solid { picture.display(DisplayedContent(.placeholder, color: GalleryGrid.color(item.position))) }
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
        scroll = PictureListScroll(of: factory, in: widget, itemCount: pictures.count) { pictures.request($0) }
        model.append(pictures.count)
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

    /// The cells of places, as far as they are bound.
    func cells(in places: Range<Int>) -> [(place: Int, picture: FirnPicture)] {
        places.compactMap { place in
            guard pictures.indices.contains(place) else { return nil }
            return factory.cell(at: place).map { (place, $0) }
        }
    }

    /// There are more pictures at the end.
    func appended(_ count: Int) {
        model.append(count)
        scroll.itemCount = pictures.count
    }

    /// The pictures are others.
    func replaced() {
        model.replace(with: pictures.count)
        scroll.itemCount = pictures.count
    }

    /// The pictures on the screen that failed.
    var failed: [FirnPicture] { cells(in: scroll.visible).map(\.picture).filter { $0.binding.phase.error != nil } }

    /// Tries again what failed on the screen.
    func retry() { for picture in failed { picture.retry() } }

    /// Takes the keyboard.
    func focus() { gtk_widget_grab_focus(view) }

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

    /// A plain colour for a place.
    private static func color(_ place: Int) -> SRGBColor {
        SRGBColor(
            red: UInt8(40 + place * 37 % 180), green: UInt8(40 + place * 71 % 180), blue: UInt8(40 + place * 113 % 180))
    }
}
