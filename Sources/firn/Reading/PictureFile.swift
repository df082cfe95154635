import Firn
import FoundationEssentials

/// A picture's file, read and handed to the decoder of its content.
struct PictureFile {
    /// Length of the file in bytes.
    let bytes: Int
    /// What the file says of itself.
    let properties: ImageProperties
    private let session: any ImageDecodingSession
    private let limits: DecodingLimits

    /// What files are held to here: the library's limits, and as much memory for a decode as stays below a gibibyte
    /// together with all else.
    static let memoryLimit = 800 << 20

    /// Reads the file at `path`.
    init(_ path: String, limits: DecodingLimits = DecodingLimits()) throws(PictureFault) {
        self.limits = limits
        let data: Data
        do throws(FileError) {
            data = try LocalFileSystem().read(path, first: limits.maximumBytes + 1)
        } catch {
            throw PictureFault(error)
        }
        bytes = data.count
        guard !data.isEmpty else { throw PictureFault("data", "the file is empty") }
        session = try PictureFile.session(for: data, limits: limits)
        do throws(DecodingError) {
            try session.append(data)
            session.finish()
            guard let properties = try session.properties() else {
                throw DecodingError(.data, "the file ends before its header is complete")
            }
            self.properties = properties
        } catch {
            throw PictureFault(error)
        }
    }

    /// The pixels, at the very size that the options ask for.
    func decode(_ options: DecodingOptions) throws(PictureFault) -> Bitmap {
        let needed = session.workingBytes(for: options)
        guard needed <= PictureFile.memoryLimit else {
            throw PictureFault(
                "limit", "decoding takes \(needed) bytes of memory; the limit is \(PictureFile.memoryLimit)")
        }
        let picture: Bitmap
        do throws(DecodingError) {
            picture = try session.decode(options)
        } catch {
            throw PictureFault(error)
        }
        let whole = options.appliesOrientation ? properties.displaySize : properties.size
        // Decoders may return more pixels than were asked for.
        guard let wanted = options.targetSize?.resolved(for: whole), wanted != picture.size else { return picture }
        do {
            return try picture.resized(to: wanted)
        } catch {
            throw PictureFault("limit", "\(error)")
        }
    }

    private static func session(
        for data: Data, limits: DecodingLimits
    ) throws(PictureFault) -> any ImageDecodingSession {
        let head = data.prefix(ImageFormat.sniffLength)
        for decoder in ImageDecoders.standard where decoder.recognises(head) != nil {
            return decoder.makeSession(limits: limits, cancellation: CancellationFlag())
        }
        guard let format = ImageFormat.sniff(head) else {
            throw PictureFault("data", "the content is no picture of a known format\(PictureFile.looks(head))")
        }
        throw PictureFault("unsupported", "no decoder for \(format)")
    }

    /// What else the content may be, where that explains the mistake.
    private static func looks(_ head: Data) -> String {
        let text = String(decoding: head.prefix(256), as: UTF8.self).lowercased()
        return text.contains("<html") || text.contains("<!doctype html") ? " (it is an HTML page)" : ""
    }
}
