import { isDeepStrictEqual } from 'node:util';
import { TAX_BEHAVIORS, type CurrencyOptions } from '@billing/contracts/resources/price';
import { productTexts } from '@billing/contracts/resources/product';
import { replacement, withoutEmpty } from '@billing/processor/metadata';
import { z } from 'zod';
import { keyMark } from './key.ts';

/** What a caller may change of a record: null removes a text, metadata is replaced, amounts are added, a key is set once. */
export const changes = z.object({
  ...productTexts.partial().shape,
  taxBehavior: z.enum(TAX_BEHAVIORS).optional(),
  currencyOptions: z.record(z.string(), z.object({ unitAmount: z.int() })).optional(),
  isActive: z.boolean().optional(),
  key: z.string().optional(),
  metadata: z.record(z.string(), z.string()).optional(),
});
export type Changes = z.output<typeof changes>;

/** Returns the values that a record gets by a caller's changes. */
export const valuesOf = (
  current: { readonly metadata: object; readonly currencyOptions?: CurrencyOptions },
  { metadata, currencyOptions, ...rest }: Changes,
) => ({
  ...rest,
  ...(currencyOptions && { currencyOptions: { ...current.currencyOptions, ...currencyOptions } }),
  ...(metadata && { metadata: withoutEmpty(metadata) }),
});

/** Returns a caller's changes as they are sent to the processor. */
export const toProcessorChanges = (
  current: { readonly metadata: Readonly<Record<string, string>> },
  { metadata, key, ...rest }: Changes,
): Changes =>
  metadata || key !== undefined
    ? {
        ...rest,
        metadata: { ...(metadata && replacement(current.metadata, withoutEmpty(metadata))), ...keyMark(key) },
      }
    : rest;

/** Returns whether a record has all fields of a content. */
export const hasContent = (record: object, content: object): boolean =>
  Object.entries(content).every(([field, value]) => isDeepStrictEqual(Reflect.get(record, field), value));
