import type { Defense } from '../defense.ts';

/**
 * The user's request again after each tool result. Source: "Sandwich defense", Learn Prompting, 2023,
 * https://learnprompting.org/docs/prompt_hacking/defensive_measures/sandwich_defense
 */
export const repeat: Defense = {
  name: 'repeat',
  start: () => ({ afterResult: (request) => `\n\nWhat the user asked for still stands: ${request}` }),
};
