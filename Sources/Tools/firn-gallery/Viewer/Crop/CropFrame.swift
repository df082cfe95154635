#if GTK
import Firn

/// The rectangle of a crop as it is drawn and adjusted. A value: the input is points and distances of the view.
struct CropFrame: Equatable {
    private(set) var left, top, right, bottom: Double

    /// The sides that a drag moves; all of them move the whole rectangle.
    struct Sides: OptionSet {
        let rawValue: Int
        static let (left, right) = (Sides(rawValue: 1), Sides(rawValue: 2))
        static let (top, bottom) = (Sides(rawValue: 4), Sides(rawValue: 8))
        static let all: Sides = [.left, .right, .top, .bottom]
    }

    /// Creates the rectangle between two corners, in any order.
    init(_ a: (x: Double, y: Double), _ b: (x: Double, y: Double)) {
        (left, top, right, bottom) = (min(a.x, b.x), min(a.y, b.y), max(a.x, b.x), max(a.y, b.y))
    }

    var width: Double { right - left }
    var height: Double { bottom - top }

    /// Returns the sides that a press at a point takes hold of; none outside of the rectangle.
    ///
    /// - Parameter reach: the distance at which a side is taken.
    func sides(at x: Double, _ y: Double, reach: Double) -> Sides {
        guard x > left - reach, x < right + reach, y > top - reach, y < bottom + reach else { return [] }
        func side(_ value: Double, _ low: Double, _ high: Double, _ first: Sides, _ last: Sides) -> Sides {
            let (near, far) = (abs(value - low), abs(value - high))
            // The middle of a small rectangle moves it, too.
            let limit = value > low && value < high ? min(reach, (high - low) / 3) : reach
            return min(near, far) > limit ? [] : near < far ? first : last
        }
        let found = side(x, left, right, .left, .right).union(side(y, top, bottom, .top, .bottom))
        return found.isEmpty ? .all : found
    }

    /// Returns the rectangle with sides moved by a distance, inside of another one and no smaller than a length.
    func moved(_ sides: Sides, by x: Double, _ y: Double, in room: CropFrame, least: Double) -> CropFrame {
        func axis(
            _ low: Double, _ high: Double, _ step: Double, _ moves: (low: Bool, high: Bool), _ first: Double,
            _ last: Double
        ) -> (Double, Double) {
            let least = min(least, last - first)
            switch moves {
            case (true, true):
                let step = max(first - low, min(last - high, step))
                return (low + step, high + step)
            case (true, false): return (max(first, min(high - least, low + step)), high)
            case (false, true): return (low, min(last, max(low + least, high + step)))
            case (false, false): return (low, high)
            }
        }
        var frame = self
        (frame.left, frame.right) = axis(
            left, right, x, (sides.contains(.left), sides.contains(.right)), room.left, room.right)
        (frame.top, frame.bottom) = axis(
            top, bottom, y, (sides.contains(.top), sides.contains(.bottom)), room.top, room.bottom)
        return frame
    }

    /// Returns the part of the rectangle that is inside of another one; `nil` if there is none.
    func clipped(to room: CropFrame) -> CropFrame? {
        var frame = self
        (frame.left, frame.right) = (max(left, room.left), min(right, room.right))
        (frame.top, frame.bottom) = (max(top, room.top), min(bottom, room.bottom))
        return frame.width > 0 && frame.height > 0 ? frame : nil
    }

    /// Returns the rectangle without a share of its sides.
    func inset(_ share: Double) -> CropFrame {
        CropFrame(
            (left + width * share, top + height * share), (right - width * share, bottom - height * share))
    }
}

/// A part of an image in its pixels, which can be saved as a file of its own.
struct ImagePart: Equatable {
    var x, y, width, height: Int

    /// Creates the part with every pixel that is at least partly between two corners; `nil` if there is none.
    init?(of image: PixelSize, from first: (x: Double, y: Double), to last: (x: Double, y: Double)) {
        func pixels(_ side: Int, _ a: Double, _ b: Double) -> Range<Int>? {
            guard a.isFinite, b.isFinite else { return nil }
            func pixel(_ value: Double) -> Int { Int(max(0, min(Double(side), value))) }
            let (start, end) = (pixel(min(a, b).rounded(.down)), pixel(max(a, b).rounded(.up)))
            return start < end ? start..<end : nil
        }
        guard let columns = pixels(image.width, first.x, last.x), let rows = pixels(image.height, first.y, last.y)
        else { return nil }
        (x, y, width, height) = (columns.lowerBound, rows.lowerBound, columns.count, rows.count)
    }

    /// Returns the path of a new file beside another one: of its format if that can be written, and otherwise PNG.
    ///
    /// - Parameter isTaken: whether there is a file at a path.
    static func path(beside path: String, isTaken: (String) -> Bool) -> String? {
        let (folder, name) = PathText.split(path)
        let stem = folder + PathText.stem(name)
        let own = String(path.dropFirst(stem.count + 1))
        let ending = ImageEncoders.formats.contains(ImageFormat(ending: own)) ? own : "png"
        return (1...10_000).lazy.map { $0 == 1 ? "\(stem)-part.\(ending)" : "\(stem)-part-\($0).\(ending)" }
            .first { !isTaken($0) }
    }
}
#endif
