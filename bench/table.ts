import type { Result } from './part.ts';

/** The rows of one part, or why it has none. */
export interface Outcome {
  readonly part: string;
  readonly results: readonly Result[];
  readonly error?: string;
}

const HEADINGS = ['part', 'what', 'billing', 'against', 'ratio', 'to reach', 'reached'] as const;

/** Returns all rows as a Markdown table. A part without a valid result has a row with the error. */
export function renderTable(outcomes: readonly Outcome[]): string {
  const rows = outcomes.flatMap(({ part, results, error }) =>
    error === undefined
      ? results.map(result => [part, ...cellsOf(result)])
      : [[part, `not valid: ${error.split('\n', 1)[0]}`, '', '', '', '', 'no']],
  );
  const widths = HEADINGS.map((heading, column) =>
    Math.max(heading.length, ...rows.map(cells => cells[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width)).join(' | ')} |`;
  return [line(HEADINGS), `|${widths.map(width => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join('\n');
}

const cellsOf = ({ what, billing, against, ratio, goal, isReached }: Result): string[] => [
  what,
  billing,
  against,
  ratio === undefined ? '' : ratio.toFixed(2),
  goal,
  isReached ? 'yes' : 'no',
];
