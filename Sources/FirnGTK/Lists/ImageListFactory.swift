import CGTK4
public import FirnBinding
public import FirnImage
public import FirnPipeline
import FirnSync

/// Makes the cells of a `GtkGridView` or `GtkListView` from a closure that returns the image request of an item.
///
/// ```swift
/// let factory = ImageListFactory(context: context) { item in ImageRequest(path: item.string) }
/// let grid = gtk_grid_view_new(model, factory.pointer)
/// ```
/// Cells are reused. While GTK scrolls, it binds an item to one cell after another; each takes the running request
/// over. Visible cells load before cells that are only bound; see ``ImageListScroll``.
@MainActor
public final class ImageListFactory {
    /// The binding context that the cells share.
    public let context: BindingContext
    /// The `GtkListItemFactory`, kept alive by this object.
    public let pointer: OpaquePointer
    /// Called with each new cell, to configure it: corner radius, size, a box around it.
    public var didMakeCell: (@MainActor (FirnPicture) -> Void)?
    /// Called with each newly bound cell, to complete it: alternative text, label.
    public var didBind: (@MainActor (FirnPicture, ImageListItem) -> Void)?
    /// The size of the cells, in GTK's units; `nil` lets the list decide. Applies to cells bound from now on; see
    /// ``resizeCells()``.
    public var cellSize: PixelSize?

    /// Whether cells play animations. Default: no, because a list of moving images is hard to read, and every visible
    /// animation keeps decoding. Cells play only while they are mapped, and cells with the same image at the same size
    /// share its frames. Applies to cells made from now on; set ``FirnPicture/playsAnimations`` in ``didMakeCell`` or
    /// ``didBind`` to choose for each cell.
    public var playsAnimations = false

    /// The bound cells, by their position in the model.
    private(set) var bound: [Int: FirnPicture] = [:]
    /// Returns the visible share of the item at a position.
    var visibility: @MainActor (Int) -> Double = { _ in 1 }
    /// Called for each binding of a cell with its duration and whether it was a cache hit; for measurements.
    public var onBindTime: (@MainActor (_ duration: Duration, _ isHit: Bool) -> Void)?
    private let request: @MainActor (ImageListItem) -> ImageRequest?

    /// - Parameter request: returns the image of an item, or `nil` for an empty cell. Called each time a cell is bound,
    ///   so it must be fast.
    public init(context: BindingContext, request: @escaping @MainActor (ImageListItem) -> ImageRequest?) {
        self.context = context
        self.request = request
        pointer = gtk_signal_list_item_factory_new()
        let object = UnsafeMutableRawPointer(pointer)
        SignalClosure.connect(object, "setup", object: { [weak self] in self?.setUp($0) })
        SignalClosure.connect(object, "bind", object: { [weak self] in self?.bind($0) })
        SignalClosure.connect(object, "unbind", object: { [weak self] in self?.unbind($0) })
    }

    isolated deinit { g_object_unref(UnsafeMutableRawPointer(pointer)) }

    /// Returns the cell that is bound to a position of the model; `nil` if there is none.
    public func cell(at place: Int) -> FirnPicture? { bound[place] }

    /// Applies the current ``cellSize`` to all bound cells.
    public func resizeCells() {
        for image in bound.values { applySize(to: image) }
    }

    private func applySize(to image: FirnPicture) {
        guard image.cellSize != cellSize else { return }
        image.cellSize = cellSize
        gtk_widget_set_size_request(
            image.widget, gint(clamping: cellSize?.width ?? -1), gint(clamping: cellSize?.height ?? -1))
    }

    /// Returns the request as bound cells make it before they are visible: with the same size, pixel layout and
    /// priority. Returns `nil` if there is no cell.
    func asCellsDo(_ request: ImageRequest) -> ImageRequest? {
        guard request.targetSize == nil, context.options.isResizingEnabled else { return request }
        guard let size = bound.values.lazy.compactMap({ $0.displaySize.pixels }).first else { return nil }
        return request.fitted(
            to: TargetSize(size, mode: context.options.contentModes.success), format: context.options.pixelFormat,
            priority: min(request.priority, .low))
    }

    private func setUp(_ item: OpaquePointer) {
        let image = FirnPicture(context: context)
        image.playsAnimations = playsAnimations
        applySize(to: image)
        didMakeCell?(image)
        gtk_list_item_set_child(item, image.widget)
    }

    private func bind(_ item: OpaquePointer) {
        let start = onBindTime == nil ? 0 : MonotonicClock.now()
        guard let child = gtk_list_item_get_child(item), let image = ImageWidgetType.image(of: child),
            let object = gtk_list_item_get_item(item)
        else { return }
        let place = Int(gtk_list_item_get_position(item))
        applySize(to: image)
        let listItem = ImageListItem(position: place, object: OpaquePointer(object))
        bound[place] = image
        image.binding.visibility = visibility(place)
        image.request = request(listItem)
        didBind?(image, listItem)
        if let onBindTime {
            let time = MonotonicClock.now() - start
            onBindTime(.nanoseconds(time), image.binding.phase.response != nil)
        }
    }

    private func unbind(_ item: OpaquePointer) {
        guard let child = gtk_list_item_get_child(item), let image = ImageWidgetType.image(of: child) else {
            return
        }
        let place = Int(gtk_list_item_get_position(item))
        if bound[place] === image { bound[place] = nil }
        image.prepareForReuse()
    }
}
