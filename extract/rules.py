"""The text rules: when a text names or holds a target, and which targets an argument has.

They are written so that JavaScript can say the same thing (with the u flag):

- alphanumeric: `[^\\W_]` here is str.isalnum(), which is Unicode category L* or N*, `[\\p{L}\\p{N}]` there;
- case: both sides go through lower(), toLowerCase() there; no case-insensitive flag, which folds differently;
- white space: spelled out as what `\\s` means in JavaScript (Python's has U+001C to U+001F and U+0085 besides, but
  no U+FEFF).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any

ALNUM = r"[^\W_]"
WHITE_SPACE = "[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+"
DIGITS = re.compile("[0-9]+")
# A target argument in the table of tools: its name, [] for a list, ? where it may be left out or null.
ARGUMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\[\])?(\?)?")


class Refused(Exception):
    """Why nothing was written, in one line."""


def holds(text: str, target: str) -> bool:
    """Whether a text holds a target: case-insensitive, bounded by non-alphanumeric characters or the text's ends.

    JavaScript: `(?<![\\p{L}\\p{N}])TARGET(?![\\p{L}\\p{N}])`, TARGET escaped. The text is searched as it stands, white
    space included. An empty target is held by nothing.
    """
    pattern = f"(?<!{ALNUM}){re.escape(target.lower())}(?!{ALNUM})"
    return target != "" and re.search(pattern, text.lower()) is not None


def names(request: str, target: str) -> bool:
    """Whether a request names a target: it holds it and, for digits only, right after a word that says what they count.

    "Right after" lets anything non-alphanumeric stand between, except what ends a clause or a line (`id: '13'` names
    13, `by email. 13 of us` does not); a # has to touch the digits. JavaScript:
    `(?:(?<![\\p{L}\\p{N}])(?:file|event|email|transaction|id|number)[^\\p{L}\\p{N}.,;!?\\r\\n]+|#)DIGITS` and then
    `(?![\\p{L}\\p{N}])`.
    """
    if not DIGITS.fullmatch(target):
        return holds(request, target)
    word = rf"(?<!{ALNUM})(?:file|event|email|transaction|id|number)(?:[^\w.,;!?\r\n]|_)+"
    return re.search(f"(?:{word}|#){target}(?!{ALNUM})", request.lower()) is not None


def origin(target: str, request: str, results: Iterable[str]) -> str:
    """Where a target was first seen: `user` (the request names it), `tool` (a result holds it) or `model` (neither)."""
    if names(request, target):
        return "user"
    return "tool" if any(holds(text, target) for text in results) else "model"


def fold(text: str) -> str:
    """White space folded to single spaces and trimmed: `text.replace(/\\s+/g, ' ').trim()` in JavaScript."""
    return re.sub(WHITE_SPACE, " ", text).strip(" ")


def digest(text: str) -> str:
    """What stands for a request in the output: SHA-256 of its folded UTF-8 text."""
    return "sha256:" + hashlib.sha256(fold(text).encode()).hexdigest()


def target_strings(value: Any, where: str) -> list[str]:
    """The targets in one argument: none for null, each element of a list, numbers as text, URLs without their scheme.

    Text that reads like prose is refused: the output must hold no sentence of AgentDojo's.
    """
    if value is None:
        return []
    if isinstance(value, list):
        return [target for element in value for target in target_strings(element, where)]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return [str(int(value)) if value == value // 1 else repr(value)]
    if not isinstance(value, str):
        raise Refused(f"{where}: a target is neither text, a number, a list nor null")
    if "\n" in value or len(value) > 200 or value.count(" ") > 5:
        raise Refused(f"{where}: a target reads like prose; check the tool's target arguments")
    # The order in which AgentDojo's web tools do it; they take both forms for the same page.
    return [value.removeprefix("https://").removeprefix("http://")]


def targets_of(argument: str, args: Mapping[str, Any], where: str) -> list[str]:
    """The targets in one argument of a call, as many as the table of tools says that it takes."""
    name, many, optional = ARGUMENT.fullmatch(argument).groups()
    found = target_strings(args.get(name), f"{where}, {name}")
    if len(found) != 1 and not (many and found) and not (optional and not found):
        raise Refused(f"{where}: {len(found)} targets, but by the table of tools the argument is {argument}")
    return found


def describe(error: BaseException) -> str:
    """An exception in one short line."""
    return fold(f"{type(error).__name__}: {error}")[:200]
