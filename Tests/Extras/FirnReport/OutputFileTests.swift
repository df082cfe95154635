import FirnData
import FirnReport
import FoundationEssentials
import FirnSystem
import Testing

/// Tests the names of files that are written atomically.
@Suite final class OutputFileTests {
    private let folder: String

    init() throws {
        var template = Array("/tmp/firn-output-XXXXXX".utf8CString)
        folder = try #require(
            template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) } }.map {
                String(cString: $0)
            })
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func content(_ name: String) throws -> Data { try LocalFileSystem().read("\(folder)/\(name)") }

    @Test func `temporary names that a killed process left are skipped`() throws {
        // Every second name is taken, by a link.
        for number in stride(from: 1, to: 20_000, by: 2) {
            symlink("secret", "\(folder)/.x.\(getpid())-\(number).part")
        }
        for text in ["first", "second", "third"] {
            try OutputFile.write(Data(text.utf8), to: "\(folder)/x")
            #expect(try content("x") == Data(text.utf8))
        }
        #expect(FileKind("\(folder)/secret") == .missing)
    }

    @Test func `chains of relative links lead to the file`() throws {
        mkdir("\(folder)/a", 0o700)
        mkdir("\(folder)/b", 0o700)
        symlink("a/two", "\(folder)/one")
        symlink("../b/three", "\(folder)/a/two")
        symlink("file", "\(folder)/b/three")
        #expect(try OutputPlace("\(folder)/one") == .file("\(folder)/a/../b/file"))
        try OutputFile.write(Data("x".utf8), to: "\(folder)/one")
        #expect(try content("b/file") == Data("x".utf8))
        #expect(FileKind("\(folder)/one") == .link && FileKind("\(folder)/b/three") == .link)
    }

    @Test func `a made name that is a link is replaced, and one that is a pipe stays`() throws {
        try OutputFile.write(Data("mine".utf8), to: "\(folder)/secret")
        symlink("secret", "\(folder)/link")
        try OutputFile.replace(Data("new".utf8), at: "\(folder)/link")
        #expect(try content("secret") == Data("mine".utf8))
        #expect(FileKind("\(folder)/link") == .file)
        mkfifo("\(folder)/pipe", 0o600)
        let error = #expect(throws: DataFileError.self) {
            try OutputFile.replace(Data("new".utf8), at: "\(self.folder)/pipe")
        }
        #expect(error?.code == DataFileError.notRegular && FileKind("\(folder)/pipe") == .special)
    }

    @Test func `paths of own descriptors are descriptors`() throws {
        for path in ["/dev/fd/1", "/proc/self/fd/1", "/proc/\(getpid())/fd/1", "/dev/stdout"] {
            #expect(try OutputPlace(path) == .descriptor(1), "\(path)")
            #expect(OutputPlace.isStandardOutput(path) && OutputPlace.isStream(path), "\(path)")
        }
        #expect(try OutputPlace("/dev/null") == .special("/dev/null"))
        #expect(try OutputPlace("\(folder)/1") == .file("\(folder)/1"))
        #expect(!OutputPlace.isStream("\(folder)/1"))
    }
}
