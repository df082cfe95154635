import FirnImage
import FoundationEssentials
import Testing

/// Returns a part of an image, cut out pixel by pixel.
func crop(_ bitmap: Bitmap, _ area: PixelArea) -> [UInt8] {
    let pixelBytes = bitmap.format.bytesPerPixel
    return bitmap.withUnsafeBytes { bytes in
        (area.y..<area.y + area.size.height).flatMap { y in
            let start = y * bitmap.bytesPerRow + area.x * pixelBytes
            return Array(bytes[start..<start + area.size.width * pixelBytes])
        }
    }
}

extension PixelArea {
    init(_ x: Int, _ y: Int, _ width: Int, _ height: Int) {
        self.init(x: x, y: y, size: PixelSize(width: width, height: height))
    }
}

/// Returns areas of an image with odd and even offsets, at its edges and corners, of one pixel and of all of it.
func regionAreas(in size: PixelSize) -> [PixelArea] {
    let (width, height) = (size.width, size.height)
    let all = [
        PixelArea(0, 0, width, height), PixelArea(0, 0, 1, 1), PixelArea(width - 1, height - 1, 1, 1),
        PixelArea(width / 3, height / 3, width / 2, height / 2), PixelArea(1, 1, width - 2, height - 2),
        PixelArea(width / 2, 0, width - width / 2, height / 2),
        PixelArea(0, height / 2, width / 2, height - height / 2),
        PixelArea(width / 2 | 1, height / 2 | 1, max(1, width / 7), max(1, height / 5)),
        PixelArea(0, height / 2, width, 1), PixelArea(width / 2, 0, 1, height),
    ]
    return all.filter {
        !$0.isEmpty && $0.x >= 0 && $0.y >= 0 && $0.x + $0.size.width <= width && $0.y + $0.size.height <= height
    }
}

/// Expects that regions of every frame of a file equal the crop of the whole frame.
func expectRegions(_ file: Data, _ note: String, at place: SourceLocation = #_sourceLocation) throws {
    let decoder = try session(file)
    let frames = try decoder.frames().count
    for isUpright in [true, false] {
        var options = straight(orientation: isUpright, profile: true)
        for frame in 0..<min(frames, 3) {
            options.frame = frame
            options.region = nil
            let whole = try decoder.decode(options)
            for area in regionAreas(in: whole.size) {
                options.region = ImageRegion(area)
                let part = try decoder.decode(options)
                #expect(part.size == area.size, "\(note)", sourceLocation: place)
                #expect(
                    packed(part) == crop(whole, area), "\(note), frame \(frame), \(area), upright \(isUpright)",
                    sourceLocation: place)
            }
        }
    }
}
