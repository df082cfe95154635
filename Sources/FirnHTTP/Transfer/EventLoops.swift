import FirnData
import FirnSync
import NIOCore
import NIOPosix

/// The event loops of the process, started with the first transfer.
///
/// A loop needs three descriptors, and NIO ends the process if there are none. So they are checked first.
enum EventLoops {
    private static let isStarted = Locked(false)
    /// For each loop: its selector, its wake-up, its timer.
    private static let descriptorsPerLoop = 3
    /// Descriptors that the first connection needs in addition.
    private static let spare = 4

    /// Returns an event loop for a loader.
    ///
    /// - Throws: ``/FirnData/DataLoadingError/Cause/connection`` if too few descriptors are free. Nothing has been
    ///   started then, and a later call may succeed.
    static func next() throws(DataLoadingError) -> any EventLoop {
        // Under the lock: the tested descriptors must still be free when the loops take them.
        try isStarted.withLock { (isStarted) throws(DataLoadingError) in
            if !isStarted, let reason = FreeDescriptors.shortage(of: descriptorsPerLoop * System.coreCount + spare) {
                throw DataLoadingError(.connection, "no connection can be made: \(reason)")
            }
            isStarted = true
            return MultiThreadedEventLoopGroup.singleton.next()
        }
    }
}
