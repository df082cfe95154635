/// The part of an image that a zoomable view shows: scale, center and quarter turns. A value: takes gestures, sizes and
/// times, and returns positions.
///
/// View lengths are in screen pixels; image lengths are in pixels of the upright image at full size.
///
/// Invariants: the scale is between ``minimumScale`` and ``maximumScale``. Along a side on which the image is larger
/// than the view, there is no empty margin; along other sides, the image is centered.
package struct ZoomState: Equatable, Sendable {
    package typealias Point = SIMD2<Double>

    /// The size of the image; `nil` before it is known.
    package private(set) var image: PixelSize?
    /// True if the image is rendered again at each scale.
    package private(set) var isVector = false
    /// The size of the view.
    package private(set) var room = Point.zero
    /// The clockwise quarter turns, 0 to 3.
    package private(set) var turns = 0
    /// The number of screen pixels per image pixel.
    package private(set) var scale = 1.0
    /// The point of the image in the middle of the view.
    package private(set) var center = Point.zero
    /// True if the scale follows the size of the view.
    package private(set) var isFitted = true
    /// The requested maximum scale. A larger maximum applies if the whole image needs it.
    package var requestedMaximum = 16.0 { didSet { limit() } }
    /// True if the next image is shown at the scale and place of this one, unless the whole image is shown.
    package var keepsPosition = false
    /// The scale of the former image, and its center in shares of its sides; `nil` for the whole image.
    private var kept: Kept?
    var motion = Motion.none
    var drag: Drag?
    var pinchScale: Double?

    private struct Kept: Equatable, Sendable {
        let scale: Double
        let center: Point
    }

    package init() {}

    // MARK: The image and the view

    /// Records the size of the image, and shows the whole image unless its size is unchanged.
    package mutating func setImage(_ size: PixelSize, isVector: Bool) {
        guard !size.isEmpty, size != image || isVector != self.isVector else { return }
        image = size
        self.isVector = isVector
        isFitted = kept == nil
        if let kept { (scale, center) = (kept.scale, kept.center * imageSize) }
        kept = nil
        limit()
        if isReady, scale <= minimumScale { isFitted = true }
    }

    /// Removes the image and its turns.
    package mutating func clear() {
        let former = self
        self = ZoomState()
        (room, requestedMaximum, keepsPosition) = (former.room, former.requestedMaximum, former.keepsPosition)
        guard keepsPosition else { return }
        if !former.isReady {
            kept = former.kept
        } else if !former.isFitted {
            kept = Kept(scale: former.scale, center: former.center / former.imageSize)
        }
    }

    package mutating func setRoom(width: Int, height: Int) {
        room = Point(width, height)
        limit()
    }

    private var imageSize: Point { image.map { Point($0.width, $0.height) } ?? .zero }

    /// True if there is an image and a view to show it in.
    package var isReady: Bool { image != nil && room.x > 0 && room.y > 0 }

    /// The size of the view along the sides of the image.
    private var turnedRoom: Point { turns & 1 == 0 ? room : Point(room.y, room.x) }

    /// The length to which smaller images of pixels are enlarged, so that an image of one pixel is visible.
    private static let leastSide = 16.0

    /// The scale at which the whole image is visible. For an image of pixels at most 1, except for tiny ones, which are
    /// enlarged by a whole number.
    package var minimumScale: Double {
        guard isReady else { return 1 }
        let whole = (turnedRoom / imageSize).min()
        return isVector ? whole : min(whole, max(1, (ZoomState.leastSide / imageSize.max()).rounded(.down)))
    }

    /// The scale at which the image covers the whole view.
    package var fillingScale: Double { isReady ? (turnedRoom / imageSize).max() : 1 }

    package var maximumScale: Double {
        let needed = minimumScale
        return max(requestedMaximum, isVector ? needed * 8 : needed)
    }

    // MARK: Positions

    /// Returns a vector after clockwise quarter turns.
    private static func turned(_ vector: Point, _ turns: Int) -> Point {
        switch turns & 3 {
        case 1: Point(-vector.y, vector.x)
        case 2: -vector
        case 3: Point(vector.y, -vector.x)
        default: vector
        }
    }

    /// Converts a distance in the view to a distance in the image.
    package func imageVector(_ vector: Point) -> Point { unturned(vector) / scale }

    /// Converts a distance along the view's sides to a distance along the image's sides.
    package func unturned(_ vector: Point) -> Point { ZoomState.turned(vector, -turns) }

    /// Returns the image point that is shown at a view point.
    package func imagePoint(_ point: Point) -> Point { center + imageVector(point - room / 2) }

    /// Returns the view point that shows an image point.
    package func viewPoint(_ point: Point) -> Point { room / 2 + ZoomState.turned((point - center) * scale, turns) }

    /// The position of the image's first corner in the view, in whole pixels, so that pixels at scale 1 are not
    /// resampled.
    package var origin: Point { viewPoint(.zero).rounded(.toNearestOrAwayFromZero) }

    /// The visible part of the image, as its first and last corner.
    package var visible: (first: Point, last: Point) {
        let half = turnedRoom / (2 * scale)
        return (
            pointwiseMax(center - half, .zero), pointwiseMin(center + half, imageSize)
        )
    }

    // MARK: Changes

    /// Changes the scale. The image point at view point `point` stays there, as far as the image's edges allow.
    package mutating func zoom(to new: Double, at point: Point) {
        guard isReady, new.isFinite, new > 0 else { return }
        let kept = imagePoint(point)
        scale = min(max(new, minimumScale), maximumScale)
        isFitted = scale <= minimumScale * 1.0001
        center = kept - imageVector(point - room / 2)
        limit()
    }

    /// Multiplies the scale. The image point at view point `point`, or in the middle, stays there.
    package mutating func zoom(by factor: Double, at point: Point?) { zoom(to: scale * factor, at: point ?? room / 2) }

    /// Shows the whole image and follows the size of the view from now on.
    package mutating func fit() {
        isFitted = true
        limit()
    }

    /// Moves an image point to the middle of the view, as far as the image's edges allow.
    package mutating func setCenter(_ point: Point) {
        guard point.x.isFinite, point.y.isFinite else { return }
        center = point
        limit()
    }

    /// Rotates the image clockwise by quarter turns. The point in the middle of the view stays there.
    package mutating func turn(by quarters: Int) {
        turns = (turns + quarters & 3) & 3
        limit()
    }

    /// True if the image is larger than the view along at least one side.
    package var canPan: Bool {
        guard isReady else { return false }
        let shown = imageSize * scale
        return shown.x > turnedRoom.x + 0.5 || shown.y > turnedRoom.y + 0.5
    }

    /// Returns the nearest center without an empty margin.
    func limited(_ center: Point) -> Point {
        let half = turnedRoom / (2 * scale)
        func side(_ value: Double, _ half: Double, _ length: Double) -> Double {
            half * 2 >= length ? length / 2 : min(max(value, half), length - half)
        }
        return Point(side(center.x, half.x, imageSize.x), side(center.y, half.y, imageSize.y))
    }

    private mutating func limit() {
        guard isReady else { return }
        scale = isFitted ? minimumScale : min(max(scale, minimumScale), maximumScale)
        center = limited(center)
    }
}

extension ZoomState.Point {
    package init(_ x: Int, _ y: Int) { self.init(Double(x), Double(y)) }
}
