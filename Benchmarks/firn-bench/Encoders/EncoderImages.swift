import Firn
import FoundationEssentials

/// Loads images to encode, and decodes the encoded files.
enum EncoderImages {
    /// Loads a photograph with a longer side of `side` pixels.
    static func photograph(_ path: String, side: Int) -> Bitmap? {
        let target = TargetSize(side)
        guard let data = try? Data(contentsOf: URL(filePath: path)), let image = decode(data, target: target) else {
            return nil
        }
        let size = target.resolved(for: image.size)
        return size == image.size ? image : try? image.resized(to: size)
    }

    static func decode(_ data: Data, format: PixelFormat = .rgb8, target: TargetSize? = nil) -> Bitmap? {
        let decoder = ImageDecoders.standard.first { $0.recognizes(data.prefix(ImageFormat.sniffLength)) != nil }
        guard let session = decoder?.makeSession(limits: ImageLimits(), cancellation: CancellationFlag()) else {
            return nil
        }
        var options = DecodingOptions()
        options.pixelFormat = format
        options.targetSize = target
        do {
            try session.append(data)
            session.finish()
            return try session.decode(options)
        } catch {
            print("encoders: \(error)")
            return nil
        }
    }

    /// Returns the image as a binary PPM.
    static func pixmap(_ image: Bitmap) -> Data {
        var data = Data("P6\n\(image.size.width) \(image.size.height)\n255\n".utf8)
        image.withUnsafeBytes { bytes in
            for y in 0..<image.size.height {
                let start = y * image.bytesPerRow
                data.append(contentsOf: bytes[start..<start + image.size.width * 3])
            }
        }
        return data
    }
}
