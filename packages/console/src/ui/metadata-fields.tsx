import { PairFields, pairsOf } from './pair-fields.tsx';

type Metadata = Readonly<Record<string, string>>;

const NAMES = ['metadataKey', 'metadataValue'] as const;

interface MetadataFieldsProps {
  readonly metadata?: Metadata | undefined;
  readonly hint?: string;
  /** What the service says about it. */
  readonly problem?: string | undefined;
}

/** The key-value pairs of a record, each in a row of its own. */
export const MetadataFields = ({
  metadata = {},
  hint = 'Your own keys and values, here and in Stripe.',
  problem,
}: MetadataFieldsProps) => (
  <PairFields
    legend="Metadata"
    names={NAMES}
    titles={['Key', 'Value']}
    maxLengths={[40, 500]}
    pairs={Object.entries(metadata)}
    add="Add metadata"
    hint={hint}
    problem={problem}
  />
);

/**
 * Returns the pairs in a form's fields.
 * @throws Error when a value has no key, or a key is there twice
 */
export function metadataOf(fields: FormData): Record<string, string> {
  const pairs = pairsOf(fields, NAMES);
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
