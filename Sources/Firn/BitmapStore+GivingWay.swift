import FirnCache
import FirnData

extension BitmapStore {
    /// Returns a function that frees bytes for originals in another directory by removing stored images, which can be
    /// decoded again. It does nothing if that directory is on another disk.
    func givingWay(to other: String) -> @Sendable (Int) -> Int {
        { bytes in
            let files = LocalFileSystem()
            guard let own = try? files.status(self.directory), let other = try? files.status(other),
                own.device == other.device
            else { return 0 }
            return self.reclaim(bytes)
        }
    }
}
