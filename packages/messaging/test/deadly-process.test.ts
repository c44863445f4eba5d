import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { testNatsUrl } from '@billing/testing/nats';
import { waitFor } from '@billing/testing/wait-for';
import { expect, it } from 'vitest';
import { relayOnce } from '../src/outbox.ts';
import { startMessaging, type Messaging } from './harness.ts';

const FACTS = 30;
const DEADLY = 13;
const PROGRAM = join(import.meta.dirname, 'deadly-consumer.ts');

it('sets a fact aside of which the process dies each time, and does all others once', async () => {
  await using messaging = await startMessaging();
  await messaging.say(...Array.from({ length: FACTS }, (_, number) => number));
  await relayOnce(messaging.em, messaging.bus.publish);

  await using supervised = supervise(messaging);
  const letters = await waitFor(
    async () => {
      const found = await messaging.em
        .fork()
        .execute<{ attempts: number }[]>('select attempts from dead_letters where set_aside_at is not null');
      return found.length > 0 ? found : undefined;
    },
    { what: 'the fact to be set aside', timeoutMs: 90_000 },
  );
  expect(letters).toEqual([{ attempts: 9 }]);
  const others = Array.from({ length: FACTS }, (_, number) => number).filter(number => number !== DEADLY);
  await waitFor(async () => (await messaging.effects()).length >= others.length, {
    what: 'the others to be done',
    timeoutMs: 20_000,
  });
  expect(await messaging.effects()).toEqual(others);
  expect(supervised.deaths()).toBeGreaterThanOrEqual(8);
}, 120_000);

/** Runs the consumer in a process of its own, and another in its place each time it dies. */
function supervise({ database, bus }: Messaging) {
  let deaths = 0;
  const ending = new AbortController();
  let child: ChildProcess | undefined;
  const run = async () => {
    while (!ending.signal.aborted) {
      const url = database.config.get('clientUrl') ?? '';
      child = spawn(process.execPath, [PROGRAM, url, testNatsUrl(), bus.root, `${DEADLY}`], { stdio: 'ignore' });
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
