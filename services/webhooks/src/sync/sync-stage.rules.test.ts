import { SYNC_TYPES } from '@billing/contracts/resources/sync';
import { expect, it } from 'vitest';
import { firstStage, nextStage, type SyncStage } from './sync-stage.rules.ts';

/** Every stage of a sync, as `type/phase`. */
function stagesOf(plan: Parameters<typeof nextStage>[0]): string[] {
  const stages: string[] = [];
  for (let stage: SyncStage | null = firstStage(plan); stage; stage = nextStage(plan, stage))
    stages.push(`${stage.type}/${stage.phase}`);
  return stages;
}

it('applies nothing in a report', () => {
  const stages = stagesOf({ types: SYNC_TYPES, mode: 'report', markAtProcessor: true });
  expect(stages.filter(stage => /apply|mark/.test(stage))).toEqual([]);
  expect(stages.filter(stage => stage.endsWith('/conflicts'))).toEqual(['customer/conflicts']);
});

it('ends each type before the next, and marks everything but invoices if asked to', () => {
  const stages = stagesOf({ types: ['customer', 'invoice'], mode: 'apply', markAtProcessor: true });
  const phases = 'read extras conflicts recheck apply mark'.split(' ');
  expect(stages).toEqual([
    ...phases.map(phase => `customer/${phase}`),
    ...phases.filter(phase => phase !== 'conflicts' && phase !== 'mark').map(phase => `invoice/${phase}`),
  ]);
});
