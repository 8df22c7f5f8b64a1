import { messageOf } from '../errors.ts';

/** While the code of target and detector files runs in the bench's own thread. */
export interface Guests {
  /** Errors that nothing caught so far. */
  readonly strays: () => number;
  /** Waits until errors of what has ended are known to the process. */
  settle(): Promise<void>;
  /** Ends the watch. */
  leave(): void;
}

/**
 * Keeps what the code of others does to the process from passing for a measurement: an error that nothing caught is told and counted, and
 * the run goes on; a program that is ended says so and has the exit status 2.
 */
export function receiveGuests(tell: (message: string) => void): Guests {
  let strays = 0;
  const stray = (error: unknown): void => {
    strays++;
    tell(`an error of a target or detector that nothing caught: ${messageOf(error)}`);
  };
  const ended = (): void => {
    tell('a target or detector ended the program; nothing is reported');
    process.exitCode = 2;
  };
  process.on('unhandledRejection', stray).on('uncaughtException', stray).on('exit', ended);
  return {
    strays: () => strays,
    settle: () => new Promise((resolve) => void setImmediate(resolve)),
    leave: () => void process.off('unhandledRejection', stray).off('uncaughtException', stray).off('exit', ended),
  };
}
