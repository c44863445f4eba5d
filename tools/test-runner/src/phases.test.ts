import { expect, it } from 'vitest';
import { planPhases } from './phases.ts';

it('runs the end-to-end tests last and alone', () => {
  expect(planPhases(['@billing/catalog', '@billing/e2e'], [])).toEqual([
    { turboArgs: ['--filter=!@billing/e2e'], concurrency: 2 },
    { turboArgs: ['--filter=@billing/e2e'], concurrency: 1 },
  ]);
});

it('omits a phase without workspaces', () => {
  expect(planPhases(['@billing/catalog'], ['--filter=@billing/catalog'])).toEqual([
    { turboArgs: ['--filter=@billing/catalog', '--filter=!@billing/e2e'], concurrency: 2 },
  ]);
  expect(planPhases(['@billing/e2e'], ['--filter=@billing/e2e'])).toEqual([
    { turboArgs: ['--filter=@billing/e2e'], concurrency: 1 },
  ]);
});
