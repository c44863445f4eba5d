import type { Processor } from './port.ts';

/** Returns a processor each of whose calls is made by `around`. */
export const callsAround = (
  processor: Processor,
  around: (call: () => Promise<unknown>) => Promise<unknown>,
): Processor =>
  new Proxy(processor, {
    get(target, name) {
      const call: unknown = Reflect.get(target, name);
      if (typeof call !== 'function') return call;
      return (...args: readonly unknown[]) => around(async (): Promise<unknown> => Reflect.apply(call, target, args));
    },
  });
