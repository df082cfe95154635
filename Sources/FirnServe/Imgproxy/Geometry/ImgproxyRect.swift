/// A size in pixels; both sides are at least 1.
package struct ImgproxySize: Sendable, Equatable {
    package var width: Int
    package var height: Int

    package init(_ width: Int, _ height: Int) {
        self.width = width
        self.height = height
    }
}

/// A rectangle in pixels, from the top left.
package struct ImgproxyRect: Sendable, Equatable {
    package var x: Int
    package var y: Int
    package var width: Int
    package var height: Int

    package init(_ x: Int, _ y: Int, _ width: Int, _ height: Int) {
        self.x = x
        self.y = y
        self.width = width
        self.height = height
    }
}
