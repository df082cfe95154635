import FirnImage
import FirnTesting

@testable import FirnBinding

/// A world around the real `ZoomState` and `ZoomTiles`: gestures, sizes and times in any order, and tiles that arrive
/// at any time, fail, or never come.
struct ZoomWorld: SeededWorld {
    typealias Point = ZoomState.Point

    var random: SeededGenerator
    var view = ZoomState()
    var tiles: ZoomTiles
    var time = 100.0

    // The model.
    var running: Set<ZoomTile> = []
    var held: Set<ZoomTile> = []
    /// Cancelled loads, which may still get a result.
    var late: [ZoomTile] = []
    var failed: Set<ZoomTile> = []
    var problems: [String] = []
    var arrived = 0

    init(seed: UInt64) {
        random = SeededGenerator(seed: seed)
        tiles = ZoomTiles(budget: [6, 24, 96].randomElement(using: &random).map { $0 << 20 } ?? 0)
        tiles.side = [256, 512, 1024].randomElement(using: &random) ?? 512
        view.setRoom(width: 900, height: 700)
        show()
    }

    mutating func step() {
        switch Int.random(in: 0..<24, using: &random) {
        case 0: if Int.random(in: 0..<8, using: &random) == 0 { show() }
        case 1...4: wheel()
        case 5...6: dragOnce()
        case 7: view.turn(by: Int.random(in: -5...5, using: &random))
        case 8:
            view.setRoom(width: .random(in: 0...1_600, using: &random), height: .random(in: 1...1_200, using: &random))
        case 9: view.setCenter(point(5_000))
        case 10: view.fit()
        case 11: view.fly(to: .random(in: 0.0001...30, using: &random), at: point(900), time: time)
        case 12: view.fly(by: point(900), time: time)
        case 13: pinch()
        case 14: tiles.budget = (4 << Int.random(in: 0...5, using: &random)) << 20
        case 15: finishLate()
        case 16...19: if let tile = running.min(by: order) { finish(tile) }
        default: break
        }
        time += .random(in: 0...0.05, using: &random)
        _ = view.advance(to: time)
        update()
        check()
    }

    /// Lets the view stop and all loads end: everything that is visible has to be sharp.
    mutating func drain() {
        view.finish()
        view.setRoom(width: 900, height: 700)
        for round in 0..<500 where problems.isEmpty {
            if round > 20, running.isEmpty, !tiles.isUnsettled(at: time) { break }
            time += 0.02
            update()
            for tile in running.sorted(by: order).prefix(4) { finish(tile, mayFail: false) }
        }
        update()
        if !tiles.isSharp(for: view) { problems.append("not sharp at rest: \(view)") }
        if tiles.isUnsettled(at: time) { problems.append("unsettled at rest") }
        if !running.isEmpty { problems.append("\(running.count) loads at rest") }
        if let level = tiles.level(for: view), tiles.budget >= 96 << 20,
            level.scale < (view.isVector ? view.scale : min(view.scale, 1)) * 0.999
        {
            problems.append("level \(level.scale) at scale \(view.scale)")
        }
        for piece in tiles.pieces(for: view) where piece.tiles.isEmpty {
            guard let image = view.image else { continue }
            if !failed.contains(where: { $0.area(in: image) == piece.area }) { problems.append("a gap at rest") }
        }
    }

    // MARK: Events

    private func order(_ a: ZoomTile, _ b: ZoomTile) -> Bool {
        (a.level.scale, a.row, a.column) < (b.level.scale, b.row, b.column)
    }

    private mutating func point(_ most: Double) -> Point {
        Point(.random(in: -most...most, using: &random), .random(in: -most...most, using: &random))
    }

    private mutating func show() {
        let isVector = Int.random(in: 0..<4, using: &random) == 0
        let sides = isVector ? [24, 640, 3_000] : [1, 700, 4_000, 40_000, 200_000]
        view.clear()
        tiles.clear()
        (running, held, failed, late) = ([], [], [], [])
        let size = PixelSize(
            width: sides.randomElement(using: &random) ?? 1, height: sides.randomElement(using: &random) ?? 1)
        view.setImage(size, isVector: isVector)
        tiles.isTiled = true
        tiles.isSequential = Bool.random(using: &random)
        let shown = view.minimumScale
        tiles.base = PixelSize(
            width: max(1, Int(Double(size.width) * shown)), height: max(1, Int(Double(size.height) * shown)))
    }

