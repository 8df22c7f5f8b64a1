import type { SuiteTasks } from './corpus.ts';
import type { Method } from './methods.ts';
import type { Design, Effects } from './model.ts';

/** A figure to simulate on the corpus's grids. */
export interface Scenario {
  readonly figure: string;
  readonly designs: readonly Design[];
  readonly effects: Effects;
  /** The number behind the exact bound at a rate of 0 or 1. */
  readonly independentTasks: number;
  readonly methods: readonly Method[];
}

const INDEPENDENT: Effects = { kind: 'crossed', correlation: 0 };
const ALL_METHODS: readonly Method[] = ['two-way', 'rows only', 'columns only', 'binomial'];

/** The four figures of the report, pooled over the suites. */
export function pooledFigures(suites: readonly SuiteTasks[]): Scenario[] {
  const users = suites.reduce((sum, suite) => sum + suite.users.length, 0);
  const injections = suites.reduce((sum, suite) => sum + suite.injectedActions.length, 0);
  const designs = suites.map(pairs);
  return [
    stopped('attacks stopped', suites),
    {
      figure: 'attack actions blocked',
      designs: suites.map(injectedActions),
      effects: INDEPENDENT,
      independentTasks: injections,
      methods: ALL_METHODS,
    },
    {
      figure: 'own task intact',
      designs,
      effects: { kind: 'rows' },
      independentTasks: users,
      methods: ['two-way', 'rows only', 'binomial'],
    },
    { ...crossTask(suites, 0), figure: 'cross-task generality', methods: ['two-way', 'rows only', 'binomial'] },
  ];
}

/** Attacks stopped in each suite by itself. */
export function perSuite(suites: readonly SuiteTasks[]): Scenario[] {
  return suites.map((size) => {
    const grid = `${size.suite} (${size.users.length} x ${size.injectedActions.length})`;
    return { ...stopped(grid, [size]), methods: ['two-way'] };
  });
}

/** Cross-task generality where a task's breadth as a policy goes with how easily it is permitted, or against it. */
export function correlatedTasks(suites: readonly SuiteTasks[]): Scenario[] {
  return [-0.6, 0.6, 1].map((correlation) => crossTask(suites, correlation));
}

function stopped(figure: string, suites: readonly SuiteTasks[]): Scenario {
  const independentTasks = suites.reduce((sum, suite) => sum + suite.injectedActions.length, 0);
  return { figure, designs: suites.map(pairs), effects: INDEPENDENT, independentTasks, methods: ALL_METHODS };
}

function crossTask(suites: readonly SuiteTasks[], correlation: number): Scenario {
  return {
    figure: `correlation ${correlation}`,
    designs: suites.map(({ users }) => design(users.length, users.length, (row, column) => (row === column ? 0 : 1))),
    effects: { kind: 'crossed', correlation },
    independentTasks: suites.reduce((sum, suite) => sum + suite.users.length, 0),
    methods: ['two-way'],
  };
}

function pairs({ users, injectedActions: { length } }: SuiteTasks): Design {
  return design(users.length, length, () => 1);
}

function injectedActions(suite: SuiteTasks): Design {
  const actions = suite.injectedActions;
  return design(suite.users.length, actions.length, (_, column) => actions[column] as number);
}

function design(rows: number, columns: number, trials: (row: number, column: number) => number): Design {
  const n = Uint8Array.from({ length: rows * columns }, (_, cell) =>
    trials(Math.floor(cell / columns), cell % columns),
  );
  return { rows, columns, n };
}
