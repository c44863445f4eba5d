import type { BillingEvent } from '@billing/client';
import { differencesOf } from './expect.rules.ts';
import { observe } from './observe.ts';
import { perform } from './perform.ts';
import type { Step } from './rehearsal.ts';
import type { Stage } from './stage.ts';
import type { Entry } from './timeline.rules.ts';

/** Takes the steps of a rehearsal. It goes on after an `expect` that fails, and ends with a step that cannot be taken. */
export async function* play(
  stage: Stage,
  steps: readonly Step[],
  start: string,
): AsyncGenerator<Entry, void, undefined> {
  let at = start;
  let events: readonly BillingEvent[] = [];
  for (const step of steps) {
    try {
      if (step.do === 'expect') {
        const differences = differencesOf(step, await observe(stage, step.customer, events));
        yield { step, at, events: [], differences, error: null };
        continue;
      }
      at = await perform(stage, step, at);
      events = await stage.readEvents();
    } catch (err) {
      yield { step, at, events: [], differences: [], error: err instanceof Error ? err.message : String(err) };
      return;
    }
    yield { step, at, events, differences: [], error: null };
  }
}
