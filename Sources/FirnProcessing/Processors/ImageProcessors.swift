/// The processors that come with Firn.
public enum ImageProcessors {}
