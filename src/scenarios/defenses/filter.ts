import { messageOf } from '../../errors.ts';
import type { Defense, Origin } from '../defense.ts';

/** What a detector says of a text; `text` takes its place (default: nothing does). */
export interface DetectorVerdict {
  readonly flagged: boolean;
  readonly text?: string;
}

/** What a detector's file exports by default. */
export interface Detector {
  readonly name: string;
  detect(text: string, origin: Origin): DetectorVerdict | Promise<DetectorVerdict>;
}

/** Words that turn to whoever reads the text rather than tell something. */
const SIGNS: readonly RegExp[] = [
  /\b(?:ignore|disregard|forget|override|supersede)\b.{0,40}\b(?:previous|prior|earlier|above|all|your|other|system)\b/iu,
  /\b(?:call|invoke|run|execute|use)\b (?:the (?:tool )?)?[`'"]?\w+[_.-]\w+/iu,
  /\b(?:reply|answer|respond|begin|start|end|finish|close)\b.{0,40}\bwith\b\s*["“']/iu,
  /\b(?:write|say|include|print|output|add|append|repeat)\b.{0,40}["“']/iu,
  /<\/?(?:system|instructions?|assistant|user|important)\b|\[(?:system|inst)\]|^\s*(?:system|assistant|developer)\s*:/iu,
  /\b(?:new|updated|real|hidden|urgent) (?:instructions?|orders?|task)\b|\bsystem prompt\b/iu,
  /\byou (?:are now|must|have to|should now)\b|\bas an? (?:ai|assistant|agent)\b/iu,
];

/**
 * Drops the lines that look like instructions. Plain text only: what is encoded or spread over lines passes. Source: "Filtering", Learn Prompting,
 * 2023, https://learnprompting.org/docs/prompt_hacking/defensive_measures/filtering
 */
export const instructionLines: Detector = {
  name: 'filter',
  detect: (text) => {
    const lines = text.split('\n');
    const kept = lines.filter((line) => !SIGNS.some((sign) => sign.test(line)));
    return kept.length === lines.length ? { flagged: false } : { flagged: true, text: kept.join('\n') };
  },
};

/** A detector as a defence: every verdict is noted, so that its precision and recall can be told. */
export function filterWith(detector: Detector, name: string): Defense {
  return {
    name,
    start: ({ detected }) => ({
      filter: async (text, origin) => {
        const { flagged, text: left = '' } = verdictOf(await ask(detector, text, origin), name);
        detected({ detector: name, origin, flagged }, text);
        return flagged ? left : text;
      },
    }),
  };
}

async function ask(detector: Detector, text: string, origin: Origin): Promise<unknown> {
  try {
    return await detector.detect(text, origin);
  } catch (error) {
    throw new Error(`detector ${detector.name}: ${messageOf(error)}`, { cause: error });
  }
}

function verdictOf(value: unknown, name: string): DetectorVerdict {
  const verdict = value as DetectorVerdict | null | undefined;
  const sound = typeof verdict?.flagged === 'boolean' && ['string', 'undefined'].includes(typeof verdict.text);
  if (!sound) throw new Error(`detector ${name}: returned something else than { flagged, text? }`);
  return verdict;
}
