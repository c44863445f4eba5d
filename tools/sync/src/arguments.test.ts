import { ProjectId, TeamId } from '@billing/contracts/ids';
import { expect, it } from 'vitest';
import { parseArguments } from './arguments.ts';

const scope = ['--team', TeamId.create(), '--project', ProjectId.create()];
const env = { BILLING_API_KEY: 'bil_test_x' };

it('reports everything unless told otherwise', () => {
  expect(parseArguments(scope, env)).toMatchObject({
    apply: false,
    filter: {},
    url: 'http://localhost:8080',
  });
});

it('takes types, and a filter whose values may contain an equals sign', () => {
  const args = [...scope, '--apply', '--types', 'customer,invoice', '--filter', 'app=shop', '--filter', 'q=a=b'];
  expect(parseArguments(args, env)).toMatchObject({
    apply: true,
    types: ['customer', 'invoice'],
    filter: { app: 'shop', q: 'a=b' },
  });
});

it.each([
  [[], env, '--team: Give the id of the team.'],
  [scope.slice(0, 2), env, '--project: Give the id of the project.'],
  [['--team', 'acme'], env, '--team: Expected an id that starts with team_.'],
  [scope, {}, 'BILLING_API_KEY'],
  [[...scope, '--types', 'charge'], env, '--types'],
  [[...scope, '--filter', 'app'], env, 'key=value'],
])('says what is wrong with %j', (args, variables, message) => {
  expect(() => parseArguments(args, variables)).toThrow(message);
});
