import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Job, Sent } from './generator.ts';

export interface Load extends Disposable {
  /** @throws Error when an event could not be sent, or was not answered with 200 */
  send(job: Job): Promise<Sent>;
}

/** Starts the generator, which has a process of its own so that neither side shares a thread with it. */
export function startLoad(): Load {
  const generator = fork(join(import.meta.dirname, 'generator.ts'));
  return {
    async send(job) {
      generator.send(job);
      const [message] = (await once(generator, 'message')) as [{ sent: Sent } | { failed: string }]; // what the generator sends
      if ('failed' in message) throw new Error(`The events could not be sent: ${message.failed}`);
      const { sent } = message;
      if (sent.statuses[200] !== job.count)
        throw new Error(`Not every event was answered with 200: ${JSON.stringify(sent.statuses)}`);
      return sent;
    },
    [Symbol.dispose]: () => void generator.kill(),
  };
}
