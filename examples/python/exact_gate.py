"""The policy spec, taken literally, at the tiers effect, tool and target: `node run.mjs --exec 'python3 examples/python/exact_gate.py'`."""

import toolgate


def create_session(policy):
    rules = policy["rules"]

    def matches(rule, action):
        if rule["effect"] != action["effect"]:
            return False
        if "type" in rule and rule["type"] != action["type"]:
            return False
        if "targets" not in rule:
            return True
        if not action["targets"]:
            return not rule["targets"]
        return all(target in rule["targets"] for target in action["targets"])

    return lambda action: any(matches(rule, action) for rule in rules)


if __name__ == "__main__":
    toolgate.serve("exact-python", create_session, tiers=["effect", "tool", "target"])
