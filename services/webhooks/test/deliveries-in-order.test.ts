import type { PublicEventContent } from '@billing/contracts/events/public-data';
import type { PublicEvent } from '@billing/contracts/resources/event';
import { runs } from '@billing/testing/runs';
import { waitFor } from '@billing/testing/wait-for';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { customerHistory, startDelivering, type OutgoingSteps } from './outgoing-steps.ts';
import { startReceiver } from './receiver.ts';
import type { Team, WebhooksService } from './start-webhooks.ts';

let service: WebhooksService;
let steps: OutgoingSteps;
beforeAll(async () => {
  ({ service, steps } = await startDelivering());
});
afterAll(() => service[Symbol.asyncDispose]());

/** Walks through the events of a project by cursor until it has seen so many. */
async function walk(team: Team, count: number, limit: number): Promise<number[]> {
  const positions: number[] = [];
  let cursor = '';
  while (positions.length < count) {
    const query = `/events?waitMs=500&limit=${limit}${cursor && `&cursor=${cursor}`}`;
    const { body } = await steps.call(team, 'GET', query);
    positions.push(...body.events.map(({ position }: PublicEvent) => position));
    cursor = body.nextCursor ?? '';
  }
  return positions;
}

it('gives each reader every event, those of an object in order, whatever fails, dies and writes meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        objects: fc.integer({ min: 1, max: 4 }),
        length: fc.integer({ min: 1, max: 4 }),
        maxConcurrency: fc.integer({ min: 1, max: 5 }),
        limit: fc.integer({ min: 1, max: 4 }),
        /** How often the n-th event fails; with three failures later ones may pass it. */
        failures: fc.infiniteStream(fc.constantFrom(0, 0, 1, 1, 2)),
        order: fc.infiniteStream(fc.nat()),
        /** After how many requests the endpoint is taken from its process, while that waits for the response. */
        takenAfter: fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 3 }),
      }),
      async ({ objects, length, maxConcurrency, limit, failures, order, takenAfter }) => {
        const team = await service.newTeam();
        const log: { id: string; object: string; sequence: number; isSuccess: boolean; body: string }[] = [];
        const left = new Map<string, number>();
        let endpointId = '';
        await using receiver = await startReceiver(async ({ headers, body }, count) => {
          const id = String(headers['webhook-id']);
          const { object } = JSON.parse(body) as PublicEvent;
          const failing = left.get(id) ?? failures.next().value ?? 0;
          left.set(id, failing - 1);
          log.push({ id, object: object.id, sequence: object.sequence, isSuccess: failing <= 0, body });
          if (takenAfter.includes(count)) await steps.takeAway(endpointId);
          return failing > 0 ? 500 : 200;
        });
        const { id, secret } = await steps.newEndpoint(team, receiver.url, { maxConcurrency });
        endpointId = id;
        const changes = customerHistory(team, objects, length);
        const walked = walk(team, changes.length, limit);
        const isFirst = ({ object }: PublicEventContent) => object.sequence <= length / 2 + 1;
        const shuffled = (some: readonly PublicEventContent[]) =>
          some
            .map(change => [order.next().value ?? 0, change] as const)
            .toSorted(([one], [other]) => one - other)
            .map(([, change]) => steps.emit(team, change));
        await Promise.all(shuffled(changes.filter(isFirst)));
        // So that later events find earlier ones that have failed already.
        await waitFor(() => new Set(log.map(({ object }) => object)).size === objects, { what: 'requests' });
        await Promise.all(shuffled(changes.filter(change => !isFirst(change))));
        expect(await walked).toEqual(changes.map((_, index) => index + 1));
        const done = () => new Set(log.filter(({ isSuccess }) => isSuccess).map(one => one.id)).size;
        await waitFor(
          async () => {
            await steps.endPauses(id);
            return done() === changes.length;
          },
          { what: 'every event' },
        );
        receiver.verified(secret);
        for (const [, ofId] of Map.groupBy(log, one => one.id))
          expect(new Set(ofId.map(({ body }) => body)).size).toBe(1);
        for (const [index, { object, sequence }] of log.entries()) {
          const isEarlierDone = log
            .slice(0, index)
            .some(one => one.object === object && one.sequence === sequence - 1 && one.isSuccess);
          expect(sequence === 1 || isEarlierDone, `${sequence} of ${object} came too early`).toBe(true);
        }
        await waitFor(
          async () =>
            (
              await service.sql(
                `select 1 from webhook_endpoints e where id = ? and position = ? and lease_id is null and not exists (
                   select from webhook_deliveries d where d.endpoint_id = e.id and d.next_attempt_at is not null)`,
                [id, changes.length],
              )
            ).length === 1,
          { what: 'nothing to be left' },
        );
      },
    ),
    { numRuns: runs(12) },
  );
});
