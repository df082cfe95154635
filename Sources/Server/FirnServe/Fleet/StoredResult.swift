import FirnDigest
import NIOCore

/// The format of results in the fleet's stores. Stores are not trusted: an entry without a valid code is a miss.
///
/// Layout, numbers big-endian: `FRES` and the version 2; the key, 64 digits; the seconds since 1970, 8 bytes; the media
/// type, the validator, the terms of the source as JSON, and the body, each after its length in 4 bytes; 32 bytes of
/// code over all of that: HMAC-SHA256 with a secret that the fleet shares, or SHA-256 without one.
struct StoredResult: Sendable {
    private static let magic = Array("FRES\u{2}".utf8)
    private static let longestText = 65_536
    /// The accepted secrets, the one for new results first. Empty for a plain checksum.
    private let secrets: [[UInt8]]

    init(secrets: [[UInt8]]) { self.secrets = secrets }

    func encode(_ result: ServedResult, key: String) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(result.count + 256)
        buffer.writeBytes(StoredResult.magic)
        buffer.writeString(key)
        buffer.writeInteger(Int64(result.made))
        for text in [result.mediaType, result.entityTag, result.terms.text] {
            buffer.writeInteger(UInt32(clamping: text.utf8.count))
            buffer.writeString(text)
        }
        buffer.writeInteger(UInt32(clamping: result.count))
        buffer.writeImmutableBuffer(result.body)
        buffer.writeBytes(proofs(buffer.readableBytesView).first ?? [])
        return buffer
    }

    /// - Returns: `nil` for bytes that ``encode(_:key:)`` did not make for this key.
    func decode(_ bytes: ByteBuffer, key: String) -> ServedResult? {
        var buffer = bytes
        let count = buffer.readableBytes - SHA256.byteCount
        guard count > 0, var content = buffer.readSlice(length: count),
            let code = buffer.readBytes(length: SHA256.byteCount),
            proofs(content.readableBytesView).contains(where: { SHA256.isEqual(code, $0) }),
            content.readBytes(length: StoredResult.magic.count) == StoredResult.magic,
            content.readString(length: key.utf8.count) == key,
            let made = content.readInteger(as: Int64.self),
            let mediaType = text(&content), let entityTag = text(&content),
            let terms = text(&content).flatMap({ SourceTerms(text: $0) }),
            let length = content.readInteger(as: UInt32.self), Int(length) == content.readableBytes
        else { return nil }
        return ServedResult(
            body: content.slice(), mediaType: mediaType, entityTag: entityTag, made: Int(clamping: made),
            terms: terms)
    }

    /// Reads a string of printable ASCII.
    private func text(_ content: inout ByteBuffer) -> String? {
        guard let length = content.readInteger(as: UInt32.self), (1...StoredResult.longestText).contains(Int(length)),
            let text = content.readString(length: Int(length)), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) })
        else { return nil }
        return text
    }

    /// The code with each accepted secret, or the plain checksum.
    private func proofs(_ bytes: ByteBufferView) -> [[UInt8]] {
        secrets.isEmpty ? [SHA256.hash(bytes)] : secrets.map { SHA256.code(of: bytes, key: $0) }
    }
}
