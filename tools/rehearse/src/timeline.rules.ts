import type { BillingEvent } from '@billing/client';
import { expectationTexts, type Difference } from './expect.rules.ts';
import { day, eventCounts, happeningsOf, type Names } from './happenings.rules.ts';
import type { Step } from './rehearsal.ts';

/** A step that was taken, and what came of it. */
export interface Entry {
  readonly step: Step;
  /** The time of the clock after it. */
  readonly at: string;
  /** Those of the rehearsal's customers since the step before. */
  readonly events: readonly BillingEvent[];
  /** What is not as expected. */
  readonly differences: readonly Difference[];
  /** Why it could not be taken; null otherwise. */
  readonly error: string | null;
}

const WIDTH = 100;
const INDENT = ' '.repeat(12);

export const hasFailed = ({ differences, error }: Pick<Entry, 'differences' | 'error'>): boolean =>
  differences.length > 0 || error !== null;

/** Returns an entry as lines of the timeline. */
export function linesOf(entry: Entry, names: Names): readonly string[] {
  const { step, at, events, differences, error } = entry;
  const mark = hasFailed(entry) ? '✗ ' : step.do === 'expect' ? '✓ ' : '';
  const text = stepText(step);
  const title = `${day(at)}  ${mark}`;
  if (error !== null) return [`${title}${text}`, ...error.split('\n').map(line => `${INDENT}${line}`)];
  if (step.do === 'expect') {
    const [first = '', ...rest] = wrapped(text.split(', '), WIDTH - INDENT.length);
    const differing = table([['', 'expected', 'actual'], ...differences.map(rowOf)]);
    return [`${title}${first}`, ...rest.map(line => `${INDENT}  ${line}`), ...differing];
  }
  const isOne = names.customers.size === 1;
  const rows = happeningsOf(events, names).map(it => [
    it.at === null ? '' : day(it.at),
    ...(isOne ? [] : [it.who]),
    it.what,
    it.text,
  ]);
  const eventRows = wrapped(eventCounts(events), WIDTH - 2 * INDENT.length).map((line, index) => [
    '',
    ...(isOne ? [] : ['']),
    index === 0 ? 'events' : '',
    line,
  ]);
  return [`${title}${text}`, ...table([...rows, ...eventRows], 1)];
}

/** Returns how a rehearsal ended, in a sentence. */
export function verdictOf(entries: readonly Entry[]): string {
  const expected = entries.filter(({ step }) => step.do === 'expect');
  const failed = expected.filter(hasFailed).length;
  const stopped = entries.some(({ error }) => error !== null) ? ' It ended with a step that could not be taken.' : '';
  const held = expected.length === 1 ? '1 expectation holds.' : `${expected.length} expectations hold.`;
  const outcome = failed === 0 ? held : `${failed} of ${expected.length} expectations failed.`;
  return `${outcome}${stopped}`;
}

const rowOf = ({ path, expected, actual }: Difference) => [path, expected, actual];

/** Columns are as wide as their widest text; a table of nothing but its head is none. */
function table(rows: readonly (readonly string[])[], least = 2): readonly string[] {
  if (rows.length < least) return [];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  return rows.map(row => {
    const cells = row.map((text, column) => text.padEnd(widths[column] ?? 0));
    return `${INDENT}${cells.join('  ')}`.trimEnd();
  });
}

/** Joins parts with commas to lines of a width. */
function wrapped(parts: readonly string[], width: number): readonly string[] {
  const lines: string[] = [];
  for (const part of parts) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + part.length + 3 <= width) lines[lines.length - 1] = `${line}, ${part}`;
    else lines.push(part);
  }
  return lines.map((line, index) => (index < lines.length - 1 ? `${line},` : line));
}

const counted = (quantity: number | undefined) => (quantity === undefined ? '' : ` × ${quantity}`);

/** Returns what a step does, in words. */
export function stepText(step: Step): string {
  const refused = 'refused' in step && step.refused !== undefined ? `, refused: ${step.refused}` : '';
  return `${actionText(step)}${refused}`;
}

function actionText(step: Step): string {
  switch (step.do) {
    case 'sell': {
      const { customer, priceKey, quantity, trialDays, promotionCode, collect } = step;
      const trial = trialDays === undefined ? '' : `, ${trialDays} days of trial`;
      const code = promotionCode === undefined ? '' : `, with ${promotionCode}`;
      const by = { saved: '', invoice: ', by invoice', nothing: ', for nothing now' }[collect];
      return `sell ${priceKey}${counted(quantity)} to ${customer}${trial}${code}${by}`;
    }
    case 'card':
      return `card of ${step.customer}: ${step.card}`;
    case 'change': {
      const { customer, priceKey, quantity, when } = step;
      const to = `${priceKey === undefined ? '' : ` to ${priceKey}`}${counted(quantity)}`;
      return `change ${customer}${to}, ${when.replace('_', ' ')}`;
    }
    case 'cancel':
      return `cancel ${step.customer}, ${step.when.replace('_', ' ')}${step.openInvoices === 'void' ? ', void open invoices' : ''}`;
    case 'pause':
      return `pause ${step.customer}, invoices: ${step.invoices}`;
    case 'resume':
      return `resume ${step.customer}`;
    case 'usage':
      return `usage of ${step.customer}: ${step.value} ${step.meter}`;
    case 'migrate':
      return `migrate ${step.fromPriceKey} to ${step.toPriceKey}`;
    case 'advance':
      return `advance ${Object.entries(step)
        .flatMap(([key, value]) => (key === 'do' ? [] : [`${key} ${value.replace('_', ' ')}`]))
        .join('')}`;
    case 'expect':
      return `expect ${step.customer}: ${expectationTexts(step).join(', ')}`;
    default:
      return step satisfies never;
  }
}
