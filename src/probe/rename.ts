import type { Corpus, GroundTruthAction } from '../corpus.ts';
import { below, type Random, seededRandom } from '../random.ts';

/** Words that give a literal its form, and stay: what makes a host a host, and a file that kind of file. */
const FORM_WORDS = new Set(['www', 'com', 'org', 'net', 'io', 'http', 'https', 'txt', 'docx', 'xlsx', 'pdf', 'csv']);
const VOWELS = 'aeiou';
const CONSONANTS = 'bcdfghjklmnpqrstvwxyz';
const DIGITS = '0123456789';

/**
 * A corpus in which every tool and every literal has another name of the same form: a mail address stays one, so does a
 * URL, digits stay digits; lengths, capitals and signs stay. A word is renamed alike wherever it stands, so two literals
 * that share a domain still do, and two that differ still do. The tools are renamed among the untrusted sources as well.
 */
export function renameCorpus(corpus: Corpus, seed: number): Corpus {
  const rename = createRenamer(seededRandom(seed));
  const action = (one: GroundTruthAction): GroundTruthAction => ({
    ...one,
    type: rename(one.type),
    targets: one.targets.map(rename),
  });
  return {
    ...corpus,
    header: { ...corpus.header, untrustedSources: corpus.header.untrustedSources.map(rename) },
    tools: new Map([...corpus.tools].map(([name, tool]) => [rename(name), tool])),
    suites: corpus.suites.map((suite) => ({
      ...suite,
      userTasks: suite.userTasks.map((task) => ({
        ...task,
        actions: task.actions.map(action),
        named: task.named.map(rename),
      })),
      injectionTasks: suite.injectionTasks.map((task) => ({ ...task, actions: task.actions.map(action) })),
    })),
  };
}

/** Renames the words of a text, one to one: letters to letters, vowels to vowels, digits to digits. */
export function createRenamer(random: Random): (text: string) => string {
  const names = new Map<string, string>();
  const taken = new Set<string>(FORM_WORDS);
  const nameOf = (word: string): string => {
    const known = names.get(word);
    if (known !== undefined) return known;
    let name = word;
    // A kind of word has as many names as words, so one is always left.
    // Its own name is the last resort: of ten words of one digit, the tenth may find no other left.
    for (let round = 0; taken.has(name) || (name === word && round < 200); round++) {
      name = word.replace(/[a-z\d]/g, (character) => another(character, random));
    }
    names.set(word, name);
    taken.add(name);
    return name;
  };
  return (text) =>
    text.replace(/[A-Za-z\d]+/g, (word) => {
      const lower = word.toLowerCase();
      return FORM_WORDS.has(lower) ? word : likeCase(word, nameOf(lower));
    });
}

function another(character: string, random: Random): string {
  const alike = DIGITS.includes(character) ? DIGITS : VOWELS.includes(character) ? VOWELS : CONSONANTS;
  return alike[below(random, alike.length)]!;
}

function likeCase(word: string, name: string): string {
  return name.replace(/./g, (letter, at: number) =>
    word[at] === word[at]!.toLowerCase() ? letter : letter.toUpperCase(),
  );
}
