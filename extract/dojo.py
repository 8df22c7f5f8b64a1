"""AgentDojo: loading it, and executing its ground truths."""

from __future__ import annotations

import datetime
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module, metadata
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from rules import Refused, describe

SUITES = ("workspace", "travel", "banking", "slack")

# One word without white space, so that no formatter can break it across lines.
MARKER = "toolgateBenchMarker"


class StoppedClock:
    """Stands in for datetime.datetime, with a clock that shows the first moment there is.

    AgentDojo stamps what its tools write with the time of day. Those digits must not decide whether a result holds a
    target such as 13; the ones of this moment (0001-01-01 00:00:00) equal no number.
    """

    def __call__(self, *args: Any, **kwargs: Any) -> datetime.datetime:
        return datetime.datetime(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(datetime.datetime, name)

    @staticmethod
    def now(tz: datetime.tzinfo | None = None) -> datetime.datetime:
        return datetime.datetime.min.replace(tzinfo=tz)


def stop_clock() -> None:
    """Give every module of AgentDojo's suites the stopped clock."""
    stopped = SimpleNamespace(**{**vars(datetime), "datetime": StoppedClock()})
    for name, module in list(sys.modules.items()):
        if name.startswith("agentdojo.default_suites.") and getattr(module, "datetime", None) is datetime:
            module.datetime = stopped


def checkout_version(source: Path) -> str:
    """The package version that a checkout's pyproject.toml declares."""
    try:
        declared = re.search(r'^version\s*=\s*"([^"]+)"', (source / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    except (OSError, UnicodeDecodeError):
        declared = None
    if not declared or not (source / "src" / "agentdojo" / "__init__.py").is_file():
        raise Refused(f"{source} is no AgentDojo checkout (it has no src/agentdojo, or no version in pyproject.toml)")
    return declared[1]


def load_agentdojo(source: Path | None) -> SimpleNamespace:
    """AgentDojo, from a checkout or as installed: its suites by version, its runtime, its result formatter."""
    package = checkout_version(source) if source else None
    if source:
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(source / "src"))
    try:
        suites = import_module("agentdojo.task_suite.load_suites")
        runtime = import_module("agentdojo.functions_runtime")
        execution = import_module("agentdojo.agent_pipeline.tool_execution")
        package = package or metadata.version("agentdojo")
    except ImportError as error:
        raise Refused(f"cannot import AgentDojo ({error}); `uv run` and `pipx run` install it") from error
    stop_clock()
    return SimpleNamespace(
        versions=suites._SUITES,  # no public name lists the registered versions
        runtime=runtime.FunctionsRuntime,
        to_text=execution.tool_result_to_str,
        package=package,
    )


def suites_of(dojo: SimpleNamespace, version: str) -> dict[str, Any]:
    """The four suites of a benchmark version, in this corpus's order."""
    if version not in dojo.versions:
        known = ", ".join(dojo.versions)
        raise Refused(f"AgentDojo {dojo.package} has no benchmark version {version} (it has {known})")
    found = dojo.versions[version]
    if set(found) != set(SUITES):
        raise Refused(f"AgentDojo {version}: the suites are {', '.join(sorted(found))}, not {', '.join(SUITES)}")
    return {name: found[name] for name in SUITES}


def in_order(tasks: Mapping[str, Any]) -> list[Any]:
    """Tasks by number: user_task_2 before user_task_10."""
    return [tasks[key] for key in sorted(tasks, key=lambda key: int(key.rsplit("_", 1)[1]))]


@cache
def default_environment(suite: Any, marked: bool) -> Any:
    """A suite's environment, with the default injection vectors or a marker in each. Never handed out, only copied."""
    vectors = suite.get_injection_vector_defaults()
    markers = {vector: f"{MARKER}{index}" for index, vector in enumerate(vectors)}
    return suite.load_and_inject_default_environment(markers if marked else {})


def environment_for(suite: Any, task: Any, marked: bool) -> Any:
    """A fresh environment, as the task wants to find it."""
    environment = default_environment(suite, marked).model_copy(deep=True)
    return task.init_environment(environment) if hasattr(task, "init_environment") else environment


@dataclass(frozen=True)
class Call:
    """One executed call of a ground truth."""

    tool: str
    args: Mapping[str, Any]
    result: str  # as AgentDojo words it for the agent


def ground_truth(suite: Any, task: Any) -> list[Any]:
    """A task's calls in the default environment, not executed."""
    try:
        calls = task.ground_truth(environment_for(suite, task, marked=False))
        return [(call.function, dict(call.args)) for call in calls]
    except Exception as error:
        raise Refused(f"{suite.name}/{task.ID}: the ground truth raises {describe(error)}") from error


def execute(dojo: SimpleNamespace, suite: Any, task: Any, marked: bool) -> list[Call]:
    """Carry out a task's ground truth in a fresh environment, as AgentDojo's GroundTruthPipeline does."""
    runtime, where = dojo.runtime(suite.tools), f"{suite.name}/{task.ID}"
    calls = []
    try:
        environment = environment_for(suite, task, marked)
        for call in task.ground_truth(environment):
            where = f"{suite.name}/{task.ID}, {call.function}"
            result, _ = runtime.run_function(environment, call.function, call.args, raise_on_error=True)
            calls.append(Call(call.function, dict(call.args), dojo.to_text(result)))
    except Exception as error:
        raise Refused(f"{where}: the ground truth raises {describe(error)}") from error
    return calls
