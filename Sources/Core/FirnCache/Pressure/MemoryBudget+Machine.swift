public import FirnImage

extension MemoryBudget {
    /// ``/FirnImage/MemoryBudget/shared``, limited to the control group's memory, and smaller while the machine is
    /// short of memory.
    ///
    /// The watching thread starts at the first use of the budget.
    public static let machine: MemoryBudget = {
        let budget = MemoryBudget.shared
        budget.total = MachineMemory.imageBytes
        budget.watch(by: MemoryWatcher())
        return budget
    }()
}
