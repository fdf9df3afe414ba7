from threading import Thread

import numpy as np
from numpy.typing import NDArray

from forensicviewer.core.cached import cached_property
from forensicviewer.core.table.text_table import Column

_PATIENCE_S = 10.0


class _Counter:
    calls = 0

    @cached_property
    def value(self) -> int:
        """What it is worth."""
        self.calls += 1
        return self.calls


def test_a_value_is_worked_out_once_and_kept_by_its_object() -> None:
    one, other = _Counter(), _Counter()

    assert (one.value, one.value, other.value) == (1, 1, 1)
    assert one.calls == 1
    assert _Counter.value.__doc__ == "What it is worth."


def test_of_two_answers_the_first_is_kept() -> None:
    class Again:
        @cached_property
        def value(self) -> list[str]:
            # What a second thread does while the first one is still at work.
            self.__dict__.setdefault("value", ["first"])
            return ["second"]

    assert Again().value == ["first"]


def test_a_column_can_be_read_while_another_thread_reads_a_second_one() -> None:
    """As the window reads a trial while it reads the next one ahead."""
    second = Column.of(["b"])

    def cells_that_need_the_second_column() -> NDArray[np.object_]:
        reader = Thread(target=lambda: second.cells, daemon=True)
        reader.start()
        reader.join(_PATIENCE_S)
        assert not reader.is_alive()
        return second.cells

    first = Column(cells_that_need_the_second_column, 1)

    assert list(first) == ["b"]
