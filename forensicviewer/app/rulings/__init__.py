"""Rulings before they are made: what each would do to the numbers and ranks of every submission."""
