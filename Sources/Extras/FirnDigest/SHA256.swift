import COpenSSL
import FirnData
package import FirnImage

/// SHA-256 by OpenSSL, incremental and with a key (HMAC).
///
/// - Source: FIPS 180-4 §6.2; RFC 2104 for the HMAC.
package final class SHA256 {
    package static let byteCount = 32
    private let context = EVP_MD_CTX_new()

    package init() { EVP_DigestInit_ex(context, EVP_sha256(), nil) }

    deinit { EVP_MD_CTX_free(context) }

    package func update(_ bytes: UnsafeRawBufferPointer) { EVP_DigestUpdate(context, bytes.baseAddress, bytes.count) }

    /// Returns the hash of all bytes added, as 64 hexadecimal digits. Nothing can be added afterwards.
    package func digest() -> String { hash().hexadecimal }

    private func hash() -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: SHA256.byteCount) { bytes, count in
            // It fails only without memory, when allocating the result would end the process, too.
            guard EVP_DigestFinal_ex(context, bytes.baseAddress, nil) == 1 else { fatalError("no memory for SHA-256") }
            count = SHA256.byteCount
        }
    }

    /// Returns the hash of `bytes`.
    package static func hash(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        let hash = SHA256()
        withBytes(bytes) { hash.update($0) }
        return hash.hash()
    }

    /// Returns the HMAC of `message` with `key`; empty if OpenSSL refuses the key, as in FIPS mode. An empty code
    /// equals no code.
    package static func code(of message: some Sequence<UInt8>, key: [UInt8]) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { code, count in
            withBytes(message) { message in
                // Keys are padded with zeros, so a zero byte equals the empty key, which would be a null pointer.
                let key = key.isEmpty ? [0] : key
                let start = message.assumingMemoryBound(to: UInt8.self).baseAddress
                let made = HMAC(
                    EVP_sha256(), key, Int32(clamping: key.count), start, message.count, code.baseAddress, nil)
                count = made == nil ? 0 : byteCount
            }
        }
    }

    /// Returns whether two codes are equal, in a time that depends only on their lengths.
    package static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }

    private static func withBytes(_ bytes: some Sequence<UInt8>, _ body: (UnsafeRawBufferPointer) -> Void) {
        if bytes.withContiguousStorageIfAvailable({ body(UnsafeRawBufferPointer($0)) }) != nil { return }
        Array(bytes).withUnsafeBytes(body)
    }
}

extension Bitmap {
    /// Returns the SHA-256 of the image as straight RGBA of 8 bits, rows packed, with R = G = B = 0 wherever A = 0.
    ///
    /// Equal images have equal digests, regardless of the colors of transparent pixels. The digest covers the exact
    /// pixels of straight and opaque 8-bit images. Other images are converted, which rounds.
    ///
    /// - Returns: 64 hexadecimal digits.
    /// - Throws: ``/FirnImage/ImageError`` if there is no memory.
    package func straightDigest() throws -> String {
        let straight = try converted(to: .rgba8Straight)
        let hash = SHA256()
        straight.withUnsafeBytes { bytes in
            for y in 0..<size.height {
                var row = Array(bytes[(y * straight.bytesPerRow)...].prefix(size.width * 4))
                if !straight.isOpaque {
                    for alpha in stride(from: 3, to: row.count, by: 4) where row[alpha] == 0 {
                        for color in alpha - 3..<alpha { row[color] = 0 }
                    }
                }
                row.withUnsafeBytes { hash.update($0) }
            }
        }
        return hash.digest()
    }
}
