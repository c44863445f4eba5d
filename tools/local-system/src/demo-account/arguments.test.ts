import { expect, it } from 'vitest';
import { parseArguments } from './arguments.ts';

it('fills the demo account unless a key is given', () => {
  expect(parseArguments([])).toEqual({ customers: 20_000, key: 'sk_test_DemoAccount000001' });
  expect(parseArguments(['--customers', '50'])).toMatchObject({ customers: 50 });
  expect(parseArguments(['--key', 'sk_test_mine12345'])).toMatchObject({ key: 'sk_test_mine12345' });
});

it.each([
  [['--customers', '0'], 'customers'],
  [['--customers', 'many'], 'customers'],
  [['--key', 'sk_live_abcdefgh'], 'sk_test_'],
  [['--url', 'ftp://x'], 'url'],
  [['--sead', '1'], 'sead'],
])('says what is wrong with %j', (args, named) => {
  expect(() => parseArguments(args)).toThrow(named);
});
