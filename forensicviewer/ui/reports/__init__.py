"""Reports as PDF, and the window that makes them."""
