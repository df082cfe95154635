#if GTK
import CGTK4
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

    /// The number of cells that count as visible although they are above or below the window.
    func cellsOutside() -> Int {
        let end = Float(gtk_widget_get_height(grid.widget))
        return grid.scroll.visible.count { position in
            var bounds = graphene_rect_t()
            guard let image = grid.factory.cell(at: position), let item = GalleryGrid.item(of: image),
                gtk_widget_compute_bounds(item, grid.widget, &bounds) != 0
            else { return false }
            return bounds.origin.y >= end || bounds.origin.y + bounds.size.height <= 0
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

    /// The visible cells that load: how many show a stand-in, and for how long those with a sign have been loading.
    func loadingCells() -> (standIns: Int, busy: [Duration]) {
        var (standIns, busy): (Int, [Duration]) = (0, [])
        for (_, image) in grid.cells(in: grid.scroll.visible) where image.binding.content.kind == .placeholder {
            if image.binding.content.image != nil { standIns += 1 }
            if let cell = GridCell.of(around: image), cell.isBusy, let start = cell.loading.start {
                busy.append(start.duration(to: .now))
            }
        }
        return (standIns, busy)
    }

    /// The number of visible cells that show their image.
    func rightImages() -> Int {
        grid.cells(in: grid.scroll.visible).count { _, image in image.binding.content.kind == .image }
            - wrongImages()
    }
}
#endif
