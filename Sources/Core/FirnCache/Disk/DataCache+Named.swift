public import FirnData
import FoundationEssentials

extension DataCache {
    /// Creates a cache in the user's cache directory: `$XDG_CACHE_HOME/NAME`, or `~/.cache/NAME` if that variable is
    /// not an absolute path. Does not access the disk.
    ///
    /// - Parameters:
    ///   - name: one path component; by convention the program's reverse domain name, since all programs of the user
    ///     share the directory.
    ///   - limits: the limits of the cache.
    /// - Throws: ``/FirnData/DataCachingError`` if `name` is not a path component, or if the user has no home
    ///   directory.
    public convenience init(name: String, limits: DataCacheLimits = DataCacheLimits()) throws(DataCachingError) {
        self.init(
            directory: try DataCache.userDirectory(name, environment: ProcessInfo.processInfo.environment),
            limits: limits)
    }

    /// Returns the directory of a name.
    ///
    /// - Source: XDG Base Directory Specification, `XDG_CACHE_HOME`.
    static func userDirectory(
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
