#if GTK
import Firn
import FirnGTK

/// The content of the visible cells; for measurements.
extension GalleryWindow {
    /// True if the first screen shows its images.
    var isFilled: Bool { isComplete && (isViewing || !grid.scroll.visible.isEmpty) }

    /// True if the large image, or every visible cell, shows its image or has failed.
    var isComplete: Bool {
        if isViewing { return viewer.isComplete }
        return isSolid
            || grid.cells(in: grid.scroll.visible).allSatisfy { place, image in
                switch image.binding.phase {
                case .displayed, .failed: true
                default: grid.images.request(place) == nil
                }
            }
    }

    /// The number of visible cells that show another image than theirs.
    func wrongImages() -> Int {
        grid.cells(in: grid.scroll.visible).count { place, image in
            guard image.binding.content.kind == .image, let shown = image.binding.phase.response?.request else {
                return false
            }
            let wanted = grid.images.request(place)
            return shown.imageID != wanted?.imageID || shown.description != wanted?.description
        }
    }

    /// The number of visible cells that show their image.
    func rightImages() -> Int {
        grid.cells(in: grid.scroll.visible).count { _, image in image.binding.content.kind == .image }
            - wrongImages()
    }
}
#endif
