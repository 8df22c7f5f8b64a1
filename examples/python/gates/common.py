"""What the gates of this folder share: the helper of the folder above, and what an engine does not keep or take itself."""

import functools
import json
from importlib.metadata import version
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

# Loaded by its path: a package on PyPI calls its module `toolgate` as well.
_SPEC = spec_from_file_location("toolgate_helper", Path(__file__).resolve().parent.parent / "toolgate.py")
_HELPER = module_from_spec(_SPEC)
_SPEC.loader.exec_module(_HELPER)

UNLIMITED = 2**53 - 1


def serve(name, package, create_session, tiers, clauses):
    """Serves a gate under the installed version of its package."""
    _HELPER.serve(name, create_session, tiers=tiers, engine=(package, version(package)), clauses=clauses)


def once_a_policy(compile_policy):
    """Compiles each policy once, however many sessions are opened on it."""

    @functools.lru_cache(maxsize=1024)
    def compiled(text):
        return compile_policy(json.loads(text))

    return lambda policy: compiled(json.dumps(policy, sort_keys=True))


def facets(action):
    """The targets of an action with their origins, for engines that judge one target at a time; one None without targets."""
    origins = action.get("origins") or [""] * len(action["targets"])
    return list(zip(action["targets"], origins)) or [(None, "")]


def matchable(rules):
    """The rules that can match at all: one with origins wants a target, and an origin that it lists."""
    return [rule for rule in rules if "origins" not in rule or (rule["origins"] and rule.get("targets") != [])]


def groups_of(rules):
    """Rules for engines that judge one target at a time, in groups of which one alone must permit every target.

    In one group, one rule could permit the first target of a call and another the second, where the policy wants one rule
    for all. The policies of the bench have one group.
    """
    groups = []
    for rule in matchable(rules):
        home = next((group for group in groups if not any(_could_share(rule, other) for other in group)), None)
        if home is None:
            groups.append([rule])
        else:
            home.append(rule)
    return groups


def _could_share(one, other):
    same_tool = "type" not in one or "type" not in other or one["type"] == other["type"]
    return _is_selective(one) and _is_selective(other) and one["effect"] == other["effect"] and same_tool


def _is_selective(rule):
    return bool(rule.get("targets")) or "origins" in rule


class Facts:
    """What a session has done so far: allowed calls of each tool, and egress since the first allowed untrusted source."""

    def __init__(self, policy):
        self._untrusted = set(policy.get("limits", {}).get("untrustedSources", []))
        self._calls = {}
        self._exposed = False
        self._egress = 0

    def of(self, action):
        """The calls of the action's tool, and the egress; -1, below every limit, where that limit does not bear on it."""
        bears = self._exposed and action["effect"] != "read"
        return self._calls.get(action["type"], 0), self._egress if bears else -1

    def allowed(self, action):
        """A denied action did not happen, and is not counted."""
        tool = action["type"]
        self._calls[tool] = self._calls.get(tool, 0) + 1
        if self._exposed and action["effect"] != "read":
            self._egress += 1
        self._exposed = self._exposed or tool in self._untrusted
