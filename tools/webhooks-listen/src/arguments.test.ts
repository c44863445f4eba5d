import { ProjectId, TeamId } from '@billing/contracts/ids';
import { expect, it } from 'vitest';
import { parseArguments } from './arguments.ts';

const scope = ['--team', TeamId.create(), '--project', ProjectId.create()];
const forward = ['--forward', 'http://localhost:3000/hook?x=1'];
const env = { BILLING_API_KEY: 'bil_test_x' };

it('takes an address, types and a time', () => {
  const args = [...scope, ...forward, '--types', 'invoice.paid,payment.failed', '--since', '2026-03-02T09:30:00Z'];
  expect(parseArguments(args, env)).toMatchObject({
    forward: 'http://localhost:3000/hook?x=1',
    types: ['invoice.paid', 'payment.failed'],
    since: new Date('2026-03-02T09:30:00Z'),
    url: 'http://localhost:8080',
  });
});

it('needs only the key to print the secret', () => {
  expect(parseArguments(['--print-secret'], env)).toEqual({ apiKey: 'bil_test_x', 'print-secret': true });
});

it.each([
  [[...scope], env, '--forward is missing.'],
  [[...forward], env, '--team is missing.'],
  [[...scope, ...forward], {}, 'BILLING_API_KEY'],
  [[...scope, ...forward, '--types', 'invoice.paied'], env, '--types'],
  [[...scope, ...forward, '--since', 'yesterday'], env, '--since'],
  [[...scope, '--forward', 'ftp://localhost'], env, '--forward'],
])('says what is wrong with %j', (args, variables, message) => {
  expect(() => parseArguments(args, variables)).toThrow(message);
});
