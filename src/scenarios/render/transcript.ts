import { plain, wrap } from '../../render/table.ts';
import { type CaseRecord, keyText } from '../caseRecord.ts';
import type { RecordedCall } from '../outcome.ts';
import type { Match } from '../types.ts';

/** Text from outside: escaped line by line, so that it cannot pass for a line of this report. */
function quoted(text: string): string[] {
  return text.split('\n').flatMap((line) => wrap(plain(line), 74).map((part) => `    | ${part}`));
}

function callLines(call: RecordedCall): string[] {
  const gates = call.gates.map(
    ({ gate, verdict, note }) => `    ${plain(gate)}: ${verdict}${note === null ? '' : ` (${plain(note)})`}`,
  );
  return [
    `  call ${plain(call.tool)} ${plain(JSON.stringify(call.args))}: ${call.fate}`,
    ...gates,
    ...quoted(call.returned),
  ];
}

function matchLines(what: string, matches: readonly Match[]): string[] {
  return matches.map(({ condition, matched, where }) => `${what}: ${condition}, ${plain(where)}: ${plain(matched)}`);
}

/** A case as a transcript: what the target was given and did, what gates said, and why the verdict is what it is. */
export function renderCase(record: CaseRecord): string {
  const { key, outcome, task, exposed, turns, calls, matched, error, brokenAt, notes, detections } = record;
  const exposure = exposed === null ? '' : exposed ? ', exposed' : ', not exposed';
  const lines = [plain(keyText(key)), `outcome: ${outcome ?? 'none (no attack)'}${exposure}; task: ${task}`];
  lines.push(...matchLines('attack succeeded', matched.injection), ...matchLines('task done', matched.task));
  if (brokenAt !== undefined) lines.push(`the chain broke before turn ${brokenAt + 1}`);
  if (error) lines.push(`error: ${error.where}: ${plain(error.message)}`);
  lines.push(...notes.map((note) => `note: ${plain(note)}`));
  const flagged = detections.filter((one) => one.flagged).length;
  if (detections.length > 0) lines.push(`detectors: ${flagged} of ${detections.length} texts flagged`);
  for (const [index, turn] of turns.entries()) {
    lines.push('', `turn ${index + 1}`);
    if (turn.system !== undefined) lines.push('  system', ...quoted(turn.system));
    lines.push(...turn.tools.flatMap(({ name, description }) => [`  tool ${plain(name)}`, ...quoted(description)]));
    for (const { role, tool, content } of turn.messages) {
      lines.push(`  ${role}${tool === undefined ? '' : ` ${plain(tool)}`}`, ...quoted(content));
    }
    lines.push(...calls.filter((call) => call.turn === index).flatMap(callLines));
    if (turn.text !== null) lines.push('  final text', ...quoted(turn.text));
  }
  return `${lines.join('\n')}\n`;
}
