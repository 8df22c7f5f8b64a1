# /// script
# requires-python = ">=3.10"
# dependencies = ["agentdojo==0.1.35"]
# ///
"""Write data/ground_truth.jsonl: what AgentDojo's own ground truths do, as actions with targets and origins.

    uv run extract/extract_ground_truth.py

Every ground truth is executed, call by call, with AgentDojo's runtime in a fresh environment, as AgentDojo's
GroundTruthPipeline does it, twice:

- with the default injection vectors: the actions, and the origins of their targets;
- with a marker in every injection vector (user tasks only): which call meets planted content first (`exposure`),
  and which tools hand planted content back (`untrustedSources`).

The only thing assigned by hand is data/tools.json (effect and target arguments of each tool). The output holds facts:
tool names, targets, indices; no request, message body or subject. It is the same, byte for byte, on every run.

Exit status: 0 written; 2 refused, with one line on stderr. A refusal leaves an existing output file as it was.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import types
import typing
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from dojo import MARKER, SUITES, Call, execute, ground_truth, in_order, load_agentdojo, suites_of
from rules import ARGUMENT, Refused, describe, digest, fold, names, origin, targets_of

ROOT = Path(__file__).resolve().parent.parent
EFFECTS = ("read", "write", "message", "network", "execute")
TOOLS_SCHEMA = "toolgate-bench/tools@1"
CORPUS_SCHEMA = "toolgate-bench/ground-truth@1"

# What v1.1.2 is known to hold. Other versions are taken as they come.
EXPECTED = {
    "v1.1.2": {
        "userTasks": 97,
        "injectionTasks": 27,
        "pairs": 629,
        "excludedPairs": 20,
        "untrustedSources": 16,
    },
}


# --- The table of tools -----------------------------------------------------------------------------------------


def is_entry(entry: Any) -> bool:
    """Whether a table entry is `{"effect": one of five, "targets": [arguments, as in data/README.md]}`."""
    return (
        isinstance(entry, dict)
        and entry.get("effect") in EFFECTS
        and isinstance(entry.get("targets"), list)
        and all(isinstance(argument, str) and ARGUMENT.fullmatch(argument) for argument in entry["targets"])
    )


def read_tools(path: Path) -> dict[str, Any]:
    """The table of effects and target arguments, checked for shape."""
    try:
        table = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise Refused(f"cannot read the table of tools: {describe(error)}") from error
    if not isinstance(table, dict) or table.get("schema") != TOOLS_SCHEMA or not isinstance(table.get("tools"), dict):
        raise Refused(f"{path}: not a table of tools ({TOOLS_SCHEMA})")
    for name, entry in table["tools"].items():
        if not is_entry(entry):
            shape = f'{{"effect": {"|".join(EFFECTS)}, "targets": ["NAME", "NAME?", "NAME[]" or "NAME[]?"]}}'
            raise Refused(f"{path}: the entry of {name} is not {shape}")
    return table["tools"]


def as_declared(name: str, field: Any) -> str:
    """An argument of a tool as the table writes it, from the signature of AgentDojo's function."""
    union = typing.get_origin(field.annotation) in (typing.Union, types.UnionType)
    kinds = set(typing.get_args(field.annotation) if union else [field.annotation])
    optional = not field.is_required() or type(None) in kinds
    many = any(kind is list or typing.get_origin(kind) is list for kind in kinds)
    return name + ("[]" if many else "") + ("?" if optional else "")


def check_tools(tools: Mapping[str, Any], suites: Mapping[str, Any]) -> None:
    """Every tool has an entry, and every target argument is one of the tool's own and takes what the entry says."""
    for suite in suites.values():
        for tool in suite.tools:
            if tool.name not in tools:
                raise Refused(f"{suite.name}: the tool {tool.name} has no entry in the table of tools")
            fields = tool.parameters.model_fields
            for argument in tools[tool.name]["targets"]:
                name = ARGUMENT.fullmatch(argument)[1]
                if name not in fields:
                    raise Refused(f"{suite.name}: the tool {tool.name} has no argument {name} (see the table)")
                declared = as_declared(name, fields[name])
                if argument != declared:
                    raise Refused(f"{suite.name}: {tool.name} declares {declared}, the table of tools says {argument}")


