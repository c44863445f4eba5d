import { expect, it } from 'vitest';
import { entry, invoice, NAMES, seats, state, subscription } from '../test/events.ts';
import { coursesOf } from './course.rules.ts';
import { drawing } from './drawing.ts';
import type { Step } from './rehearsal.ts';

const START = '2030-01-31T12:00:00.000Z';
const ADVANCE: Step = { do: 'advance', until: 'next_invoice' };
const EXPECT: Step = { do: 'expect', customer: 'ada', subscription: { status: 'active' } };
const open = { number: 'A-1', status: 'open', createdAt: '2030-02-28T12:00:00.000Z', paidAt: null };
const paid = { ...open, status: 'paid', paidAt: '2030-03-03T12:00:00.000Z' };
const fee = { number: 'A-0', createdAt: '2030-03-02T18:00:00.000Z', paidAt: '2030-03-02T18:00:00.000Z', total: 500 };
const period = { currentPeriodStart: '2030-02-28T12:00:00.000Z' };

/** A renewal that was paid three days late. */
const ENTRIES = [
  entry(
    { do: 'sell', customer: 'ada', priceKey: 'pro_monthly', collect: 'saved' },
    {
      at: '2030-01-31T12:00:01.000Z',
      events: [subscription({ currentPeriodStart: START }, null), state(seats(5), null)],
    },
  ),
  entry(ADVANCE, {
    at: '2030-03-02T12:00:00.000Z',
    events: [invoice(open), subscription({ status: 'past_due', ...period }, { status: 'active' })],
  }),
  entry(EXPECT, { at: '2030-03-02T12:00:00.000Z', differences: [{ path: 'x', expected: '1', actual: '0' }] }),
  entry(ADVANCE, {
    at: '2030-04-20T12:00:00.000Z',
    events: [
      invoice(paid, { status: 'open' }),
      invoice(fee),
      subscription({ status: 'active', ...period }, { status: 'past_due' }),
      state({}, { entitlements: seats(5) }),
    ],
  }),
];

it('dates changes by what was billed, else by the clock', () => {
  const at = (time: string) => Date.parse(time);
  const names = { ...NAMES, customers: new Map([...NAMES.customers, ['pc_ben', 'ben']]) };
  expect(coursesOf(ENTRIES, names, START)).toEqual([
    {
      name: 'ada',
      subscription: [
        { from: at(START), text: 'pro_monthly active' },
        { from: at(open.createdAt), text: 'pro_monthly past_due' },
        { from: at(paid.paidAt), text: 'pro_monthly active' },
      ],
      invoices: [
        { at: at(open.createdAt), money: '$29.99', status: 'paid', isLate: true },
        { at: at(fee.createdAt), money: '$5.00', status: 'paid', isLate: false },
      ],
      entitlements: new Map([
        [
          'seats',
          [
            { from: at(START), text: '5' },
            { from: at(paid.paidAt), text: 'none' },
          ],
        ],
      ]),
    },
  ]);
});

it('draws steps, months, bars and invoices, within the picture', () => {
  const svg = drawing({ name: 'A <year>', start: START, entries: ENTRIES, names: NAMES });
  for (const words of [
    'A &lt;year&gt;',
    'sell pro_monthly to ada',
    '✗',
    '2030-02',
    '2030-04',
    'pro_monthly active',
    '$29.99',
  ])
    expect(svg).toContain(`>${words}</text>`);
  const places = [...svg.matchAll(/ (?:x|x1|x2|cx)="([\d.-]+)"/g)].map(([, x]) => Number(x));
  expect(Math.min(...places)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...places)).toBeLessThanOrEqual(960);
});

it('draws a rehearsal that ended with its first step', () => {
  const svg = drawing({
    name: 'Short',
    start: START,
    entries: [entry(ADVANCE, { at: START, error: 'No.' })],
    names: NAMES,
  });
  expect(svg).not.toMatch(/NaN|Infinity/);
});
