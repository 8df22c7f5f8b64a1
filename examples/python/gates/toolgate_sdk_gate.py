# /// script
# requires-python = ">=3.11"
# dependencies = ["toolgate-sdk==0.1.0"]
# ///
"""toolgate-sdk: a scope per session, and a fixed idea of what is risky.

A scope is a list of categories, or of `operation:category`. The effect is the category; at the tier `tool` the tool is the
operation, which may be any name. Every call is the user's, as the bench does not tell who asked. On top of the scope the gate
adds up the risk of what it allows and asks a human once that is high, which counts as a denial; how risky an operation is,
it takes from words in its name. That is no part of the policy, cannot be turned off, and is measured with the rest.
A scope holds neither targets nor counts, and origins are those of instructions, not of targets: no further tiers.
"""

from common import serve
from toolgate import (
    AuthorizationError,
    AuthorizationMediator,
    PolicyEngine,
    ProposedAction,
    SessionContext,
    ToolCategory,
    TrustLevel,
)
from toolgate.llm_advisor import LLMAdvisor
from toolgate.models import ParamProvenance, ProvenanceTag

CATEGORIES = {
    "read": ToolCategory.FILE_OPS,
    "write": ToolCategory.DB_ACCESS,
    "message": ToolCategory.MESSAGING,
    "network": ToolCategory.EXTERNAL_API,
    "execute": ToolCategory.COMMAND_EXEC,
}
USER = ProvenanceTag(TrustLevel.USER, "request")


class Offline(LLMAdvisor):
    """Its own keyword heuristic, whatever keys of hosted models the environment holds."""

    def _resolve_client(self):
        return None


MEDIATOR = AuthorizationMediator(PolicyEngine(Offline()))


def scope_of(rule):
    category = CATEGORIES[rule["effect"]].value
    return f"{rule['type']}:{category}" if "type" in rule else category


def create_session(policy):
    context = SessionContext(declared_scope={scope_of(rule) for rule in policy["rules"]})

    def check(action):
        proposed = ProposedAction(
            session_id=context.session_id,
            tool_category=CATEGORIES[action["effect"]],
            tool_name=action["type"],
            operation=action["type"],
            params={f"target{index}": ParamProvenance(target, USER) for index, target in enumerate(action["targets"])},
            directive_provenance=USER,
        )
        try:
            MEDIATOR.authorize(proposed, context)
        except AuthorizationError as refusal:
            return False, refusal.result.rule
        return True

    return check


if __name__ == "__main__":
    serve(
        "toolgate-sdk",
        "toolgate-sdk",
        create_session,
        tiers=["effect", "tool"],
        clauses={"effect": "native", "tool": "native"},
    )
