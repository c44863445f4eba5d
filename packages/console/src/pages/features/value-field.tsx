import type { Feature, FeatureValue } from '@billing/client';
import { useState } from 'react';
import { SelectField, TextField } from '#ui/field.tsx';
import { textOf } from '#ui/form.tsx';

const YES_OR_NO = [
  ['true', 'Yes'],
  ['false', 'No'],
] as const;
const MAX_LIMIT = 1_000_000_000_000;

interface ValueFieldProps {
  readonly feature: Pick<Feature, 'type' | 'values'>;
  readonly defaultValue: FeatureValue | undefined;
  readonly problem: string | undefined;
}

/** A value that a feature may have, by its type. */
export function ValueField({ feature: { type, values }, defaultValue, problem }: ValueFieldProps) {
  if (type === 'limit') return <LimitField defaultValue={defaultValue} problem={problem} />;
  const options = type === 'boolean' ? YES_OR_NO : (values ?? []).map(value => [value, value] as const);
  return (
    <SelectField label="Value" name="value" defaultValue={String(defaultValue ?? '')} problem={problem}>
      {options.map(([value, name]) => (
        <option key={value} value={value}>
          {name}
        </option>
      ))}
    </SelectField>
  );
}

function LimitField({ defaultValue, problem }: Omit<ValueFieldProps, 'feature'>) {
  const [isUnlimited, setUnlimited] = useState(defaultValue === 'unlimited');
  return (
    <div className="stack-s">
      <TextField
        label="Limit"
        name="value"
        type="number"
        min={0}
        max={MAX_LIMIT}
        step={1}
        required={!isUnlimited}
        disabled={isUnlimited}
        defaultValue={typeof defaultValue === 'number' ? defaultValue : undefined}
        hint="0 allows nothing."
        problem={problem}
      />
      <label className="check">
        <input type="checkbox" checked={isUnlimited} onChange={event => setUnlimited(event.target.checked)} />
        Unlimited
      </label>
    </div>
  );
}

/** Returns the value in the field of a feature: of a limit that has none, `unlimited`. */
export function valueOf(fields: FormData, { type }: Pick<Feature, 'type'>): FeatureValue {
  const text = textOf(fields, 'value');
  if (type === 'boolean') return text === 'true';
  if (type === 'value') return text;
  return fields.has('value') ? Number(text) : 'unlimited';
}
