import { randomInt } from 'node:crypto';
import { allowOptions, type CommandLine, optionChoice, optionText, usage } from '../cli-options.ts';
import { MOST_SEED, gateLimits, seedOf } from '../gate-options.ts';
import { type Corpus, loadCorpus } from '../corpus.ts';
import { BenchError } from '../errors.ts';
import { commandGates, type FoundGate, lookUpGates } from '../gate-lookup.ts';
import { complain, type Io } from '../io.ts';
import { listeners } from '../measure-events.ts';
import { checkOut, deliver } from '../output.ts';
import { ADAPTERS_FOLDER, CORPUS_FILES, CORPUS_FILES_SHOWN } from '../paths.ts';
import { createProgress } from '../progress.ts';
import { isTrusted } from '../probe/findings.ts';
import { createProbePlan, probeGate, type ProbeOptions, type ProbePlan } from '../probe/probe-gate.ts';
import { PROBE_SCHEMA, type ProbedGate, type ProbeRun } from '../probe/run-report.ts';
import { renderJson } from '../render/json.ts';
import { renderProbeText } from '../render/probe-text.ts';
import { packageVersion } from '../version.ts';

/**
 * Asks whether gates are faithful and honest. Exit status 0; 1 where a gate leaks, denies what its policy permits, fails,
 * or is flagged; 2 for an adapter that did not load; 130 interrupted.
 */
export async function probe(line: CommandLine, io: Io): Promise<number> {
  allowOptions(line, 'probe', ['format', 'out', 'seed', 'timeout', 'memory', 'exec']);
  const format = optionChoice(line, 'format', ['text', 'json'], 'text');
  // A seed that a gate cannot have met before: it may remember on disk what earlier seeds drew.
  const seed = seedOf(line, randomInt(MOST_SEED));
  const limits = gateLimits(line);
  const out = optionText(line, 'out');
  checkOut(io, out);
  const found = [...lookUpGates(line.words, io.cwd, ADAPTERS_FOLDER), ...commandGates(line.options.get('exec'))];
  if (found.length === 0) throw usage('probe takes at least one gate');
  const corpus = loadCorpus(CORPUS_FILES, CORPUS_FILES_SHOWN);
  const plan = createProbePlan(corpus, seed);
  const quiet = line.options.has('quiet');
  const progress = createProgress(io, quiet);
  const events = listeners(io, quiet, progress);
  const gates: ProbedGate[] = [];
  for (const gate of found) {
    const onOutput = (text: string): void => events.onOutput(gate.typed, text);
    const watch = { signal: io.signal, onProgress: progress.show };
    gates.push(await probeOne(plan, gate, { limits, onOutput, ...watch }));
    progress.clear();
    if (io.signal.aborted) return 130;
  }
  const run = assemble(corpus, seed, gates);
  const delivered = deliver(io, format === 'json' ? renderJson(run) : renderProbeText(run), out);
  for (const { failed } of gates) if (failed !== undefined) complain(io, failed);
  return delivered ? statusOf(gates) : 2;
}

async function probeOne(plan: ProbePlan, gate: FoundGate, options: ProbeOptions): Promise<ProbedGate> {
  try {
    const { name, report } = await probeGate(plan, gate, options);
    return { name, file: gate.typed, probe: report };
  } catch (error) {
    if (!(error instanceof BenchError) || error.code !== 'gate') throw error;
    return { name: gate.typed, file: gate.typed, failed: error.message };
  }
}

function assemble({ header, sha256, toolsSha256 }: Corpus, seed: number, gates: readonly ProbedGate[]): ProbeRun {
  return {
    schema: PROBE_SCHEMA,
    kind: 'probe',
    corpus: { id: header.id, version: header.version, sha256, toolsSha256 },
    seed,
    environment: {
      bench: packageVersion(),
      node: process.versions.node,
      platform: `${process.platform} ${process.arch}`,
    },
    gates,
  };
}

function statusOf(gates: readonly ProbedGate[]): number {
  if (gates.some((gate) => gate.failed !== undefined)) return 2;
  return gates.every((gate) => gate.probe !== undefined && isTrusted(gate.probe)) ? 0 : 1;
}
