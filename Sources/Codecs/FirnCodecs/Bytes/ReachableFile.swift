import CFirnCodecs
import FirnSync
import FoundationEssentials

/// Gives the C interface random access to a complete file.
final class ReachableFile {
    private let chain: ByteChain

    init(_ chain: ByteChain) { self.chain = chain }

    /// Safety: C does not retain the context; the object that lends it to a decoder must keep it alive as long as the
    /// decoder.
    var source: firn_source {
        firn_source(context: Unmanaged.passUnretained(self).toOpaque(), length: UInt64(clamping: chain.count)) {
            context, offset, target, count in
            guard let context, let target else { return 0 }
            let file = Unmanaged<ReachableFile>.fromOpaque(context).takeUnretainedValue()
            return file.copy(
                from: Int(clamping: offset), to: UnsafeMutableRawBufferPointer(start: target, count: count))
        }
    }

    private func copy(from offset: Int, to target: UnsafeMutableRawBufferPointer) -> Int {
        var done = 0
        while done < target.count {
            let piece = chain.piece(at: offset.saturatingAdd(done)).prefix(target.count - done)
            guard !piece.isEmpty else { break }
            piece.bytes.copy(to: UnsafeMutableRawBufferPointer(rebasing: target[done...]))
            done += piece.count
        }
        return done
    }
}
