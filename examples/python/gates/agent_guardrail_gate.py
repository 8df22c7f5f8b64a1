# /// script
# requires-python = ">=3.11"
# dependencies = ["agent-guardrail==0.1.2"]
# ///
"""agent-guardrail: lists of allowed tools and of allowed targets.

An entry of a list is a glob and takes no notice of case; literals are escaped. The two lists stand side by side: a target is
not tied to a tool, so any listed tool may take any listed target, and a call without a target passes. That is what a policy of
this gate can say, and what is measured. A policy that lists no target at all denies every target. Asked once per target.
It counts spend per agent, not calls per tool, and is told neither origins nor what was read: no tiers `limits` and `origin`.

Its engine reads agents and policies from a store. Here that is a pair of dictionaries instead of its SQLite file, which it opens
twice a check (about a millisecond); what decides is the same.
"""

from glob import escape

from agent_guardrail.policy import PolicyEngine
from common import facets, once_a_policy, serve

AGENT = "agent"


class Store:
    """One agent with one policy."""

    def __init__(self, rules):
        self._policies = [{"id": "policy", "name": "policy", "rules": rules}]

    def get_agent(self, agent_id):
        return {"id": agent_id, "enabled": 1, "killed": 0}

    def get_policies(self, agent_id):
        return self._policies


def name_of(effect, tool):
    return effect if tool is None else f"{effect}/{tool}"


def rules_of(policy):
    """The effect alone is the name of the tool where no rule names one."""
    rules = policy["rules"]
    tools = [escape(name_of(rule["effect"], rule.get("type"))) for rule in rules]
    # An empty list of tools would allow them all.
    lists = {"tool_allowlist": tools} if tools else {"tool_denylist": ["*"]}
    if all("targets" in rule for rule in rules):
        targets = [escape(target) for rule in rules for target in rule["targets"]]
        lists.update({"target_allowlist": targets} if targets else {"target_denylist": ["*"]})
    return lists


@once_a_policy
def compile_policy(policy):
    return PolicyEngine(Store(rules_of(policy)))


def create_session(policy):
    engine = compile_policy(policy)
    by_effect = not any("type" in rule for rule in policy["rules"])

    def check(action):
        tool = name_of(action["effect"], None if by_effect else action["type"])
        answers = (engine.evaluate(AGENT, action["effect"], tool, target) for target, _ in facets(action))
        return all(answer.decision == "allow" for answer in answers)

    return check


if __name__ == "__main__":
    serve(
        "agent-guardrail",
        "agent-guardrail",
        create_session,
        tiers=["effect", "tool", "target"],
        clauses={clause: "native" for clause in ("effect", "tool", "target")},
    )
