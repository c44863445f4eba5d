import { z } from 'zod';
import { ApiError } from './errors.ts';

interface Rejection {
  code?: string;
  /** The message; `{param}` is replaced by the name of the parameter as Stripe writes it: `a[b]`. */
  message: string;
}

/** Rejects a form value from inside a schema, with Stripe's error code and message. */
export function reject(context: z.core.$RefinementCtx, rejection: Rejection): never {
  context.addIssue({ code: 'custom', params: { rejection } });
  return z.NEVER;
}

/** Length in code points, as Stripe counts: an emoji outside the basic plane is one. */
const lengthOf = (value: string): number => Array.from(value).length;

/** A non-empty string: to Stripe an empty one means "unset". */
export const text = (most = 5000) =>
  z.string().transform((value, context) => {
    if (value === '') return reject(context, EMPTY);
    if (lengthOf(value) > most) return reject(context, tooLong(value, most));
    return value;
  });

/** A string; an empty value means "unset" and becomes null. */
export const unsettableText = (most = 5000) =>
  z.string().transform((value, context) => {
    if (lengthOf(value) > most) return reject(context, tooLong(value, most));
    return value === '' ? null : value;
  });

/** `true` or `false`. */
export const boolean = z.string().transform((value, context) => {
  if (value === 'true') return true;
  if (value === 'false') return false;
  return reject(context, value === '' ? EMPTY : { message: `Invalid boolean: ${value}` });
});

/** An integer within bounds. */
export const integer = (least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER) =>
  z.string().transform((value, context) => {
    if (value === '') return reject(context, EMPTY);
    const number = Number(value);
    if (!/^-?\d+$/.test(value) || !Number.isSafeInteger(number))
      return reject(context, { code: 'parameter_invalid_integer', message: `Invalid integer: ${value}` });
    if (number < least)
      return reject(context, {
        code: 'parameter_invalid_integer',
        message: `This value must be greater than or equal to ${least}.`,
      });
    if (number > most)
      return reject(context, {
        code: 'parameter_invalid_integer',
        message: `This value must be less than or equal to ${most}.`,
      });
    return number;
  });

/** A Unix timestamp in seconds. */
export const timestamp = integer(0, 99_999_999_999);

/** One of the given strings. */
export const choice = <const Value extends string>(...values: readonly Value[]) =>
  z.string().transform((value, context): Value => {
    const chosen = values.find(candidate => candidate === value);
    return chosen ?? reject(context, { message: `Invalid {param}: must be one of ${values.join(', ')}` });
  });

/** An absolute http(s) URL. It stays unchanged, because `{CHECKOUT_SESSION_ID}` in it is replaced later. */
export const url = z.string().transform((value, context) => {
  if (lengthOf(value) > 5000) return reject(context, tooLong(value, 5000));
  const parsed = URL.parse(value);
  if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:'))
    return reject(context, {
      code: 'url_invalid',
      message: 'Invalid URL: An explicit scheme (such as https) must be provided.',
    });
  return value;
});

/** An empty value, which unsets an object or a list. */
export const empty = z.literal('').transform(() => null);

/** `metadata`: keys of 1 to 40 characters without brackets, values of up to 500; an empty value unsets its key, or all. */
export const metadata = z.union([z.literal(''), z.record(z.string(), z.unknown())]).transform((value, context) => {
  if (value === '') return null;
  const pairs: Record<string, string> = {};
  for (const [key, entry] of Object.entries(value)) {
    if (typeof entry !== 'string')
      return reject(context, { message: `Invalid metadata value for '${key}': metadata values must be strings.` });
    if (lengthOf(key) > 40)
      return reject(context, {
        message: `Metadata keys can have up to 40 characters, but you passed in a key that is ${lengthOf(key)} characters. Invalid key: ${key}`,
      });
    if (lengthOf(entry) > 500)
      return reject(context, {
        message: `Metadata values can have up to 500 characters, but you passed in a value that is ${lengthOf(entry)} characters. Invalid value: ${entry}`,
      });
    pairs[key] = entry;
  }
  return pairs;
});

/** Paths of ids to expand. */
export const expand = z.array(z.string()).max(20).optional();

/** A creation time or a range of creation times. */
export const created = z
  .union([
    timestamp.transform(time => ({ gte: time, lte: time })),
    z.strictObject({
      gt: timestamp.optional(),
      gte: timestamp.optional(),
      lt: timestamp.optional(),
      lte: timestamp.optional(),
    }),
  ])
  .optional();

/** The parameters of every list. */
export const page = {
  limit: integer(1, 100).default(10),
  starting_after: text().optional(),
  expand,
};

/**
 * Declares the parameters of an endpoint. `Params` is the type of the `stripe` library: a name that the library does not
 * have does not compile.
 */
export function parameters<Params>() {
  return <Shape extends { [Name in keyof Params]?: z.ZodType }>(
    shape: Shape & Record<Exclude<keyof Shape, keyof Params>, never>,
  ) => z.strictObject<Shape>(shape);
}

/**
 * Parses decoded form values.
 * @throws ApiError 400 that names the first invalid parameter, as Stripe does
 */
export function parseParameters<Schema extends z.ZodType>(schema: Schema, values: unknown): z.output<Schema> {
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  throw failureOf(result.error.issues[0], values);
}

const EMPTY: Rejection = {
  code: 'parameter_invalid_empty',
  message:
    "You passed an empty string for '{param}'. We assume empty values are an attempt to unset a parameter; however '{param}' cannot be unset. You should remove '{param}' from your request or supply a non-empty value.",
};

function tooLong(value: string, most: number): Rejection {
  return {
    code: 'parameter_invalid_string',
    message: `Invalid string: ${value.slice(0, 40)}...; must be at most ${most} characters`,
  };
}

function failureOf(issue: z.core.$ZodIssue | undefined, values: unknown): ApiError {
  if (!issue) return bad({ message: 'The request is not valid.' }, '');
  const param = paramName(issue.path);
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys.map(key => paramName([...issue.path, key]));
    const message = `Received unknown parameter${names.length > 1 ? 's' : ''}: ${names.join(', ')}`;
    return bad({ code: 'parameter_unknown', message }, names[0] ?? '');
  }
  if (issue.code === 'invalid_union') {
    const nested =
      issue.errors.find(issues => issues.every(({ code }) => code !== 'invalid_type')) ?? issue.errors.at(-1);
    const first = nested?.[0];
    if (first) return failureOf({ ...first, path: [...issue.path, ...first.path] }, values);
  }
  if (issue.code === 'custom' && isRejection(issue.params?.['rejection'])) return bad(issue.params['rejection'], param);
  if (issue.code === 'invalid_type' && valueAt(values, issue.path) === undefined)
    return bad({ code: 'parameter_missing', message: 'Missing required param: {param}.' }, param);
  return bad({ message: 'Invalid {param}: it does not have the expected form.' }, param);
}

function bad({ code, message }: Rejection, param: string): ApiError {
  const body = { type: 'invalid_request_error' as const, message: message.replaceAll('{param}', param), param };
  return new ApiError(400, code === undefined ? body : { ...body, code }, false);
}

function isRejection(value: unknown): value is Rejection {
  return typeof value === 'object' && value !== null && 'message' in value;
}

function paramName(path: readonly PropertyKey[]): string {
  const [first = '', ...rest] = path.map(String);
  return first + rest.map(part => `[${part}]`).join('');
}

function valueAt(values: unknown, path: readonly PropertyKey[]): unknown {
  let value = values;
  for (const key of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}
