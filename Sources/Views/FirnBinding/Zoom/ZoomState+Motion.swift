import FirnSystem

// Movements over time: drags, momentum, pinches, and flights to another position or scale.
extension ZoomState {
    /// A movement that continues by itself. Times are seconds of a monotonic clock.
    enum Motion: Equatable, Sendable {
        case none
        /// Momentum after a drag, in screen pixels per second.
        case coasting(velocity: Point, time: Double)
        /// A change of the scale that keeps a point of the view.
        case zooming(from: Double, to: Double, at: Point, start: Double)
        /// A change of the center.
        case panning(from: Point, to: Point, start: Double)
    }

    struct Drag: Equatable, Sendable {
        /// The center at the start of the drag.
        let center: Point
        /// The latest distances from its start with their times, oldest first.
        var path: [Step]

        struct Step: Equatable, Sendable {
            let offset: Point
            let time: Double
        }
    }

    /// The duration of a flight, in seconds.
    private static let flight = 0.2
    /// The time by which a flight is ahead, in seconds, so that the first frame after a key press shows progress.
    private static let lead = 1.0 / 60
    /// The time in which momentum falls to 1/e, in seconds; GTK's default for scrolled windows.
    private static let decay = 0.325
    /// The slowest momentum, in pixels per second.
    private static let slowest = 20.0
    /// The slowest drag that becomes momentum.
    private static let slowestThrow = 120.0
    /// The last part of a drag that determines its momentum, in seconds.
    private static let throwTime = 0.1

    package var isMoving: Bool { motion != .none }

    package mutating func stop() { motion = .none }

    // MARK: Gestures

    /// Starts a drag, which stops any movement.
    package mutating func beginDrag(at time: Double) {
        motion = .none
        drag = Drag(center: center, path: [Drag.Step(offset: .zero, time: time)])
    }

    /// Moves the image by the distance of the pointer from the start of the drag.
    package mutating func drag(to offset: Point, at time: Double) {
        guard var current = drag else { return }
        current.path.removeAll { time - $0.time > ZoomState.throwTime }
        current.path.append(Drag.Step(offset: offset, time: time))
        drag = current
        setCenter(current.center - imageVector(offset))
    }

    /// Ends the drag. A fast drag continues as momentum.
    package mutating func endDrag(at time: Double) {
        guard let path = drag?.path else { return }
        drag = nil
        guard let first = path.first(where: { time - $0.time <= ZoomState.throwTime }), let last = path.last,
            last.time > first.time
        else { return }
        let velocity = (last.offset - first.offset) / (last.time - first.time)
        if ZoomState.length(velocity) >= ZoomState.slowestThrow {
            motion = .coasting(velocity: velocity, time: time)
        }
    }

    /// Starts momentum, in screen pixels per second.
    package mutating func coast(_ velocity: Point, time: Double) {
        motion = ZoomState.length(velocity) > ZoomState.slowest ? .coasting(velocity: velocity, time: time) : .none
    }

    package var isDragged: Bool { drag != nil }

    /// Starts a pinch, which ends drags and movements.
    package mutating func beginPinch() {
        (motion, drag, pinchScale) = (.none, nil, scale)
    }

    /// Sets the scale to `factor` times the scale at the start of the pinch, which is this call without an earlier one.
    package mutating func pinch(by factor: Double, at point: Point) {
        if pinchScale == nil { beginPinch() }
        if let pinchScale { zoom(to: pinchScale * factor, at: point) }
    }

    package mutating func endPinch() { pinchScale = nil }

    // MARK: Flights

    /// Starts a change of the scale over several frames.
    package mutating func fly(to new: Double, at point: Point, time: Double) {
        guard isReady, new.isFinite, new > 0 else { return }
        let end = min(max(new, minimumScale), maximumScale)
        motion = .zooming(from: scale, to: end, at: point, start: time - ZoomState.lead)
    }

    /// Starts to move the image over several frames, by a distance in the view.
    ///
    /// Another call extends a flight in progress, so that a repeated key moves by its whole distance.
    package mutating func fly(by distance: Point, time: Double) {
        guard isReady else { return }
        var target = center
        if case .panning(_, let end, _) = motion { target = end }
        let end = limited(target + imageVector(distance))
        motion = .panning(from: center, to: end, start: time - ZoomState.lead)
    }

    /// The scale at the end of the movement.
    package var finalScale: Double {
        if case .zooming(_, let end, _, _) = motion { end } else { scale }
    }

    /// Moves to the position at `time`.
    ///
    /// - Returns: whether the view has changed.
    package mutating func advance(to time: Double) -> Bool {
        let (formerCenter, formerScale) = (center, scale)
        switch motion {
        case .none: return false
        case .coasting(let velocity, let former): coast(velocity, max(0, time - former), time)
        case .zooming(let from, let to, let point, let start):
            let part = ZoomState.eased(time - start)
            zoom(to: part < 1 ? from * pow(to / from, part) : to, at: point)
            if part >= 1 { motion = .none }
        case .panning(let from, let to, let start):
            let part = ZoomState.eased(time - start)
            setCenter(from + (to - from) * part)
            if part >= 1 { motion = .none }
        }
        return center != formerCenter || scale != formerScale
    }

    /// Ends the movement at its target at once.
    package mutating func finish() {
        switch motion {
        case .none, .coasting: motion = .none
        case .zooming(_, _, _, let start), .panning(_, _, let start): _ = advance(to: start + ZoomState.flight)
        }
    }

    private mutating func coast(_ velocity: Point, _ elapsed: Double, _ time: Double) {
        let rest = exp(-elapsed / ZoomState.decay)
        let wanted = center - imageVector(velocity * (ZoomState.decay * (1 - rest)))
        setCenter(wanted)
        // Stops along a side on which the image's edge is reached.
        let missed = wanted - center
        let slower = velocity * rest
        var along = imageVector(slower) * scale
        if missed.x != 0 { along.x = 0 }
        if missed.y != 0 { along.y = 0 }
        if ZoomState.length(along) < ZoomState.slowest { return motion = .none }
        motion = .coasting(velocity: missed == .zero ? slower : viewVector(along), time: time)
    }

    /// Converts a distance along the image's sides, in screen pixels, to a distance along the view's sides.
    private func viewVector(_ vector: Point) -> Point { viewPoint(center + vector / scale) - room / 2 }

    /// Returns the completed part of a flight: fast at first, slow at the end.
    private static func eased(_ elapsed: Double) -> Double {
        let left = 1 - min(max(elapsed / flight, 0), 1)
        return 1 - left * left * left
    }

    static func length(_ vector: Point) -> Double { (vector * vector).sum().squareRoot() }
}
