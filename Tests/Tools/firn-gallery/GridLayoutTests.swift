#if GTK
import Firn
import Testing

@testable import firn_gallery

/// Tests the places of images and headings in the gallery's grid, and the edges of its images.
@Suite struct GridLayoutTests {
    private static let worlds: [[Int]] = [[1], [3], [4], [1, 1], [3, 1, 7], [5, 6, 4, 1]]

    private static func layout(_ counts: [Int], columns: Int) -> GridLayout {
        let sections = counts.enumerated().map { MonthSection(month: $0.offset, count: $0.element) }
        return GridLayout(sections: sections, count: 0, columns: columns)
    }

    @Test(arguments: worlds, 1...5)
    func `Each image has one cell, in order, and each month one heading before its images`(
        _ counts: [Int], columns: Int
    ) {
        let layout = GridLayoutTests.layout(counts, columns: columns)
        #expect(layout.count % columns == 0)
        let slots = (0..<layout.count).map { layout.slot($0) }
        var (images, months): ([Int], [Int]) = ([], [])
        for (position, slot) in slots.enumerated() {
            switch slot {
            case .image(let image):
                images.append(image)
                #expect(layout.position(of: image) == position)
                #expect(images.count <= counts.prefix(months.count).reduce(0, +))
            case .heading(let month):
                months.append(month)
                #expect(position % columns == 0)
            case .empty: break
            }
        }
        #expect(images == Array(0..<counts.reduce(0, +)))
        #expect(months == Array(counts.indices))
    }

    @Test(arguments: worlds, 1...5)
    func `Steps reach every image, and none leaves the list`(_ counts: [Int], columns: Int) {
        let layout = GridLayoutTests.layout(counts, columns: columns)
        let all = 0..<counts.reduce(0, +)
        for image in all {
            #expect(layout.step(from: image, columns: 1) == min(image + 1, all.upperBound - 1))
            #expect(layout.step(from: image, columns: -1) == max(image - 1, 0))
            let down = layout.step(from: image, rows: 1)
            #expect(all.contains(down))
            // A step down is one row of images further, or there is none below.
            let isLast = layout.position(of: all.upperBound - 1) / columns == layout.position(of: image) / columns
            #expect(isLast ? down == image : down > image && down - image <= 2 * columns)
            #expect(all.contains(layout.step(from: image, rows: -3)))
        }
        #expect(layout.step(from: 0, rows: 100) >= all.upperBound - columns)
    }

    @Test func `Without headings a cell is an image`() {
        let layout = GridLayout(count: 7, columns: 3)
        #expect((0..<7).allSatisfy { layout.image($0) == $0 && layout.position(of: $0) == $0 })
        #expect(layout.image(7) == nil)
        #expect(layout.step(from: 1, rows: 1) == 4)
        #expect(layout.step(from: 5, rows: 1) == 6)
    }

    @Test func `An offset is in the row whose height it falls into`() {
        let layout = GridLayoutTests.layout([3, 1], columns: 2)
        // A heading, two rows of images, a heading, a row.
        let tops = [0.0, 40, 240, 440, 480]
        for (row, top) in tops.enumerated() {
            #expect(layout.row(at: top, heading: 40, image: 200) == Double(row))
        }
        #expect(layout.row(at: 340, heading: 40, image: 200) == 2.5)
        #expect(layout.row(at: 460, heading: 40, image: 200) == 3.5)
    }

    @MainActor
    @Test(arguments: [(0, true), (50, true), (51, false), (128, false), (224, false), (225, true), (255, true)])
    func `An image has an edge if its border is as light or as dark as a window`(_ value: Int, isHidden: Bool) throws {
        for format in [PixelFormat.rgb8, .bgra8Premultiplied] {
            let length = format.bytesPerPixel
            // The border of the square in the middle, which a cell shows, has the value; all else is of another one.
            let image = try Bitmap(size: PixelSize(width: 40, height: 20), format: format, isOpaque: true) { pixels in
                for y in 0..<20 {
                    let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
                    for x in 0..<40 {
                        let isBorder = (10..<30).contains(x) && (x == 10 || x == 29 || y == 0 || y == 19)
                        for part in 0..<length { row[x * length + part] = isBorder ? UInt8(value) : 128 }
                    }
                }
            }
            #expect(GridCell.isHidden(image) == isHidden)
            #expect(try GridCell.isHidden(Bitmap(size: PixelSize(1), format: format) { _ in }))
        }
    }
}
#endif
