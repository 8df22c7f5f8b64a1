import { shellTokens, type ShellToken } from './shellWords.ts';

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Programs that run the program named after their options. */
const WRAPPERS = words(
  'env sudo doas timeout nice ionice nohup xargs time exec command builtin busybox stdbuf setsid watch npx uvx',
);
const SHELLS = words('sh bash dash zsh ksh');
const INTERPRETERS = words('python python3 node deno perl ruby php');
/** Programs whose plain words are files or folders. */
const FILE_PROGRAMS = words(
  'cat rm cp mv ln cd ls head tail less more chmod chown mkdir rmdir touch tee source . base64 xxd od wc diff readlink realpath stat install truncate',
);
/** Programs whose bare words may be hosts. */
const NET_PROGRAMS = words('curl wget nc ncat ssh scp sftp rsync ftp telnet ping dig nslookup host traceroute');
const RESERVED = words('if then else elif fi do done while until for in case esac ! { }');

const basename = (program: string): string => program.slice(program.lastIndexOf('/') + 1);
const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_.-]*=/;
const URL_PARTS = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#\s@]*@)*(\[[^\]\s]*\]|[^/:?#\s]+)(:\d+)?/i;
const LOOKS_LIKE_PATH = /\/|^[~.]|[^.\s]\.[A-Za-z][A-Za-z0-9]{0,7}$/;

