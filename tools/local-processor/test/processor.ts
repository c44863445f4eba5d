import { Stripe } from 'stripe';
import { type LocalProcessor, type LocalProcessorOptions, startLocalProcessor } from '../src/server.ts';

let keys = 0;

/** Returns a new secret key, so that every test has its own account. */
export function freshKey(): string {
  keys += 1;
  return `sk_test_${process.pid}x${Date.now()}x${keys}`.padEnd(24, '0');
}

/** Returns the real `stripe` library with the URL of a processor. */
export function connect(processor: { url: string }, key = freshKey()): Stripe {
  const { hostname, port } = new URL(processor.url);
  return new Stripe(key, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false });
}

export interface RunningProcessor extends LocalProcessor, AsyncDisposable {}

/** Starts a processor on a free port that closes at the end of its scope. */
export async function startProcessor(options: LocalProcessorOptions = {}): Promise<RunningProcessor> {
  const processor = await startLocalProcessor(options);
  return { ...processor, [Symbol.asyncDispose]: () => processor.close() };
}
