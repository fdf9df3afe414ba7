"""The main window: start page, docks, status bar, menus, closing and `render`."""