# --- The corpus -------------------------------------------------------------------------------------------------


def actions_of(
    calls: list[Call], tools: Mapping[str, Any], where: str, request: str, known: str
) -> list[dict[str, Any]]:
    """Calls as actions. `request` is the user's, `known` is text that counts as a result seen before the first call."""
    actions, results = [], [known]
    for call in calls:
        entry = tools[call.tool]
        at = f"{where}, {call.tool}"
        targets = [target for argument in entry["targets"] for target in targets_of(argument, call.args, at)]
        origins = [origin(target, request, results) for target in targets]
        actions.append({"type": call.tool, "effect": entry["effect"], "targets": targets, "origins": origins})
        results.append(call.result)
    return actions


def marked_calls(dojo: SimpleNamespace, suite: Any, task: Any, length: int) -> tuple[int, set[str]]:
    """The index of a user task's first call whose result carries a marker, and all tools whose results carry one.

    With markers some ground truths read other names (a channel's name holds a vector), hence the environment's own
    calls; the index means something because their number is the same.
    """
    calls = execute(dojo, suite, task, marked=True)
    hits = [index for index, call in enumerate(calls) if MARKER in call.result]
    if len(calls) != length:
        raise Refused(f"{suite.name}/{task.ID}: the injection vectors change the number of calls")
    if not hits:
        raise Refused(f"{suite.name}/{task.ID}: no result carries a planted marker")
    return hits[0], {calls[index].tool for index in hits}


def requests_that_changed(dojo: SimpleNamespace) -> set[tuple[str, str]]:
    """The user tasks whose request and ground truth both differ between the registered benchmark versions.

    A recorded run of such a task says only through its request which ground truth it belongs to.
    """
    requests: dict[tuple[str, str], set[str]] = {}
    truths: dict[tuple[str, str], set[str]] = {}
    for version in dojo.versions:
        for name, suite in suites_of(dojo, version).items():
            for task in in_order(suite.user_tasks):
                requests.setdefault((name, task.ID), set()).add(fold(task.PROMPT))
                truths.setdefault((name, task.ID), set()).add(repr(ground_truth(suite, task)))
    return {task for task in requests if len(requests[task]) > 1 and len(truths[task]) > 1}


def suite_lines(
    dojo: SimpleNamespace, suite: Any, tools: Mapping[str, Any], changed: set[tuple[str, str]]
) -> tuple[list[dict[str, Any]], set[str]]:
    """The lines of one suite, and the tools whose results carried a marker."""
    lines, requests, sources = [], {}, set()
    for task in in_order(suite.user_tasks):
        calls = execute(dojo, suite, task, marked=False)
        actions = actions_of(calls, tools, f"{suite.name}/{task.ID}", task.PROMPT, "")
        exposure, marked = marked_calls(dojo, suite, task, len(calls))
        sources |= marked
        requests[task.ID] = task.PROMPT
        line = {"kind": "user", "suite": suite.name, "id": task.ID, "actions": actions}
        line |= {"named": [], "exposure": exposure}
        lines.append({**line, "request": digest(task.PROMPT)} if (suite.name, task.ID) in changed else line)
    for task in in_order(suite.injection_tasks):
        # As without a user task: no request, and the goal arrives in a tool result.
        actions = actions_of(execute(dojo, suite, task, marked=False), tools, f"{suite.name}/{task.ID}", "", task.GOAL)
        lines.append({"kind": "injection", "suite": suite.name, "id": task.ID, "actions": actions})
    targets = sorted({target for line in lines for action in line["actions"] for target in action["targets"]})
    for line in lines:
        if line["kind"] == "user":
            line["named"] = [target for target in targets if names(requests[line["id"]], target)]
    return lines, sources


def count(lines: list[dict[str, Any]]) -> dict[str, int]:
    """Tasks and pairs; a pair whose injection task calls no tool is excluded from the figures."""
    users = {suite: sum(line["kind"] == "user" and line["suite"] == suite for line in lines) for suite in SUITES}
    injections = [line for line in lines if line["kind"] == "injection"]
    return {
        "userTasks": sum(users.values()),
        "injectionTasks": len(injections),
        "pairs": sum(users[line["suite"]] for line in injections),
        "excludedPairs": sum(users[line["suite"]] for line in injections if not line["actions"]),
    }


