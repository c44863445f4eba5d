/** Receives every change of a table, so that it can be kept on disk. */
export interface Journal {
  written(table: string, id: string, sequence: number, row: object): void;
  removed(table: string, id: string): void;
}

/**
 * The objects of one kind, in the order in which they were made. Rows are replaced, never changed in place, so a row
 * that was handed out stays what it was. Equality on an indexed field does not scan.
 */
export class Table<Row extends { id: string }> {
  readonly #name: string;
  readonly #journal: Journal;
  readonly #rows = new Map<string, { sequence: number; row: Row }>();
  readonly #indexes = new Map<string, Map<unknown, Set<string>>>();
  #sequence = 0;

  constructor(name: string, journal: Journal, indexed: readonly string[] = []) {
    this.#name = name;
    this.#journal = journal;
    for (const field of indexed) this.#indexes.set(field, new Map());
  }

  get size(): number {
    return this.#rows.size;
  }

  get(id: string): Row | undefined {
    return this.#rows.get(id)?.row;
  }

  /** Adds a row, or replaces the one of the same id at its old place in the order. */
  put(row: Row): void {
    const existing = this.#rows.get(row.id);
    const sequence = existing?.sequence ?? ++this.#sequence;
    if (existing) this.#unindex(existing.row);
    this.#restore(sequence, row);
    this.#journal.written(this.#name, row.id, sequence, row);
  }

  remove(id: string): void {
    const existing = this.#rows.get(id);
    if (!existing) return;
    this.#unindex(existing.row);
    this.#rows.delete(id);
    this.#journal.removed(this.#name, id);
  }

  clear(): void {
    for (const id of this.#rows.keys()) this.remove(id);
  }

  /** Takes back a row that was read from disk; rows come in ascending sequence. */
  load(sequence: number, row: Row): void {
    this.#sequence = Math.max(this.#sequence, sequence);
    this.#restore(sequence, row);
  }

  /** All rows, the newest first. */
  newestFirst(): Row[] {
    return [...this.#rows.values()].map(({ row }) => row).toReversed();
  }

  /** The rows whose field has exactly this value, the newest first. The field must be indexed. */
  withField(field: string, value: unknown): Row[] {
    const ids = this.#indexes.get(field)?.get(value) ?? new Set<string>();
    const entries = [...ids].map(id => this.#rows.get(id)).filter(entry => entry !== undefined);
    return entries.toSorted((a, b) => b.sequence - a.sequence).map(({ row }) => row);
  }

  /** Drops the oldest rows until no more than `most` are left. */
  trim(most: number): void {
    for (const id of this.#rows.keys()) {
      if (this.#rows.size <= most) return;
      this.remove(id);
    }
  }

  #restore(sequence: number, row: Row): void {
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

function fieldOf(row: object, field: string): unknown {
  // The reflected read is untyped by nature; an absent field indexes as undefined.
  let value: unknown = row;
  for (const name of field.split('.'))
    value = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return value;
}
