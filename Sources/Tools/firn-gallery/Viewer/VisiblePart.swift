#if GTK
import Firn

/// The part of an image that a zoomed viewer shows, which can be saved as a file of its own.
struct VisiblePart: Equatable {
    let x, y, width, height: Int

    /// - Parameters:
    ///   - image: the size of the whole image.
    ///   - across: the first visible position, the visible length and the whole length, in any unit.
    ///   - along: the same, down.
    init?(
        of image: PixelSize, across: (start: Double, page: Double, all: Double),
        along: (start: Double, page: Double, all: Double)
    ) {
        func pixels(_ side: Int, _ part: (start: Double, page: Double, all: Double)) -> Range<Int>? {
            guard part.all > 0, part.page > 0, side > 0, part.start.isFinite else { return nil }
            let first = max(0, min(1, part.start / part.all)) * Double(side)
            let last = max(0, min(1, (part.start + part.page) / part.all)) * Double(side)
            let range = Int(first.rounded(.down))..<max(Int(first.rounded(.down)), Int(last.rounded(.up)))
            return range.isEmpty ? nil : range
        }
        guard let columns = pixels(image.width, across), let rows = pixels(image.height, along) else { return nil }
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
