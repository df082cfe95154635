/// The common part of the headers of stored bitmaps and pyramids: magic, version, flags and length, then their fields,
/// and whole pages.
///
/// Source: Documentation/Formats/bitmap-store.md.
struct PagedHeader {
    /// Pixels start at a multiple of this.
    static let page = 4096

    let magic: [UInt8]
    let version: UInt16
    /// The most bytes of a header. Longer ones are neither written nor read.
    let maximumLength: Int

    /// Returns the length of a header whose fields end at `end`; `nil` if it is too long.
    func length(forFieldsEndingAt end: Int) -> Int? {
        let length = (end + HeaderChecksum.length + PagedHeader.page - 1) / PagedHeader.page * PagedHeader.page
        return length <= maximumLength ? length : nil
    }

    /// Returns the bytes in front of the fields.
    func start(flags: UInt16, length: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length)
        bytes += magic
        bytes.append(littleEndian: version, flags, UInt32(truncatingIfNeeded: length))
        return bytes
    }

    /// Reads flags and length from the first bytes of a file.
    func readStart(_ file: UnsafeRawBufferPointer) throws(EntryDamage) -> (flags: UInt16, length: Int) {
        var reader = ByteReader(file)
        guard let magic = reader.bytes(4), magic.elementsEqual(self.magic) else { throw .foreign }
        guard let version = reader.integer(UInt16.self), let flags = reader.integer(UInt16.self),
            let length = reader.integer(UInt32.self).map({ Int($0) })
        else { throw .foreign }
        guard version == self.version else { throw .version(version) }
        guard length >= PagedHeader.page, length <= maximumLength, length % PagedHeader.page == 0 else {
            throw .header
        }
        return (flags, length)
    }

    /// Checks the header at the start of a file.
    ///
    /// - Returns: flags, length, and a reader of the fields.
    func read(
        _ file: UnsafeRawBufferPointer
    ) throws(EntryDamage) -> (flags: UInt16, length: Int, fields: ByteReader) {
        let (flags, length) = try readStart(file)
        let checked = try HeaderChecksum.check(file, length: length)
        return (flags, length, ByteReader(UnsafeRawBufferPointer(rebasing: checked[12...])))
    }
}
