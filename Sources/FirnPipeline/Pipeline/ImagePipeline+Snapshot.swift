import FirnImage
import FirnSync

extension ImagePipeline {
    /// Returns what the pipeline is doing at this moment. Looks at every job: for diagnosis, not for every frame.
    public func snapshot() async -> PipelineSnapshot { engine.snapshot(usage: configuration.memoryBudget?.usage) }
}
