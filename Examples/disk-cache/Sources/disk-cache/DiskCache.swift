import FirnHTTP
import FoundationEssentials

/// A cache of bytes that survives launches: `disk-cache DIRECTORY put KEY FILE`, `disk-cache DIRECTORY get KEY FILE`.
///
/// The data cache is independent of images. Entries are verified by a hash when read.
@main
struct DiskCache {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5 else { return print("usage: disk-cache DIRECTORY put|get KEY FILE") }
        let cache = DataCache.disk(path: arguments[1])
        let (key, file) = (arguments[3], URL(filePath: arguments[4]))
        switch arguments[2] {
        case "put":
            try cache.store(DataCacheEntry(data: try Data(contentsOf: file)), for: key)
            print("stored \(key)")
        case "get":
            guard let entry = try cache.entry(for: key) else { return print("no entry \(key)") }
            try entry.data.write(to: file)
            print("\(key): \(entry.data.count) bytes")
        default:
            print("usage: disk-cache DIRECTORY put|get KEY FILE")
        }
    }
}
