#if GTK
@_exported public import Firn
import FirnSync

extension BindingContext {
    /// The context of widgets that name none: over `ImagePipeline.shared` as it is when the first widget
    /// asks. It is made when needed, and installs ``GLibMainExecutor``.
    public static let gtk: BindingContext = {
        GLibMainExecutor.install()
        return .gtk(pipeline: .shared)
    }()

    /// Creates a context for widgets. Deliveries run on GLib's loop after painting. Opaque images use the layout
    /// `rgb8`, which GTK paints fastest because it needs no blending. From then on, the worker threads of all
    /// pipelines in this process have a lower priority than the other threads, so that they do not delay the drawing
    /// thread.
    ///
    /// - Parameters:
    ///   - policy: what happens to the requests that widgets have released. Default: `pause`.
    ///   - options: the options for widgets that set none of their own. The context sets their pixel format.
    ///   - trimsInBackground: whether ``/FirnPipeline/ImagePipeline/didEnterBackground()`` is called when none of the
    ///     application's windows has been visible for a second: all are minimized, suspended by the compositor, hidden
    ///     or closed. Default: yes.
    public static func gtk(
        pipeline: ImagePipeline, policy: ImageReusePolicy = .pause,
        options: ImageLoadingOptions = ImageLoadingOptions(),
        trimsInBackground: Bool = true
    ) -> BindingContext {
        WorkerPriority.lower()
        if trimsInBackground { BackgroundWatch.shared.add(pipeline) }
        return BindingContext(pipeline: pipeline, options: options.forGTK, policy: policy, frames: GLibFrames())
    }
}

extension ImageLoadingOptions {
    /// A copy of the options with the pixel layout that GTK paints fastest.
    public var forGTK: ImageLoadingOptions {
        var options = self
        options.pixelFormat = .rgb8
        return options
    }
}
#endif
