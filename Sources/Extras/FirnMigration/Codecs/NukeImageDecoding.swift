public import Firn
import Foundation

/// A decoder that was written for Nuke: whole data in, image out.
///
/// Replace `ImageDecoding` by `NukeImageDecoding` in the type's declaration; it then is an
/// ``/FirnImage/ImageDecoding``. Its image is scaled to the request's size afterwards, so it costs more memory than a
/// decoder that decodes to a size.
public protocol NukeImageDecoding: ImageDecoding {
    /// The image of a whole file.
    ///
    /// - Throws: anything, to let the request fail with the stage `decoding`.
    func decode(_ data: Data) throws -> ImageContainer

    /// A preview of the bytes so far; `nil`, the default, if there is none.
    func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer?
}

extension NukeImageDecoding {
    /// No previews.
    public func decodePartiallyDownloadedData(_ data: Data) -> ImageContainer? { nil }

    /// Takes whatever it is handed, as a decoder of Nuke's does: what it is handed is chosen by
    /// ``ImageDecoderRegistry``, or by the configuration's `makeImageDecoder`. In the configuration's `decoders` it
    /// hides those behind it.
    public func recognizes(_ head: Data) -> ImageFormat? {
        ImageFormat.sniff(head) ?? ImageFormat(rawValue: "unknown")
    }

    /// Collects the bytes of a file for `decode(_:)`.
    public func makeSession(limits: ImageLimits, cancellation: CancellationFlag) -> any ImageDecodingSession {
        WholeDataSession(self, limits, cancellation)
    }
}
