#if GTK
import CGTK4
import Firn
import FirnGTK

/// Cells with preloaded images: scrolling them loads and decodes nothing. The remaining cost is that of any program
/// that shows images in GTK's grid.
@MainActor
enum LoadedCells {
    /// The number of different images: more than are on the screen, so that each has its own texture.
    private static let count = 64

    /// Loads images at the cells' size and shows them in the cells.
    ///
    /// - Returns: whether there is at least one.
    static func fill(_ grid: GalleryGrid, with images: [GalleryImage]) async -> Bool {
        let requests = GalleryImage.repeated(images, count: count, solid: false).compactMap(\.request)
        let mode = grid.context.options.contentMode
        let pipeline = grid.context.pipeline
        var loaded: [ImageContainer] = []
        for var request in requests {
            request.targetSize = TargetSize(grid.cell, mode: mode)
            request.pixelFormat = grid.context.options.pixelFormat ?? request.pixelFormat
            // Images that fail are skipped: this measures painting.
            if let response = try? await pipeline.imageTask(with: request).response {
                loaded.append(response.container)
            }
        }
        guard !loaded.isEmpty else { return false }
        grid.display = { [loaded] image, place in
            image.display(DisplayedContent(.image, container: loaded[place % loaded.count], contentMode: mode))
        }
        return true
    }
}
#endif
