import { withoutKeys } from '@billing/processor/without-keys';
import { stdSerializers } from 'pino';

/** What PostgreSQL says beside its message, and has no values of a row: https://www.postgresql.org/docs/current/protocol-error-fields.html */
const DATABASE_FIELDS = ['name', 'code', 'severity', 'schema', 'table', 'column', 'constraint', 'routine'] as const;
/** What Stripe says beside its message, and has no values of an object: https://docs.stripe.com/api/errors */
const STRIPE_FIELDS = ['name', 'type', 'rawType', 'code', 'decline_code', 'param', 'statusCode', 'requestId'] as const;

/**
 * Returns an error as the log shows it, with its causes. Errors of the database are shown without their details, in which
 * PostgreSQL repeats the row: a customer's address and name, or whatever else was written. Those of Stripe are shown without
 * its whole response, and without the keys and addresses that its message may quote.
 */
export const loggedError = (err: unknown): unknown =>
  err instanceof Error ? stdSerializers.err(withoutValues(err)) : err;

function withoutValues(err: Error): Error {
  if (isDatabaseError(err)) return reduced(err, DATABASE_FIELDS, databaseMessage(err));
  if (isStripeError(err)) return reduced(err, STRIPE_FIELDS, stripeMessage(err));
  // The fields of a DOMException, as of an aborted request, cannot be read through another object.
  if (err instanceof DOMException) return Object.assign(new Error(err.message), { name: err.name, stack: err.stack });
  const changes: PropertyDescriptorMap = {};
  if (err.cause instanceof Error) changes['cause'] = { value: withoutValues(err.cause) };
  if (err instanceof AggregateError)
    changes['errors'] = { value: err.errors.map((one: unknown) => (one instanceof Error ? withoutValues(one) : one)) };
  // The same error, seen through an object that hides its causes behind these.
  const shown: Error = Object.create(err, changes);
  return shown;
}

/** Returns an error of the same type that has these fields of it only. */
function reduced(err: Error, names: readonly string[], message: string): Error {
  const fields = names.flatMap(name => (name in err ? [[name, err[name as keyof Error]]] : []));
  const frames = (err.stack ?? '').split('\n').filter(line => /^\s+at /.test(line));
  const stack = [`${err.name}: ${message}`, ...frames].join('\n');
  const shown: Error = Object.create(Object.getPrototypeOf(err)); // of the same type, without its fields
  return Object.assign(shown, { ...Object.fromEntries(fields), message, stack });
}

/** The errors of the driver and those that MikroORM makes of them have the fields of PostgreSQL's message. */
const isDatabaseError = (err: Error): err is Error & { readonly code: string } =>
  'severity' in err && 'code' in err && typeof err.code === 'string';

/** The first line, since MikroORM appends the detail; values that are of the wrong form (class 22) are left out as well. */
function databaseMessage({ message, code }: Error & { readonly code: string }): string {
  const [first = ''] = message.split('\n', 1);
  return code.startsWith('22') ? first.replaceAll(/"[^"]*"/g, '"…"') : first;
}

/** By its fields, because services without Stripe don't load its library. */
const isStripeError = (err: Error): boolean => 'rawType' in err && 'requestId' in err;

/** With why there was no connection, where that is it: the library says so in `detail`. */
function stripeMessage({ message, detail }: Error & { readonly detail?: unknown }): string {
  const whole = detail instanceof Error ? `${message} ${detail.message}` : message;
  return withoutKeys(whole).replaceAll(/[^\s'"]+@[^\s'"]+/g, '…');
}
