import { TextField } from '#ui/field.tsx';
import { textOf } from '#ui/form.tsx';
import { editedTime } from '#ui/local-text.ts';

interface LimitFieldsProps {
  /** What its end is called. */
  readonly end: string;
  readonly problems: Readonly<Record<'maxRedemptions' | 'end', string | undefined>>;
}

/** How often, and until when, something can be redeemed. */
export const LimitFields = ({ end, problems }: LimitFieldsProps) => (
  <div className="form-grid">
    <TextField
      label="Redeemed, at most"
      name="maxRedemptions"
      type="number"
      min={1}
      max={999_999_999}
      placeholder="No limit"
      hint="By all customers together."
      problem={problems.maxRedemptions}
    />
    <TextField
      label={end}
      name="end"
      type="datetime-local"
      hint="Without an end unless given."
      problem={problems.end}
    />
  </div>
);

/** Returns the number in a field; undefined where nothing is written. */
export const countOf = (fields: FormData, name: string): number | undefined => {
  const text = textOf(fields, name);
  return text === '' ? undefined : Number(text);
};

/** Returns the time in a field of type `datetime-local`; undefined where nothing is written. */
export const timeOf = (fields: FormData, name: string): string | undefined =>
  editedTime(textOf(fields, name), null) ?? undefined;
