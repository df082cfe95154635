import FirnData
import FoundationEssentials
import FirnSystem
import Testing

/// Tests the file system's calls on a real file system.
@Suite final class LocalFileSystemTests {
    private let files = LocalFileSystem()
    private let directory: String

    init() throws {
        var template = Array("/tmp/firn-files-XXXXXX".utf8CString)
        directory = try #require(
            template.withUnsafeMutableBufferPointer {
                $0.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
            })
    }

    deinit {
        for name in (try? files.list(directory)) ?? [] { try? files.remove("\(directory)/\(name)") }
        try? files.removeDirectory(directory)
    }

    private func code(_ body: () throws(DataFileError) -> Void) -> Int32? {
        do throws(DataFileError) {
            try body()
            return nil
        } catch { return error.code }
    }

    @Test(arguments: [0, 1, 5_000, 16_384, 1_000_000])
    func `A file written in parts is read completely, in part and mapped`(_ size: Int) throws {
        let path = "\(directory)/file"
        let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 13) })
        try files.create(path, [Data("head".utf8), Data(), body])
        let whole = Data("head".utf8) + body
        #expect(try files.read(path) == whole)
        #expect(try files.read(path, first: 3) == whole.prefix(3))
        #expect(try files.read(path, first: 0) == Data())
        let mapped = try files.map(path)
        #expect(mapped.data() == whole)
        #expect(mapped.data(from: 4) == body)
        #expect(mapped.data(from: whole.count + 1) == Data())
        #expect(mapped.status.size == whole.count)
        #expect(try files.status(path).size == whole.count)
    }

    @Test func `Mapped bytes outlive the file's removal and its owner, and may be changed without reaching the file`()
        throws
    {
        let path = "\(directory)/file"
        // Large enough to be mapped instead of read.
        let body = Data(repeating: 7, count: 600_000)
        try files.create(path, [body])
        var data = try files.map(path).data(from: 1)
        data[0] = 1
        data.append(2)
        #expect(data[0] == 1 && data[599_998] == 7 && data.count == 600_000)
        #expect(try files.read(path) == body)
        let held = try files.map(path).data()
        try files.remove(path)
        #expect(held == body)
    }

    @Test func `Files without a length are read to their end`() throws {
        #expect(try files.read("/proc/self/status").count > 100)
    }

    /// Returns a pipe without another end, a socket without a listener, and a device.
    private func specials() throws -> [String] {
        let (pipe, socket) = ("\(directory)/pipe", "\(directory)/socket")
        try #require(mkfifo(pipe, 0o600) == 0)
        try #require(mknod(socket, S_IFSOCK | 0o600, 0) == 0)
        return [pipe, socket, "/dev/zero", "/dev/null"]
    }

    @Test(.timeLimit(.minutes(5)))
    func `Pipes, sockets and devices are refused at once`() throws {
        for path in try specials() {
            #expect(code { () throws(DataFileError) in _ = try files.read(path) } == DataFileError.notRegular)
            #expect(code { () throws(DataFileError) in _ = try files.read(path, first: 1) } == DataFileError.notRegular)
            #expect(code { () throws(DataFileError) in _ = try files.load(path) } == DataFileError.notRegular)
            #expect(code { () throws(DataFileError) in _ = try files.map(path) } == DataFileError.notRegular)
            #expect(code { () throws(DataFileError) in _ = try files.open(path) } == DataFileError.notRegular)
            let record = try files.sharedRecord(path)
            #expect(code { () throws(DataFileError) in try record?.take() } == DataFileError.notRegular)
        }
        #expect(
            DataFileError("open", "/x", code: DataFileError.notRegular).description
                == "/x: cannot open: it is not a regular file")
    }

    @Test func `Files for the owner alone have no permissions for others`() throws {
        let files = LocalFileSystem(access: .owner)
        try files.createDirectory("\(directory)/a/b")
        try files.create("\(directory)/a/b/f", [Data([1])])
        let record = try files.sharedRecord("\(directory)/a/r")
        try record?.take()
        record?.leave()
        func mode(_ path: String) -> mode_t {
            var status = stat()
            return stat("\(directory)/\(path)", &status) == 0 ? status.st_mode & 0o777 : 0
        }
        #expect(mode("a") == 0o700 && mode("a/b") == 0o700)
        #expect(mode("a/b/f") == 0o600 && mode("a/r") == 0o600)
        for path in ["a/b/f", "a/r"] { try files.remove("\(directory)/\(path)") }
        for path in ["a/b", "a"] { try files.removeDirectory("\(directory)/\(path)") }
    }

    @Test func `Loaded bytes stay when the file is truncated`() throws {
        let path = "\(directory)/file"
        let body = Data((0..<9_000_000).map { UInt8(truncatingIfNeeded: $0 &* 13) })
        try files.create(path, [body])
        let loaded = try files.load(path)
        try #require(truncate(path, 4096) == 0)
        #expect(loaded.data() == body && loaded.status.size == body.count)
    }

    @Test func `A new file never replaces one that is there`() throws {
        let path = "\(directory)/file"
        try files.create(path, [Data([1])])
        #expect(code { () throws(DataFileError) in try files.create(path, [Data([2])]) } == EEXIST)
        #expect(try files.read(path) == Data([1]))
    }

    @Test func `Errors have the call, the path and the system's error number`() {
        let missing = "\(directory)/missing"
        #expect(code { () throws(DataFileError) in _ = try files.read(missing) } == ENOENT)
        #expect(code { () throws(DataFileError) in _ = try files.map(directory) } == EISDIR)
        #expect(code { () throws(DataFileError) in try files.remove(missing) } == ENOENT)
        #expect(code { () throws(DataFileError) in _ = try files.list(missing) } == ENOENT)
        #expect(code { () throws(DataFileError) in _ = try files.read("\(directory)\0/../etc/passwd") } == EINVAL)
        #expect(code { () throws(DataFileError) in _ = try files.list("/\0") } == EINVAL)
        #expect(DataFileError("open", "/x", code: ENOENT).description == "/x: cannot open: No such file or directory")
    }

    @Test func `Directories are created with their parents, also repeatedly`() throws {
        let deep = "\(directory)/a/b/c"
        try files.createDirectory(deep)
        try files.createDirectory(deep)
        #expect(try files.status(deep).isDirectory)
        try files.create("\(deep)/f", [])
        #expect(code { () throws(DataFileError) in try files.createDirectory("\(deep)/f") } == ENOTDIR)
        #expect(code { () throws(DataFileError) in try files.removeDirectory(deep) } == ENOTEMPTY)
        #expect(try files.list(deep) == ["f"])
        try files.remove("\(deep)/f")
        for path in [deep, "\(directory)/a/b", "\(directory)/a"] { try files.removeDirectory(path) }
    }

    @Test func `Renaming replaces, and times are set to the nanosecond, before 1970 too`() throws {
        try files.create("\(directory)/a", [Data([1])])
        try files.create("\(directory)/b", [Data([2])])
        try files.rename("\(directory)/a", to: "\(directory)/b")
        #expect(try files.list(directory) == ["b"])
        for moment: Int64 in [1_700_000_000_123_456_789, 0, -1_500_000_000] {
            try files.touch("\(directory)/b", modified: moment)
            #expect(try files.status("\(directory)/b").modified == moment)
        }
    }
}
