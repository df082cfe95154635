import FirnCodecs
import FirnImage
import FirnProcessing
import FoundationEssentials

/// Writes a thumbnail of at most 256 x 256 pixels with round corners: `thumbnail FILE OUT.png`. Uses only decoders and
/// processors, without a pipeline, caches or a network.
@main
struct Thumbnail {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { return print("usage: thumbnail FILE OUT.png") }
        let decoder = ImageDecoder()
        try decoder.setData(Data(contentsOf: URL(filePath: arguments[1])), allDataReceived: true)

        // The decoder returns at least this size; the resize makes it exact.
        let target = TargetSize(PixelSize(width: 256, height: 256))
        var options = DecodingOptions()
        options.targetSize = target
        let frame = try decoder.frame(at: 0, options: options)
        let image = try frame.image().resized(to: target.resolved(for: frame.displaySize))

        let rounded = try ImageProcessors.RoundedCorners(radius: 1).process(ImageContainer(image: image)).image
        try PNGEncoder().encode(rounded).write(to: URL(filePath: arguments[2]))
        print("\(frame.displaySize) -> \(rounded.size)")
    }
}
