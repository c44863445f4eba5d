import { PROCESSOR_EVENT_OWNERS, isHandled, ProcessorEventCompleted } from '@billing/contracts/processor-events';
import { processorFact, completionsIn } from '@billing/testing/processor-events';
import { expect, it } from 'vitest';
import { startService } from './service.ts';

it('settles every type of event that it owns, once, and no other', async () => {
  await using service = await startService();
  const types = Object.keys(PROCESSOR_EVENT_OWNERS).filter(isHandled);
  for (const type of types) {
    // An object that cannot be read is settled at once.
    const event = processorFact(service.scope, type, {}, { eventId: `evt_${type.replaceAll('.', '_')}` });
    for (const { receive } of service.consumers) expect(await receive(event, 1)).toEqual({ kind: 'done' });
  }
  const settled = completionsIn(await service.said(ProcessorEventCompleted)).map(({ eventId }) => eventId);
  const owned = types.filter(type => PROCESSOR_EVENT_OWNERS[type] === 'subscriptions');
  expect(settled.toSorted()).toEqual(owned.map(type => `evt_${type.replaceAll('.', '_')}`).toSorted());
});
