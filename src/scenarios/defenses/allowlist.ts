import type { Defense } from '../defense.ts';

/**
 * Offers only the tools whose effect the policy permits at all; the others cannot be called. Source: "LLM06:2025 Excessive Agency" (minimize
 * extensions), OWASP Top 10 for LLM Applications, 2025, https://genai.owasp.org/llmrisk/llm062025-excessive-agency/
 */
export const allowlist: Defense = {
  name: 'allowlist',
  start: ({ policy }) => {
    const permitted = new Set(policy.rules.map((rule) => rule.effect));
    return { tools: (tools) => tools.filter((tool) => permitted.has(tool.effect)) };
  },
};
