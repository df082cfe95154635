/// The tables and samples of an image at an eighth or a quarter, as plain memory that lives as long as this object.
///
/// Safety: used by one decode at a time, on one thread at a time.
final class ReducedStorage {
    private var allocations: [UnsafeMutableRawBufferPointer] = []

    deinit { for memory in allocations { memory.deallocate() } }

    /// Returns memory for `count` values, all `value`.
    func room<Value: BitwiseCopyable>(_ count: Int, _ value: Value) -> UnsafeMutableBufferPointer<Value> {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: count * MemoryLayout<Value>.stride, alignment: 64)
        allocations.append(bytes)
        return bytes.initializeMemory(as: Value.self, repeating: value)
    }

    /// Returns memory with a copy of `values`, of which there is at least one.
    func copy<Value: BitwiseCopyable>(_ values: [Value]) -> UnsafeMutableBufferPointer<Value> {
        let room = room(values.count, values[0])
        _ = room.update(fromContentsOf: values)
        return room
    }
}

/// The samples of one component of an image at an eighth or a quarter.
struct ReducedPlane {
    /// Rows of `stride` samples.
    let samples: UnsafeMutableBufferPointer<UInt8>
    let stride: Int
    /// The samples of a row that are part of the image.
    let width: Int
    /// The pixels of the image that a sample covers.
    let across: Int
    let down: Int
}
