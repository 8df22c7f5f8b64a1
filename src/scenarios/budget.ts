/** What tokens cost, per million, in any one currency. */
export interface Price {
  readonly input: number;
  readonly output: number;
}

/** Thrown by a model's client when a request might exceed the cap. */
class CapReached extends Error {}

/** Keeps the cost of all requests together under a cap. */
export interface Budget {
  readonly spent: number;
  /** Whether a request was refused. */
  readonly stopped: boolean;
  /**
   * Sets the most that a request may cost aside. @returns takes what it did cost (null: unknown, all of it counts)
   * @throws {CapReached}
   */
  reserve(most: number): (actual: number | null) => void;
}

export function createBudget(cap: number, spentBefore: number): Budget {
  let spent = spentBefore;
  let reserved = 0;
  let stopped = false;
  return {
    get spent() {
      return spent;
    },
    get stopped() {
      return stopped;
    },
    reserve: (most) => {
      if (stopped || spent + reserved + most > cap) {
        stopped = true;
        throw new CapReached('the cap of --max-cost is reached');
      }
      reserved += most;
      return (actual) => {
        reserved -= most;
        spent += actual ?? most;
      };
    },
  };
}

export function costOf(price: Price, input: number, output: number): number {
  return (input * price.input + output * price.output) / 1e6;
}
