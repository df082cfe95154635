import CGTK4
import Firn
import FirnGTK

/// Cells whose images are loaded in advance: a scroll over them loads and decodes nothing. The rest is what any
/// program pays that shows images in GTK's grid.
@MainActor
enum LoadedCells {
    /// So many images are in turn in all cells: more than are on the screen, so that each has a texture of its own.
    private static let count = 64

    /// Loads images in the cells' size, and has the cells show them.
    ///
    /// - Returns: whether there is any.
    static func fill(_ grid: GalleryGrid, with images: [GalleryImage]) async -> Bool {
        let requests = GalleryImage.repeated(images, count: count, solid: false).compactMap(\.request)
        let mode = grid.context.options.contentModes.success
        let pipeline = grid.context.pipeline
        var loaded: [ImageContainer] = []
        for var request in requests {
            request.targetSize = TargetSize(PixelSize(width: grid.cell, height: grid.cell), mode: mode)
            request.pixelFormat = grid.context.options.pixelFormat ?? request.pixelFormat
            // What cannot be loaded is left out: what is measured is painting.
            if let response = try? await pipeline.imageTask(with: request).response {
                loaded.append(response.container)
            }
        }
        guard !loaded.isEmpty else { return false }
        grid.factory.didBind = { [loaded] image, item in
            image.display(
                DisplayedContent(.image, container: loaded[item.position % loaded.count], contentMode: mode))
        }
        return true
    }
}
