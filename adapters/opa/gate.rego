# Every policy of the bench, as data: `data.rules` holds the rules as adapters/lib/rules.mjs spells them out, `input` one call.
# Build adapters/opa/gate.wasm from this file with: npm run build:opa --prefix engines
package toolgate

default allow := false

allow if {
	some rule in data.rules
	rule.effect == input.effect
	tool_matches(rule)
	targets_match(rule)
	origins_match(rule)
	input.calls < rule.maxCalls
	input.egress < rule.maxEgress
}

tool_matches(rule) if rule.anyTool

tool_matches(rule) if rule.tool == input.tool

targets_match(rule) if rule.targeting == "any"

targets_match(rule) if {
	rule.targeting == "none"
	count(input.targets) == 0
}

targets_match(rule) if {
	rule.targeting == "some"
	count(input.targets) > 0
}

targets_match(rule) if {
	rule.targeting == "listed"
	count(input.targets) > 0
	every target in input.targets {
		target in rule.targets
	}
}

origins_match(rule) if rule.anyOrigin

origins_match(rule) if {
	count(input.origins) == count(input.targets)
	every origin in input.origins {
		origin in rule.origins
	}
}
