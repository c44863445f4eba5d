import { EventId, WebhookDeliveryId } from '@billing/contracts/ids';
import { runs } from '@billing/testing/runs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openSendQueue, type DeliveryItem, type Outcome } from './send-queue.ts';

const LATER = new Date('2026-03-02T09:20:00Z');

const itemOf = (position: number, objectKey: string, more: Partial<DeliveryItem> = {}): DeliveryItem => ({
  id: WebhookDeliveryId.create(),
  createdAt: '2026-03-02T09:15:00Z',
  isNew: true,
  position,
  eventId: EventId.create(),
  type: 'customer.updated',
  objectKey,
  body: '{}',
  isErased: false,
  attempts: 0,
  failures: 0,
  trigger: 'automatic',
  nextAttemptAt: null,
  heldUntil: null,
  ...more,
});
const SUCCEEDED: Outcome = { status: 'succeeded', attempts: 1, failures: 0, nextAttemptAt: null, attempt: null };
const failed = (failures: number): Outcome => ({ ...SUCCEEDED, status: 'pending', failures, nextAttemptAt: LATER });

/** Takes all that may be sent at the same time. */
const takeAll = (queue: ReturnType<typeof openSendQueue>) => {
  const taken: DeliveryItem[] = [];
  for (let item = queue.next(); item; item = queue.next()) taken.push(item);
  return taken;
};

it('sends the events of an object one after the other, and others beside them', () => {
  const queue = openSendQueue(0);
  const [first, second, other] = [itemOf(1, 'a'), itemOf(2, 'a'), itemOf(3, 'b')];
  queue.add([other, second, first], 3);
  expect(takeAll(queue)).toEqual([first, other]);
  queue.end(other, SUCCEEDED);
  expect([queue.position(), takeAll(queue)]).toEqual([0, []]);
  queue.end(first, SUCCEEDED);
  expect([queue.position(), takeAll(queue)]).toEqual([1, [second]]);
});

it('lets later events wait for one that is tried again, whether they were read before or after', () => {
  const queue = openSendQueue(0);
  const [first, second, third] = [itemOf(1, 'a'), itemOf(2, 'a'), itemOf(3, 'a')];
  const byHand = itemOf(2, 'a', { trigger: 'manual', isNew: false });
  queue.add([first, second], 2);
  queue.next();
  queue.end(first, failed(2));
  queue.add([third, byHand, itemOf(4, 'b', { heldUntil: LATER })], 4);
  expect(takeAll(queue)).toEqual([byHand]);
  expect(queue.ended().map(({ item, nextAttemptAt, attempts }) => [item.position, nextAttemptAt, attempts])).toEqual([
    [1, LATER, 1],
    [2, LATER, 0],
    [3, LATER, 0],
    [4, LATER, 0],
  ]);
  expect(queue.position()).toBe(4);
});

it('lets later events pass one that has failed three times', () => {
  const queue = openSendQueue(0);
  const [first, second] = [itemOf(1, 'a'), itemOf(2, 'a')];
  queue.add([first, second], 2);
  queue.next();
  queue.end(first, failed(3));
  expect(takeAll(queue)).toEqual([second]);
});

it('has each delivery once, as long as the database does not know how it ended', () => {
  const queue = openSendQueue(9);
  const items = [1, 2, 3].map(position => itemOf(position, `${position}`, { isNew: false, attempts: 1 }));
  queue.add(items, 9);
  const [one] = [queue.next(), queue.next()];
  if (one) queue.end(one, SUCCEEDED);
  queue.add(items, 9);
  expect([queue.waiting(), queue.onTheirWay(), queue.unwritten()]).toEqual([1, 1, 1]);
  queue.forget(1);
  expect(queue.unwritten()).toBe(0);
});

it('sends no event before an earlier one of its object, and passes nothing that it has not sent', () => {
  const step = fc.record({
    object: fc.constantFrom('a', 'b', 'c'),
    failures: fc.constantFrom(0, 0, 1, 3),
    isRead: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), steps => {
      const queue = openSendQueue(0);
      const [open, held] = [new Map<number, DeliveryItem>(), new Set<string>()];
      let read = 0;
      for (const { object, failures, isRead } of steps) {
        if (isRead) {
          read += 1;
          const item = itemOf(read, object);
          open.set(read, item);
          queue.add([item], read);
        }
        const item = queue.next();
        const earlier = [...open.values()].filter(
          other => item && other.objectKey === item.objectKey && other.position < item.position,
        );
        expect(earlier).toEqual([]);
        expect(item && held.has(item.objectKey)).not.toBe(true);
        if (item) queue.end(item, failures === 0 ? SUCCEEDED : failed(failures));
        if (item && failures === 1) held.add(item.objectKey);
        for (const one of queue.ended()) open.delete(one.item.position);
        expect(queue.position()).toBe(Math.min(read, ...[...open.keys()].map(position => position - 1)));
      }
    }),
    { numRuns: runs(100) },
  );
});
