import { readdir, readFile } from 'node:fs/promises';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { rehearsalSchema } from '../src/json-schema.ts';
import { rehearsal } from '../src/rehearsal.ts';

const REHEARSALS = new URL('../rehearsals/', import.meta.url);
const PUBLISHED = new URL('../../../docs/rehearsal.schema.json', import.meta.url);

const readSchema = () => readFile(PUBLISHED, 'utf8');
let isValid: ValidateFunction;
beforeAll(async () => {
  // As an editor validates.
  isValid = new Ajv2020({ strict: false, formats: fullFormats }).compile(JSON.parse(await readSchema()));
});

const SMALL = {
  name: 'Small',
  now: '2030-01-31',
  customers: { ada: {} },
  steps: [{ sell: { customer: 'ada', priceKey: 'pro' } }],
};
const withStep = (step: object) => ({ ...SMALL, steps: [...SMALL.steps, step] });

it('matches docs/rehearsal.schema.json; after a change run `npm run docs`', async () => {
  expect(await readSchema()).toBe(rehearsalSchema());
});

it('accepts the rehearsals of the repository by the published schema', async () => {
  const files = await readdir(REHEARSALS);
  expect(files).toHaveLength(3);
  for (const file of files) {
    const document: unknown = parse(await readFile(new URL(file, REHEARSALS), 'utf8'));
    expect([isValid(document), isValid.errors]).toEqual([true, null]);
  }
});

it('is explained by one of them as it is', async () => {
  const page = await readFile(new URL('../../../docs/rehearsal.md', import.meta.url), 'utf8');
  expect(page).toContain(`\`\`\`yaml\n${await readFile(new URL('year.yaml', REHEARSALS), 'utf8')}\`\`\`\n`);
});

it.each([
  [
    'two actions in a step',
    { card: { customer: 'ada', card: 'ok' }, cancel: { customer: 'ada', when: 'now' } },
    'steps.1',
  ],
  ['an empty step', {}, 'steps.1'],
  ['an unknown action', { buy: {} }, 'steps.1'],
  ['a wrong card', { card: { customer: 'ada', card: 'gold' } }, 'steps.1.card.card'],
  ['two targets', { advance: { to: '2030-02-01', by: '1 month' } }, 'steps.1.advance'],
  ['a wrong duration', { advance: { by: '1 fortnight' } }, 'steps.1.advance.by'],
  [
    'an unknown field',
    { expect: { customer: 'ada', subscription: { state: 'active' } } },
    'steps.1.expect.subscription',
  ],
  ['an unknown event', { expect: { customer: 'ada', events: ['invoice.payed'] } }, 'steps.1.expect.events.0'],
])('refuses %s, here and by the published schema', (_, step, path) => {
  const document = withStep(step);
  expect(rehearsal.safeParse(document).error?.issues.map(issue => issue.path.join('.'))).toContain(path);
  expect(isValid(document)).toBe(false);
});

it('refuses a step of a customer that there is not, and a catalog that is given twice', () => {
  const step = { cancel: { customer: 'eve', when: 'now' } };
  const { error } = rehearsal.safeParse({ ...withStep(step), catalog: { version: 1 }, catalogFile: 'catalog.json' });
  expect(error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)).toEqual([
    'catalogFile: Expected either `catalog` or `catalogFile`.',
    'steps.1.cancel.customer: No customer is called eve.',
  ]);
});
