interface ChoicesProps {
  readonly legend: string;
  readonly name: string;
  /** What each value means, in the order shown. */
  readonly options: Readonly<Record<string, string>>;
  /** The value that is chosen at first. */
  readonly first: string;
}

/** One choice of several, as a part of a form. */
export const Choices = ({ legend, name, options, first }: ChoicesProps) => (
  <fieldset className="stack-s">
    <legend>{legend}</legend>
    {Object.entries(options).map(([value, text]) => (
      <label key={value} className="check">
        <input type="radio" name={name} value={value} defaultChecked={value === first} />
        {text}
      </label>
    ))}
  </fieldset>
);
