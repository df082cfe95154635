public import Firn
import Foundation

/// SwiftUI is Apple's.
@available(*, unavailable, message: "use FirnPicture of FirnGTK, or ViewBinding for a toolkit of your own")
public struct LazyImage {
    /// SwiftUI is Apple's.
    public init(url: URL?) {}
    /// SwiftUI is Apple's.
    public init(request: ImageRequest?) {}
    /// SwiftUI is Apple's.
    public init<Content>(url: URL?, content: @escaping (LazyImageState) -> Content) {}
    /// SwiftUI is Apple's.
    public init<Content>(request: ImageRequest?, content: @escaping (LazyImageState) -> Content) {}
}

/// SwiftUI is Apple's.
@available(*, unavailable, message: "use ViewBinding.phase")
public struct LazyImageState {
    /// SwiftUI is Apple's.
    public var image: Bitmap? { nil }
    /// SwiftUI is Apple's.
    public var error: (any Error)? { nil }
    /// SwiftUI is Apple's.
    public var isLoading: Bool { false }
}

/// UIKit is Apple's.
@available(*, unavailable, message: "use FirnPicture of FirnGTK, or ViewBinding for a toolkit of your own")
public final class LazyImageView {
    /// UIKit is Apple's.
    public init() {}
    /// UIKit is Apple's.
    public var url: URL? {
        get { nil }
        set {}
    }
    /// UIKit is Apple's.
    public var request: ImageRequest? {
        get { nil }
        set {}
    }
}

/// SwiftUI is Apple's.
@available(*, unavailable, message: "use ViewBinding, whose phase, onProgress and onCompletion report a load")
public final class FetchImage {
    /// SwiftUI is Apple's.
    public init() {}
    /// SwiftUI is Apple's.
    public func load(_ url: URL?) {}
    /// SwiftUI is Apple's.
    public func load(_ request: ImageRequest?) {}
}

/// UIKit is Apple's.
@available(*, unavailable, message: "use FirnPicture of FirnGTK, or ViewBinding.load(_:options:)")
@discardableResult
public func loadImage(
    with url: URL?, options: ImageLoadingOptions? = nil, into view: Any,
    completion: ((Result<ImageResponse, ImageLoadingError>) -> Void)? = nil
) -> ImageTask? { nil }

/// UIKit is Apple's.
@available(*, unavailable, message: "use FirnPicture of FirnGTK, or ViewBinding.load(_:options:)")
@discardableResult
public func loadImage(
    with request: ImageRequest?, options: ImageLoadingOptions? = nil, into view: Any,
    completion: ((Result<ImageResponse, ImageLoadingError>) -> Void)? = nil
) -> ImageTask? { nil }

/// UIKit is Apple's.
@available(*, unavailable, message: "use ViewBinding.cancel() or prepareForReuse()")
public func cancelRequest(for view: Any) {}

extension ImageLoadingOptions {
    /// Options belong to the views of a list.
    @available(*, unavailable, message: "use BindingContext.options, which the views of a list share")
    public static var shared: ImageLoadingOptions {
        get { ImageLoadingOptions() }
        set {}
    }
}
