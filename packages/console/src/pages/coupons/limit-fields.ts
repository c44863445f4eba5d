import type { Fields } from '#resource/fields.tsx';
import { textOf } from '#ui/form.tsx';
import { editedTime } from '#ui/local-text.ts';

/** How often, and until when, something can be redeemed; `end` is the name of the latter. */
export const limitFields = (end: string): Fields[number] => ({
  kind: 'row',
  of: [
    {
      name: 'maxRedemptions',
      label: 'Redeemed, at most',
      type: 'number',
      min: 1,
      max: 999_999_999,
      placeholder: 'No limit',
      hint: 'By all customers together.',
    },
    { name: end, label: 'Until', type: 'datetime-local', hint: 'Without an end unless given.' },
  ],
});

/** Returns the number in a field; undefined where nothing is written. */
export const countOf = (fields: FormData, name: string): number | undefined => {
  const text = textOf(fields, name);
  return text === '' ? undefined : Number(text);
};

/** Returns the time in a field of type `datetime-local`; undefined where nothing is written. */
export const timeOf = (fields: FormData, name: string): string | undefined =>
  editedTime(textOf(fields, name), null) ?? undefined;
