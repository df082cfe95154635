#if GTK
public import Firn

/// The images in the bound cells of a list, by the positions of their items.
///
/// An ``ImageListFactory`` keeps its own. A program with another `GtkListItemFactory` tells which image it binds, and
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

    /// Unbinds an image: its request is released, and the image stays until it gets another one.
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
    func tell(_ positions: Range<Int>, _ visibility: (Int) -> Double) {
        for position in positions {
            guard let images = bound[position] else { continue }
            let share = visibility(position)
            for image in images { image.binding.visibility = share }
        }
    }

    /// Reports to all cells how visible they are.
    func tell(_ visibility: (Int) -> Double) {
        for (position, images) in bound {
            for image in images { image.binding.visibility = visibility(position) }
        }
    }

    /// The size in pixels of a cell; `nil` if none has one yet.
    var cellSize: PixelSize? {
        for images in bound.values {
            for image in images {
                if let size = image.displaySize.pixels { return size }
            }
        }
        return nil
    }

    /// Returns the request as bound cells make it before they are visible: with the same size, pixel layout and
    /// priority. Returns `nil` if there is no cell.
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
