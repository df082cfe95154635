import FirnSync
import FirnSystem

/// Decides which tiles of an image a zoomable view loads, keeps and paints. A value: takes the position of the view and
/// the ends of loads, and returns loads to start, tiles to evict, and pieces to paint.
///
/// Visible tiles are loaded first, nearest to the middle first, then tiles in the direction of movement and a coarser
/// level around them. Loads that are no longer wanted are cancelled. Tiles are kept up to three times the memory of the
/// visible ones, or a quarter of the budget if that is more. The least recently seen are evicted first.
///
/// Invariants: after each ``plan(for:at:)``, held and loading tiles take at most ``budget`` bytes, counting four bytes
/// per pixel while they load. No tile is both held and loading. If a level's visible tiles take more than three
/// quarters of the budget, the next coarser level is loaded instead.
package struct ZoomTiles: Sendable {
    package struct Plan: Equatable, Sendable {
        /// The tiles to load, most urgent first.
        package var load: [ZoomTile] = []
        package var cancel: [ZoomTile] = []
        package var drop: [ZoomTile] = []
        /// The visible tiles. Others are loaded ahead.
        package var seen: Set<ZoomTile> = []
    }

    private struct Held {
        let bytes: Int
        var seen: Int
    }

    package var budget: Int
    /// The maximum columns and rows of a tile.
    package var side = 512
    /// True if decoding a region takes as much work as the whole image. Each level is then a single tile if it fits.
    package var isSequential = false
    /// The size of the loaded whole image; `nil` if it is not loaded.
    package var base: PixelSize?
    /// True to load tiles. If false, only the whole image is shown.
    package var isTiled = false
    static let maximumLoads = 8
    /// The time for which a vector image keeps its tile scale while the scale of the view changes, in seconds.
    static let rest = 0.12

    private var held: [ZoomTile: Held] = [:]
    private var loading: [ZoomTile: Int] = [:]
    private var failed: Set<ZoomTile> = []
    private var turn = 0
    /// The level of a vector image.
    private var rendered: ZoomLevel?
    private var former: (center: ZoomState.Point, scale: Double, time: Double)?
    private var scaled = -Double.infinity
    /// The movement of the visible part, in image pixels per second.
    private var drift = ZoomState.Point.zero

    package init(budget: Int) { self.budget = max(0, budget) }

    package var heldBytes: Int { held.values.reduce(0) { $0.saturatingAdd($1.bytes) } }
    /// The maximum bytes of the running loads.
    var loadingBytes: Int { loading.values.reduce(0) { $0.saturatingAdd($1) } }
    package var loads: Set<ZoomTile> { Set(loading.keys) }
    package var tiles: Set<ZoomTile> { Set(held.keys) }

    /// Removes all tiles for a new image. The caller must cancel their loads.
    package mutating func clear() {
        self = ZoomTiles(budget: budget)
    }

    // MARK: The level

    /// Returns the level that is sharp at the view's scale; `nil` if the whole image is just as sharp.
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

    /// The share of the budget that visible tiles may take.
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

    /// Returns whether the position has just changed, so that a later plan may differ.
    package func isUnsettled(at time: Double) -> Bool {
        drift != .zero || time - scaled < ZoomTiles.rest || (rendered != nil && rendered?.scale != former?.scale)
    }

    /// Returns whether every visible tile is loaded or cannot be loaded.
    package func isSharp(for view: ZoomState) -> Bool {
        guard let image = view.image, let level = level(for: view) else { return base != nil }
        return visible(level, view, image).tiles.allSatisfy { held[$0] != nil || failed.contains($0) }
    }

    /// Returns the loads to start and to cancel, and the tiles to evict, for a position of the view.
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
        // Tiles are kept as far as they fit, most urgent first.
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
    /// - Parameter bytes: the size of the tile; `nil` if it cannot be loaded.
    /// - Returns: whether to keep the tile; false if it is no longer wanted.
    package mutating func finish(_ tile: ZoomTile, bytes: Int?) -> Bool {
        guard loading.removeValue(forKey: tile) != nil else { return false }
        if let bytes { held[tile] = Held(bytes: max(0, bytes), seen: turn) } else { failed.insert(tile) }
        return bytes != nil
    }

    /// Records that all loads were cancelled. Their tiles may be loaded again.
    package mutating func cancelLoads() { loading = [:] }

    /// Returns the bytes that tiles may take while `seen` are visible.
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

    /// Records the position and estimates its movement.
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

    /// Returns the visible tiles and the tiles that may soon be visible.
    private func wanted(_ view: ZoomState, _ image: PixelSize) -> (seen: [ZoomTile], later: [ZoomTile]) {
        guard let level = level(for: view) else { return ([], []) }
        let now = visible(level, view, image)
        // The expected position when a load that starts now ends.
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

    /// Returns the pieces to paint: each visible tile, or a substitute until it is loaded.
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

    /// Returns the distance between two levels; finer levels come before coarser ones.
    private func nearness(_ other: ZoomLevel, _ level: ZoomLevel) -> Double {
        let steps = log2(other.scale / level.scale)
        return steps >= 0 ? steps : 0.5 - steps
    }
}
