import { expect, it } from 'vitest';
import { parseArguments } from './arguments.ts';

const id = `dl_catalog_${'0'.repeat(32)}`;

it.each([
  ['', 'command: '],
  ['delete', 'command: '],
  ['list more', 'Unexpected: more'],
  ['list --service shop', 'service: '],
  ['list --team shop', 'team: '],
  ['list --limit 0', 'limit: '],
  ['list --color', "Unknown option '--color'"],
  ['show', 'show needs --id'],
  ['show --id 7', 'id: '],
  ['drop', 'add --yes'],
  ['drop --service catalog', 'add --yes'],
])('refuses "%s", and says how it is used', (line, reason) => {
  const parse = () => parseArguments(line.split(' ').filter(Boolean));
  expect(parse).toThrow(reason);
  expect(parse).toThrow('Usage: npm run dead-letters');
});

it.each(['list', `show --id ${id}`, 'retry', `drop --id ${id}`, 'drop --yes', 'drop --service catalog --yes'])(
  'accepts "%s"',
  line => expect(parseArguments(line.split(' '))).toMatchObject({ command: line.split(' ')[0], json: false }),
);
