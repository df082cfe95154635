#if GTK
public import CGTK4
import FirnSync

/// Creates the cells of a `GtkGridView` or `GtkListView` from a closure that returns the image request of an item.
///
/// ```swift
/// let factory = ImageListFactory(context: context) { item in
///     ImageRequest(path: item.string)
/// }
/// let grid = gtk_grid_view_new(model, factory.pointer)
/// ```
/// A cell is an image, or a widget of the program that contains the image; see ``init(context:makeCell:request:)``.
/// Cells are reused. While GTK scrolls, it binds an item to one cell after another; each cell takes over the running
/// request. Visible cells load before cells that are only bound; see ``ImageListScroll``.
@MainActor
public final class ImageListFactory {
    /// The bound cells, for an ``ImageListScroll``.
    public let cells: ImageListCells
    /// The `GtkListItemFactory`, kept alive by this object.
    public let pointer: OpaquePointer
    /// Called once for each image that the factory creates, before it has a parent: to set its corner radius, options
    /// or size. A list creates somewhat more cells than are visible, and reuses them for all items.
    public var didMakeCell: (@MainActor (FirnPicture) -> Void)?
    /// Called each time a cell is bound to an item, after the image has its request: to set what belongs to the item,
    /// such as alternative text and labels. The same cell is bound to other items later, so every property that is set
    /// for one item must be set for all. The alternative text that the image then has is also the name of the cell,
    /// which screen readers announce when the cell gets the focus.
    public var didBind: (@MainActor (FirnPicture, ImageListItem) -> Void)?
    /// The size of the images of the cells, in GTK's units; `nil` lets the list decide. Applies to cells bound from now
    /// on; see ``resizeCells()``.
    public var cellSize: PixelSize?

    /// True if cells play animations. Default: no, because a list of moving images is hard to read, and every visible
    /// animation keeps decoding. Cells play only while they can be seen, and cells with the same image at the same size
    /// share its frames. Applies to cells created from now on; set ``FirnPicture/playsAnimations`` in ``didMakeCell``
    /// or ``didBind`` to choose for each cell.
    public var playsAnimations = false

    /// Called for each binding of a cell with its duration and whether it was a cache hit; for measurements.
    public var onBindTime: (@MainActor (_ duration: Duration, _ isHit: Bool) -> Void)?
    private let makeCell: (@MainActor (FirnPicture) -> UnsafeMutablePointer<GtkWidget>)?
    private let request: @MainActor (ImageListItem) -> ImageRequest?
    /// The images of GTK's list items between `setup` and `teardown`, with the names of the items.
    private var made: [OpaquePointer: Made] = [:]

    private struct Made {
        weak var image: FirnPicture?
        var name: String?
    }

    /// - Parameters:
    ///   - makeCell: creates the widget of a cell around its image, such as a box with the image and a label, which
    ///     ``didBind`` finds in ``ImageListItem/cell``. `nil` (the default): the image alone is the cell.
    ///   - request: returns the image of an item, or `nil` for an empty cell. Called each time a cell is bound, so it
    ///     must be fast.
    public init(
        context: BindingContext, makeCell: (@MainActor (FirnPicture) -> UnsafeMutablePointer<GtkWidget>)? = nil,
        request: @escaping @MainActor (ImageListItem) -> ImageRequest?
    ) {
        cells = ImageListCells(context: context)
        self.makeCell = makeCell
        self.request = request
        pointer = gtk_signal_list_item_factory_new()
        let object = UnsafeMutableRawPointer(pointer)
        SignalClosure.connectObject(object, "setup") { [weak self] in self?.setUp($0) }
        SignalClosure.connectObject(object, "bind") { [weak self] in self?.bind($0) }
        SignalClosure.connectObject(object, "unbind") { [weak self] in self?.unbind($0) }
        SignalClosure.connectObject(object, "teardown") { [weak self] in self?.made[$0] = nil }
    }

    isolated deinit { g_object_unref(UnsafeMutableRawPointer(pointer)) }

    /// The binding context that the cells share.
    public var context: BindingContext { cells.context }

    /// Returns the image of the cell that is bound to a position of the model; `nil` if there is none.
    public func cell(at place: Int) -> FirnPicture? { cells.image(at: place) }

    /// Applies the current ``cellSize`` to all bound cells.
    public func resizeCells() {
        for image in cells.images { applySize(to: image) }
    }

    /// Binds all bound cells again, to the items now at their positions. Failed images are not retried.
    package func rebind() {
        for (item, made) in made where made.image?.listPosition != nil { bind(item, retriesFailures: false) }
    }

    private func applySize(to image: FirnPicture) {
        guard image.cellSize != cellSize else { return }
        image.cellSize = cellSize
        gtk_widget_set_size_request(
            image.widget, gint(clamping: cellSize?.width ?? -1), gint(clamping: cellSize?.height ?? -1))
    }

    private func setUp(_ item: OpaquePointer) {
        let image = FirnPicture(context: context)
        image.playsAnimations = playsAnimations
        applySize(to: image)
        didMakeCell?(image)
        made[item] = Made(image: image)
        gtk_list_item_set_child(item, makeCell?(image) ?? image.widget)
    }

