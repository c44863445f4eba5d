import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { messageWith } from '@billing/testing/events';
import { testNatsUrl } from '@billing/testing/nats';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { retryDeadLetters } from '../src/change-dead-letters.ts';
import { listDeadLetters } from '../src/find-dead-letters.ts';
import { relayOnce } from '../src/relay.ts';
import { counted, startMessaging, teamId, type Messaging } from './start-messaging.ts';

const EVENTS = 30;
const DEADLY = 13;
/**
 * When the bus delivers an event again whose process died: another process runs by then. Where none does, nats-server 2.9
 * counts the next delivery as the first one.
 */
const ACK_WAIT_MS = 5_000;
const PROGRAM = join(import.meta.dirname, 'crashing-consumer.ts');

it('dead-letters an event that kills the process each time, also when it is retried, and handles all others once', async () => {
  await using messaging = await startMessaging();
  await messaging.publish(...Array.from({ length: EVENTS }, (_, number) => number));
  await relayOnce(messaging.em, messaging.bus.publish);

  await using supervised = supervise(messaging);
  const letters = async () => {
    const found = (await messaging.failures()).filter(failure => failure.is_dead);
    return found.length > 0 ? found : undefined;
  };
  expect(await waitFor(letters, { what: 'the dead letter' })).toMatchObject([{ attempts: 9 }]);
  const others = Array.from({ length: EVENTS }, (_, number) => number).filter(isHarmless);
  await waitFor(async () => (await messaging.effects()).length >= others.length, {
    what: 'the other effects',
  });
  expect(await messaging.effects()).toEqual(others);
  const deaths = supervised.deaths();
  expect(deaths).toBeGreaterThanOrEqual(8);

  await messaging.outbox.transaction(tx => retryDeadLetters(tx, 'portal', { teamId }));
  const hasEnded = async () => {
    // The process is dead long before its lease ends.
    await messaging.em.fork().execute(`update dead_letters set due_at = clock_timestamp() where lease_id is not null`);
    return (await listDeadLetters(messaging.em, 'portal', { teamId }, { limit: 1, offset: 0 }))[0].some(
      ({ letter }) => letter.status === 'failed',
    );
  };
  await waitFor(hasEnded, { what: 'the end of the retry', intervalMs: 200 });
  expect(await letters()).toMatchObject([{ attempts: 11, error: expect.stringContaining('crashed') }]);
  expect(supervised.deaths()).toBe(deaths + 2);
  expect(await messaging.effects()).toEqual(others);
});

it('dead-letters it also where it shares a message with the others', async () => {
  await using messaging = await startMessaging();
  await messaging.bus.publish(messageWith(...Array.from({ length: EVENTS }, (_, number) => counted(number))));
  await using supervised = supervise(messaging);
  const failuresAtTheEnd = async () => {
    const failures = await messaging.failures();
    // A repeat of a handled event counts as a failure until it turns out to be one.
    const isEnd = failures.every(failure => failure.is_dead) && (await messaging.effects()).length >= EVENTS - 1;
    return isEnd ? failures : undefined;
  };
  expect(await waitFor(failuresAtTheEnd, { what: 'the other effects' })).toMatchObject([
    { event: { data: { number: DEADLY } }, is_dead: true },
  ]);
  expect(await messaging.effects()).toEqual(Array.from({ length: EVENTS }, (_, number) => number).filter(isHarmless));
  expect(supervised.deaths()).toBeGreaterThanOrEqual(8);
});

const isHarmless = (number: number): boolean => number !== DEADLY;

/** Runs the consumer in a process of its own, and another in its place each time it dies. */
function supervise({ database, bus }: Messaging) {
  let deaths = 0;
  const ending = new AbortController();
  let child: ChildProcess | undefined;
  const run = async () => {
    while (!ending.signal.aborted) {
      const url = database.config.get('clientUrl') ?? '';
      child = spawn(process.execPath, [PROGRAM, url, testNatsUrl(), bus.root, `${DEADLY}`, `${ACK_WAIT_MS}`], {
        stdio: 'ignore',
      });
      await once(child, 'exit');
      deaths += 1;
    }
  };
  const running = run();
  return {
    deaths: () => deaths,
    async [Symbol.asyncDispose]() {
      ending.abort();
      child?.kill('SIGKILL');
      await running;
    },
  };
}
