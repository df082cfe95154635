import Firn
import FoundationEssentials

/// A picture's file, read and handed to the decoder of its content.
struct PictureFile {
    /// Length of the file in bytes.
    let bytes: Int
    /// What the file says of itself.
    let properties: ImageProperties
    private let decoder: ImageDecoder

    /// What files are held to here: the library's limits, and as much memory for a decode as stays below a gibibyte
    /// together with all else.
    static let memoryLimit = 800 << 20
    /// A preview is asked for after every so many bytes.
    private static let previewStep = 16 << 10

    /// What becomes of the pictures that early parts of a file show.
    struct Previews {
        let options: DecodingOptions
        let show: (Bitmap) throws(PictureFault) -> Void
    }

    /// Reads the file at `path`.
    ///
    /// - Parameter previews: where they are wanted, the file is fed to the decoder in pieces, as from a network.
    init(
        _ path: String, limits: DecodingLimits = DecodingLimits(), previews: Previews? = nil
    ) throws(PictureFault) {
        let data = try PictureFile.read(path, limits)
        bytes = data.count
        decoder = ImageDecoder(limits: limits)
        if let previews { try PictureFile.feed(data, to: decoder, previews) }
        do throws(DecodingError) {
            try decoder.setData(data, allDataReceived: true)
            if let error = decoder.error { throw error }
        } catch {
            throw PictureFault(error)
        }
        guard let properties = decoder.properties else {
            throw PictureFault("data", "the file ends before its header is complete")
        }
        self.properties = properties
    }

    /// The pixels, at the very size that the options ask for.
    func decode(_ options: DecodingOptions) throws(PictureFault) -> Bitmap {
        let picture: Bitmap
        let whole: PixelSize
        do throws(DecodingError) {
            let needed = try decoder.workingBytes(for: options)
            guard needed <= PictureFile.memoryLimit else {
                throw DecodingError(
                    .limit, "decoding takes \(needed) bytes of memory; the limit is \(PictureFile.memoryLimit)",
                    format: properties.format)
            }
            let frame = try decoder.frame(at: options.frame, options: options)
            picture = try frame.image()
            whole = frame.displaySize
        } catch {
            throw PictureFault(error)
        }
        // Decoders may return more pixels than were asked for.
        guard let wanted = options.targetSize?.resolved(for: whole), wanted != picture.size else { return picture }
        do {
            return try picture.resized(to: wanted)
        } catch {
            throw PictureFault("limit", "\(error)")
        }
    }

    private static func read(_ path: String, _ limits: DecodingLimits) throws(PictureFault) -> Data {
        let data: Data
        do throws(FileError) {
            data = try LocalFileSystem().read(path, first: limits.maximumBytes + 1)
        } catch {
            throw PictureFault(error)
        }
        guard !data.isEmpty else { throw PictureFault("data", "the file is empty") }
        return data
    }

    /// Feeds a file piece by piece and shows what each adds.
    private static func feed(
        _ data: Data, to decoder: ImageDecoder, _ previews: Previews
    ) throws(PictureFault) {
        var rest = data
        while rest.count > previewStep {
            let picture: Bitmap?
            do throws(DecodingError) {
                try decoder.append(rest.prefix(previewStep))
                rest = rest.dropFirst(previewStep)
                let needed = try decoder.workingBytes(for: previews.options)
                picture = needed <= memoryLimit ? try decoder.preview(previews.options) : nil
            } catch {
                throw PictureFault(error)
            }
            if let picture { try previews.show(picture) }
        }
    }
}
