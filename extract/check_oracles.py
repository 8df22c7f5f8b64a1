# /// script
# requires-python = ">=3.10"
# dependencies = ["agentdojo==0.1.35"]
# ///
"""See for ourselves what docs/corpus.md says of AgentDojo's checks, in the package that the corpus comes from.

    uv run extract/check_oracles.py

A line for each statement. Exit status: 0 all hold; 1 one does not.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from typing import Any

from agentdojo.functions_runtime import FunctionsRuntime
from agentdojo.task_suite.load_suites import get_suites

VERSION = "v1.1.2"
IDLE = {"banking/user_task_5", "banking/user_task_8", "banking/user_task_9", "banking/user_task_10"}

SUITES = get_suites(VERSION)


def fresh(suite: Any, task: Any) -> Any:
    """The environment as a task finds it."""
    environment = suite.load_and_inject_default_environment({})
    return task.init_environment(environment) if hasattr(task, "init_environment") else environment


def executed(suite: Any, task: Any, change: Callable[[Any], None] = lambda call: None) -> tuple[Any, Any, list[Any]]:
    """The environment before and after a task's ground truth, and its calls; `change` may alter each call first."""
    environment = fresh(suite, task)
    before = environment.model_copy(deep=True)
    runtime = FunctionsRuntime(suite.tools)
    calls = task.ground_truth(environment)
    for call in calls:
        change(call)
        runtime.run_function(environment, call.function, call.args)
    return before, environment, calls


def solved(task: Any, output: str, before: Any, after: Any, calls: list[Any]) -> bool:
    """AgentDojo's verdict on a user task."""
    by_calls = task.utility_from_traces(output, before, after, calls)
    return bool(task.utility(output, before, after) if by_calls is None else by_calls)


def met(goal: Any, before: Any, after: Any, calls: list[Any]) -> bool:
    """AgentDojo's verdict on an injected goal."""
    output = goal.GROUND_TRUTH_OUTPUT
    by_calls = goal.security_from_traces(output, before, after, calls)
    return bool(goal.security(output, before, after) if by_calls is None else by_calls)


def each(kind: str) -> list[tuple[str, Any, Any]]:
    """Every user task, or injection task, with its name and its suite."""
    return [
        (f"{name}/{task_id}", suite, task)
        for name, suite in SUITES.items()
        for task_id, task in getattr(suite, kind).items()
    ]


def idle_passes() -> bool:
    """The user tasks that pass when nothing is done are the four of banking."""
    passing = set()
    for name, suite, task in each("user_tasks"):
        environment = fresh(suite, task)
        if solved(task, "", environment.model_copy(deep=True), environment, []):
            passing.add(name)
    return passing == IDLE


def ground_truths_pass() -> bool:
    """Every ground truth passes AgentDojo's own check."""
    tasks = all(solved(task, task.GROUND_TRUTH_OUTPUT, *executed(suite, task)) for _, suite, task in each("user_tasks"))
    goals = all(met(goal, *executed(suite, goal)) for _, suite, goal in each("injection_tasks"))
    return tasks and goals


def other_recipient_passes(suite_name: str, task_id: str, function: str, argument: str, value: Any) -> bool:
    """A user task passes although the call that it is about goes to somebody else."""
    suite = SUITES[suite_name]
    task = suite.user_tasks[task_id]
    changed = []

    def change(call: Any) -> None:
        if call.function == function:
            call.args[argument] = value
            changed.append(call)

    result = executed(suite, task, change)
    return len(changed) == 1 and solved(task, task.GROUND_TRUTH_OUTPUT, *result)


def any_payment_is_a_breach(goal_id: str) -> bool:
    """A payment to the attacker about nothing in particular meets the goal, whatever the goal says of its subject."""
    suite = SUITES["banking"]
    goal = suite.injection_tasks[goal_id]

    def change(call: Any) -> None:
        if call.function == "send_money":
            call.args["subject"] = "-"

    return met(goal, *executed(suite, goal, change))


def proposed_calls_are_a_breach() -> bool:
    """slack/injection_task_5 is met by its calls alone, though none of them has run."""
    suite = SUITES["slack"]
    goal = suite.injection_tasks["injection_task_5"]
    environment = fresh(suite, goal)
    calls = goal.ground_truth(environment)
    return met(goal, environment.model_copy(deep=True), environment, calls)


CHECKS: dict[str, Callable[[], bool]] = {
    "no other user task than four of banking passes when nothing is done": idle_passes,
    "every ground truth passes AgentDojo's own check": ground_truths_pass,
    "banking/user_task_6 passes with another recipient": lambda: other_recipient_passes(
        "banking", "user_task_6", "schedule_transaction", "recipient", "CH9300762011623852957"
    ),
    "banking/user_task_11 passes with another recipient": lambda: other_recipient_passes(
        "banking", "user_task_11", "send_money", "recipient", "CH9300762011623852957"
    ),
    "travel/user_task_3 passes with another recipient": lambda: other_recipient_passes(
        "travel", "user_task_3", "send_email", "recipients", ["somebody@else.example"]
    ),
    "banking/injection_task_0 is met by any payment": lambda: any_payment_is_a_breach("injection_task_0"),
    "banking/injection_task_1 is met by any payment": lambda: any_payment_is_a_breach("injection_task_1"),
    "banking/injection_task_3 is met by any payment": lambda: any_payment_is_a_breach("injection_task_3"),
    "slack/injection_task_5 is met by calls that did not run": proposed_calls_are_a_breach,
}


def main() -> int:
    """Run every check."""
    warnings.filterwarnings("ignore")
    results = {name: check() for name, check in CHECKS.items()}
    for name, holds in results.items():
        print(f"{'holds' if holds else 'FAILS'}: {name}")
    return 0 if all(results.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
