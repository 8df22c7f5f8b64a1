import type { AgentDojoRow, RunCounts } from '../runs/agentdojo.ts';
import type { Count } from '../score.ts';
import { LEFT_OUT, type Recording } from '../runs/recording.ts';
import { layOut, plain, wrap } from './table.ts';

/** What was recorded, with AgentDojo's own three figures, in two lines a pipeline at the least; and what was not. */
export function renderRunsList(rows: readonly AgentDojoRow[], recordings: readonly Recording[]): string {
  const cells = rows.map(({ attack, benign, attacked, utility, utilityUnderAttack, asr }) => [
    `  ${plain(attack ?? '(benign runs only)')}`,
    both(benign, attacked, ({ runs }) => runs),
    both(benign, attacked, ({ errors }) => errors),
    both(benign, attacked, ({ missing }) => missing),
    ...[utility, utilityUnderAttack, asr].map(percent),
  ]);
  const head = ['', 'runs', 'err.', 'miss.', 'util.', 'att.', 'ASR'];
  const [first, ...lines] = layOut([head, ...cells], ['left', 'right', 'right', 'right', 'right', 'right', 'right'], 1);
  const named = lines.flatMap((line, index) =>
    rows[index]!.pipeline === rows[index - 1]?.pipeline ? [line] : [plain(rows[index]!.pipeline), line],
  );
  return `${[first, ...named].join('\n')}

runs, errors, missing: benign+attacked. Per cent, as AgentDojo counts them,
errors included: utility, utility under attack, targeted attack success rate.
${leftOutOf(recordings)}`;
}

const LEFT_OUT_SHOWN: Readonly<Record<(typeof LEFT_OUT)[number], string>> = {
  denialOfService: 'under attacks called *dos* (no targeted attacks)',
  goalAlone: 'of an injected goal alone',
  outsideCorpus: 'of pairs that are not in the corpus',
  unreadable: 'in files that could not be read',
};

function leftOutOf(recordings: readonly Recording[]): string {
  const parts = LEFT_OUT.flatMap((reason) => {
    const total = recordings.reduce((sum, { leftOut }) => sum + leftOut[reason], 0);
    return total === 0 ? [] : [`${total} ${LEFT_OUT_SHOWN[reason]}`];
  });
  return parts.length === 0
    ? ''
    : `${wrap(`Runs that the recordings leave out: ${parts.join(', ')}.`, 80).join('\n')}\n`;
}

function both(benign: RunCounts, attacked: RunCounts, of: (counts: RunCounts) => number): string {
  return `${of(benign)}+${of(attacked)}`;
}

function percent({ k, n }: Count): string {
  return k === null || n === 0 ? '-' : ((100 * k) / n).toFixed(2);
}
