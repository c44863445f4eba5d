import { z } from 'zod';
import { Failure } from './failure.ts';

interface Refusal {
  code?: string;
  /** The message; `{param}` stands for the name of the parameter as Stripe writes it, `a[b]`. */
  message: string;
}

/** Refuses a form value in Stripe's words from inside a schema. */
export function refuse(context: z.core.$RefinementCtx, refusal: Refusal): never {
  context.addIssue({ code: 'custom', params: { refusal } });
  return z.NEVER;
}

/** In characters, as Stripe counts them: an emoji outside of the basic plane is one. */
const lengthOf = (value: string): number => Array.from(value).length;

/** A string that may not be empty: an empty one means "unset" to Stripe. */
export const text = (most = 5000) =>
  z.string().transform((value, context) => {
    if (value === '') return refuse(context, EMPTY);
    if (lengthOf(value) > most) return refuse(context, tooLong(value, most));
    return value;
  });

/** A string that an empty value unsets: null. */
export const unsettableText = (most = 5000) =>
  z.string().transform((value, context) => {
    if (lengthOf(value) > most) return refuse(context, tooLong(value, most));
    return value === '' ? null : value;
  });

export const boolean = z.string().transform((value, context) => {
  if (value === 'true') return true;
  if (value === 'false') return false;
  return refuse(context, value === '' ? EMPTY : { message: `Invalid boolean: ${value}` });
});

/** A whole number within bounds. */
export const integer = (least = Number.MIN_SAFE_INTEGER, most = Number.MAX_SAFE_INTEGER) =>
  z.string().transform((value, context) => {
    if (value === '') return refuse(context, EMPTY);
    const number = Number(value);
    if (!/^-?\d+$/.test(value) || !Number.isSafeInteger(number))
      return refuse(context, { code: 'parameter_invalid_integer', message: `Invalid integer: ${value}` });
    if (number < least)
      return refuse(context, {
        code: 'parameter_invalid_integer',
        message: `This value must be greater than or equal to ${least}.`,
      });
    if (number > most)
      return refuse(context, {
        code: 'parameter_invalid_integer',
        message: `This value must be less than or equal to ${most}.`,
      });
    return number;
  });

/** A moment in Unix seconds. */
export const timestamp = integer(0, 99_999_999_999);

export const choice = <const Value extends string>(...values: [Value, ...Value[]]) =>
  z.string().transform((value, context): Value => {
    const chosen = values.find(known => known === value);
    return chosen ?? refuse(context, { message: `Invalid {param}: must be one of ${values.join(', ')}` });
  });

/** An absolute http(s) address, kept exactly as it came: `{CHECKOUT_SESSION_ID}` in it is replaced later. */
export const url = z.string().transform((value, context) => {
  if (lengthOf(value) > 5000) return refuse(context, tooLong(value, 5000));
  const parsed = URL.parse(value);
  if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:'))
    return refuse(context, {
      code: 'url_invalid',
      message: 'Invalid URL: An explicit scheme (such as https) must be provided.',
    });
  return value;
});

/** An empty value: what unsets a field that otherwise takes an object. */
export const empty = z.literal('').transform(() => null);

/** `metadata`: keys of 1 to 40 characters without brackets, values to 500; an empty value unsets its key, or all. */
export const metadata = z.union([z.literal(''), z.record(z.string(), z.unknown())]).transform((value, context) => {
  if (value === '') return null;
  const pairs: Record<string, string> = {};
  for (const [key, entry] of Object.entries(value)) {
    if (typeof entry !== 'string')
      return refuse(context, { message: `Invalid metadata value for '${key}': metadata values must be strings.` });
    if (lengthOf(key) > 40)
      return refuse(context, {
        message: `Metadata keys can have up to 40 characters, but you passed in a key that is ${lengthOf(key)} characters. Invalid key: ${key}`,
      });
    if (lengthOf(entry) > 500)
      return refuse(context, {
        message: `Metadata values can have up to 500 characters, but you passed in a value that is ${lengthOf(entry)} characters. Invalid value: ${entry}`,
      });
    pairs[key] = entry;
  }
  return pairs;
});

export const expand = z.array(z.string()).max(20).optional();

export const created = z
  .union([
    timestamp.transform(moment => ({ gte: moment, lte: moment })),
    z.strictObject({
      gt: timestamp.optional(),
      gte: timestamp.optional(),
      lt: timestamp.optional(),
      lte: timestamp.optional(),
    }),
  ])
  .optional();

/** What every list takes. */
export const page = {
  limit: integer(1, 100).default(10),
  starting_after: text().optional(),
  ending_before: text().optional(),
  expand,
};

/**
 * The parameters of an endpoint. `Params` is the library's type of them: a name that the library does not know does
 * not compile.
 */
export function parameters<Params>() {
  return <Shape extends { [Name in keyof Params]?: z.ZodType }>(
    shape: Shape & Record<Exclude<keyof Shape, keyof Params>, never>,
  ) => z.strictObject<Shape>(shape);
}

/** Parses decoded form values, or fails as Stripe does: the first wrong parameter is named. */
export function parseParameters<Schema extends z.ZodType>(schema: Schema, values: unknown): z.output<Schema> {
  const result = schema.safeParse(values);
  if (result.success) return result.data;
  throw failureOf(result.error.issues[0], values);
}

const EMPTY: Refusal = {
  code: 'parameter_invalid_empty',
  message:
    "You passed an empty string for '{param}'. We assume empty values are an attempt to unset a parameter; however '{param}' cannot be unset. You should remove '{param}' from your request or supply a non-empty value.",
};

function tooLong(value: string, most: number): Refusal {
  return {
    code: 'parameter_invalid_string',
    message: `Invalid string: ${value.slice(0, 40)}...; must be at most ${most} characters`,
  };
}

function failureOf(issue: z.core.$ZodIssue | undefined, values: unknown): Failure {
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
  if (issue.code === 'custom' && isRefusal(issue.params?.['refusal'])) return bad(issue.params['refusal'], param);
  if (issue.code === 'invalid_type' && valueAt(values, issue.path) === undefined)
    return bad({ code: 'parameter_missing', message: 'Missing required param: {param}.' }, param);
  return bad({ message: 'Invalid {param}: it does not have the expected form.' }, param);
}

function bad({ code, message }: Refusal, param: string): Failure {
  const body = { type: 'invalid_request_error' as const, message: message.replaceAll('{param}', param), param };
  return new Failure(400, code === undefined ? body : { ...body, code }, false);
}

function isRefusal(value: unknown): value is Refusal {
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
