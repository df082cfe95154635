import FirnData
import FirnSync
import Glibc
import NIOCore
import NIOPosix

/// The event loops of the process, started with the first transfer.
///
/// A loop takes three descriptors, and NIO ends the process if it gets none. So these are tried first.
enum EventLoops {
    private static let isStarted = Locked(false)
    /// For each loop: its selector, its wake-up, its timer.
    private static let descriptorsPerLoop = 3
    /// What the first connection needs beside the loops.
    private static let spare = 4

    /// A loop for a loader.
    ///
    /// - Throws: ``/FirnData/DataLoadingError/Cause/connection`` if too few descriptors are free; nothing has been started then, and a later
    ///   call may succeed.
    static func next() throws(DataLoadingError) -> any EventLoop {
        // Under the lock: the descriptors that were tried must still be free when the loops take them.
        try isStarted.withLock { (isStarted) throws(DataLoadingError) in
            if !isStarted, let code = shortage(of: descriptorsPerLoop * System.coreCount + spare) {
                throw DataLoadingError(
                    .connection,
                    "no connection can be made: \(String(cString: strerror(code))); raise the limit (ulimit -n)")
            }
            isStarted = true
            return MultiThreadedEventLoopGroup.singleton.next()
        }
    }

    /// Why so many descriptors cannot be opened at once; `nil` if they can.
    private static func shortage(of count: Int) -> Int32? {
        var descriptors: [Int32] = []
        defer { descriptors.forEach { close($0) } }
        for _ in 0..<count {
            let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { return errno }
            descriptors.append(descriptor)
        }
        return nil
    }
}
