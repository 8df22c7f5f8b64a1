import { basename, dirname, extname, resolve } from 'node:path';
import { writeFileSync } from 'node:fs';
import { allowOptions, type CommandLine, usage } from '../cli-options.ts';
import { BenchError, messageOf } from '../errors.ts';
import { invocation, shellWord } from '../invocation.ts';
import type { Io } from '../io.ts';

/** Writes a new adapter to fill in. Refuses to overwrite. */
export function init(line: CommandLine, io: Io): number {
  allowOptions(line, 'init', []);
  const [file = '', extra] = line.words;
  if (file === '' || extra !== undefined) throw usage('init takes one file: init my-gate.mjs');
  const ending = extname(file);
  if (!['.mjs', '.js', '.mts', '.ts'].includes(ending)) {
    throw usage(`init ${file}: an adapter ends in .mjs, .js, .mts or .ts`);
  }
  const text = template(basename(file, ending), ending.endsWith('ts'));
  try {
    writeFileSync(resolve(io.cwd, file), text, { flag: 'wx' });
  } catch (error) {
    throw new BenchError('usage', `init ${file}: ${whyNot(error, file)}`, { cause: error });
  }
  io.stdout.write(`Wrote ${file}. Fill in check(), then measure it:\n\n    ${invocation(io.cwd)} ${shellWord(file)}\n`);
  return 0;
}

function whyNot(error: unknown, file: string): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EEXIST') return 'exists already; name another file';
  if (code === 'ENOENT') return `the folder ${dirname(file)} does not exist; make it first`;
  return `cannot be written (${messageOf(error)}); name a file in a folder of your own`;
}

/** A file in TypeScript is typed by an import, one in JavaScript by a comment; the editor checks both where the package is installed. */
function template(name: string, typed: boolean): string {
  const [head, foot] = typed
    ? ["import type { Gate } from 'toolgate-bench';\n\nconst gate: Gate = {", '};\n\nexport default gate;']
    : ["/** @type {import('toolgate-bench').Gate} */\nexport default {", '};'];
  return `// An adapter: it plugs a gate into toolgate-bench. What follows denies every call; replace it with your gate.
${head}
  name: ${JSON.stringify(name)},

  // The tiers of policy that your gate can express: effect, tool, target, limits, origin. What is left out is shown as n/a.
  tiers: ['effect', 'tool', 'target'],

  // Called once per replayed sequence, with the policy of one task. It may be async.
  //   policy.rules: [{ effect, type?, targets?, maxCalls?, origins? }]; an action is permitted when at least one rule matches it:
  //   the effect is equal; the type (the tool's name) is equal, if the rule has one; if the rule has targets, every target of the
  //   action is among them, and there is one ([]: only actions without a target). Targets are literal strings, never patterns.
  createSession(policy) {
    return {
      // Called for each tool call, in order: { type, effect, target?, targets, origins? }. It may be async.
      check(action) {
        return { allowed: false, reason: \`not written yet: \${policy.rules.length} rules to look \${action.type} up in\` };
      },
    };
  },
${foot}
`;
}
