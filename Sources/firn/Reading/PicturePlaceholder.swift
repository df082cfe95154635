import Firn
import FirnReport
import FoundationEssentials

/// What stands for the picture of one file until it is there: what `firn placeholder` prints.
struct PicturePlaceholder: PictureFinding {
    private let size: PixelSize
    private let blurHash: String
    private let thumbHash: String
    private let average: String
    private let dominant: String
    private let preview: String

    /// - Parameter components: waves of the BlurHash over width and height.
    init(_ file: PictureFile, components: PixelSize, previewSide: Int) throws(PictureFault) {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8Straight
        options.prefersDefaultImage = true
        // What the hashes are made of has no more pixels.
        options.targetSize = TargetSize(PixelSize(width: 100, height: 100))
        let picture = try file.decode(options)
        guard let blur = BlurHash(picture, columns: components.width, rows: components.height),
            let thumb = ThumbHash(picture)
        else { throw PictureFault("limit", "there is no memory") }
        do {
            let side = TargetSize(PixelSize(width: previewSide, height: previewSide)).resolved(for: picture.size)
            let small = side == picture.size ? picture : try picture.resized(to: side)
            preview = try WebPEncoder(quality: 0.7).dataURL(of: small)
        } catch {
            throw PictureFault("limit", "\(error)")
        }
        size = file.properties.displaySize
        blurHash = blur.text
        thumbHash = thumb.data.base64EncodedString()
        average = picture.averageColor()?.description ?? "#00000000"
        dominant = picture.dominantColor()?.description ?? "#00000000"
    }

    var fields: [(name: String, value: JSONValue)] {
        [
            ("width", .int(size.width)),
            ("height", .int(size.height)),
            ("blurHash", .string(blurHash)),
            ("thumbHash", .string(thumbHash)),
            ("averageColor", .string(average)),
            ("dominantColor", .string(dominant)),
            ("preview", .string(preview)),
        ]
    }

    func lines(_ name: String) -> [String] {
        [
            "\(name): \(size)", "  blurhash   \(blurHash)", "  thumbhash  \(thumbHash)", "  average    \(average)",
            "  dominant   \(dominant)", "  preview    \(preview)",
        ]
    }
}
