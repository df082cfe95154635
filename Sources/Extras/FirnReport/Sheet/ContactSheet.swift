/// A labeled grid of images on one page, which gives an overview of a batch.
package enum ContactSheet {
    package enum Content: Sendable {
        /// An image, no larger than the layout's `imageSize`.
        case image(Bitmap)
        case failure(String)
    }

    package struct Cell: Sendable {
        /// The first line, shortened in the middle if it is too long.
        package var label: String
        /// The second line, in a muted color.
        package var detail: String
        package var content: Content

        package init(label: String, detail: String, content: Content) {
            self.label = label
            self.detail = detail
            self.content = content
        }
    }

    private static let page = SRGBColor(0x1D_1F22)
    private static let card = SRGBColor(0x2A_2D31)
    private static let well = SRGBColor(0x17_191B)
    private static let ink = SRGBColor(0xEC_ECEC)
    private static let quiet = SRGBColor(0x9C_A3AA)
    private static let alarm = SRGBColor(0xE0_7A6A)

    /// Draws the page with its cells row by row.
    ///
    /// - Throws: `ImageError` if there is no memory for it.
    package static func draw(title: String, cells: [Cell]) throws -> Bitmap {
        let layout = SheetLayout(count: cells.count)
        return try Canvas.draw(layout.pageSize) { canvas in
            canvas.fill(PixelArea(canvas.size), ContactSheet.page)
            let heading = LabelFont(scale: 2)
            let width = SheetLayout.pageWidth - 2 * SheetLayout.margin
            let text = ShortenedText.middle(title) { heading.width(of: $0) <= width }
            heading.draw(text, x: SheetLayout.margin, y: SheetLayout.margin, ContactSheet.ink, on: canvas)
            for (index, cell) in cells.enumerated() {
                draw(cell, in: layout.cell(index), layout, on: canvas)
            }
        }
    }

    private static func draw(_ cell: Cell, in area: PixelArea, _ layout: SheetLayout, on canvas: borrowing Canvas) {
        canvas.fill(area, ContactSheet.card)
        let image = PixelArea(
            x: area.x + SheetLayout.padding, y: area.y + SheetLayout.padding, size: layout.imageSize)
        canvas.fill(image, ContactSheet.well)
        switch cell.content {
        case .image(let bitmap):
            canvas.draw(
                bitmap, x: image.x + (image.size.width - bitmap.size.width) / 2,
                y: image.y + (image.size.height - bitmap.size.height) / 2)
        case .failure(let reason): draw(reason, in: image, layout.font, on: canvas)
        }
        let font = layout.font
        let top = image.y + image.size.height + SheetLayout.padding
        let lines = [(cell.label, ContactSheet.ink), (cell.detail, ContactSheet.quiet)]
        for (line, (text, color)) in lines.enumerated() {
            let shown = ShortenedText.middle(text) { font.width(of: $0) <= image.size.width }
            font.draw(shown, x: image.x, y: top + line * font.lineHeight, color, on: canvas)
        }
    }

    private static func draw(_ reason: String, in area: PixelArea, _ font: LabelFont, on canvas: borrowing Canvas) {
        canvas.fill(area, ContactSheet.alarm)
        let inner = PixelSize(width: area.size.width - 2, height: area.size.height - 2)
        canvas.fill(PixelArea(x: area.x + 1, y: area.y + 1, size: inner), ContactSheet.well)
        let limit = max(1, (area.size.height - 2 * SheetLayout.padding) / font.lineHeight)
        let lines = font.wrapped(reason, width: area.size.width - 2 * SheetLayout.padding, limit: limit)
        let top = area.y + (area.size.height - lines.count * font.lineHeight) / 2
        for (index, line) in lines.enumerated() {
            let x = area.x + (area.size.width - font.width(of: line)) / 2
            font.draw(line, x: x, y: top + index * font.lineHeight, ContactSheet.alarm, on: canvas)
        }
    }
}

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
