import FirnSync

/// A mutex for work that may take long. Threads that need only the state wait for short work, and not for a decode.
///
/// Differs from ``FirnSync/Locked``, which is for a few instructions.
///
/// Safety: `isTaken` and `isDecoding` are accessed only while the lot's mutex is held.
final class DecodingTurn: @unchecked Sendable {
    private let lot = ParkingLot()
    private var isTaken = false
    /// True if who has the turn decodes.
    private var isDecoding = false

    /// Blocks until the turn is free and takes it. Not recursive.
    func take() {
        lot.park {
            if isTaken { return false }
            isTaken = true
            return true
        }
    }

    /// Takes the turn, unless another thread decodes.
    ///
    /// - Returns: whether it was taken.
    func takeUnlessDecoding() -> Bool {
        var takes = false
        lot.park {
            takes = !isTaken
            if takes { isTaken = true }
            return takes || isDecoding
        }
        return takes
    }

    /// Declares that what follows until ``leave()`` may take long. Requires the turn.
    func beginDecoding() { lot.unparkAll { isDecoding = true } }

    /// Releases the turn.
    func leave() { lot.unparkAll { (isTaken, isDecoding) = (false, false) } }
}
