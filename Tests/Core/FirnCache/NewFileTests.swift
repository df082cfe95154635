import FirnData
import FoundationEssentials
import Testing

/// Tests files that get their name last.
@Suite struct NewFileTests {
    @Test func `A file has a name only once it is linked, and is gone without one`() throws {
        let folder = "\(FileManager.default.temporaryDirectory.path)/firn-new-\(UInt64.random(in: 0 ... .max))"
        let files = LocalFileSystem(access: .owner)
        try files.createDirectory(folder)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let temporary = "\(folder)/.1.tmp"
        func write(_ file: any NewFile) throws {
            try [UInt8](repeating: 3, count: 5000).withUnsafeBytes {
                try file.write(UnsafeRawBufferPointer($0), at: 100)
            }
            try [UInt8](repeating: 9, count: 100).withUnsafeBytes { try file.write(UnsafeRawBufferPointer($0), at: 0) }
        }
        do {
            let dropped = try files.makeFile(near: temporary)
            try write(dropped)
            #expect(try files.list(folder).isEmpty)
        }
        let file = try files.makeFile(near: temporary)
        try write(file)
        try file.link(as: temporary)
        let content = try files.read(temporary)
        #expect(content == Data(repeating: 9, count: 100) + Data(repeating: 3, count: 5000))
        let second = try files.makeFile(near: "\(folder)/.2.tmp")
        try write(second)
        #expect(throws: DataFileError.self) { try second.link(as: temporary) }
        #expect(throws: DataFileError.self) { _ = try files.makeFile(near: "\(folder)/missing/.3.tmp") }
        #expect(try files.list(folder) == [".1.tmp"])
    }
}
