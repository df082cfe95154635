import Firn
import FirnReport
import FoundationEssentials

/// What `firn placeholder` says of one file.
struct PicturePlaceholder: Sendable {
    /// What stands for a picture until it is there.
    struct Hashes: Sendable {
        let size: PixelSize
        let blurHash: String
        let thumbHash: String
        let average: String
        let dominant: String
        let preview: String
    }

    let path: String
    let outcome: Result<Hashes, PictureFault>

    /// - Parameter components: waves of the BlurHash over width and height.
    init(path: String, components: PixelSize, previewSide: Int) {
        self.path = path
        do throws(PictureFault) {
            outcome = .success(try PicturePlaceholder.hashes(path, components, previewSide))
        } catch {
            outcome = .failure(error)
        }
    }

    private static func hashes(
        _ path: String, _ components: PixelSize, _ previewSide: Int
    ) throws(PictureFault) -> Hashes {
        let file = try PictureFile(path)
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
            return Hashes(
                size: file.properties.displaySize, blurHash: blur.text, thumbHash: thumb.data.base64EncodedString(),
                average: picture.averageColor()?.description ?? "#00000000",
                dominant: picture.dominantColor()?.description ?? "#00000000",
                preview: try WebPEncoder(quality: 0.7).dataURL(of: small))
        } catch {
            throw PictureFault("limit", "\(error)")
        }
    }

    /// The fields are a contract; scripts depend on names and order.
    var json: JSONValue {
        switch outcome {
        case .failure(let fault): .object([("path", .string(path)), ("error", fault.json)])
        case .success(let hashes):
            .object([
                ("path", .string(path)),
                ("width", .int(hashes.size.width)),
                ("height", .int(hashes.size.height)),
                ("blurHash", .string(hashes.blurHash)),
                ("thumbHash", .string(hashes.thumbHash)),
                ("averageColor", .string(hashes.average)),
                ("dominantColor", .string(hashes.dominant)),
                ("preview", .string(hashes.preview)),
            ])
        }
    }

    /// A block of lines for people.
    var text: String {
        guard case .success(let hashes) = outcome else { return path }
        return """
            \(path): \(hashes.size)
              blurhash   \(hashes.blurHash)
              thumbhash  \(hashes.thumbHash)
              average    \(hashes.average)
              dominant   \(hashes.dominant)
              preview    \(hashes.preview)
            """
    }
}
