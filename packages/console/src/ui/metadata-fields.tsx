import { useRef, useState } from 'react';
import { Button } from './button.tsx';
import { FieldNote } from './field.tsx';

type Metadata = Readonly<Record<string, string>>;

interface Row {
  readonly id: number;
  readonly key: string;
  readonly value: string;
  readonly isNew?: boolean;
}

const focus = (input: HTMLInputElement | null): void => input?.focus();

interface MetadataFieldsProps {
  readonly metadata?: Metadata | undefined;
  readonly hint?: string;
  /** What the service says about it. */
  readonly problem?: string | undefined;
}

/** The key-value pairs of a record, each in a row of its own. */
export function MetadataFields({
  metadata = {},
  hint = 'Your own keys and values, here and in Stripe.',
  problem,
}: MetadataFieldsProps) {
  const [rows, setRows] = useState<readonly Row[]>(() =>
    Object.entries(metadata).map(([key, value], id) => ({ id, key, value })),
  );
  const next = useRef(rows.length);
  const add = useRef<HTMLButtonElement>(null);
  return (
    <fieldset className="field metadata">
      <legend>Metadata</legend>
      {rows.map(({ id, key, value, isNew }, at) => (
        <div key={id} className="row">
          <input
            ref={isNew ? focus : undefined}
            className="input"
            name="metadataKey"
            aria-label={`Key ${at + 1}`}
            placeholder="Key"
            maxLength={40}
            defaultValue={key}
          />
          <input
            className="input"
            name="metadataValue"
            aria-label={`Value ${at + 1}`}
            placeholder="Value"
            maxLength={500}
            dir="auto"
            defaultValue={value}
          />
          <Button
            kind="quiet"
            icon="close"
            aria-label={`Remove ${key || `key ${at + 1}`}`}
            onClick={() => {
              setRows(rows.filter(row => row.id !== id));
              add.current?.focus();
            }}
          />
        </div>
      ))}
      <div>
        <Button
          ref={add}
          small
          icon="plus"
          onClick={() => setRows([...rows, { id: next.current++, key: '', value: '', isNew: true }])}
        >
          Add metadata
        </Button>
      </div>
      <FieldNote hint={hint} problem={problem} />
    </fieldset>
  );
}

/**
 * Returns the pairs in a form's fields.
 * @throws Error when a value has no key, or a key is there twice
 */
export function metadataOf(fields: FormData): Record<string, string> {
  const textsOf = (name: string) => fields.getAll(name).filter(text => typeof text === 'string');
  const values = textsOf('metadataValue');
  const pairs = textsOf('metadataKey')
    .map((key, at): [string, string] => [key.trim(), values[at] ?? ''])
    .filter(([key, value]) => key !== '' || value !== '');
  const keys = pairs.map(([key]) => key);
  if (keys.includes('')) throw new Error('A metadata value needs a key.');
  const twice = keys.find((key, at) => keys.indexOf(key) !== at);
  if (twice !== undefined) throw new Error(`The metadata key “${twice}” is there twice.`);
  return Object.fromEntries(pairs);
}

/** Returns the pairs in a form's fields where they differ from those that it was opened with. */
export function changedMetadata(fields: FormData, before: Metadata): Record<string, string> | undefined {
  const after = metadataOf(fields);
  const keys = Object.keys(after);
  const isSame = keys.length === Object.keys(before).length && keys.every(key => after[key] === before[key]);
  return isSame ? undefined : after;
}
