"""The best trial of a study as a block of lines, for terminals too narrow for a table."""

from collections.abc import Mapping
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from topk_tune.terminal.folding import folded

_INDENT = 2
_TALL = 4
"""The most parameters below each other if they have room beside each other."""


@dataclass(frozen=True)
class Best:
    """The best trial.

    Parameters
    ----------
    cells
        The cells of its line in a table.
    parameters
        Its parameters that are searched.
    style
        The style of its lines.
    """

    cells: dict[str, str]
    parameters: Mapping[str, str]
    style: str = "bold green"

    def block(self, metric: str, width: int) -> list[Text]:
        """The lines of the block: the outcome, and the parameters below each other."""
        named = {
            "what": "",
            "value": f"{metric} ",
            "spread": "spread ",
            "loop": "loop ",
            "time": "",
        }
        found = [f"{name}{self.cells[key]}" for key, name in named.items() if key in self.cells]
        lines = folded(f"best: {', '.join(found)}", width, _INDENT)
        return [_line(text, self.style) for text in [*lines, *self._parameter_lines(width)]]

    def _parameter_lines(self, width: int) -> list[str]:
        """A parameter on each line, or two if they have room."""
        longest = max(map(cell_len, self.parameters), default=0)
        texts = [f"{name:{longest}}  {value}" for name, value in self.parameters.items()]
        column = max(map(cell_len, texts), default=0)
        two = len(texts) > _TALL and 2 * (_INDENT + column) <= width
        height = -(-len(texts) // 2) if two else len(texts)
        rows = (texts[row::height] for row in range(height))
        return ["".join(f"{'':{_INDENT}}{text:{column}}" for text in row).rstrip() for row in rows]


def _line(text: str, style: str) -> Text:
    return Text(text, style, no_wrap=True, overflow="crop")
