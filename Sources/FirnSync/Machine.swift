import FoundationEssentials

/// The machine of this process.
package enum Machine {
    /// The number of cores that this process may use.
    package static let cores = max(1, ProcessInfo.processInfo.activeProcessorCount)
}
