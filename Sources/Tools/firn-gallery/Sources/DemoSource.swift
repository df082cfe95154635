#if GTK
import CGTK4
import Dispatch
import Firn
import FirnDemoServer
import FirnSync
import FirnSystem
import FirnTesting

/// The demonstration's images, drawn or found in the background and served by a server in this process.
final class DemoSource: Sendable {
    /// The folder of drawn images and stored responses, removed at the end.
    private let folder: String
    /// The pipeline's data cache.
    let cache: DemoCache
    private let files: DemoFiles
    private let server: Locked<ScriptedServer?> = Locked(nil)
    private let isStopped = Locked(false)
    private static let queue = DispatchQueue(label: "firn.gallery.demo", qos: .userInitiated)

    /// - Parameter source: a folder of photographs; `nil` for the installed ones.
    /// - Throws: an error if no folder can be created, or the source has no image.
    init(source: String?) throws {
        guard let folder = GLibText.string(freeing: g_dir_make_tmp("firn-gallery-demo-XXXXXX", nil)) else {
            throw DemoFault(message: "cannot make a folder in \(String(cString: g_get_tmp_dir()))")
        }
        self.folder = folder
        cache = DemoCache(folder: PathText.join(folder, "cache"))
        do {
            files = try DemoFiles(folder: folder, source: source)
        } catch {
            rmdir(folder)
            throw error
        }
    }

    /// Returns the images of a collection as they become ready; `nil` if the server does not start.
    func batches(of collection: DemoCollection) -> AsyncStream<SourceReader.Batch>? {
        let port = server.withLock { server in
            if server == nil { server = try? ScriptedServer(files: files.files) }
            return server?.port
        }
        guard let port else { return nil }
        return SourceReader.batches(on: DemoSource.queue) { [self] deliver in
            do {
                try files.visit(collection, port: port) { address in
                    deliver(.image(GalleryImage(address))) && !isStopped.withLock { $0 }
                }
            } catch {
                _ = deliver(.fault("cannot draw an image: \(error)"))
            }
        }
    }

    /// Stops the server and removes the folder. Waits for an image that is being drawn or stored.
    func stop() {
        isStopped.withLock { $0 = true }
        server.withLock { $0 }?.stop()
        cache.close()
        DemoSource.queue.sync { try? LocalFileSystem(followsLinks: false).removeAny(folder) }
    }
}

/// A data cache in a temporary folder, which writes nothing after it is closed.
final class DemoCache: DataCaching {
    private let cache: DataCache
    private let isClosed = Locked(false)
    private let stores = DispatchGroup()

    init(folder: String) { cache = DataCache(directory: folder) }

    /// Refuses new entries and waits for running writes.
    func close() {
        isClosed.withLock { $0 = true }
        stores.wait()
    }

    func entry(for key: String) throws(DataCachingError) -> DataCacheEntry? { try cache.entry(for: key) }

    func contains(_ key: String) -> Bool { cache.contains(key) }

    func store(_ entry: DataCacheEntry, for key: String) throws(DataCachingError) {
        // Order: counted under the lock, so that `close` either waits for this write or prevents it.
        let isOpen = isClosed.withLock { isClosed in
            if !isClosed { stores.enter() }
            return !isClosed
        }
        guard isOpen else { throw DataCachingError("the demonstration is over") }
        defer { stores.leave() }
        try cache.store(entry, for: key)
    }

    func remove(_ key: String) throws(DataCachingError) { try cache.remove(key) }

    func removeAll() throws(DataCachingError) { try cache.removeAll() }
}
#endif