    private mutating func wheel() {
        guard view.isReady else { return }
        let place = Point(.random(in: 0...view.room.x, using: &random), .random(in: 0...view.room.y, using: &random))
        let before = view.imagePoint(place)
        let center = view.center
        view.zoom(by: .random(in: 0.5...2, using: &random), at: place)
        let wanted = before - view.imageVector(place - view.room / 2)
        if view.limited(wanted) == wanted, ZoomState.length(view.viewPoint(before) - place) > 0.001 {
            problems.append("the wheel moved the image from \(center) to \(view.center)")
        }
    }

    private mutating func dragOnce() {
        let way = point(400)
        view.beginDrag(at: time)
        for part in 1...4 {
            time += 0.01
            view.drag(to: way * (Double(part) / 4), at: time)
        }
        view.endDrag(at: time)
    }

    private mutating func pinch() {
        view.beginPinch()
        view.pinch(by: .random(in: 0.2...5, using: &random), at: point(900))
        view.endPinch()
    }

    private mutating func finish(_ tile: ZoomTile, mayFail: Bool = true) {
        guard let image = view.image, running.remove(tile) != nil else { return }
        let fails = mayFail && Int.random(in: 0..<20, using: &random) == 0
        let size = tile.size(in: image)
        if tiles.finish(tile, bytes: fails ? nil : size.area * 3) == fails {
            problems.append("the end of a running load was ignored")
        }
        if fails {
            failed.insert(tile)
        } else {
            held.insert(tile)
            arrived += 1
        }
    }

    private mutating func finishLate() {
        guard let tile = late.popLast(), !running.contains(tile) else { return }
        if tiles.finish(tile, bytes: 4) { problems.append("a cancelled tile was kept") }
    }

    private mutating func update() {
        let plan = tiles.plan(for: view, at: time)
        for tile in plan.cancel {
            if running.remove(tile) == nil { problems.append("cancelled \(tile), which does not run") }
            late.append(tile)
        }
        for tile in plan.drop where held.remove(tile) == nil { problems.append("dropped \(tile), which is not there") }
        for tile in plan.load {
            if held.contains(tile) || failed.contains(tile) || !running.insert(tile).inserted {
                problems.append("loaded \(tile) again")
            }
        }
        if tiles.heldBytes + tiles.loadingBytes > tiles.budget { problems.append("beyond the budget") }
    }

    // MARK: Checks

    private func isNear(_ a: Double, _ b: Double) -> Bool { abs(a - b) <= 1e-6 * max(1, abs(a)) }

    private mutating func check() {
        if running.count > ZoomTiles.maximumLoads { problems.append("\(running.count) loads") }
        if held != tiles.tiles { problems.append("other tiles than those that arrived") }
        if running != tiles.loads { problems.append("other loads than those that were started") }
        guard view.isReady, let image = view.image else { return }
        if view.scale < view.minimumScale * 0.999_999 || view.scale > view.maximumScale * 1.000_001 {
            problems.append("scale \(view.scale)")
        }
        let limited = view.limited(view.center)
        if !isNear(limited.x, view.center.x) || !isNear(limited.y, view.center.y) { problems.append("an empty margin") }
        let pieces = tiles.pieces(for: view)
        if !pieces.flatMap(\.tiles).allSatisfy(held.contains) { problems.append("paints what is not there") }
        if !pieces.isEmpty { checkCover(pieces, image) }
    }

    /// Checks that the pieces cover the visible part without overlapping.
    private mutating func checkCover(_ pieces: [ZoomPiece], _ image: PixelSize) {
        let areas = pieces.map(\.area)
        let (left, top) = (areas.map(\.x).min() ?? 0, areas.map(\.y).min() ?? 0)
        let right = areas.map { $0.x + $0.size.width }.max() ?? 0
        let bottom = areas.map { $0.y + $0.size.height }.max() ?? 0
        let sum = areas.reduce(0) { $0 + $1.size.area }
        if sum != (right - left) * (bottom - top) { problems.append("pieces overlap, or leave a gap") }
        let (first, last) = view.visible
        if Double(left) > first.x || Double(top) > first.y || Double(right) < last.x || Double(bottom) < last.y {
            problems.append("pieces do not cover \(first) to \(last)")
        }
    }
}
