import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Job, Sent } from './generator.ts';

/** The load generator. */
export interface Load extends Disposable {
  /** Sends events. @throws Error when an event could not be sent, or did not get 200 */
  send(job: Job): Promise<Sent>;
}

/** Starts the generator in its own process, so that it shares no thread with either side. */
export function startLoad(): Load {
  const generator = fork(join(import.meta.dirname, 'generator.ts'));
  return {
    async send(job) {
      generator.send(job);
      const [message] = (await once(generator, 'message')) as [{ sent: Sent } | { failed: string }]; // what the generator sends
      if ('failed' in message) throw new Error(`The events could not be sent: ${message.failed}`);
      const { sent } = message;
      if (sent.statuses[200] !== job.count)
        throw new Error(`Not every event got 200: ${JSON.stringify(sent.statuses)}`);
      return sent;
    },
    [Symbol.dispose]: () => void generator.kill(),
  };
}
