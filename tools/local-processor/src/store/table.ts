/** Receives every change of a table, to write it to disk. */
export interface ChangeLog {
  written(table: string, id: string, sequence: number, row: object): void;
  removed(table: string, id: string): void;
}

/**
 * The rows of one table in creation order. Rows are immutable and are replaced as a whole. Lookups by an indexed field
 * do not scan the table.
 */
export class Table<Row extends { id: string }> {
  readonly #name: string;
  readonly #changeLog: ChangeLog;
  readonly #rows = new Map<string, { sequence: number; row: Row }>();
  readonly #indexes = new Map<string, Map<unknown, Set<string>>>();
  /** Every row by its sequence, ascending, among places of rows that were removed. */
  #order: { readonly sequence: number; readonly id: string }[] = [];
  #sequence = 0;

  constructor(name: string, changeLog: ChangeLog, indexed: readonly string[] = []) {
    this.#name = name;
    this.#changeLog = changeLog;
    for (const field of indexed) this.#indexes.set(field, new Map());
  }

  get size(): number {
    return this.#rows.size;
  }

  get(id: string): Row | undefined {
    return this.#rows.get(id)?.row;
  }

  /** Inserts a row, or replaces the row with the same id and keeps its place in the order. */
  put(row: Row): void {
    const existing = this.#rows.get(row.id);
    const sequence = existing?.sequence ?? ++this.#sequence;
    if (existing) this.#unindex(existing.row);
    this.#restore(sequence, row);
    this.#changeLog.written(this.#name, row.id, sequence, row);
  }

  remove(id: string): void {
    const existing = this.#rows.get(id);
    if (!existing) return;
    this.#unindex(existing.row);
    this.#rows.delete(id);
    if (this.#order.length > 2 * this.#rows.size + 1_000)
      this.#order = [...this.#rows].map(([kept, { sequence }]) => ({ sequence, id: kept }));
    this.#changeLog.removed(this.#name, id);
  }

  clear(): void {
    for (const id of this.#rows.keys()) this.remove(id);
  }

  /** Loads a row that was read from disk; rows are loaded in ascending sequence. */
  load(sequence: number, row: Row): void {
    this.#sequence = Math.max(this.#sequence, sequence);
    this.#restore(sequence, row);
  }

  /** Returns all rows, newest first. */
  newestFirst(): Row[] {
    return [...this.#rows.values()].map(({ row }) => row).toReversed();
  }

  /** Returns the rows that are older than the one with this id, or all of them, newest first. It reads no more than is taken. */
  *olderThan(id?: string): Generator<Row> {
    const from = id === undefined ? Infinity : (this.#rows.get(id)?.sequence ?? 0);
    const order = this.#order;
    for (let at = firstAtOrAfter(order, from) - 1; at >= 0; at -= 1) {
      const place = order[at];
      const entry = place && this.#rows.get(place.id);
      if (entry && entry.sequence === place.sequence) yield entry.row;
    }
  }

  /** Returns the rows whose field equals the value, newest first. The field must be indexed. */
  withField(field: string, value: unknown): Row[] {
    const ids = this.#indexes.get(field)?.get(value) ?? new Set<string>();
    const entries = [...ids].map(id => this.#rows.get(id)).filter(entry => entry !== undefined);
    return entries.toSorted((a, b) => b.sequence - a.sequence).map(({ row }) => row);
  }

  /** Removes the oldest rows until at most `max` are left. */
  trim(max: number): void {
    for (const id of this.#rows.keys()) {
      if (this.#rows.size <= max) return;
      this.remove(id);
    }
  }

  #restore(sequence: number, row: Row): void {
    if (!this.#rows.has(row.id)) this.#order.push({ sequence, id: row.id });
    this.#rows.set(row.id, { sequence, row });
    for (const [field, index] of this.#indexes) {
      const value = fieldOf(row, field);
      const ids = index.get(value);
      if (ids) ids.add(row.id);
      else index.set(value, new Set([row.id]));
    }
  }

  #unindex(row: Row): void {
    for (const [field, index] of this.#indexes) {
      const value = fieldOf(row, field);
      const ids = index.get(value);
      ids?.delete(row.id);
      if (ids?.size === 0) index.delete(value);
    }
  }
}

/** Returns the index of the first place whose sequence is not less than this one. */
function firstAtOrAfter(order: readonly { readonly sequence: number }[], sequence: number): number {
  let [low, high] = [0, order.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((order[middle]?.sequence ?? 0) < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}

function fieldOf(row: object, field: string): unknown {
  // Reflect.get returns any; an absent field is indexed as undefined.
  let value: unknown = row;
  for (const name of field.split('.'))
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return value;
}
