import FirnCache
import FirnData

extension BitmapStore {
    /// What frees bytes for originals in another directory: images that can be decoded again go before them. Nothing where
    /// that directory lies on another disk, on which it would make no room.
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
