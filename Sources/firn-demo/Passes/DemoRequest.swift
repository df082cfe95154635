import Firn
import FirnReport

/// One request of a pass: a picture at a size.
struct DemoRequest: Sendable {
    /// Which picture, counted from 0.
    let picture: Int
    let address: String
    let size: PixelSize
    /// Whether the result goes on the sheet.
    let isForSheet: Bool

    var request: ImageRequest { ImageRequest(url: address, targetSize: TargetSize(size)) }

    /// What one pass asks for: a list that is scrolled, every picture as a thumbnail, in a cell and large, and some of
    /// it more than once, as reused cells and two views of one list ask.
    static func pass(_ addresses: [String], cell: PixelSize) -> [DemoRequest] {
        let thumbnail = PixelSize(width: 96, height: 96)
        let large = PixelSize(width: 1024, height: 1024)
        return addresses.enumerated().flatMap { index, address in
            [(cell, true), (thumbnail, false), (thumbnail, false), (large, false), (cell, false), (thumbnail, false)]
                .map { DemoRequest(picture: index, address: address, size: $0.0, isForSheet: $0.1) }
        }
    }
}
