import CXattr
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

    private func status(_ name: String) -> stat {
        var status = stat()
        lstat("\(folder)/\(name)", &status)
        return status
    }

    @Test(arguments: [0o600, 0o640, 0o444, 0o755, 0o6755, 0o1777] as [mode_t])
    func `a file that is replaced keeps its permissions, without setuid bits`(mode: mode_t) throws {
        for replace in [false, true] {
            try OutputFile.create(Data("old".utf8), at: "\(folder)/x-\(replace)")
            chmod("\(folder)/x-\(replace)", mode)
            let path = "\(folder)/x-\(replace)"
            let notes = try replace ? OutputFile.replace(Data([1]), at: path) : OutputFile.write(Data([1]), to: path)
            #expect(notes.isEmpty, "\(notes)")
            #expect(status("x-\(replace)").st_mode & 0o7777 == mode & 0o777)
            #expect(try content("x-\(replace)") == Data([1]))
        }
    }

    @Test func `a file behind a link keeps its permissions, and the temporary file is private`() throws {
        try OutputFile.create(Data("old".utf8), at: "\(folder)/secret")
        chmod("\(folder)/secret", 0o640)
        symlink("secret", "\(folder)/link")
        var modes: [mode_t] = []
        try OutputFile.write(
            Data("new".utf8), to: "\(folder)/link",
            mark: { temporary in
                var status = stat()
                stat(temporary, &status)
                modes.append(status.st_mode & 0o777)
            })
        #expect(modes == [0o600] && status("secret").st_mode & 0o777 == 0o640)
        #expect(FileKind("\(folder)/link") == .link)
        #expect(try content("secret") == Data("new".utf8))
    }

    @Test func `private files replace open ones as private files`() throws {
        try OutputFile.create(Data("old".utf8), at: "\(folder)/x")
        chmod("\(folder)/x", 0o666)
        try OutputFile.replace(Data("new".utf8), at: "\(folder)/x", files: .caches)
        #expect(status("x").st_mode & 0o777 == 0o600)
    }

    @Test func `other names of a file keep its content, and are noted`() throws {
        try OutputFile.create(Data("old".utf8), at: "\(folder)/a")
        link("\(folder)/a", "\(folder)/b")
        let notes = try OutputFile.write(Data("new".utf8), to: "\(folder)/a")
        #expect(notes == ["its other names (hard links) still have the older content"])
        #expect(try content("b") == Data("old".utf8))
    }

    @Test func `extended attributes and access lists are kept, marks are not`() throws {
        let path = "\(folder)/x"
        try OutputFile.create(Data("old".utf8), at: path, mark: FileMark.setter("thumbnail:1"))
        guard setxattr(path, "user.note", "kept", 4, 0) == 0 else { return }
        // The owner, user 7, the group, the mask and others; see acl(5).
        let entries: [[UInt16]] = [
            [1, 6, 0xFFFF, 0xFFFF], [2, 4, 7, 0], [4, 4, 0xFFFF, 0xFFFF], [16, 4, 0xFFFF, 0xFFFF],
            [32, 0, 0xFFFF, 0xFFFF],
        ]
        var list: [UInt8] = [2, 0, 0, 0]
        for number in entries.joined() { list += [UInt8(number & 255), UInt8(number >> 8)] }
        let hasList = setxattr(path, "system.posix_acl_access", list, list.count, 0) == 0
        #expect(try OutputFile.write(Data("new".utf8), to: path).isEmpty)
        var bytes = [UInt8](repeating: 0, count: 100)
        #expect(getxattr(path, "user.note", &bytes, 100) == 4 && bytes.starts(with: "kept".utf8))
        if hasList {
            #expect(getxattr(path, "system.posix_acl_access", &bytes, 100) == list.count && bytes.starts(with: list))
            #expect(status("x").st_mode & 0o777 == 0o640)
        }
        #expect(FileMark.of(path) == nil)
    }

    @Test func `a default list of the folder does not open a file that was closed`() throws {
        let list: [UInt8] =
            [2, 0, 0, 0] + [1, 0, 7, 0] + [255, 255, 255, 255] + [2, 0, 7, 0] + [7, 0, 0, 0] + [4, 0, 5, 0]
            + [255, 255, 255, 255] + [16, 0, 7, 0] + [255, 255, 255, 255] + [32, 0, 5, 0] + [255, 255, 255, 255]
        try OutputFile.create(Data("old".utf8), at: "\(folder)/x")
        chmod("\(folder)/x", 0o640)
        guard setxattr(folder, "system.posix_acl_default", list, list.count, 0) == 0 else { return }
        #expect(try OutputFile.write(Data("new".utf8), to: "\(folder)/x").isEmpty)
        #expect(getxattr("\(folder)/x", "system.posix_acl_access", nil, 0) < 0)
        #expect(status("x").st_mode & 0o777 == 0o640)
    }

    @Test(.enabled(if: geteuid() == 0)) func `the owner is kept`() throws {
        try OutputFile.create(Data("old".utf8), at: "\(folder)/x")
        chown("\(folder)/x", 1234, 4321)
        chmod("\(folder)/x", 0o4660)
        #expect(try OutputFile.write(Data("new".utf8), to: "\(folder)/x").isEmpty)
        let status = status("x")
        #expect(status.st_uid == 1234 && status.st_gid == 4321 && status.st_mode & 0o7777 == 0o660)
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
