public import FoundationEssentials

extension DataCaching where Self == DataCache {
    /// Returns a cache in a directory. Does not access the disk.
    ///
    /// - Parameters:
    ///   - directory: the `file:` URL. The directory may contain other files; the first entry creates it.
    ///   - limit: maximum bytes of all files. Default: 256 MiB.
    ///   - isShared: whether the directory is used even if other users can write to it. Default: no.
    public static func disk(at directory: URL, limit: Int = 256 << 20, isShared: Bool = false) -> DataCache {
        DataCache(directory: directory, sizeLimit: limit, isShared: isShared)
    }

    /// Like `disk(at:limit:isShared:)`, for the directory at a path.
    public static func disk(path: String, limit: Int = 256 << 20, isShared: Bool = false) -> DataCache {
        DataCache(directory: path, limits: DataCacheLimits(bytes: limit), isShared: isShared)
    }
}

extension DataCache {
    /// The default data cache of all pipelines of this process.
    ///
    /// Located at `NAME/images` in the user's cache directory, where NAME is the name of the executable:
    /// `$XDG_CACHE_HOME/NAME/images`, or `~/.cache/NAME/images` if that variable is not an absolute path. Limited to
    /// 150 MiB; processes of the same name share it. The first request creates the directory, on a thread of the
    /// pipeline. If it cannot be created or written to, pipelines continue without it and report this once.
    ///
    /// `nil` in a process that runs tests (`swift test`), so that tests do not read each other's entries.
    /// - Source: XDG Base Directory Specification, `XDG_CACHE_HOME`.
    public static let shared = shared(
        executable: ProgramName.current, environment: ProcessInfo.processInfo.environment)

    static func shared(executable: String, environment: [String: String]) -> DataCache? {
        guard !ProgramName.isTestRunner(executable, environment) else { return nil }
        let folder = try? userDirectory(executable, environment: environment)
        return DataCache(
            directory: folder.map { "\($0)/images" } ?? "", limits: DataCacheLimits(bytes: 150 << 20), isOptional: true)
    }

    /// Creates a cache in the user's cache directory: `$XDG_CACHE_HOME/NAME`, or `~/.cache/NAME` if that variable is
    /// not an absolute path. Does not access the disk.
    ///
    /// - Parameters:
    ///   - name: one path component; by convention the program's reverse domain name, since all programs of the user
    ///     share the cache directory.
    ///   - sizeLimit: maximum bytes of all files. Default: 256 MiB.
    /// - Throws: ``/FirnData/DataCachingError`` if `name` is not a path component, or if the user has no home
    ///   directory.
    public convenience init(name: String, sizeLimit: Int = 256 << 20) throws(DataCachingError) {
        self.init(
            directory: try DataCache.userDirectory(name, environment: ProcessInfo.processInfo.environment),
            limits: DataCacheLimits(bytes: sizeLimit))
    }

    /// Returns the directory of a name.
    ///
    /// - Source: XDG Base Directory Specification, `XDG_CACHE_HOME`.
    package static func userDirectory(
        _ name: String, environment: [String: String]
    ) throws(DataCachingError) -> String {
        guard !name.isEmpty, name != ".", name != "..",
            !name.utf8.contains(where: { $0 == 0 || $0 == UInt8(ascii: "/") })
        else { throw DataCachingError("\(name): a cache is named by one path component") }
        if let caches = environment["XDG_CACHE_HOME"], caches.hasPrefix("/") { return "\(caches)/\(name)" }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw DataCachingError("\(name): no place for a cache; set HOME or XDG_CACHE_HOME")
        }
        return "\(home)/.cache/\(name)"
    }
}

/// The name of the running executable.
enum ProgramName {
    /// The last component of the executable's path. A link to a program has the program's name.
    static var current: String {
        let link = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = link ?? CommandLine.arguments.first ?? ""
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        // The kernel adds this if the file was replaced, for example by an update.
        let removed = " (deleted)"
        return name.hasSuffix(removed) ? String(name.dropLast(removed.count)) : name
    }

    /// Returns whether the process runs tests.
    ///
    /// - Source: SwiftPM 6.3 starts `NAME.xctest` on Linux, or `NAME-test-runner` with the build system `swiftbuild`,
    ///   and `swiftpm-testing-helper` elsewhere; swift-testing sets the variable in the processes of exit tests.
    static func isTestRunner(_ name: String, _ environment: [String: String]) -> Bool {
        name.hasSuffix(".xctest") || name.hasSuffix("-test-runner") || name == "swiftpm-testing-helper"
            || environment["SWT_EXIT_TEST_ID"] != nil
    }
}
