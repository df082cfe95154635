#if GTK
import Firn

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
