import { Fragment, useId, useRef, useState } from 'react';
import { Button } from './button.tsx';
import { FieldNote } from './field.tsx';

type Pair = readonly [string, string];

interface Row {
  readonly id: number;
  readonly pair: Pair;
  readonly isNew?: boolean;
}

const focus = (input: HTMLInputElement | null): void => input?.focus();

interface PairFieldsProps {
  readonly legend: string;
  /** The names of both inputs of a row, what they are called, and how long their texts are at most. */
  readonly names: Pair;
  readonly titles: Pair;
  readonly maxLengths: readonly [number, number];
  readonly pairs: readonly Pair[];
  /** What the button says that adds a row. */
  readonly add: string;
  /** How many rows there are at most. */
  readonly max?: number;
  /** Whether each row needs both texts. */
  readonly required?: boolean;
  /** What people often want as the first of a row, with what it means. */
  readonly suggested?: Readonly<Record<string, string>>;
  readonly hint?: string;
  /** What the service says about all of them, and about one row. */
  readonly problem?: string | undefined;
  readonly problemOf?: (row: number) => string | undefined;
}

/** Pairs of texts, each in a row of its own. */
export function PairFields(props: PairFieldsProps) {
  const { legend, names, titles, maxLengths, add, max = Infinity, required = false, suggested, hint, problem } = props;
  const [rows, setRows] = useState<readonly Row[]>(() => props.pairs.map((pair, id) => ({ id, pair })));
  // Until the form is sent again, its problems are about rows that may have other places by now.
  const [isOutdated, setOutdated] = useState(false);
  const next = useRef(rows.length);
  const addButton = useRef<HTMLButtonElement>(null);
  const fieldId = useId();
  const remove = (removed: number) => {
    setRows(rows.filter(({ id }) => id !== removed));
    setOutdated(true);
    addButton.current?.form?.addEventListener('submit', () => setOutdated(false), { once: true });
    addButton.current?.focus();
  };
  return (
    <fieldset className="field metadata">
      <legend>{legend}</legend>
      {suggested && (
        <datalist id={fieldId}>
          {Object.entries(suggested).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </datalist>
      )}
      {rows.map(({ id, pair, isNew }, at) => {
        const wrong = isOutdated ? undefined : props.problemOf?.(at);
        const noteId = wrong && `${fieldId}-${id}`;
        const inputOf = (column: 0 | 1) => ({
          className: 'input',
          name: names[column],
          'aria-label': `${titles[column]} ${at + 1}`,
          'aria-invalid': wrong ? true : undefined,
          'aria-describedby': noteId,
          placeholder: titles[column],
          maxLength: maxLengths[column],
          defaultValue: pair[column],
          required,
        });
        return (
          <Fragment key={id}>
            <div className="row">
              <input ref={isNew ? focus : undefined} list={suggested && fieldId} {...inputOf(0)} />
              <input dir="auto" {...inputOf(1)} />
              <Button
                kind="quiet"
                icon="close"
                aria-label={`Remove ${pair[0] || `${titles[0].toLowerCase()} ${at + 1}`}`}
                onClick={() => remove(id)}
              />
            </div>
            {wrong && <FieldNote id={noteId} problem={wrong} />}
          </Fragment>
        );
      })}
      <div>
        <Button
          ref={addButton}
          small
          icon="plus"
          aria-disabled={rows.length >= max}
          onClick={() => rows.length < max && setRows([...rows, { id: next.current++, pair: ['', ''], isNew: true }])}
        >
          {add}
        </Button>
      </div>
      <FieldNote hint={hint} problem={problem} />
    </fieldset>
  );
}

/** Returns the pairs in a form's fields that are not empty, the first of each without spaces around it. */
export function pairsOf(fields: FormData, [first, second]: Pair): readonly Pair[] {
  const textsOf = (name: string) => fields.getAll(name).filter(text => typeof text === 'string');
  const seconds = textsOf(second);
  return textsOf(first)
    .map((text, at): Pair => [text.trim(), seconds[at] ?? ''])
    .filter(pair => pair.some(text => text !== ''));
}
