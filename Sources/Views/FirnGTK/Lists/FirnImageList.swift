#if GTK
public import CGTK4
public import FoundationEssentials

/// A scrolling grid of images, one for each item of an array.
///
/// ```swift
/// let list = FirnImageList(photos) { $0.url }
/// gtk_window_set_child(window, list.widget)
/// ```
/// It is made of a `GtkGridView`, an ``ImageListFactory`` and an ``ImageListScroll``: cells are reused, visible ones
/// load first, and the items ahead are prefetched. A program that needs another model or selection uses those.
@MainActor
public final class FirnImageList<Item> {
    /// The `GtkScrolledWindow` with the grid, for use in a window. Valid as long as this object lives; the widget
    /// retains this object while the widget is in use.
    public let widget: UnsafeMutablePointer<GtkWidget>
    /// The `GtkGridView`.
    public let grid: OpaquePointer
    private let model = CountModel()
    private var ownership: WidgetOwnership?
    /// Creates the cells. Set their options, labels and sizes here.
    public let factory: ImageListFactory
    /// Observes scrolling, and has the range of visible items.
    public let scroll: ImageListScroll
    private let content: Content

    /// The items, shared with the closures of the list.
    @MainActor
    private final class Content {
        var items: [Item]

        init(_ items: [Item]) { self.items = items }

        subscript(position: Int) -> Item? { items.indices.contains(position) ? items[position] : nil }
    }

    /// Creates a grid.
    ///
    /// - Parameters:
    ///   - items: the items, in order.
    ///   - columns: the number of cells side by side; 1 for a list. At least 1.
    ///   - cellSize: the size of a cell, in GTK's units.
    ///   - context: the binding context of the cells.
    ///   - didBind: called each time a cell is bound to an item: to set what belongs to the item, such as alternative
    ///     text. Set the same properties for all items, since cells are reused.
    ///   - request: returns the image of an item, or `nil` for an empty cell. Called each time a cell is bound, so it
    ///     must be fast.
    public init(
        _ items: [Item], columns: Int = 4, cellSize: PixelSize = PixelSize(160), context: BindingContext = .gtk,
        didBind: (@MainActor (FirnPicture, Item) -> Void)? = nil,
        request: @escaping @MainActor (Item) -> ImageRequest?
    ) {
        GTKLibrary.start()
        let content = Content(items)
        self.content = content
        factory = ImageListFactory(context: context) { item in content[item.position].flatMap { request($0) } }
        factory.cellSize = cellSize
        if let didBind {
            factory.didBind = { image, cell in if let item = content[cell.position] { didBind(image, item) } }
        }
        // The grid takes over the selection, the selection the model, the grid one reference to the factory. Our own
        // references stay, because the program may still set items after the window has destroyed the grid.
        g_object_ref(UnsafeMutableRawPointer(model.pointer))
        g_object_ref(UnsafeMutableRawPointer(factory.pointer))
        let selection = gtk_no_selection_new(model.pointer)
        let view: UnsafeMutablePointer<GtkWidget> = gtk_grid_view_new(selection, factory.pointer)
        grid = OpaquePointer(view)
        g_object_ref_sink(UnsafeMutableRawPointer(view))
        widget = gtk_scrolled_window_new()
        gtk_scrolled_window_set_child(OpaquePointer(widget), view)
        gtk_widget_set_vexpand(widget, 1)
        gtk_widget_set_hexpand(widget, 1)
        scroll = ImageListScroll(of: factory, in: widget, itemCount: 0) { place in
            content[place].flatMap { request($0) }
        }
        self.columns = columns
        ownership = WidgetOwnership(widget, owner: self)
        showColumns()
        fill()
    }

    /// Creates a grid of the images at URLs; an item without one has no image.
    ///
    /// - Parameter url: returns the URL of an item's image. Called each time a cell is bound, so it must be fast.
    public convenience init(
        _ items: [Item], columns: Int = 4, cellSize: PixelSize = PixelSize(160), context: BindingContext = .gtk,
        didBind: (@MainActor (FirnPicture, Item) -> Void)? = nil,
        url: @escaping @MainActor (Item) -> URL?
    ) {
        self.init(
            items, columns: columns, cellSize: cellSize, context: context, didBind: didBind,
            request: { url($0).map { ImageRequest(url: $0) } })
    }

    isolated deinit {
        ownership?.end()
        g_object_unref(UnsafeMutableRawPointer(grid))
    }

    /// The items. Setting them shows the new ones.
    public var items: [Item] {
        get { content.items }
        set {
            content.items = newValue
            fill()
        }
    }

    /// The number of cells side by side. Less than 1 counts as 1.
    public var columns: Int {
        didSet { showColumns() }
    }

    private func showColumns() {
        let count = guint(clamping: max(1, columns))
        // Order: the minimum never exceeds the maximum.
        if count > gtk_grid_view_get_max_columns(grid) { gtk_grid_view_set_max_columns(grid, count) }
        gtk_grid_view_set_min_columns(grid, count)
        gtk_grid_view_set_max_columns(grid, count)
        scroll.columns = columns
    }

    /// Replaces the items of the model, which knows only their positions.
    private func fill() {
        model.replace(with: content.items.count)
        scroll.itemCount = content.items.count
    }
}

/// A `GListModel` that knows only its number of items: an item is its position. A hundred thousand items cost as much
/// as one.
@MainActor
package final class CountModel {
    /// The `GListModel`. Valid as long as this object lives or its user holds a reference.
    package let pointer = OpaquePointer(CountModel.type.make())

    /// The number of items.
    private var count = 0

    /// Creates a model without items.
    package init() {}

    isolated deinit { g_object_unref(UnsafeMutableRawPointer(pointer)) }

    /// Appends items, or removes the last ones.
    package func resize(to new: Int) {
        if new != count { change(to: new, keeping: min(count, new)) }
    }

    /// Replaces all items.
    package func replace(with new: Int) { change(to: new, keeping: 0) }

    private func change(to new: Int, keeping kept: Int) {
        let former = count
        count = new
        CountModel.slot(UnsafeMutableRawPointer(pointer)).pointee = guint(clamping: new)
        g_list_model_items_changed(
            pointer, guint(clamping: kept), guint(clamping: former - kept), guint(clamping: new - kept))
    }

    // MARK: The class

    private static let type: GType = {
        // The instance stores its number of items.
        let type = GType.object.derived("FirnCountModel", GObjectClass.self, GObject.self, and: guint.self)
        var interface = GInterfaceInfo()
        interface.interface_init = { interface, _ in
            guard let interface = interface?.assumingMemoryBound(to: GListModelInterface.self) else { return }
            interface.pointee.get_item_type = { _ in .object }
            interface.pointee.get_n_items = { $0.map { CountModel.slot(UnsafeMutableRawPointer($0)).pointee } ?? 0 }
            interface.pointee.get_item = { model, position in
                guard let model, position < CountModel.slot(UnsafeMutableRawPointer(model)).pointee else { return nil }
                return GType.object.make()
            }
        }
        g_type_add_interface_static(type, g_list_model_get_type(), &interface)
        return type
    }()

    private nonisolated static func slot(_ object: UnsafeMutableRawPointer) -> UnsafeMutablePointer<guint> {
        (object + MemoryLayout<GObject>.size).assumingMemoryBound(to: guint.self)
    }
}
#endif