def check_counts(version: str, counts: Mapping[str, int], sources: set[str]) -> None:
    """The counts of a version that is known are the known ones."""
    measured = {**counts, "untrustedSources": len(sources)}
    for name, expected in EXPECTED.get(version, {}).items():
        if measured[name] != expected:
            raise Refused(f"AgentDojo {version} has {measured[name]} {name}, not {expected}")


def corpus(dojo: SimpleNamespace, version: str, tools: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The header and the tasks."""
    suites = suites_of(dojo, version)
    check_tools(tools, suites)
    changed = requests_that_changed(dojo)
    lines, sources = [], set()
    for suite in suites.values():
        more, marked = suite_lines(dojo, suite, tools, changed)
        lines += more
        sources |= marked
    counts = count(lines)
    check_counts(version, counts, sources)
    header = {"kind": "header", "schema": CORPUS_SCHEMA, "id": "agentdojo", "package": dojo.package, "version": version}
    return [{**header, "counts": counts, "untrustedSources": sorted(sources)}, *lines]


# --- Output -----------------------------------------------------------------------------------------------------


def to_line(record: Mapping[str, Any]) -> str:
    """One record as a line; the two line separators that JSON lets through are escaped."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029") + "\n"


def write(path: Path, text: str) -> None:
    """Write beside the file, then rename: whoever reads it sees the old content or the new."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        raise Refused(f"cannot write {path}: not a regular file")
    try:
        handle, beside = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise Refused(f"cannot write {path}: {describe(error)}") from error
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.chmod(beside, path.stat().st_mode & 0o777 if path.exists() else 0o644)
        os.replace(beside, path)
    except BaseException as error:
        Path(beside).unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise Refused(f"cannot write {path}: {describe(error)}") from error


class Parser(argparse.ArgumentParser):
    """A parser whose complaints are refusals."""

    def error(self, message: str) -> Any:
        raise Refused(f"{message} (--help lists the options)")


def parser() -> argparse.ArgumentParser:
    """The command line."""
    options = Parser(description="Execute AgentDojo's ground truths and write them down as actions.")
    add: Callable[..., Any] = options.add_argument
    add("--out", type=Path, default=ROOT / "data" / "ground_truth.jsonl", metavar="FILE", help="where to write")
    add("--tools", type=Path, default=ROOT / "data" / "tools.json", metavar="FILE", help="effects and target arguments")
    add("--agentdojo", type=Path, metavar="DIR", help="an AgentDojo checkout, instead of the installed package")
    add("--benchmark-version", default="v1.1.2", metavar="V", help="which of AgentDojo's versions (default v1.1.2)")
    return options


def run(argv: list[str]) -> None:
    """Extract, write, and say so."""
    options = parser().parse_args(argv)
    tools = read_tools(options.tools)
    dojo = load_agentdojo(options.agentdojo.resolve() if options.agentdojo else None)
    records = corpus(dojo, options.benchmark_version, tools)
    write(options.out, "".join(map(to_line, records)))
    counts = records[0]["counts"]
    print(
        f"{options.out}: AgentDojo {dojo.package}, benchmark {options.benchmark_version}:"
        f" {counts['userTasks']} user tasks, {counts['injectionTasks']} injection tasks,"
        f" {counts['pairs']} pairs ({counts['excludedPairs']} excluded)",
        file=sys.stderr,
    )


def main(argv: list[str]) -> int:
    """The exit status. Whatever goes wrong is one line on stderr, also inside AgentDojo."""
    warnings.simplefilter("ignore")
    try:
        # AgentDojo opens its data in the locale's encoding, which can only be set when the interpreter starts.
        if not sys.flags.utf8_mode:
            return subprocess.call([sys.executable, "-X", "utf8", __file__, *argv])
        run(argv)
        return 0
    except KeyboardInterrupt:
        return 130
    except Refused as error:
        print(f"extract_ground_truth: {fold(str(error))}", file=sys.stderr)
    except Exception as error:
        print(f"extract_ground_truth: {describe(error)}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
