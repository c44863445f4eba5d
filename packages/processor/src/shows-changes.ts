type Changes = Readonly<Record<string, unknown>> & { readonly metadata?: Readonly<Record<string, string>> | undefined };

interface Changeable {
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Returns whether an object of the processor has the changes that were sent to it: null and an empty text remove a field or a
 * key of metadata, other keys of metadata stay, and an undefined field was not sent.
 */
export function showsChanges<Snapshot extends Changeable>(
  snapshot: Snapshot,
  { metadata = {}, ...fields }: Changes & { readonly [Field in Exclude<keyof Snapshot, 'metadata'>]?: unknown },
): boolean {
  const stored = new Map<string, unknown>(Object.entries(snapshot));
  return (
    Object.entries(fields).every(
      ([name, value]) => value === undefined || (stored.get(name) ?? '') === (value ?? ''),
    ) && Object.entries(metadata).every(([key, value]) => (snapshot.metadata[key] ?? '') === value)
  );
}
