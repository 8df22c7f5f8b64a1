# /// script
# requires-python = ">=3.11"
# dependencies = [
#   "action-guardrail==0.1.0",
#   "annotated-types==0.8.0",
#   "pydantic==2.14.4",
#   "pydantic-core==2.50.5",
#   "pyyaml==6.0.4",
#   "typing-extensions==4.16.0",
#   "typing-inspection==0.4.5",
# ]
# ///
"""action-guardrail: rules with conditions on the parameters of a call; the first that matches decides.

What no rule matches is allowed, and a rule is for one tool and no wildcard. So every call is put to it as the tool `call`,
with the tool's name among the parameters, and the last rule blocks every `call`. A call without a target, an origin or a
limit lacks that parameter; a condition on a parameter that is not there does not hold. Asked once per target.
"""

import logging

from action_guardrail import Condition, Match, Rule, ToolCall, evaluate_action
from common import UNLIMITED, Facts, facets, groups_of, once_a_policy, serve

# A parameter that is not there is no surprise here, and worth no line.
logging.getLogger("action_guardrail.evaluator").setLevel(logging.ERROR)


def conditions_of(rule, max_egress):
    """The conditions under which a rule of the policy spec permits one target."""
    yield Condition(field="effect", operator="eq", value=rule["effect"])
    if "type" in rule:
        yield Condition(field="tool", operator="eq", value=rule["type"])
    if "targets" in rule:
        yield Condition(field="targeted", operator="eq", value=bool(rule["targets"]))
        if rule["targets"]:
            yield Condition(field="target", operator="in", value=rule["targets"])
    if "origins" in rule:
        yield Condition(field="origin", operator="in", value=rule["origins"])
    yield Condition(field="calls", operator="lt", value=rule.get("maxCalls", UNLIMITED))
    yield Condition(field="egress", operator="lt", value=max_egress)


@once_a_policy
def compile_policy(policy):
    max_egress = policy.get("limits", {}).get("egressAfterUntrusted", UNLIMITED)
    block = Rule(id="block", action="block", match=Match(tool="call", conditions=[]))

    def permit(index, rule):
        match = Match(tool="call", conditions=list(conditions_of(rule, max_egress)))
        return Rule(id=f"permit-{index}", action="log_and_allow", match=match)

    return [[*(permit(index, rule) for index, rule in enumerate(group)), block] for group in groups_of(policy["rules"])]


def create_session(policy):
    groups = compile_policy(policy)
    facts = Facts(policy)

    def ask(rules, action, target, origin):
        calls, egress = facts.of(action)
        parameters = {"effect": action["effect"], "tool": action["type"], "calls": calls, "egress": egress}
        parameters["targeted"] = target is not None
        if target is not None:
            parameters.update(target=target, origin=origin)
        return evaluate_action(ToolCall(tool="call", parameters=parameters), rules)

    def check(action):
        asked = facets(action)
        for rules in groups:
            if all(ask(rules, action, *facet).outcome == "log_and_allow" for facet in asked):
                facts.allowed(action)
                return True
        return False

    return check


if __name__ == "__main__":
    serve(
        "action-guardrail",
        "action-guardrail",
        create_session,
        tiers=["effect", "tool", "target", "limits", "origin"],
        clauses={clause: "native" for clause in ("effect", "tool", "target", "limits", "origin")},
    )