/** The hosts of the addresses in a text. */
function hostsIn(text: string): string[] {
  return (text.match(/[a-z][a-z0-9+.-]*:\/\/[^\s"'`<>)]+/gi) ?? []).flatMap((url) => addressed(url) ?? []);
}

/** What an address lands on: its host, with a port that is written out; a path for `file:`. */
function addressed(word: string): string[] | undefined {
  if (/^file:\/\//i.test(word)) return [word.slice('file://'.length)];
  const url = URL_PARTS.exec(word);
  return url ? [`${url[1]}${url[2] ?? ''}`] : undefined;
}

/** What a word of a network program's command names, when it is no address: a host, perhaps with a user before and a path after it. */
function remote(word: string, program: string): string[] | undefined {
  const host = /^(?:[^\s@/:]+@)?\.?([A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)(?::(\D[^\s]*)?|:\d+)?(?:\/\S*)?$/.exec(word);
  if (host && (NET_PROGRAMS.has(program) || /^[^\s@/:]+@[^\s:]+:/.test(word))) {
    return [host[1] as string, ...(host[2] ? [host[2]] : [])];
  }
  return undefined;
}

/** The paths and hosts that one word names. */
function named(word: string, program: string): string[] {
  if (['', '-', '{}', '+'].includes(word)) return [];
  if (word.startsWith('-')) {
    const value = /^--?[\w-]+=(.*)$/s.exec(word)?.[1];
    if (value !== undefined) return named(value, program);
    const attached = /[/@~].*$/s.exec(word)?.[0];
    return attached === undefined ? [] : named(attached, program);
  }
  const address = addressed(word);
  if (address) return address;
  if (ASSIGNMENT.test(word)) {
    const value = word.slice(word.indexOf('=') + 1);
    return /\s/.test(value) ? shellTargets(value) : named(value, program);
  }
  if (/\s/.test(word)) return FILE_PROGRAMS.has(program) ? [word] : hostsIn(word);
  if (word.startsWith('@') && NET_PROGRAMS.has(program)) return word === '@-' ? [] : [word.slice(1)];
  const host = remote(word, program);
  if (host) return host;
  if (FILE_PROGRAMS.has(program) || LOOKS_LIKE_PATH.test(word)) return /^\d*$/.test(word) ? [] : [word];
  return [];
}

/** The paths and hosts in the quoted strings of a program text. */
function namedInCode(code: string): string[] {
  const strings = [...code.matchAll(/'([^'\n]*)'|"([^"\n]*)"/g)].map((found) => found[1] ?? found[2] ?? '');
  return [...hostsIn(code), ...strings.flatMap((text) => (/\s/.test(text) ? [] : named(text, '')))];
}

/** What the next word of a simple command is to the reader. */
type Expect =
  | 'program'
  | 'word'
  | 'wrapped'
  | 'shell'
  | 'interpreter'
  | 'command'
  | 'code'
  | 'module'
  | 'file'
  | 'nothing';

/** What a program makes of its first word. */
function afterProgram(program: string): Expect {
  if (WRAPPERS.has(program)) return 'wrapped';
  if (SHELLS.has(program)) return 'shell';
  if (INTERPRETERS.has(program)) return 'interpreter';
  return program === 'eval' ? 'command' : 'word';
}

/** Reads a command line token by token. */
function reader(list: (targets: readonly string[]) => void): (token: ShellToken) => void {
  let expect: Expect = 'program';
  let resume: Expect = 'program';
  let program = '';

  const operator = (text: string): void => {
    if (!/[<>]/.test(text)) {
      expect = 'program';
      return;
    }
    // A redirection only interrupts the simple command around it.
    resume = expect;
    expect = text.startsWith('<<') && text !== '<<<' ? 'nothing' : 'file';
  };

  const assignment = (text: string): void => {
    const value = text.slice(text.indexOf('=') + 1);
    list(/\s/.test(value) ? shellTargets(value) : named(value, ''));
  };

  const start = (text: string): void => {
    if (RESERVED.has(text) || text === '') return;
    list([text]);
    program = basename(text);
    expect = afterProgram(program);
  };

  const plain = (text: string): void => {
    if (/^-(?:exec|execdir|ok)$/.test(text)) expect = 'program';
    else list(program === 'ssh' && /\s/.test(text) ? shellTargets(text) : named(text, program));
  };

  const script = (text: string): void => {
    if (text.startsWith('-')) return plain(text);
    list([text]);
    expect = 'word';
  };

  const on: { readonly [expected in Expect]: (text: string) => void } = {
    program: (text) => (ASSIGNMENT.test(text) ? assignment(text) : start(text)),
    wrapped(text) {
      if (ASSIGNMENT.test(text)) assignment(text);
      else if (/^-|^[\d.]+[smhd]?$/.test(text)) list(named(text, program));
      else start(text);
    },
    word: plain,
    shell(text) {
      if (/^-\w*c$/.test(text)) expect = 'command';
      else script(text);
    },
    interpreter(text) {
      if (text === '-m') expect = 'module';
      else if (/^(?:-\w*[cer]|-p|--eval|--print)$/.test(text)) expect = 'code';
      else script(text);
    },
    command(text) {
      list(shellTargets(text));
      if (program !== 'eval') expect = 'word';
    },
    code(text) {
      list(namedInCode(text));
      expect = 'word';
    },
    module() {
      expect = 'word';
    },
    file(text) {
      if (!/^[\d-]*$/.test(text)) list(addressed(text) ?? [text]);
      expect = resume;
    },
    nothing() {
      expect = resume;
    },
  };

  return (token) => {
    if (token.kind === 'operator') return operator(token.text);
    // A word that was nothing but a substitution still takes its place in the command.
    if (token.text !== '' || token.inner.length === 0) on[expect](token.text);
    else if (expect !== 'word') expect = expect === 'file' || expect === 'nothing' ? resume : 'word';
    for (const command of token.inner) list(shellTargets(command));
  };
}

/**
 * The programs, paths and hosts that a command line names, in order of appearance, each once: what a plain reader would list without
 * running or expanding anything. Substitutions, wrappers, `sh -c` and `eval` are read as commands, code after `-c` or `-e` for the paths and
 * hosts in its strings. What the command makes other files do (hooks, scripts, symbolic links) is not in it, and so not in the list.
 */
export function shellTargets(command: string): string[] {
  const found = new Set<string>();
  const read = reader((targets) => {
    for (const target of targets) if (target !== '') found.add(target);
  });
  for (const token of shellTokens(command)) read(token);
  return [...found];
}
