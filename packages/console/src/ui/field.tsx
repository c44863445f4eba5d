import { createElement, useId, type ComponentProps, type ReactNode } from 'react';
import { MAX_QUANTITY } from './quantity.ts';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What is wrong with the value. */
  readonly problem?: string | undefined;
}

interface FieldNoteProps extends Omit<FieldProps, 'label'> {
  /** The id of what describes the control. */
  readonly id?: string | undefined;
}

/** The hint and the problem of a field, with room for either, so that nothing moves once there is a problem. */
export const FieldNote = ({ id, hint, problem }: FieldNoteProps) => (
  <div className="field-note">
    {hint && (
      <span id={problem ? undefined : id} className="hint">
        {hint}
      </span>
    )}
    {problem && (
      <span id={id} className="problem" role="alert">
        {problem}
      </span>
    )}
  </div>
);

/** Returns a component that is a control with its label and its note; it takes the attributes of the control. */
function labelled<Tag extends 'input' | 'textarea' | 'select'>(tag: Tag) {
  return function Field({ label, hint, problem, className = '', ...attributes }: FieldProps & ComponentProps<Tag>) {
    const id = useId();
    const noteId = hint || problem ? `${id}-note` : undefined;
    const described = { id, 'aria-describedby': noteId, 'aria-invalid': problem ? true : undefined };
    return (
      <div className="field">
        <label htmlFor={id}>{label}</label>
        {createElement<object>(tag, { ...described, ...attributes, className: `input ${className}` })}
        <FieldNote id={noteId} hint={hint} problem={problem} />
      </div>
    );
  };
}

export const TextField = labelled('input');
export const SelectField = labelled('select');
const TextArea = labelled('textarea');

export const TextAreaField = (area: ComponentProps<typeof TextArea>) => <TextArea dir="auto" {...area} />;

type InputProps = Partial<ComponentProps<typeof TextField>>;

const AS_TYPED = { autoCapitalize: 'none', autoCorrect: 'off', spellCheck: false } as const;

/** An e-mail address. Browsers refuse UTF-8 in fields of type `email`, and rewrite its domain; the API checks it instead. */
export const EmailField = (input: InputProps) => (
  <TextField label="E-mail address" name="email" inputMode="email" {...AS_TYPED} {...input} />
);

/** A password that someone chooses, within what the gateway takes. */
export const NewPasswordField = (input: InputProps) => (
  <TextField
    label="Password"
    name="password"
    type="password"
    autoComplete="new-password"
    minLength={10}
    maxLength={128}
    required
    hint="At least 10 characters; common passwords are refused."
    {...input}
  />
);

/** A promotion code that a customer has. */
export const PromotionCodeField = (input: InputProps) => (
  <TextField label="Promotion code" maxLength={500} autoComplete="off" spellCheck={false} {...input} />
);

/** How many of a price. */
export const QuantityField = (input: InputProps) => (
  <TextField label="Quantity" type="number" min={1} max={MAX_QUANTITY} required {...input} />
);

/** The options of a select: the words for each value. */
export const Options = ({ of }: { readonly of: Readonly<Record<string, string>> }) =>
  Object.entries(of).map(([value, words]) => (
    <option key={value} value={value}>
      {words}
    </option>
  ));
