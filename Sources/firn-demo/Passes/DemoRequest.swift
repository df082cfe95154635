import Firn
import FirnReport

/// A request of a pass: an image at a size.
struct DemoRequest: Sendable {
    /// The index of the image.
    let image: Int
    let address: String
    let size: PixelSize
    /// Whether the result goes on the sheet.
    let isForSheet: Bool

    var request: ImageRequest { ImageRequest(url: address, targetSize: TargetSize(size)) }

    /// Returns the requests of a pass, as a scrolled list makes them: every image as a thumbnail, in a cell and large,
    /// some more than once, as reused cells and two views of one list do.
    static func pass(_ addresses: [String], cell: PixelSize) -> [DemoRequest] {
        let thumbnail = PixelSize(96)
        let large = PixelSize(1024)
        return addresses.enumerated().flatMap { index, address in
            [(cell, true), (thumbnail, false), (thumbnail, false), (large, false), (cell, false), (thumbnail, false)]
                .map { DemoRequest(image: index, address: address, size: $0.0, isForSheet: $0.1) }
        }
    }
}
