public import FirnImage

extension MemoryBudget {
    /// ``/FirnImage/MemoryBudget/shared``, held to what the control group may have, and smaller while the machine is short of memory.
    ///
    /// The watching thread starts when the budget is first used.
    public static let machine: MemoryBudget = {
        let budget = MemoryBudget.shared
        budget.total = MachineMemory.imageBytes
        budget.watch(by: MemoryWatcher())
        return budget
    }()
}
