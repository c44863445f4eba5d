import { startReceiver as start } from '@billing/testing/receiver';
import { Webhook } from 'standardwebhooks';

/** Starts a server that gets webhooks, as a tenant runs it. */
export async function startReceiver(...respond: Parameters<typeof start>) {
  const receiver = await start(...respond);
  return {
    ...receiver,
    /** The ids of the events that came, in order, after an independent library has verified their signatures. */
    verified: (secret: string) =>
      receiver.received.map(({ headers, body }) => {
        new Webhook(secret).verify(body, headers as Record<string, string>); // it reads three of them
        return JSON.parse(body) as {
          readonly id: string;
          readonly position: number;
          readonly object: { id: string; sequence: number };
        };
      }),
  };
}
