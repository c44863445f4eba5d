/** A JSON value as a tree whose branches open. Texts are shown as they are. */
export const JsonTree = ({ value }: { readonly value: unknown }) => (
  <div className="json" dir="ltr">
    <Branch value={value} open />
  </div>
);

interface BranchProps {
  readonly value: unknown;
  readonly name?: string;
  readonly open?: boolean;
}

function Branch({ value, name, open = false }: BranchProps) {
  const label = name === undefined ? null : <span className="json-name">{name}: </span>;
  if (typeof value !== 'object' || value === null)
    return (
      <div className="json-leaf">
        {label}
        <span className={`json-${value === null ? 'null' : typeof value}`}>
          <bdi>{JSON.stringify(value)}</bdi>
        </span>
      </div>
    );
  const entries = Object.entries(value);
  const brackets = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  if (entries.length === 0)
    return (
      <div className="json-leaf">
        {label}
        {brackets}
      </div>
    );
  return (
    <details className="json-branch" open={open}>
      <summary>
        {label}
        <span className="muted">{brackets}</span>
      </summary>
      {entries.map(([key, child]) => (
        <Branch key={key} name={key} value={child} />
      ))}
    </details>
  );
}
