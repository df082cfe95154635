import FirnTesting
import FoundationEssentials
import TestSupport

extension InMemoryFileSystem {
    /// Creates a file system with these texts, by their paths.
    convenience init(texts: [String: String]) {
        self.init()
        for (path, text) in texts { self[path] = Data(text.utf8) }
    }
}