    private func bind(_ item: OpaquePointer, retriesFailures: Bool = true) {
        let start = onBindTime == nil ? 0 : MonotonicClock.now()
        guard let cell = gtk_list_item_get_child(item), let image = made[item]?.image,
            let object = gtk_list_item_get_item(item)
        else { return }
        let position = Int(gtk_list_item_get_position(item))
        applySize(to: image)
        let listItem = ImageListItem(position: position, object: OpaquePointer(object), cell: cell, listItem: item)
        cells.bind(image, to: position)
        let new = request(listItem)
        let isFailed = image.binding.phase.error != nil && image.request?.description == new?.description
        if retriesFailures || !isFailed { image.request = new }
        didBind?(image, listItem)
        setName(image.alternativeText, of: item, cell)
        if let onBindTime {
            let time = MonotonicClock.now() - start
            onBindTime(.nanoseconds(time), image.binding.phase.response != nil)
        }
    }

    private func unbind(_ item: OpaquePointer) {
        if let image = made[item]?.image { cells.unbind(image) }
    }

    /// Sets the accessible name of the widget that GTK's list puts around the cell, and that gets the focus. GTK 4.12
    /// has a function for this.
    private func setName(_ name: String?, of item: OpaquePointer, _ cell: UnsafeMutablePointer<GtkWidget>) {
        guard made[item]?.name != name, let focused = gtk_widget_get_parent(cell) else { return }
        made[item]?.name = name
        AccessibleText.set(GTK_ACCESSIBLE_PROPERTY_LABEL, name, of: OpaquePointer(focused))
    }
}

/// An item of a list's model, as ``ImageListFactory`` passes it to its closures.
@MainActor
public struct ImageListItem {
    /// The position in the model.
    public let position: Int
    /// The item itself, a GObject of the model's type; borrowed.
    public let object: OpaquePointer
    /// The widget of the cell: the one from `makeCell`, or the image's own widget.
    public let cell: UnsafeMutablePointer<GtkWidget>
    /// The `GtkListItem`; borrowed.
    package let listItem: OpaquePointer

    /// The text of an item of a `GtkStringList`; empty for items of other models.
    public var string: String {
        guard gtk_string_object_get_type().holds(UnsafeMutableRawPointer(object)) else { return "" }
        return String(cString: gtk_string_object_get_string(object))
    }
}

/// The images in the bound cells of a list, by the positions of their items.
///
/// An ``ImageListFactory`` has its own. A program with another `GtkListItemFactory` reports which image it binds, and
/// passes the cells to an ``ImageListScroll``:
///
/// ```swift
/// // When the factory binds an item to a cell:
/// cells.bind(image, to: position)
/// image.request = ImageRequest(path: path)
/// // When it unbinds the cell:
/// cells.unbind(image)
/// ```
/// A cell may have several images; each is bound to the position.
@MainActor
public final class ImageListCells {
    /// The binding context that the cells share.
    public let context: BindingContext
    private(set) var bound: [Int: [FirnPicture]] = [:]
    /// Returns the visible share of the item at a position.
    var visibility: @MainActor (Int) -> Double = { _ in 1 }

    /// Creates an empty list.
    public init(context: BindingContext) { self.context = context }

    /// Binds an image to the item at a position. Call it before the image gets its request, which then starts with the
    /// priority of its visibility.
    public func bind(_ image: FirnPicture, to position: Int) {
        remove(image)
        image.listPosition = position
        bound[position, default: []].append(image)
        image.binding.visibility = visibility(position)
    }

    /// Unbinds an image. Releases its request; the content stays until the next one.
    public func unbind(_ image: FirnPicture) {
        remove(image)
        image.prepareForReuse()
    }

    /// Returns the first image that is bound to a position; `nil` if there is none.
    public func image(at position: Int) -> FirnPicture? { bound[position]?.first }

    private func remove(_ image: FirnPicture) {
        guard let position = image.listPosition else { return }
        image.listPosition = nil
        bound[position]?.removeAll { $0 === image }
        if bound[position]?.isEmpty == true { bound[position] = nil }
    }

    /// All bound images.
    var images: some Sequence<FirnPicture> { bound.values.lazy.flatMap { $0 } }

    /// Reports to the cells of some positions how visible they are.
    func report(_ positions: some Sequence<Int>, _ visibility: (Int) -> Double) {
        for position in positions {
            guard let images = bound[position] else { continue }
            let share = visibility(position)
            for image in images { image.binding.visibility = share }
        }
    }

    /// The size in pixels of a cell; `nil` before the first layout.
    var cellSize: PixelSize? {
        for image in images { if let size = image.displaySize.pixels { return size } }
        return nil
    }

    /// Returns the request that a bound cell outside the screen would send: with the same size, pixel layout and
    /// priority. `nil` if there is no cell.
    ///
    /// - Parameter size: ``cellSize``, which is the same for many requests.
    func asCellsDo(_ request: ImageRequest, _ size: PixelSize?) -> ImageRequest? {
        guard request.targetSize == nil, context.options.isResizingEnabled else { return request }
        guard let size else { return nil }
        return request.fitted(
            to: TargetSize(size, mode: context.options.contentMode), format: context.options.pixelFormat,
            priority: min(request.priority, .low))
    }
}
#endif
