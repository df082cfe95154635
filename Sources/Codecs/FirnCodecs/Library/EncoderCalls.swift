import CFirnCodecs
import FirnImage

/// An animation of `firn_encode.h` that is being written.
///
/// One thread at a time uses it.
protocol EncoderCalls: AnyObject {
    func add(_ image: firn_image, milliseconds: UInt32, _ encoded: inout firn_encoded) -> Bool

    func finish(_ encoded: inout firn_encoded) -> Bool

    /// Ends the use of the canvas's profile. Call it once, last.
    func close()
}

/// A C encoder in this process.
final class LocalEncoder: EncoderCalls {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }

    func add(_ image: firn_image, milliseconds: UInt32, _ encoded: inout firn_encoded) -> Bool {
        var image = image
        return firn_animation_add(handle, &image, milliseconds, &encoded)
    }

    func finish(_ encoded: inout firn_encoded) -> Bool { firn_animation_finish(handle, &encoded) }

    func close() { firn_animation_close(handle) }
}
