"""Subscripts of einsum: NumPy's text, with its ellipsis and its implicit output, to the library's."""

from __future__ import annotations

import functools
import string
from collections import Counter
from collections.abc import Sequence

LETTERS = string.ascii_letters
HINT = "opt_einsum.contract(..., backend='layoutgemm') finds the order of the products"


def _read_term(term: str) -> str:
    """One operand's labels, an ellipsis become one full stop."""
    short = term.replace("...", ".", 1)
    if "." in short.replace(".", "", 1):
        raise ValueError(f"'{term}': an ellipsis is three full stops, once a term")
    if "." in short and "..." not in term:
        raise ValueError(f"'{term}': a full stop that belongs to no ellipsis")
    for letter in short.replace(".", ""):
        if not letter.isalpha():
            raise ValueError(f"'{letter}' is no label: letters are")
    return short


def _spell_in_ascii(terms: list[str]) -> list[str]:
    """Labels of other alphabets, of which opt_einsum makes use when it runs out of letters, become free ones."""
    used = set("".join(terms)) - {"."}
    others = sorted(used - set(LETTERS))
    free = [letter for letter in LETTERS if letter not in used]
    if len(others) > len(free):
        raise ValueError(f"{len(used)} labels, and {len(LETTERS)} are taken")
    table = str.maketrans(dict(zip(others, free)))
    return [term.translate(table) for term in terms]


def _spread(terms: list[str], ranks: Sequence[int]) -> tuple[list[str], str]:
    """The operands' terms with letters for their ellipses, aligned at the end; and the letters of the longest."""
    counts = [rank - len(term.replace(".", "")) if "." in term else 0 for term, rank in zip(terms, ranks)]
    for term, rank, count in zip(terms, ranks, counts):
        if count < 0 or ("." not in term and len(term) != rank):
            raise ValueError(f"'{term.replace('.', '...')}' has not the {rank} dimensions of its operand")
    used = set("".join(terms))
    free = [letter for letter in LETTERS if letter not in used]
    longest = max(counts)
    if longest > len(free):
        raise ValueError(f"an ellipsis of {longest} dimensions, and {len(free)} letters are left")
    letters = "".join(free[:longest])
    return [term.replace(".", letters[longest - count:]) for term, count in zip(terms, counts)], letters


@functools.lru_cache(maxsize=1024)
def read(subscripts: str, ranks: tuple[int, ...]) -> str:
    """The library's text, "ab,bc->ac": of one operand "ab,->ba", for the other one is a scalar."""
    inputs, output = _split(subscripts, ranks)
    return f"{inputs[0]},{inputs[1] if len(inputs) == 2 else ''}->{output}"


def _split(subscripts: str, ranks: tuple[int, ...]) -> tuple[list[str], str]:
    """The labels of each operand and those of the output."""
    left, arrow, right = "".join(subscripts.split()).partition("->")
    terms = [_read_term(term) for term in left.split(",")]
    if len(terms) > 2:
        raise ValueError(f"{len(terms)} operands, and one or two are taken: {HINT}")
    if len(terms) != len(ranks):
        raise ValueError(f"'{subscripts}' has {len(terms)} operands, and {len(ranks)} are given")
    output = _read_term(right) if arrow else None
    terms = _spell_in_ascii(terms + ([output] if output is not None else []))
    if output is not None:
        output = terms.pop()
    inputs, letters = _spread(terms, ranks)
    if output is None:  # NumPy's rule: the ellipsis, then what stands once, by the alphabet
        named = Counter("".join(terms).replace(".", ""))
        return inputs, letters + "".join(sorted(letter for letter, count in named.items() if count == 1))
    if letters and "." not in output:
        raise ValueError("the dimensions of an ellipsis are not summed: the output has none")
    output = output.replace(".", letters)
    for letter, count in Counter(output).items():
        if count > 1 or not any(letter in term for term in inputs):
            raise ValueError(f"the output's label '{letter}' stands there {count} times"
                             if count > 1 else f"the output's label '{letter}' is no operand's")
    return inputs, output
