"""Opens and checks datasets and submissions."""
