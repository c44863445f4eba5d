import { expect, it } from 'vitest';
import { checkVersions } from './versions.ts';

it.each([
  [{ node: '26.10.0', postgres: 180_002, oldNats: null }, []],
  [{ node: '24.12.0', postgres: 180_000, oldNats: null }, []],
  [{ node: '24.11.9', postgres: null, oldNats: null }, ['node']],
  [{ node: '20.1.0', postgres: 170_009, oldNats: '2.9.1' }, ['node', 'postgres', 'nats']],
])('examines %o', (versions, expected) => {
  expect(checkVersions(versions).map(({ subject }) => subject)).toEqual(expected);
});
