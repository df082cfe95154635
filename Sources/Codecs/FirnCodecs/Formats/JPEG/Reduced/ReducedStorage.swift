/// The tables and samples of an image at an eighth or a quarter, as plain memory that lives as long as this object.
///
/// Safety: used by one decode at a time, on one thread at a time. The memory can be reached only by types that check
/// each place.
final class ReducedStorage {
    private var allocations: [UnsafeMutableRawBufferPointer] = []

    deinit { for memory in allocations { memory.deallocate() } }

    /// Returns memory for `count` values, all `value`.
    private func room<Value: BitwiseCopyable>(_ count: Int, _ value: Value) -> UnsafeMutableBufferPointer<Value> {
        let bytes = UnsafeMutableRawBufferPointer.allocate(
            byteCount: count * MemoryLayout<Value>.stride, alignment: 64)
        allocations.append(bytes)
        return bytes.initializeMemory(as: Value.self, repeating: value)
    }

    /// Returns a table of `values`, as many as it has, and `filler` after them.
    func table<let bits: Int, Value: BitwiseCopyable>(_ values: [Value], filler: Value) -> MaskedTable<bits, Value> {
        let memory = room(MaskedTable<bits, Value>.allocated, filler)
        for (index, value) in zip(memory.indices, values) { memory[index] = value }
        return MaskedTable(memory)
    }

    /// Returns `rows` rows of `stride` samples.
    func samples(stride: Int, rows: Int) -> SampleRows { SampleRows(room(stride * rows, 0), stride: stride) }
}

/// A table of `1 << bits` values, for loops without reference counts.
///
/// Safety: a place counts modulo the number of values, so each access is inside the memory. The ``ReducedStorage``
/// outlives the table.
struct MaskedTable<let bits: Int, Value: BitwiseCopyable> {
    static var count: Int { 1 << bits }
    /// At least four, which ``four(at:)`` reads.
    fileprivate static var allocated: Int { max(4, count) }

    private let base: UnsafeMutablePointer<Value>

    /// - Parameter memory: ``allocated`` values.
    fileprivate init(_ memory: UnsafeMutableBufferPointer<Value>) {
        base = memory.baseAddress.unsafelyUnwrapped
    }

    @inline(__always)
    subscript(index: Int) -> Value {
        get { base[index & (MaskedTable.count &- 1)] }
        nonmutating set { base[index & (MaskedTable.count &- 1)] = newValue }
    }

    /// Sets the first `count` values.
    @inline(__always)
    func fill(_ count: Int, with value: Value) { base.update(repeating: value, count: min(count, MaskedTable.count)) }
}

extension MaskedTable where Value == Int32 {
    /// Returns four values from `index`, a multiple of four, on.
    @inline(__always)
    func four(at index: Int) -> SIMD4<Int32> {
        UnsafeRawPointer(base + (index & (MaskedTable.allocated &- 4))).loadUnaligned(as: SIMD4<Int32>.self)
    }
}

/// Rows of samples, for loops without reference counts.
///
/// Safety: each access checks that its place is inside the memory. The ``ReducedStorage`` outlives the rows. Threads
/// write to different samples.
struct SampleRows {
    private let memory: UnsafeMutableBufferPointer<UInt8>
    /// The samples from one row to the next.
    let stride: Int

    fileprivate init(_ memory: UnsafeMutableBufferPointer<UInt8>, stride: Int) {
        self.memory = memory
        self.stride = stride
    }

    /// Calls `body` with the samples of a row.
    func withRow(_ row: Int, _ body: (Span<UInt8>) -> Void) {
        body(memory.span.extracting(row * stride..<(row + 1) * stride))
    }

    /// Returns the sample at `offset`; `nil` if the square of `side` by `side` samples that begins there is not inside.
    @inline(__always)
    private func square(_ side: Int, at offset: Int) -> UnsafeMutablePointer<UInt8>? {
        // Overflow: `stride` divides the number of samples.
        let last = memory.count &- (side &- 1) &* stride &- side
        guard last >= 0, UInt(bitPattern: offset) <= UInt(bitPattern: last) else { return nil }
        return memory.baseAddress.unsafelyUnwrapped + offset
    }

    /// Writes the sample at `offset`; returns `false` if that is not inside.
    @inline(__always)
    func write(_ sample: UInt8, at offset: Int) -> Bool {
        guard let target = square(1, at: offset) else { return false }
        target.pointee = sample
        return true
    }

    /// Writes two rows of two samples from `offset` on; returns `false` if they are not inside.
    @inline(__always)
    func write(_ samples: (UInt8, UInt8, UInt8, UInt8), at offset: Int) -> Bool {
        guard let target = square(2, at: offset) else { return false }
        (target[0], target[1], target[stride], target[stride &+ 1]) = samples
        return true
    }

    /// Writes four rows of four samples from `offset` on; returns `false` if they are not inside.
    @inline(__always)
    func write(
        _ rows: (SIMD4<UInt8>, SIMD4<UInt8>, SIMD4<UInt8>, SIMD4<UInt8>), at offset: Int
    ) -> Bool {
        guard let target = square(4, at: offset) else { return false }
        let bytes = UnsafeMutableRawPointer(target)
        bytes.storeBytes(of: rows.0, as: SIMD4<UInt8>.self)
        bytes.storeBytes(of: rows.1, toByteOffset: stride, as: SIMD4<UInt8>.self)
        bytes.storeBytes(of: rows.2, toByteOffset: 2 &* stride, as: SIMD4<UInt8>.self)
        bytes.storeBytes(of: rows.3, toByteOffset: 3 &* stride, as: SIMD4<UInt8>.self)
        return true
    }
}

/// The samples of one component of an image at an eighth or a quarter.
struct ReducedPlane {
    let samples: SampleRows
    /// The samples of a row that are part of the image.
    let width: Int
    /// The pixels of the image that a sample covers.
    let across: Int
    let down: Int
    /// The rows of samples that are held: all, or those of a row of MCUs.
    let rows: Int

    /// Calls `body` with the samples of row `y` of the image.
    func withRow(of y: Int, _ body: (Span<UInt8>) -> Void) { samples.withRow(y / down % rows, body) }
}
