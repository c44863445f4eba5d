import { z } from 'zod';

/** The fields of a request that are the start and the end of a span of time, by name. */
const SPANS = [
  ['createdAfter', 'createdBefore'],
  ['since', 'until'],
  ['from', 'to'],
  ['start', 'end'],
] as const;

/** Returns a query or a body that refuses a span which ends before it starts; one may be empty, or open at an end. */
export function withSpansInOrder(schema: z.ZodType): z.ZodType {
  if (!(schema instanceof z.ZodObject)) return schema;
  const request: z.ZodObject = schema;
  return SPANS.filter(names => names.every(name => name in request.shape)).reduce((ordered, [start, end]) => {
    const error = `Is before \`${start}\`; give the earlier time as \`${start}\`.`;
    return ordered.refine(fields => !isBefore(fields[end], fields[start]), { path: [end], error });
  }, request);
}

/** Compares two times, or two days as texts; an absent one is before none. */
const isBefore = (end: unknown, start: unknown): boolean =>
  end !== undefined && start !== undefined && (end as Date | string) < (start as Date | string);
