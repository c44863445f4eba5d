import { parseArgs } from 'node:util';
import { NO_LIMITS } from '@billing/testing/no-limits';
import { analytics } from './analytics/part.ts';
import { costs } from './costs/part.ts';
import { lists } from './lists/part.ts';
import { memory } from './memory/part.ts';
import { outgoing } from './outgoing/part.ts';
import type { Part, PartOptions } from './part.ts';
import { payment } from './payment/part.ts';
import { sync } from './sync/part.ts';
import { state } from './state/part.ts';
import { renderTable, type Outcome } from './table.ts';
import { webhooks } from './webhooks/part.ts';

const PARTS: readonly Part[] = [webhooks, payment, lists, state, analytics, memory, outgoing, costs, sync];

/** Measures the parts one after the other, and prints one table. The exit code is 1 when a result is not valid. */
async function run(parts: readonly Part[], options: PartOptions): Promise<void> {
  // One API key and one address send all requests of a part.
  process.env = { ...NO_LIMITS, ...process.env };
  const outcomes: Outcome[] = [];
  for (const part of parts) {
    console.log(`\n${part.name}`);
    outcomes.push(await measure(part, options));
  }
  console.log(`\n${renderTable(outcomes)}`);
  console.log(`\n${options.rounds} rounds${options.scale === 1 ? '' : `, amounts divided by ${options.scale}`}`);
  if (outcomes.some(({ error }) => error !== undefined)) process.exitCode = 1;
}

async function measure(part: Part, options: PartOptions): Promise<Outcome> {
  try {
    return { part: part.name, results: await part.measure(options) };
  } catch (err) {
    console.error(err);
    return { part: part.name, results: [], error: err instanceof Error ? err.message : String(err) };
  }
}

/** @throws Error that names the wrong argument */
function readArguments(args: string[]): { readonly parts: readonly Part[]; readonly options: PartOptions } {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { rounds: { type: 'string', default: '5' }, scale: { type: 'string', default: '1' } },
  });
  const unknown = positionals.find(name => !PARTS.some(part => part.name === name));
  if (unknown !== undefined)
    throw new Error(`There is no part ${unknown}, only ${PARTS.map(({ name }) => name).join(', ')}.`);
  const parts = positionals.length === 0 ? PARTS : PARTS.filter(({ name }) => positionals.includes(name));
  return { parts, options: { rounds: readCount('rounds', values.rounds), scale: readCount('scale', values.scale) } };
}

function readCount(name: string, text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error(`--${name} is a whole number of at least 1, not ${text}.`);
  return Number(text);
}

const { parts, options } = readArguments(process.argv.slice(2));
await run(parts, options);
