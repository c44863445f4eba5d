import { isHandled, PROCESSOR_EVENT_OWNERS, ProcessorEventCompleted } from '@billing/contracts/processor-events';
import { routedEvent } from '@billing/testing/processor-events';
import { expect, it } from 'vitest';
import { OWNED_TYPES, startService } from './service.ts';

it('reports the outcome of every event type that it owns, and of no other', async () => {
  await using service = await startService();
  const types = Object.keys(PROCESSOR_EVENT_OWNERS).filter(isHandled);
  for (const type of types) {
    // An object that cannot be read fails at once.
    const event = routedEvent(service.scope, type, {}, { eventId: `evt_${type.replaceAll('.', '_')}` });
    for (const { name } of service.parts.consumers) expect(await service.deliverOnce(name, event)).toBe('ack');
  }
  const completions = (await service.published(ProcessorEventCompleted)).flatMap(({ data }) => data.completions);
  expect(completions.map(({ eventId }) => eventId).toSorted()).toEqual(
    OWNED_TYPES.map(type => `evt_${type.replaceAll('.', '_')}`).toSorted(),
  );
});
