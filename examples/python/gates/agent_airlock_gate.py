# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "agent-airlock==0.10.26",
#   "annotated-types==0.8.0",
#   "pydantic==2.14.4",
#   "pydantic-core==2.50.5",
#   "typing-extensions==4.16.0",
#   "typing-inspection==0.4.5",
# ]
# ///
"""agent-airlock: a policy of allowed tools, and a decorator that holds the arguments of a call to the types of its parameters.

A tool is a decorated function whose name is the effect and the tool; the allowed names are globs, so literals are escaped.
Which targets and origins a rule permits is a type: a list of a `Literal`. A tool with several rules has one function for
each, and is permitted when one of them runs. The decorator also masks what a tool returns and writes an audit log: off here,
as nothing is returned. Its rate limits refill with the clock, and no rule ties egress to what was read: no tier `limits`.
"""

import functools
import logging
from glob import escape
from typing import Annotated, Literal

from agent_airlock import Airlock, AirlockConfig, SecurityPolicy
from common import matchable, once_a_policy, serve
from pydantic import Field

# Every refusal is a warning in its log.
logging.getLogger("agent-airlock").setLevel(logging.ERROR)
CONFIG = AirlockConfig(sanitize_output=False, enable_audit_log=False)


def list_of(values, of=str):
    """The type of the lists that hold nothing but these values, and at least one; of the empty list where there are none."""
    if values is None:
        return list[of]
    if not values:
        return Annotated[list[of], Field(max_length=0)]
    return Annotated[list[Literal[tuple(values)]], Field(min_length=1)]


def tool_of(name, rule, policy):
    """The function that stands for a tool under one rule: that it ran is all there is to know."""

    def tool(targets, origins):
        return True

    tool.__name__ = name
    tool.__annotations__ = {"targets": list_of(rule.get("targets")), "origins": list_of(rule.get("origins"))}
    return Airlock(policy=policy, config=CONFIG)(tool)


class Compiled:
    """One policy of allowed names, and the functions that calls have asked for so far."""

    def __init__(self, policy):
        self._rules = matchable(policy["rules"])
        names = [f"{rule['effect']}/{escape(rule['type']) if 'type' in rule else '*'}" for rule in self._rules]
        self._policy = SecurityPolicy(allowed_tools=names, default_deny=True)
        self.tools_of = functools.lru_cache(maxsize=4096)(self._tools_of)

    def _tools_of(self, effect, tool):
        rules = [rule for rule in self._rules if rule["effect"] == effect and rule.get("type", tool) == tool]
        return [tool_of(f"{effect}/{tool}", rule, self._policy) for rule in rules or [{}]]


compile_policy = once_a_policy(Compiled)


def create_session(policy):
    compiled = compile_policy(policy)

    def ask(tool, action):
        answer = tool(targets=action["targets"], origins=action.get("origins", []))
        if answer is not True and answer["status"] != "blocked":
            raise RuntimeError(answer["error"])
        return answer is True

    def check(action):
        return any(ask(tool, action) for tool in compiled.tools_of(action["effect"], action["type"]))

    return check


if __name__ == "__main__":
    serve(
        "agent-airlock",
        "agent-airlock",
        create_session,
        tiers=["effect", "tool", "target", "origin"],
        clauses={clause: "native" for clause in ("effect", "tool", "target", "origin")},
    )
