/** `usage`: the command line is wrong; `input`: a file is unreadable or refused; `gate`: an adapter cannot be loaded. */
export type BenchErrorCode = 'usage' | 'input' | 'gate';

/** The one error that the bench throws on purpose: its message is one line for a person, saying what, where and what to do. */
export class BenchError extends Error {
  /** What kind of thing is wrong. */
  readonly code: BenchErrorCode;

  constructor(code: BenchErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BenchError';
    this.code = code;
  }
}

/** The message of whatever was thrown, on one line. */
export function messageOf(thrown: unknown): string {
  const text = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
  return text.replace(/\s+/g, ' ').trim();
}
