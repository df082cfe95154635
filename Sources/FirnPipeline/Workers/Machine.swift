import FoundationEssentials

/// What the machine has.
enum Machine {
    /// Cores this process may run on.
    static let cores = max(1, ProcessInfo.processInfo.activeProcessorCount)
}
