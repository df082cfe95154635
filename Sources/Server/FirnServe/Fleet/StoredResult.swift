import FirnData
import FirnDigest
import NIOCore

/// The format of results in the fleet's stores. Stores are not trusted: an entry without a valid code is a miss.
///
/// Layout, numbers big-endian: `FRES` and the version 2; the key, 64 digits; in 8 bytes each, the seconds since 1970 when
/// it was made, of the end of the source's freshness (the largest number for none) and of its last change (the smallest
/// for none); the number of texts in 4 bytes; the texts: the media type, the validator, and the names and values of
/// passed-on fields, and then the body, each after its length in 4 bytes; 32 bytes of code over all of that: HMAC-SHA256
/// with a secret that the fleet shares, or SHA-256 without one.
struct StoredResult: Sendable {
    private static let magic = Array("FRES\u{2}".utf8)
    private static let longestText = 4096
    private static let mostTexts = 128
    /// The accepted secrets, the one for new results first. Empty for a plain checksum.
    private let secrets: [[UInt8]]

    init(secrets: [[UInt8]]) { self.secrets = secrets }

    func encode(_ result: ServedResult, key: String) -> ByteBuffer {
        var buffer = ByteBuffer()
        buffer.reserveCapacity(result.count + 256)
        buffer.writeBytes(StoredResult.magic)
        buffer.writeString(key)
        for time in [result.made, result.terms.freshUntil, result.terms.modified ?? .min] {
            buffer.writeInteger(Int64(time))
        }
        let texts = [result.mediaType, result.entityTag] + result.terms.fields.fields.flatMap { [$0.name, $0.value] }
        buffer.writeInteger(UInt32(clamping: texts.count))
        for text in texts {
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
            let made = content.readInteger(as: Int64.self), let until = content.readInteger(as: Int64.self),
            let modified = content.readInteger(as: Int64.self), let texts = texts(&content),
            let length = content.readInteger(as: UInt32.self), Int(length) == content.readableBytes
        else { return nil }
        var terms = SourceTerms(freshUntil: Int(clamping: until), modified: modified == .min ? nil : Int(modified))
        for place in stride(from: 2, to: texts.count - 1, by: 2) { terms.fields.append(texts[place], texts[place + 1]) }
        return ServedResult(
            body: content.slice(), mediaType: texts[0], entityTag: texts[1], made: Int(clamping: made), terms: terms)
    }

    /// Reads the texts, of which there are at least two.
    private func texts(_ content: inout ByteBuffer) -> [String]? {
        guard let count = content.readInteger(as: UInt32.self), (2...StoredResult.mostTexts).contains(Int(count)) else {
            return nil
        }
        var texts: [String] = []
        for _ in 0..<count {
            guard let text = text(&content) else { return nil }
            texts.append(text)
        }
        return texts
    }

    /// Reads a string that is valid in a header field.
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
