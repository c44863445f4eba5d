import { Stripe } from 'stripe';
import { type LocalProcessor, type LocalProcessorOptions, startLocalProcessor } from '../src/server.ts';

let keys = 0;

/** A key no other test uses, so every test has an account of its own. */
export function freshKey(): string {
  keys += 1;
  return `sk_test_${process.pid}x${Date.now()}x${keys}`.padEnd(24, '0');
}

/** The real library, pointed at a processor. */
export function connect(processor: { url: string }, key = freshKey()): Stripe {
  const { hostname, port } = new URL(processor.url);
  return new Stripe(key, { host: hostname, port, protocol: 'http', maxNetworkRetries: 0, telemetry: false });
}

export interface RunningProcessor extends LocalProcessor, AsyncDisposable {}

/** A processor on a free port that closes with the test. */
export async function startProcessor(options: LocalProcessorOptions = {}): Promise<RunningProcessor> {
  const processor = await startLocalProcessor(options);
  return { ...processor, [Symbol.asyncDispose]: () => processor.close() };
}
