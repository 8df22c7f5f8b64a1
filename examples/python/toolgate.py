"""Makes a gate for toolgate-bench of a Python function. Standard library only; one file to copy.

    import toolgate

    def create_session(policy):
        def check(action):
            return any(rule["effect"] == action["effect"] for rule in policy["rules"])
        return check

    toolgate.serve("my-gate", create_session, tiers=["effect"])

`create_session(policy)` is called once per replayed sequence and returns `check(action)`, which returns True or False, or
a pair of that and a reason. What either raises is a gate error, with its message.
`engine`, a pair of a package's name and version, and `clauses`, a dict that says "native" or "adapter" of the clauses of a
policy, are shown in reports. The protocol is in docs/protocol.md. Print to standard error, never to standard output.
"""

import json
import sys

PROTOCOL = 1


def serve(name, create_session, tiers=None, engine=None, clauses=None):
    """Answers requests until the end of the input."""
    hello = {"protocol": PROTOCOL, "name": name}
    if tiers is not None:
        hello["tiers"] = tiers
    if engine is not None:
        hello["engine"] = {"name": engine[0], "version": engine[1]}
    if clauses is not None:
        hello["clauses"] = clauses
    sessions = {}
    sys.stdin.reconfigure(encoding="utf-8")
    write, flush = sys.stdout.write, sys.stdout.flush
    sys.stdout = sys.stderr  # what a library prints must not come between the answers
    for line in sys.stdin:
        request = json.loads(line)
        reply = {"id": request["id"]}
        try:
            text = json.dumps({**reply, **_answer(request, hello, create_session, sessions)})
        except Exception as error:  # whatever the gate raises is the answer
            text = json.dumps({**reply, "error": f"{type(error).__name__}: {error}"})
        write(text + "\n")
        flush()


def _answer(request, hello, create_session, sessions):
    kind = request["type"]
    if kind == "check":
        verdict = sessions[request["session"]](request["action"])
        if isinstance(verdict, tuple):
            return {"allowed": verdict[0], "reason": verdict[1]}
        return {"allowed": verdict}
    if kind == "open":
        sessions[request["session"]] = create_session(request["policy"])
        return {}
    if kind == "close":
        sessions.pop(request["session"], None)
        return {}
    return hello
