/// The layout of a contact sheet, computed from the number of images.
package struct SheetLayout: Sendable {
    /// The width of the page in pixels. Default: 1280, which a browser shows unscaled on most screens.
    static let pageWidth = 1280

    let count: Int
    let columns: Int
    /// The size that an image is fitted into. Decoding at this size saves work.
    package let imageSize: PixelSize
    /// The font of the labels, larger for larger cells.
    let font: LabelFont

    static let margin = 24
    static let gap = 16
    static let padding = 8

    package init(count: Int) {
        self.count = max(1, count)
        // Up to these numbers of images are in 1, 2, 3 and more columns.
        let limits = [1, 4, 9, 20, 40, 90]
        columns = limits.firstIndex { [count] in count <= $0 }.map { $0 + 1 } ?? 8
        let width = (SheetLayout.pageWidth - 2 * SheetLayout.margin - (columns - 1) * SheetLayout.gap) / columns
        let inner = width - 2 * SheetLayout.padding
        imageSize = PixelSize(width: inner, height: inner * 3 / 4)
        font = LabelFont(scale: columns <= 4 ? 2 : 1)
    }

    var rows: Int { (count + columns - 1) / columns }

    var titleHeight: Int { 2 * LabelFont(scale: 2).lineHeight }

    /// The size of a cell: an image and two lines of text.
    var cellSize: PixelSize {
        PixelSize(
            width: imageSize.width + 2 * SheetLayout.padding,
            height: imageSize.height + 3 * SheetLayout.padding + 2 * font.lineHeight)
    }

    var pageSize: PixelSize {
        PixelSize(
            width: SheetLayout.pageWidth,
            height: 2 * SheetLayout.margin + titleHeight + rows * cellSize.height + (rows - 1) * SheetLayout.gap)
    }

    /// Returns the rectangle of the cell at an index, row by row.
    func cell(_ index: Int) -> PixelArea {
        let (row, column) = index.quotientAndRemainder(dividingBy: columns)
        return PixelArea(
            x: SheetLayout.margin + column * (cellSize.width + SheetLayout.gap),
            y: SheetLayout.margin + titleHeight + row * (cellSize.height + SheetLayout.gap), size: cellSize)
    }
}
