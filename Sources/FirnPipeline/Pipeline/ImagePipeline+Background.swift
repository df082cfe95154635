import FirnImage

extension ImagePipeline {
    /// Tells the pipeline that the application is no longer visible: its memory cache drops a part of its images
    /// (``/FirnImage/ImageCaching/didEnterBackground()``), and the buffers of freed images go back to the system.
    ///
    /// Images that views hold stay, work under way goes on, and nothing on disk changes. Call it as often as you like.
    /// `FirnGTK` calls it by itself when all windows are minimized, suspended or hidden. Memory caches that a delegate
    /// chooses are not told.
    public func didEnterBackground() {
        configuration.imageCache?.didEnterBackground()
        PixelMappings.trim()
    }
}
