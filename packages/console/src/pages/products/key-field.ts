import type { Fields } from '#resource/fields.tsx';
import { textOf } from '#ui/form.tsx';

/** The key of a product, a price or a coupon; nothing once it has one. */
export const keyField = (known: string | null | undefined): Fields[number] =>
  !known && {
    name: 'key',
    label: 'Key',
    maxLength: 80,
    placeholder: 'pro_monthly',
    hint: 'What your code calls it, in test and live mode alike. It can be set once.',
  };

/** What the field says, if anything. */
export function keyOf(fields: FormData): { readonly key?: string } {
  const key = textOf(fields, 'key');
  return key === '' ? {} : { key };
}

/** The field that a refusal of a key is about. */
export const KEY_REFUSALS = { catalog_key_: 'key' } as const;
