import Firn
import FoundationEssentials

// snippet.farbfeld
/// Reads farbfeld: the word, two sizes, and four components of 16 bits for each
/// pixel, highest byte first.
struct FarbfeldDecoder: ImageDecoding {
    static let format = ImageFormat(rawValue: "farbfeld")

    func recognizes(_ head: Data) -> ImageFormat? {
        head.starts(with: Data("farbfeld".utf8)) ? Self.format : nil
    }

    func makeSession(
        limits: ImageLimits, cancellation: CancellationFlag
    ) -> any ImageDecodingSession {
        FarbfeldSession(limits: limits, cancellation: cancellation)
    }
}
// snippet.end

// snippet.farbfeld-session
final class FarbfeldSession: ImageDecodingSession {
    private let limits: ImageLimits
    private let cancellation: CancellationFlag
    private var bytes: [UInt8] = []
    private var isFinished = false
    private var failure: ImageError?

    init(limits: ImageLimits, cancellation: CancellationFlag) {
        self.limits = limits
        self.cancellation = cancellation
    }

    func append(_ data: Data) throws(ImageError) {
        if let failure { throw failure }
        guard data.count <= limits.maximumBytes - bytes.count else {
            throw fail(.limit, "is too long")
        }
        bytes.append(contentsOf: data)
    }

    func finish() { isFinished = true }

    func properties() throws(ImageError) -> ImageProperties? {
        if let failure { throw failure }
        guard bytes.count >= 16 else {
            if isFinished { throw fail(.data, "ends before its size") }
            return nil
        }
        let size = PixelSize(width: number(at: 8), height: number(at: 12))
        guard !size.isEmpty else { throw fail(.data, "has no pixels") }
        // Never multiply what a file says without a look at the result.
        let (width, height) = (size.width, size.height)
        let (pixels, isTooLarge) = width.multipliedReportingOverflow(by: height)
        guard !isTooLarge, pixels <= limits.maximumPixels else {
            throw fail(.limit, "is \(size), too large")
        }
        var properties = ImageProperties(format: FarbfeldDecoder.format, size: size)
        properties.hasAlpha = true
        properties.bitDepth = 16
        return properties
    }

    func workingBytes(for options: DecodingOptions) -> Int {
        guard bytes.count >= 16 else { return 0 }
        // Within the limits, since `properties()` was asked before.
        return number(at: 8) * number(at: 12)
            * (8 + options.pixelFormat.bytesPerPixel)
    }
    // snippet.end

    // snippet.farbfeld-decode
    func decode(_ options: DecodingOptions) throws(ImageError) -> Bitmap {
        guard let size = try properties()?.size else {
            throw error(.incomplete, "its size has not come")
        }
        guard (bytes.count - 16) / 8 >= size.area else {
            if isFinished { throw fail(.data, "is cut short") }
            throw error(.incomplete, "its last byte has not come")
        }
        let stored = try Bitmap(size: size, format: .rgba16Straight) { pixels in
            for y in 0..<size.height {
                if cancellation.isCancelled {
                    throw error(.cancelled, "was cancelled")
                }
                let row = pixels.row(y).bindMemory(
                    to: UInt16.self, capacity: size.width * 4)
                let start = 16 + y * size.width * 8
                for x in 0..<size.width * 4 {
                    let place = start + 2 * x
                    row[x] = UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1])
                }
            }
        }
        return try stored.converted(to: options.pixelFormat)
    }
    // snippet.end

    private func number(at offset: Int) -> Int {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
    }

    private func error(_ fault: ImageError.Fault, _ message: String) -> ImageError {
        ImageError(fault, at: .decoding, message, format: FarbfeldDecoder.format)
    }

    /// A damaged file stays damaged: every later call throws the same.
    private func fail(_ fault: ImageError.Fault, _ message: String) -> ImageError {
        let error = error(fault, message)
        failure = error
        return error
    }
}

enum FarbfeldUse {
    static func pipeline() -> ImagePipeline {
        // snippet.farbfeld-use
        let pipeline = ImagePipeline { configuration in
            let standard = configuration.makeImageDecoder
            configuration.makeImageDecoder = { context in
                let decoder = FarbfeldDecoder()
                return decoder.recognizes(context.data) == nil ? standard(context) : decoder
            }
        }
        // snippet.end
        return pipeline
    }

    static func byName() -> ImagePipeline {
        // snippet.decoder-choice
        let pipeline = ImagePipeline { configuration in
            let standard = configuration.makeImageDecoder
            configuration.makeImageDecoder = { context in
                if context.request.url?.pathExtension == "ff" { return FarbfeldDecoder() }
                return standard(context)
            }
        }
        // snippet.end
        return pipeline
    }
}
