// The one type of gdk-pixbuf that librsvg's declarations name.
#ifndef GDK_PIXBUF_H
#define GDK_PIXBUF_H

typedef struct _GdkPixbuf GdkPixbuf;

#endif
