import { useFilters } from './filters.tsx';

interface CreatedRange {
  readonly createdAfter?: string;
  readonly createdBefore?: string;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Returns when a day of the reader's zone begins, or the one after so many days; undefined for what is no day. */
function startOf(day: string, daysLater = 0): string | undefined {
  const start = new Date(`${day}T00:00:00`);
  if (!DAY.test(day) || Number.isNaN(start.getTime()) || start.getFullYear() < 1) return undefined;
  start.setDate(start.getDate() + daysLater);
  return start.toISOString();
}

/** Returns the times from the first day until the end of the last one, each of which may be missing. */
export function createdWithin(from: string, until: string): CreatedRange {
  const [createdAfter, createdBefore] = [startOf(from), startOf(until, 1)];
  return { ...(createdAfter && { createdAfter }), ...(createdBefore && { createdBefore }) };
}

/** The days in the address, as the filters of a list. */
export function useDateRange(): CreatedRange {
  const { text } = useFilters();
  return createdWithin(text('from'), text('until'));
}

/** The first and the last day of what a list shows; they stand in the address. */
export function DateRangeFilter() {
  const { text, set } = useFilters();
  const [from, until] = [text('from'), text('until')];
  return (
    <div className="row date-range">
      <DayInput label="From" value={from} max={until} onChange={day => set('from', day)} />
      <DayInput label="Until" value={until} min={from} onChange={day => set('until', day)} />
    </div>
  );
}

interface DayInputProps {
  readonly label: string;
  readonly value: string;
  readonly min?: string;
  readonly max?: string;
  readonly onChange: (day: string) => void;
}

function DayInput({ label, value, onChange, ...range }: DayInputProps) {
  return (
    <label className="row small muted">
      {label}
      <input
        type="date"
        className="chip-select"
        value={value}
        onChange={event => onChange(event.target.value)}
        {...range}
      />
    </label>
  );
}
