# /// script
# requires-python = ">=3.11"
# dependencies = ["agent-action-policy==0.1.1"]
# ///
"""agent-action-policy: rules of a pattern for the tool and a regular expression over the arguments; denied by default.

The arguments are joined to one text before the expression sees them (`effect=message origin=user target=a@x`, sorted by
name). Literals are escaped and the expression covers the text from end to end, so that no target can pose as another
argument. Asked once per target. It compares no numbers and keeps nothing of earlier calls: no tier `limits`.
"""

import re

from action_policy import Action, PolicyEngine, PolicyRule
from common import facets, groups_of, once_a_policy, serve


def tool_pattern(rule):
    """`~` makes a regular expression of it: a plain name with `*`, `?` or `[` in it would be a glob."""
    return rf"~\A{re.escape(rule['type'])}\Z" if "type" in rule else "*"


def args_pattern(rule):
    effect = rf"\Aeffect={rule['effect']}"
    origins, targets = rule.get("origins"), rule.get("targets")
    origin = "" if origins is None else f" origin=(?:{'|'.join(origins)})"
    if targets is not None:
        if not targets:
            return rf"{effect}\Z"
        return rf"{effect}{origin or '(?: origin=[a-z]+)?'} target=(?:{'|'.join(map(re.escape, targets))})\Z"
    return effect + (origin or r"(?: |\Z)")


@once_a_policy
def compile_policy(policy):
    def permit(index, rule):
        patterns = {"tool_pattern": tool_pattern(rule), "args_pattern": args_pattern(rule)}
        return PolicyRule(f"permit-{index}", Action.APPROVE, **patterns)

    return [
        PolicyEngine([permit(index, rule) for index, rule in enumerate(group)], default_action=Action.DENY)
        for group in groups_of(policy["rules"])
    ]


def arguments(effect, target, origin):
    if target is None:
        return {"effect": effect}
    return {"effect": effect, "target": target} if origin == "" else {"effect": effect, "origin": origin, "target": target}


def create_session(policy):
    engines = compile_policy(policy)

    def check(action):
        asked = [arguments(action["effect"], *facet) for facet in facets(action)]
        return any(all(engine.evaluate(action["type"], args).approved for args in asked) for engine in engines)

    return check


if __name__ == "__main__":
    serve(
        "agent-action-policy",
        "agent-action-policy",
        create_session,
        tiers=["effect", "tool", "target", "origin"],
        clauses={clause: "native" for clause in ("effect", "tool", "target", "origin")},
    )
