package import FirnImage

/// The part of an image that a zoomable view shows: scale, center and quarter turns. A value: the input is gestures,
/// sizes and times, the output is positions.
///
/// Lengths of the view are pixels of the screen, lengths of the image are pixels of the upright image at full size.
///
/// Invariants: the scale is between ``minimumScale`` and ``maximumScale``. Along a side on which the image is larger
/// than the view there is no empty margin; along the others the image is centered.
package struct ZoomState: Equatable, Sendable {
    package typealias Point = SIMD2<Double>

    /// The size of the image; `nil` before it is known.
    package private(set) var image: PixelSize?
    /// True if the image is rendered anew at each scale.
    package private(set) var isVector = false
    /// The size of the view.
    package private(set) var room = Point.zero
    /// The clockwise quarter turns, 0 to 3.
    package private(set) var turns = 0
    /// The pixels of the screen for each pixel of the image.
    package private(set) var scale = 1.0
    /// The point of the image in the middle of the view.
    package private(set) var center = Point.zero
    /// True if the scale follows the size of the view.
    package private(set) var isFitted = true
    /// The largest scale that was set. A larger one applies where the whole image needs it.
    package var requestedMaximum = 16.0 { didSet { limit() } }
    var motion = Motion.none
    var drag: Drag?
    var pinchScale: Double?

    package init() {}

    // MARK: The image and the view

    /// Records the size of the image, which shows the whole of it unless it has the size of the former one.
    package mutating func setImage(_ size: PixelSize, isVector: Bool) {
        guard !size.isEmpty, size != image || isVector != self.isVector else { return }
        image = size
        self.isVector = isVector
        isFitted = true
        limit()
    }

    /// Forgets the image and its turns.
    package mutating func clear() {
        let former = self
        self = ZoomState()
        (room, requestedMaximum) = (former.room, former.requestedMaximum)
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

    /// The scale at which the whole image is visible. An image of pixels is not enlarged for it.
    package var minimumScale: Double {
        guard isReady else { return 1 }
        let whole = (turnedRoom / imageSize).min()
        return isVector ? whole : min(whole, 1)
    }

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

    /// Returns a distance in the view as a distance in the image.
    package func imageVector(_ vector: Point) -> Point { unturned(vector) / scale }

    /// Returns a distance along the sides of the view as one along those of the image.
    package func unturned(_ vector: Point) -> Point { ZoomState.turned(vector, -turns) }

    /// Returns the point of the image that is shown at a point of the view.
    package func imagePoint(_ point: Point) -> Point { center + imageVector(point - room / 2) }

    /// Returns the point of the view that shows a point of the image.
    package func viewPoint(_ point: Point) -> Point { room / 2 + ZoomState.turned((point - center) * scale, turns) }

    /// The place of the image's first corner in the view, in whole pixels, so that pixels at scale 1 are not resampled.
    package var origin: Point { viewPoint(.zero).rounded(.toNearestOrAwayFromZero) }

    /// The part of the image that the view shows, as its first and last corner.
    package var visible: (first: Point, last: Point) {
        let half = turnedRoom / (2 * scale)
        return (
            pointwiseMax(center - half, .zero), pointwiseMin(center + half, imageSize)
        )
    }

    // MARK: Changes

    /// Changes the scale. The point of the image at `point` of the view stays there, as far as the image's edges allow.
    package mutating func zoom(to new: Double, at point: Point) {
        guard isReady, new.isFinite, new > 0 else { return }
        let kept = imagePoint(point)
        scale = min(max(new, minimumScale), maximumScale)
        isFitted = scale <= minimumScale * 1.0001
        center = kept - imageVector(point - room / 2)
        limit()
    }

    /// Multiplies the scale. The point of the image at `point` of the view, or in its middle, stays there.
    package mutating func zoom(by factor: Double, at point: Point?) { zoom(to: scale * factor, at: point ?? room / 2) }

    /// Shows the whole image, and follows the size of the view from then on.
    package mutating func fit() {
        isFitted = true
        limit()
    }

    /// Moves a point of the image to the middle of the view, as far as the image's edges allow.
    package mutating func setCenter(_ point: Point) {
        guard point.x.isFinite, point.y.isFinite else { return }
        center = point
        limit()
    }

    /// Turns the image clockwise by quarters. The point in the middle of the view stays there.
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

    /// Returns the nearest center at which no margin is empty.
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
