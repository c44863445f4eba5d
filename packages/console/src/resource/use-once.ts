import type { WriteOptions } from '@billing/client';
import { useState } from 'react';
import { isRefused } from '#api/failure.ts';
import { randomHex } from '#api/random-hex.ts';

/**
 * Returns a function that makes a write, named by a text, under an `Idempotency-Key` that stays until the service has said what
 * became of it: sent again because its response was lost, it is the same write.
 */
export function useOnce() {
  const [keys] = useState(() => new Map<string, string>());
  return async <Output>(text: string, send: (options: WriteOptions) => Promise<Output>): Promise<Output> => {
    const idempotencyKey = keys.get(text) ?? randomHex(32);
    keys.set(text, idempotencyKey);
    try {
      return await send({ idempotencyKey });
    } catch (error) {
      if (isRefused(error)) keys.delete(text);
      throw error;
    }
  };
}
