import FirnImage
import FoundationEssentials
import FirnSystem
import Testing

/// Tests outputs that are no plain files: what the user named is written into or followed, what `firn` names is not.
@Suite(.timeLimit(.minutes(5))) final class OutputPlaceTests: CommandSuite {
    /// The commands that write to a name that the user gives, with that name in place of `OUT`.
    static let commands = [
        "decode a.png --out OUT", "convert a.png --out OUT", "thumbnail a.png --out OUT",
        "load --no-cache --size 5x5 a.png --out OUT", "load --no-cache -q a.png --sheet OUT",
        "load --no-cache -q a.png --trace OUT", "load --no-cache -q a.png --metrics OUT",
    ]

    override init() throws {
        try super.init()
        try scratch.write("a.png", Images.png(40, 30))
    }

    private func run(_ command: String, to out: String, shell: String = "") throws -> BuiltCommand.Outcome {
        let words = command.split(separator: " ").map { $0 == "OUT" ? out : String($0) }
        return try firn.run(words, in: scratch, shell: shell)
    }

    private func kind(_ name: String) -> mode_t {
        var status = stat()
        return lstat(scratch.path(name), &status) == 0 ? status.st_mode & S_IFMT : 0
    }

    @Test(arguments: commands)
    func `a pipe is written into and stays a pipe`(command: String) throws {
        try #require(mkfifo(scratch.path("x.png"), 0o600) == 0)
        let words = command.replacing("OUT", with: "x.png")
        let script = "cat x.png > got & '\(firn.path)' \(words); status=$?; wait; exit $status"
        let outcome = try BuiltCommand(at: "/bin/sh").run(["-c", script], in: scratch)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(kind("x.png") == S_IFIFO)
        #expect(try scratch.data("got").count > 0)
        if command.contains("--out") {
            #expect(try run(command, to: "plain.png").status == 0)
            #expect(try scratch.data("got") == scratch.data("plain.png"))
        }
        #expect(!scratch.files().contains { $0.hasSuffix(".part") })
    }

    @Test(arguments: commands)
    func `a file that is replaced keeps its permissions, and its other names are warned of`(command: String) throws {
        try scratch.write("x.png", Data("old".utf8))
        try #require(chmod(scratch.path("x.png"), 0o600) == 0)
        #expect(try run(command, to: "x.png").errors.isEmpty)
        var status = stat()
        #expect(stat(scratch.path("x.png"), &status) == 0 && status.st_mode & 0o777 == 0o600)
        try #require(link(scratch.path("x.png"), scratch.path("other.png")) == 0)
        let outcome = try run(command, to: "x.png")
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("x.png: warning: the file was replaced, and its other names"))
    }

    @Test(arguments: commands)
    func `a link is followed, to a file, to none, and to a device`(command: String) throws {
        try scratch.write("folder/target.png", Data("old".utf8))
        for (link, target) in [("to-file.png", "folder/target.png"), ("dangling.png", "folder/new.png")] {
            try #require(symlink(target, scratch.path(link)) == 0)
            let outcome = try run(command, to: link)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(kind(link) == S_IFLNK && kind(target) == S_IFREG)
            #expect(try scratch.data(target).count > 3)
        }
        try #require(symlink("/dev/null", scratch.path("null.png")) == 0)
        #expect(try run(command, to: "null.png").status == 0)
        #expect(kind("null.png") == S_IFLNK)
        var status = stat()
        #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }

    @Test(arguments: commands)
    func `a loop of links is an error`(command: String) throws {
        try #require(symlink("y.png", scratch.path("x.png")) == 0 && symlink("x.png", scratch.path("y.png")) == 0)
        let outcome = try run(command, to: "x.png")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("symbolic links"), "\(outcome.errors)")
        #expect(kind("x.png") == S_IFLNK && kind("y.png") == S_IFLNK)
    }

    @Test func `a device is written into and stays a device`() throws {
        // Only root can make one.
        guard mknod(scratch.path("x.png"), S_IFCHR | 0o600, 0x103) == 0 else { return }
        for command in OutputPlaceTests.commands {
            let outcome = try run(command, to: "x.png")
            #expect(outcome.status == 0, "\(command): \(outcome.errors)")
            #expect(kind("x.png") == S_IFCHR, "\(command)")
        }
    }

    @Test func `a socket gets the image`() throws {
        let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(listener) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array(scratch.path("x.png").utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isBound && listen(listener, 1) == 0)
        let outcome = try run("decode a.png --out OUT", to: "x.png")
        #expect(outcome.status == 0, "\(outcome.errors)")
        let connection = accept(listener, nil, nil)
        defer { close(connection) }
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while case let count = read(connection, &buffer, 1 << 16), count > 0 { bytes += buffer.prefix(count) }
        #expect(try Images.decoded(bytes).size == PixelSize(width: 40, height: 30))
        #expect(kind("x.png") == S_IFSOCK)
    }

    @Test(arguments: ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1", "link.png"])
    func `the standard output under another name gets the image and nothing else`(name: String) throws {
        try #require(symlink("/dev/stdout", scratch.path("link.png")) == 0)
        for command in ["decode a.png --out OUT", "convert a.png --format png --out OUT", "thumbnail a.png --out OUT"] {
            let words = command.split(separator: " ").map { $0 == "OUT" ? name : String($0) }
            let quoted = words.map { "'\($0)'" }.joined(separator: " ")
            let shell = BuiltCommand(at: "/bin/sh")
            let script = "'\(firn.path)' \(quoted) | cat > piped && '\(firn.path)' \(quoted) > file"
            let outcome = try shell.run(["-c", script], in: scratch)
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(command): \(outcome.errors)")
            let (piped, file) = (try scratch.data("piped"), try scratch.data("file"))
            #expect(piped == file, "\(command)")
            #expect(try Images.decoded(piped).size.width > 0, "\(command)")
        }
        #expect(kind("link.png") == S_IFLNK)
    }

    @Test func `another descriptor is written into at its position`() throws {
        try scratch.write("log", Data("before".utf8))
        let outcome = try run("load --no-cache -q a.png --metrics OUT", to: "/dev/fd/7", shell: "exec 7>> log")
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(try scratch.text("log").hasPrefix("before# "))
        // A number that no other test has open while this one starts the program.
        let closed = try run("load --no-cache -q a.png --metrics OUT", to: "/dev/fd/60000")
        #expect(closed.status == 1 && closed.errors.contains("Bad file descriptor"), "\(closed.errors)")
    }

    @Test func `a pipe whose reader is gone is an error, not the end by a signal`() throws {
        // The PNG of noise is larger than a pipe holds.
        try scratch.write("large.bmp", Images.bitmapFile(width: 700, height: 700))
        try #require(mkfifo(scratch.path("x.png"), 0o600) == 0)
        let script = "head -c 1 x.png > one & exec '\(firn.path)' decode large.bmp --out x.png"
        let outcome = try BuiltCommand(at: "/bin/sh").run(["-c", script], in: scratch)
        #expect(outcome.status == 1)
        #expect(outcome.errorLines.count == 1 && outcome.errors.contains("x.png: Broken pipe"), "\(outcome.errors)")
        #expect(kind("x.png") == S_IFIFO)
    }

    @Test func `a link at a name that firn makes is not followed`() throws {
        try scratch.write("secret", Data("mine".utf8))
        try scratch.write("tree/sub/b.png", Images.png(4, 3))
        for name in ["out/a.jpg", "out/sub/b.jpg", "tn_a.jpg", "previews/a-1.png"] {
            try scratch.write(name, Data())
            unlink(scratch.path(name))
            try #require(symlink(scratch.path("secret"), scratch.path(name)) == 0)
        }
        for command in [
            "convert a.png tree --format jpg --out OUT", "thumbnail a.png",
            "load --no-cache a.png --format jpeg -o OUT", "decode a.png --previews previews",
        ] {
            let outcome = try run(command, to: "out")
            #expect(outcome.status == 0, "\(command): \(outcome.errors)")
            #expect(try scratch.text("secret") == "mine", "\(command)")
        }
        #expect(kind("out/a.jpg") == S_IFLNK && kind("out/a-2.jpg") == S_IFREG && kind("tn_a.jpg") == S_IFLNK)
    }

    @Test func `a file that this command made is not replaced through a link`() throws {
        #expect(try run("convert a.png --format jpg --out OUT", to: "first").status == 0)
        let made = try scratch.data("first/a.jpg")
        try scratch.write("out/x", Data())
        try #require(symlink(scratch.path("first/a.jpg"), scratch.path("out/a.jpg")) == 0)
        #expect(try run("convert a.png --format jpg --quality 20 --out OUT", to: "out").status == 0)
        #expect(try scratch.data("first/a.jpg") == made)
        #expect(kind("out/a-2.jpg") == S_IFREG)
    }

    @Test(arguments: ["convert tree --format jpg --out out", "thumbnail tree --out ROOT/out/%s.jpg"])
    func `a folder below the output folder that is a link is an error`(command: String) throws {
        try scratch.write("tree/sub/b.png", Images.png(4, 3))
        try scratch.write("elsewhere/x", Data())
        try scratch.write("out/x", Data())
        try #require(symlink(scratch.path("elsewhere"), scratch.path("out/sub")) == 0)
        let outcome = try run(command.replacing("ROOT", with: scratch.root), to: "")
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("out/sub is a link"), "\(outcome.errors)")
        #expect(scratch.files(below: "elsewhere") == ["x"])
    }
}
