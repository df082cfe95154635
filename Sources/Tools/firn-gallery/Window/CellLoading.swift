#if GTK
import Firn

/// Looks after the visible cells that load: a shared thumbnail of another size stands in, and where there is none, a
/// sign appears after a while.
///
/// One timer serves all cells. It runs only while a cell loads.
@MainActor
final class CellLoading {
    private let thumbnails: CellThumbnails?
    private var cells: [ObjectIdentifier: GridCell] = [:]
    private var watching: Task<Void, Never>?

    /// - Parameter thumbnails: the store to ask; `nil` for none.
    init(_ thumbnails: CellThumbnails?) { self.thumbnails = thumbnails }

    isolated deinit { watching?.cancel() }

    /// Handles a cell that has begun to load, or has ended.
    func changed(_ cell: GridCell) {
        cells[ObjectIdentifier(cell)] = cell.isLoading ? cell : nil
        guard watching == nil, !cells.isEmpty else { return }
        watching = Task { [weak self] in
            while !Task.isCancelled {
                try? await Task.sleep(for: CellThumbnails.delay)
                guard let self, self.look() else { return }
            }
        }
    }

    /// Returns whether a cell loads.
    private func look() -> Bool {
        let now = ContinuousClock.now
        for cell in cells.values where cell.grid?.isVisible(cell) ?? true {
            guard let start = cell.loading.start, !cell.hasStandIn else { continue }
            let time = start.duration(to: now)
            if time >= CellThumbnails.delay { find(cell) }
            if time >= CellThumbnails.patience { cell.isBusy = true }
        }
        if cells.isEmpty { watching = nil }
        return !cells.isEmpty
    }

    private func find(_ cell: GridCell) {
        let source = cell.source
        guard !cell.loading.isAsked, let thumbnails, source.hasPrefix("/") else { return }
        cell.loading.isAsked = true
        Task { [weak cell] in
            guard let image = await thumbnails.standIn(for: source, CellThumbnails.cellStandIns), let cell,
                cell.source == source, cell.isLoading
            else { return }
            cell.showStandIn(.image(image))
        }
    }
}
#endif
