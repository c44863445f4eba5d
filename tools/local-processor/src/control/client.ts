import type { z } from 'zod';
import type { methods } from './methods.ts';

export type { FaultRequest } from './faults.ts';

type Methods = typeof methods;
type Arguments<Name extends keyof Methods> = z.input<Methods[Name]['args']>;

/**
 * Client of the control API for one account, with all of its methods. Each throws an error with the reason when a request
 * fails.
 */
export type LocalProcessorControl = {
  readonly [Name in keyof Methods]: (...args: Arguments<Name>) => Promise<Awaited<ReturnType<Methods[Name]['run']>>>;
};

function connect(url: string, secretKey: string): object {
  const base = `${url.replace(/\/$/, '')}/_control`;
  // To await a value, or to print it, looks for these methods.
  const isMethod = (name: string | symbol) => typeof name === 'string' && name !== 'then' && name !== 'toJSON';
  return new Proxy(
    {},
    {
      get: (_, name) =>
        isMethod(name) ? (...args: unknown[]) => post(base, String(name), secretKey, args) : undefined,
    },
  );
}

/** Connects to the control API at the processor's URL with the secret key of an account. */
// The proxy has a method of every name; `new` returns what the function returns.
export const LocalProcessorControl = connect as unknown as new (
  url: string,
  secretKey: string,
) => LocalProcessorControl;

async function post(base: string, name: string, secretKey: string, args: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify(args.slice(0, args.findLastIndex(value => value !== undefined) + 1));
  const headers = { authorization: `Bearer ${secretKey}`, 'content-type': 'application/json' };
  const response = await fetch(`${base}/${name}`, { method: 'POST', headers, body });
  if (!response.ok) throw new Error(`POST /_control/${name} failed: ${response.status} ${await response.text()}`);
  return response.json();
}
