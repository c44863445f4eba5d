import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { Icon } from '#ui/icon.tsx';

/** The filters of a list; they stand in the address, so that a list can be linked to. */
export function useFilters() {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  return {
    text: (name: string): string =>
      typeof search[name] === 'string' || typeof search[name] === 'number' ? String(search[name]) : '',
    /** Returns the filter's value if it is one of the names. */
    oneOf: <Name extends string>(name: string, names: Readonly<Record<Name, unknown>>): Name | undefined => {
      const value = search[name];
      return typeof value === 'string' && Object.hasOwn(names, value) ? (value as Name) : undefined; // the line checks it
    },
    set: (name: string, value: string | undefined) =>
      void navigate({
        to: '.',
        // Another list begins with its first page.
        search: (known: object) => ({ ...known, skip: undefined, after: undefined, [name]: value || undefined }),
        replace: true,
      }),
  };
}

interface SelectFilterProps<Name extends string> {
  readonly name: string;
  readonly label: string;
  readonly options: Readonly<Record<Name, { readonly name: string }>>;
  /** What is shown without a choice. */
  readonly all: string;
}

/** A choice that stands in the address. */
export function SelectFilter<Name extends string>({ name, label, options, all }: SelectFilterProps<Name>) {
  const filters = useFilters();
  const entries = Object.entries(options) as [Name, { readonly name: string }][]; // an object's keys are typed as string
  return (
    <select
      className="chip-select"
      aria-label={label}
      value={filters.oneOf(name, options) ?? ''}
      onChange={event => filters.set(name, event.target.value)}
    >
      <option value="">{all}</option>
      {entries.map(([value, option]) => (
        <option key={value} value={value}>
          {option.name}
        </option>
      ))}
    </select>
  );
}

const TYPING_MS = 250;

/** A search that stands in the address once the reader pauses typing, and shows what else the address is changed to. */
export function SearchFilter({ name, label }: { readonly name: string; readonly label: string }) {
  const { text, set } = useFilters();
  const searched = text(name);
  const [typed, setTyped] = useState(searched);
  const sent = useRef(searched);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const change = (value: string) => {
    setTyped(value);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sent.current = value.trim();
      set(name, sent.current);
    }, TYPING_MS);
  };
  useEffect(() => {
    if (searched === sent.current) return;
    clearTimeout(timer.current);
    sent.current = searched;
    setTyped(searched);
  }, [searched]);
  return (
    <input
      type="search"
      className="input search"
      aria-label={label}
      placeholder={label}
      value={typed}
      onChange={event => change(event.target.value)}
    />
  );
}

/** The one record that the address selects, with a way back to all; nothing when it selects none. */
export function ChosenFilter({ name }: { readonly name: string }) {
  const { text, set } = useFilters();
  const chosen = text(name);
  if (chosen === '') return null;
  return (
    <button type="button" className="button small" onClick={() => set(name, undefined)}>
      Only <code className="truncate">{chosen}</code>
      <Icon name="close" size={14} />
      <span className="visually-hidden">Show all again</span>
    </button>
  );
}
