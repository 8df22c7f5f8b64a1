import { type CommandLine, optionChoices, optionNumber } from './cli-options.ts';
import type { Corpus, Suite } from './corpus.ts';
import type { GateLimits } from './gate-thread.ts';

/** `--timeout` and `--memory`. @throws {BenchError} `usage` */
export function gateLimits(line: CommandLine): GateLimits {
  return {
    timeoutMs: optionNumber(line, 'timeout', 1000, 1, 3_600_000),
    memoryMb: optionNumber(line, 'memory', 512, 16, 1_000_000),
  };
}

/** `--concurrency`; undefined when it is not given. @throws {BenchError} `usage` */
export function concurrencyOf(line: CommandLine): number | undefined {
  return line.options.has('concurrency') ? optionNumber(line, 'concurrency', 1, 1, 10_000) : undefined;
}

/** `--seed`. @throws {BenchError} `usage` */
export function seedOf(line: CommandLine, fallback = 1): number {
  return optionNumber(line, 'seed', fallback, 0, MOST_SEED);
}

/** The largest seed. */
export const MOST_SEED = 0xffff_ffff;

/** `--resamples`. @throws {BenchError} `usage` */
export function resamplesOf(line: CommandLine): number {
  return optionNumber(line, 'resamples', 2000, 0, MOST_RESAMPLES);
}

/** The most resamples. */
export const MOST_RESAMPLES = 1_000_000;

/** `--suite`: the corpus's suites, or those named. @throws {BenchError} `usage` */
export function suitesOf(line: CommandLine, corpus: Corpus): Suite[] {
  const names = optionChoices(
    line,
    'suite',
    corpus.suites.map((suite) => suite.name),
  );
  return corpus.suites.filter((suite) => names.includes(suite.name));
}
