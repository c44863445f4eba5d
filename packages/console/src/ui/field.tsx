import { useId, type ComponentProps, type ReactNode } from 'react';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
}

interface Described {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': boolean | undefined;
}

/** A labelled control with a hint, and room for its problem, so that nothing moves once it has one; `children` receives the attributes of the control. */
function Field({
  label,
  hint,
  problem,
  children,
}: FieldProps & { readonly children: (attributes: Described) => ReactNode }) {
  const id = useId();
  const described = hint || problem ? `${id}-note` : undefined;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, 'aria-describedby': described, 'aria-invalid': problem ? true : undefined })}
      <div className="field-note">
        {hint && (
          <span id={problem ? undefined : described} className="hint">
            {hint}
          </span>
        )}
        {problem && (
          <span id={described} className="problem" role="alert">
            {problem}
          </span>
        )}
      </div>
    </div>
  );
}

export function TextField({ label, hint, problem, className = '', ...input }: FieldProps & ComponentProps<'input'>) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {attributes => <input className={`input ${className}`} {...attributes} {...input} />}
    </Field>
  );
}

export function TextAreaField({ label, hint, problem, ...area }: FieldProps & ComponentProps<'textarea'>) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {attributes => <textarea className="input" dir="auto" {...attributes} {...area} />}
    </Field>
  );
}

/** An e-mail address. Browsers refuse UTF-8 in fields of type `email`, and rewrite its domain; the API checks it instead. */
export function EmailField(input: Omit<FieldProps, 'label'> & ComponentProps<'input'>) {
  return <TextField label="E-mail address" name="email" inputMode="email" {...AS_TYPED} {...input} />;
}

/** A promotion code that a customer has. */
export function PromotionCodeField(input: Omit<FieldProps, 'label'> & ComponentProps<'input'>) {
  return <TextField label="Promotion code" maxLength={500} autoComplete="off" spellCheck={false} {...input} />;
}

/** How many of a price. */
export function QuantityField(input: Partial<FieldProps> & ComponentProps<'input'>) {
  return <TextField label="Quantity" type="number" min={1} max={999_999} required {...input} />;
}

const AS_TYPED = { autoCapitalize: 'none', autoCorrect: 'off', spellCheck: false } as const;

export function SelectField({ label, hint, problem, children, ...select }: FieldProps & ComponentProps<'select'>) {
  return (
    <Field label={label} hint={hint} problem={problem}>
      {attributes => (
        <select className="input" {...attributes} {...select}>
          {children}
        </select>
      )}
    </Field>
  );
}

/** The options of a select: the words for each value. */
export const Options = ({ of }: { readonly of: Readonly<Record<string, string>> }) =>
  Object.entries(of).map(([value, words]) => (
    <option key={value} value={value}>
      {words}
    </option>
  ));
