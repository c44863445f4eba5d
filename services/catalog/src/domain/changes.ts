import { isDeepStrictEqual } from 'node:util';
import { TAX_BEHAVIORS } from '@billing/contracts/resources/price';
import { productTexts } from '@billing/contracts/resources/product';
import { replacement, withoutEmpty } from '@billing/processor/metadata';
import { z } from 'zod';

/** What a caller may change of a product or price: null removes a text, metadata is replaced. */
export const changes = z.object({
  ...productTexts.partial().shape,
  taxBehavior: z.enum(TAX_BEHAVIORS).optional(),
  isActive: z.boolean().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
});
export type Changes = z.output<typeof changes>;

/** Returns the values that a record gets by a caller's changes. */
export const valuesOf = ({ metadata, ...rest }: Changes) => ({
  ...rest,
  ...(metadata && { metadata: withoutEmpty(metadata) }),
});

/** Returns a caller's changes as they are sent to the processor. */
export const toProcessorChanges = (
  current: { readonly metadata: Readonly<Record<string, string>> },
  { metadata, ...rest }: Changes,
): Changes => (metadata ? { ...rest, metadata: replacement(current.metadata, withoutEmpty(metadata)) } : rest);

/** Returns whether a record has all fields of a content. */
export const hasContent = (record: object, content: object): boolean =>
  Object.entries(content).every(([field, value]) => isDeepStrictEqual(Reflect.get(record, field), value));
