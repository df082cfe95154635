package import FirnImage
import FirnSync
import FirnSystem

/// Decides which tiles of an image a zoomable view loads, keeps and paints. A value: the input is the position of the
/// view and the ends of loads, the output is loads to start, tiles to drop, and what to paint.
///
/// Visible tiles are loaded first, those nearest to the middle before others. Then come tiles in the direction in which
/// the view moves, and a coarser level around them. Loads that are no longer wanted are cancelled. Tiles stay that take
/// three times the memory of the visible ones, or a quarter of the budget if that is more. The ones that were not seen
/// for the longest time are dropped first.
///
/// Invariants: after each ``plan(for:at:)`` the tiles that are held and those that are loading take at most ``budget``
/// bytes, counted at four bytes a pixel while they load. No tile is held and loading. A level whose visible tiles take
/// more than three quarters of the budget is not loaded; the next coarser one is.
package struct ZoomTiles: Sendable {
    package struct Plan: Equatable, Sendable {
        /// The tiles to load, the most urgent first.
        package var load: [ZoomTile] = []
        package var cancel: [ZoomTile] = []
        package var drop: [ZoomTile] = []
        /// The tiles of the view. Others are loaded ahead.
        package var seen: Set<ZoomTile> = []
    }

    package enum End: Sendable {
        case loaded(bytes: Int)
        case failed
        /// The tile may be loaded again.
        case cancelled
    }

    private struct Held {
        let bytes: Int
        var seen: Int
    }

    package var budget: Int
    /// The columns and rows of a tile at most.
    package var side = 512
    /// True if a region takes as much work as the whole image, which then is one tile of each level if it fits.
    package var isSequential = false
    /// The size at which the whole image is there; `nil` if it is not.
    package var base: PixelSize?
    /// True if tiles are loaded. Otherwise the whole image is all that is shown.
    package var isTiled = false
    static let maximumLoads = 8
    /// The seconds for which a vector image keeps its scale of tiles while the scale of the view changes.
    static let rest = 0.12

    private var held: [ZoomTile: Held] = [:]
    private var loading: [ZoomTile: Int] = [:]
    private var failed: Set<ZoomTile> = []
    private var turn = 0
    /// The level of a vector image.
    private var rendered: ZoomLevel?
    private var former: (center: ZoomState.Point, scale: Double, time: Double)?
    private var scaled = -Double.infinity
    /// The movement of the visible part, in pixels of the image a second.
    private var drift = ZoomState.Point.zero

    package init(budget: Int) { self.budget = max(0, budget) }

    package var heldBytes: Int { held.values.reduce(0) { $0.saturatingAdd($1.bytes) } }
    /// The bytes that running loads may take.
    var loadingBytes: Int { loading.values.reduce(0) { $0.saturatingAdd($1) } }
    package var loads: Set<ZoomTile> { Set(loading.keys) }
    package var tiles: Set<ZoomTile> { Set(held.keys) }

    /// Forgets all tiles: the image is another one. Loads are to be cancelled by the caller.
    package mutating func clear() {
        self = ZoomTiles(budget: budget)
    }

    // MARK: The level

    /// Returns the level that is sharp at the view's scale; `nil` if the whole image is as sharp.
    func level(for view: ZoomState) -> ZoomLevel? {
        guard isTiled, view.isReady, let image = view.image else { return nil }
        if view.isVector {
            var scale = rendered?.scale ?? view.scale
            guard !baseSuffices(image, view.scale) else { return nil }
            while !fits(ZoomLevel(scale: scale, side: side), view, image), scale > 1e-9 { scale /= 2 }
            return ZoomLevel(scale: scale, side: side)
        }
        let side = side(for: image)
        var halvings = view.scale >= 1 ? 0 : max(0, Int(saturating: (-log2(view.scale) + 1e-9).rounded(.down)))
        while halvings < 30, !fits(ZoomLevel(halvings: halvings, side: side), view, image) { halvings += 1 }
        let level = ZoomLevel(halvings: halvings, side: side)
        return baseSuffices(image, min(level.scale, view.scale)) ? nil : level
    }

    /// The most of the budget that visible tiles may take.
    private var visibleBudget: Int { budget / 4 * 3 }

    /// The columns and rows of a tile of this image.
    private func side(for image: PixelSize) -> Int {
        isSequential && image.area.saturatingMultiply(4) <= visibleBudget ? max(side, image.width, image.height) : side
    }

    private func baseSuffices(_ image: PixelSize, _ scale: Double) -> Bool {
        guard let base else { return false }
        return Double(base.width) + 1.5 >= Double(image.width) * scale
            && Double(base.height) + 1.5 >= Double(image.height) * scale
    }

    private func fits(_ level: ZoomLevel, _ view: ZoomState, _ image: PixelSize) -> Bool {
        let range = visible(level, view, image)
        let tile = ZoomTile(level: level, column: 0, row: 0).bytes(in: image)
        return range.count.saturatingMultiply(tile) <= visibleBudget
    }

    private func visible(_ level: ZoomLevel, _ view: ZoomState, _ image: PixelSize) -> ZoomTileRange {
        level.tiles(from: view.visible.first, to: view.visible.last, of: image)
    }

    // MARK: Loading

    /// Returns whether the position has changed a moment ago, so that a later plan may differ.
    package func isUnsettled(at time: Double) -> Bool {
        drift != .zero || time - scaled < ZoomTiles.rest || (rendered != nil && rendered?.scale != former?.scale)
    }

    /// Returns whether every visible tile is there, or cannot be loaded.
    package func isSharp(for view: ZoomState) -> Bool {
        guard let image = view.image, let level = level(for: view) else { return base != nil }
        return visible(level, view, image).tiles.allSatisfy { held[$0] != nil || failed.contains($0) }
    }

    /// Returns the loads to start and to cancel, and the tiles to drop, for a position of the view.
    package mutating func plan(for view: ZoomState, at time: Double) -> Plan {
        note(view, time)
        turn += 1
        var plan = Plan()
        guard let image = view.image, isTiled else { return plan }
        let (seen, later) = wanted(view, image)
        plan.seen = Set(seen)
        for tile in seen { held[tile]?.seen = turn }
        for piece in pieces(for: view) {
            for tile in piece.tiles { held[tile]?.seen = turn }
        }
        // Tiles are kept as far as they fit, the most urgent first.
        let room = room(for: seen, image)
        var (kept, bytes) = (Set<ZoomTile>(), 0)
        for tile in seen + later where !failed.contains(tile) {
            let cost = held[tile]?.bytes ?? tile.bytes(in: image)
            guard bytes.saturatingAdd(cost) <= room else { break }
            bytes += cost
            kept.insert(tile)
            if held[tile] == nil, loading[tile] == nil, plan.load.count < ZoomTiles.maximumLoads {
                plan.load.append(tile)
            }
        }
        for tile in loading.keys where !kept.contains(tile) { plan.cancel.append(tile) }
        for tile in plan.cancel { loading[tile] = nil }
        plan.load = Array(plan.load.prefix(max(0, ZoomTiles.maximumLoads - loading.count)))
        for tile in plan.load { loading[tile] = tile.bytes(in: image) }
        plan.drop = makeRoom(room, keeping: kept)
        return plan
    }

    /// Records the end of a load.
    ///
    /// - Returns: whether the tile is to be kept. One that is no longer wanted is not.
    package mutating func finish(_ tile: ZoomTile, _ end: End) -> Bool {
        guard loading.removeValue(forKey: tile) != nil else { return false }
        switch end {
        case .loaded(let bytes):
            held[tile] = Held(bytes: max(0, bytes), seen: turn)
            return true
        case .failed:
            failed.insert(tile)
            return false
        case .cancelled: return false
        }
    }

    /// Returns the bytes that tiles may take while these are visible.
    private func room(for seen: [ZoomTile], _ image: PixelSize) -> Int {
        let visible = seen.reduce(0) { $0.saturatingAdd($1.bytes(in: image)) }
        return min(budget, max(budget / 4, visible.saturatingMultiply(3)))
    }

    private mutating func makeRoom(_ room: Int, keeping kept: Set<ZoomTile>) -> [ZoomTile] {
        var bytes = heldBytes.saturatingAdd(loadingBytes)
        guard bytes > room else { return [] }
        var dropped: [ZoomTile] = []
        let order = held.sorted { a, b in
            let (isKept, other) = (kept.contains(a.key), kept.contains(b.key))
            return isKept == other ? a.value.seen < b.value.seen : other
        }
        for (tile, entry) in order {
            guard bytes > room else { break }
            bytes -= entry.bytes
            held[tile] = nil
            dropped.append(tile)
        }
        return dropped
    }

    /// Records the position, and estimates its movement.
    private mutating func note(_ view: ZoomState, _ time: Double) {
        if view.scale != former?.scale { scaled = time }
        if view.isVector, rendered == nil || time - scaled >= ZoomTiles.rest {
            rendered = ZoomLevel(scale: view.scale, side: side)
        }
        defer { former = (view.center, view.scale, time) }
        guard let former, time > former.time else { return }
        let elapsed = time - former.time
        guard view.scale == former.scale, elapsed < 0.5 else { return drift = .zero }
        let share = min(1, elapsed / 0.05)
        drift += ((view.center - former.center) / elapsed - drift) * share
        if ZoomState.length(drift) * view.scale < 1 { drift = .zero }
    }

    /// Returns the tiles that are seen, and those that may be seen soon.
    private func wanted(_ view: ZoomState, _ image: PixelSize) -> (seen: [ZoomTile], later: [ZoomTile]) {
        guard let level = level(for: view) else { return ([], []) }
        let now = visible(level, view, image)
        // The place of the view when a load that starts now ends.
        let focus = view.center + drift * 0.15
        let seen = now.tiles.sorted { $0.distance(from: focus) < $1.distance(from: focus) }
        guard drift != .zero else { return (seen, []) }
        let extent = view.visible.last - view.visible.first
        let ahead = pointwiseMin(pointwiseMax(drift * 0.5, -extent), extent)
        let first = pointwiseMin(view.visible.first, view.visible.first + ahead)
        let last = pointwiseMax(view.visible.last, view.visible.last + ahead)
        var later = level.tiles(from: first, to: last, of: image).tiles.filter {
            !now.columns.contains($0.column) || !now.rows.contains($0.row)
        }
        later.sort { $0.distance(from: focus) < $1.distance(from: focus) }
        if !view.isVector, !isSequential {
            let coarse = ZoomLevel(halvings: Int(saturating: -log2(level.scale)) + 2, side: side)
            if !baseSuffices(image, coarse.scale) {
                later += coarse.tiles(from: first - extent / 2, to: last + extent / 2, of: image).tiles
            }
        }
        return (seen, later)
    }

    // MARK: Painting

    /// Returns what to paint: each visible tile, or what covers its place meanwhile.
    package func pieces(for view: ZoomState) -> [ZoomPiece] {
        guard let image = view.image, let level = level(for: view) else { return [] }
        let others = Set(held.keys.map(\.level)).filter { $0 != level && $0.scale <= level.scale * 4 }
            .sorted { nearness($0, level) < nearness($1, level) }
        return visible(level, view, image).tiles.map { tile in
            let area = tile.area(in: image)
            if held[tile] != nil { return ZoomPiece(area: area, tiles: [tile]) }
            for other in others {
                let first = ZoomState.Point(area.x, area.y)
                let last = first + ZoomState.Point(area.size.width, area.size.height)
                let cover = other.tiles(from: first, to: last, of: image).tiles
                if cover.allSatisfy({ held[$0] != nil }) { return ZoomPiece(area: area, tiles: cover) }
            }
            return ZoomPiece(area: area, tiles: [])
        }
    }

    /// Returns how far two levels are apart. Finer ones come before coarser ones.
    private func nearness(_ other: ZoomLevel, _ level: ZoomLevel) -> Double {
        let steps = log2(other.scale / level.scale)
        return steps >= 0 ? steps : 0.5 - steps
    }
}
