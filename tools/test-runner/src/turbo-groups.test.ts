import { expect, it } from 'vitest';
import { turboGroups } from './turbo-groups.ts';

it('runs the end-to-end tests beside all others', () => {
  expect(turboGroups(['@billing/catalog', '@billing/e2e', '@billing/e2e-own-system'], [])).toEqual([
    { turboArgs: ['--filter=@billing/e2e'], concurrency: 1 },
    { turboArgs: ['--filter=!@billing/e2e'], concurrency: 2 },
  ]);
});

it('omits a group without workspaces', () => {
  expect(turboGroups(['@billing/catalog'], ['--filter=@billing/catalog'])).toEqual([
    { turboArgs: ['--filter=@billing/catalog', '--filter=!@billing/e2e'], concurrency: 2 },
  ]);
  expect(turboGroups(['@billing/e2e'], ['--filter=@billing/e2e'])).toEqual([
    { turboArgs: ['--filter=@billing/e2e'], concurrency: 1 },
  ]);
});
