import FirnImage
public import FirnPipeline

extension BindingContext {
    /// A context for widgets: deliveries on GLib's loop, behind painting, and images in the layout that GTK paints
    /// fastest: opaque ones as `rgb8`, which are painted without blending. From then on the threads of all pipelines of
    /// this process step back behind its others, the drawing thread above all.
    ///
    /// - Parameters:
    ///   - policy: what becomes of requests of widgets that have gone away. Default: `pause`.
    ///   - options: for widgets that bring none of their own. Their pixel format is set.
    ///   - trimsInBackground: whether ``/FirnPipeline/ImagePipeline/didEnterBackground()`` is called when none of the
    ///     application's windows has been visible for a second: all are minimized, suspended by the compositor, hidden
    ///     or closed. Default: yes.
    public static func gtk(
        pipeline: ImagePipeline, policy: ReusePolicy = .pause, options: ImageLoadingOptions = ImageLoadingOptions(),
        trimsInBackground: Bool = true
    ) -> BindingContext {
        WorkerPriority.lower()
        if trimsInBackground { BackgroundWatch.shared.add(pipeline) }
        return BindingContext(pipeline: pipeline, options: options.forGTK, policy: policy, frames: GLibFrames())
    }
}

extension ImageLoadingOptions {
    /// The same with pixels in the layout that GTK paints fastest.
    public var forGTK: ImageLoadingOptions {
        var options = self
        options.pixelFormat = .rgb8
        return options
    }
}
