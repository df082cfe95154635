import Firn
import FirnBinding
import FoundationEssentials

/// The code of the articles on decoding and encoding.
enum DecodingSnippets {
    static func file() async throws {
        // snippet.file-thumbnail
        let image = try await Bitmap(path: "photo.heic", targetSize: 256)
        try await image.write(toPath: "small.webp", quality: 0.8)
        // snippet.end
    }

    static func avatar() async throws -> Bitmap {
        // snippet.file-avatar
        let target = TargetSize(64, mode: .fill)
        let avatar = try await Bitmap(path: "photo.heic", targetSize: target)
            .applying([.crop(size: PixelSize(64)), .circle()])
        // snippet.end
        return avatar
    }

    static func properties() async throws {
        // snippet.file-properties
        let properties = try await ImageProperties(path: "photo.heic")
        print(properties.format, properties.displaySize, properties.frameCount)
        print(properties.metadata.camera ?? "an unknown camera")
        // snippet.end
    }

    static func convert(_ photo: URL, _ copy: URL) async throws {
        // snippet.file-conversion
        let converter = try ImageConverter()
        try await converter.convert(
            contentsOf: photo, to: copy, targetSize: 1600,
            keeping: .allButPlace)
        try await ImageMetadata.apply(
            [.title("Harbor"), .removePlace], to: photo)
        // snippet.end
    }

    static func decoder(_ bytes: Data) throws {
        // snippet.decoder
        let decoder = ImageDecoder()
        try decoder.append(bytes)
        print(decoder.format as Any, decoder.size as Any, decoder.frameCount)
        decoder.finish()
        let image = try decoder.frame(at: 0).image()
        // snippet.end
        Screen.show(image)
    }

    static func arriving(_ body: AsyncStream<Data>) async throws -> ImageDecoder {
        // snippet.decoding-status
        let decoder = ImageDecoder()
        for await bytes in body {
            try decoder.append(bytes)
            if let early = try decoder.preview() {
                Screen.show(early)
            }
        }
        decoder.finish()
        if let error = decoder.error { Screen.show(error.message) }
        // snippet.end
        return decoder
    }

    static func stored(_ decoder: ImageDecoder) throws -> Bitmap {
        // snippet.stored-pixels
        var options = DecodingOptions()
        options.appliesOrientation = false
        options.appliesColorProfile = false
        let stored = try decoder.frame(at: 0, options: options).image()
        print(stored.colorProfile?.name ?? "sRGB")
        let upright = try stored.oriented(decoder.orientation)
        // snippet.end
        return upright
    }

    static func otherColors(_ decoder: ImageDecoder) throws -> Bitmap {
        // snippet.other-colors
        var options = DecodingOptions()
        options.targetProfile = .displayP3
        let wide = try decoder.frame(at: 0, options: options).image()
        options.preservesHDR = true
        let light = try decoder.frame(at: 0, options: options).image().light
        print(wide.colorProfile?.name ?? "sRGB", light.dynamicRange ?? "sdr")
        // snippet.end
        return wide
    }

    static func thumbnail(_ decoder: ImageDecoder) throws -> Bitmap {
        // snippet.thumbnail
        var options = DecodingOptions()
        options.targetSize = TargetSize(256)
        let thumbnail = try decoder.frame(at: 0, options: options).image()
        // snippet.end
        return thumbnail
    }

    static func exactly(_ decoder: ImageDecoder) throws -> Bitmap {
        // snippet.exact-size
        let target = TargetSize(256)
        var options = DecodingOptions()
        options.targetSize = target
        let frame = try decoder.frame(at: 0, options: options)
        let exact = try frame.image().resized(to: target.resolved(for: frame.displaySize))
        // snippet.end
        return exact
    }

    static func modes(_ decoder: ImageDecoder) throws -> Bitmap {
        // snippet.decoding-modes
        // Decoded now, on this thread.
        let ready = try decoder.frame(at: 0)
        // Decoded by the first call of image().
        let later = try decoder.frame(at: 1, isLazy: true)
        print(ready.isDecoded, later.isDecoded)  // true false
        let image = try later.image()
        // snippet.end
        return image
    }

    static func animation(_ decoder: ImageDecoder) {
        // snippet.animation
        let animation = AnimatedImage(decoder: decoder)
        let viewer = animation.makeViewer { print("the image has changed") }
        if let frame = viewer.frame() { Screen.show(frame) }
        print("again at", viewer.nextChange as Any)
        // snippet.end
    }

    static func loaded(_ request: ImageRequest, _ pipeline: ImagePipeline) async throws {
        // snippet.loaded-animation
        let response = try await pipeline.imageTask(with: request).response
        if let decoder = pipeline.animationDecoder(for: response) {
            let animation = AnimatedImage(decoder: decoder, processors: request.processors)
            let viewer = animation.makeViewer { print("there is another frame") }
            if let frame = viewer.frame() { Screen.show(frame) }
        }
        // snippet.end
    }

    static func animated(_ decoder: ImageDecoder) throws -> Data {
        // snippet.animation-encoding
        let encoder: any AnimationEncoding = .webp(quality: 0.8)
        let session = try encoder.makeAnimation(
            size: try decoder.frame(at: 0).displaySize,
            repetitions: decoder.repetitionCount ?? .once)
        for index in 0..<decoder.frameCount {
            let frame = try decoder.frame(at: index)
            try session.append(frame.image(), duration: frame.duration ?? .zero)
        }
        let data = try session.finish()
        // snippet.end
        return data
    }

    static func encode(_ image: Bitmap) throws {
        // snippet.encode
        let small = try ImageEncoders.webp(quality: 0.8).encode(image)
        let exact = try ImageEncoders.png().encode(image)
        let fitting = try ImageEncoders.automatic().encode(image)
        // snippet.end
        print(small.count, exact.count, fitting.count)
    }

    static func gradient() throws -> Bitmap? {
        // snippet.gradient
        let gradient = try Bitmap(size: PixelSize(256), format: .rgb8) { pixels in
            for y in 0..<pixels.size.height {
                let row = pixels.row(y).assumingMemoryBound(to: UInt8.self)
                for x in 0..<pixels.size.width * 3 { row[x] = UInt8(y) }
            }
        }
        // snippet.end
        return gradient
    }

    static func placeholder(_ image: Bitmap) {
        // snippet.placeholder
        let options = ImageLoadingOptions(
            placeholder: .blurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"), transition: .fadeIn)
        // snippet.end
        print(options)
    }
}
