import FirnImage

extension ImagePipeline {
    /// Tells the pipeline that the application is no longer visible: its memory cache drops a part of its images
    /// (``/FirnImage/ImageCaching/didEnterBackground()``), and the buffers of freed images go back to the system.
    ///
    /// Keeps images that views hold, running work, and everything on disk. It can be called any number of times.
    /// `FirnGTK` calls it when all windows are minimized, suspended or hidden. It does not reach memory caches that a
    /// delegate chooses.
    public func didEnterBackground() {
        configuration.imageCache?.didEnterBackground()
        PixelMappings.trim()
    }
}
