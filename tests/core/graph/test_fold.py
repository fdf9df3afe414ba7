"""Folding donors away."""

from __future__ import annotations

from forensicviewer.core.graph.fold import donors_by_target, folded_away
from forensicviewer.core.graph.provenance import (
    Comparison,
    LinkMatch,
    Match,
    ReferenceLink,
)


def a_comparison(*links: str, probe: str = "p") -> Comparison:
    """``ab`` is a step, ``ab:D`` pastes from a donor."""
    found = tuple(
        LinkMatch(
            link[0],
            link[1],
            Match.MISSED,
            ReferenceLink((0,), ("Donor" if link.endswith(":D") else "Blur",)),
            None,
        )
        for link in links
    )
    return Comparison(probe, (), found)


def test_a_donor_goes_with_what_leads_to_it_alone() -> None:
    comparison = a_comparison("ab", "bp:D", "cp", "ac")

    assert folded_away(comparison, ["p"]) == {"b": "p"}
    assert folded_away(a_comparison("ab", "bp:D"), ["p"]) == {"b": "p", "a": "p"}


def test_a_donor_of_two_images_stays_until_both_are_folded() -> None:
    comparison = a_comparison("dx:D", "dy:D", "xp", "yp")

    assert folded_away(comparison, ["x"]) == {}


def test_the_probe_is_never_folded_away() -> None:
    assert folded_away(a_comparison("px:D"), ["x"]) == {}


def test_only_reference_links_make_donors() -> None:
    invented = LinkMatch("a", "b", Match.INVENTED, None, None)

    assert donors_by_target(Comparison("p", (), (invented,))) == {}


def test_a_circle_of_donors_ends() -> None:
    comparison = a_comparison("ab", "ba", "bx:D", "ax:D")

    assert set(folded_away(comparison, ["x"])) <= {"a", "b"}
