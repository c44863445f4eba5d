import { Fragment, type ComponentProps, type ReactNode } from 'react';
import { Options, SelectField, TextField } from '#ui/field.tsx';
import { MetadataFields } from '#ui/metadata-fields.tsx';

/** What is wrong with the fields of a form, by their names. */
export type Problems = Readonly<Partial<Record<string, string>>>;

/** A field has the name by which the service knows it, so that it shows what the service finds wrong with it. */
interface Named {
  readonly name: string;
}

interface Text extends Named, Omit<ComponentProps<typeof TextField>, 'name'> {
  readonly kind?: undefined;
}

interface Check extends Named {
  readonly kind: 'check';
  readonly label: ReactNode;
  readonly defaultChecked?: boolean;
}

/** Fields side by side. */
interface Row {
  readonly kind: 'row';
  readonly of: Fields;
}

/** Other fields, with the names of what the service may find wrong in them. */
interface Other {
  readonly kind: 'other';
  readonly names: readonly string[];
  readonly show: (problems: Problems) => ReactNode;
}

/** The fields of a form, some of them only if something holds. */
export type Fields = readonly (Text | Check | Row | Other | false | null | undefined)[];

/** A field with a control of its own. */
export const control = <Props extends object>(
  Control: (props: Props & Pick<Text, 'problem'>) => ReactNode,
  props: NoInfer<Omit<Props, 'problem'>> & Named,
): Other => ({
  kind: 'other',
  names: [props.name],
  show: problems => <Control {...(props as Named & Props)} problem={problems[props.name]} />, // all but the problem is given
});

interface ChoiceProps extends Named, Omit<ComponentProps<typeof SelectField>, 'name' | 'children'> {
  /** The words for each value. */
  readonly options: Readonly<Record<string, string>>;
}

export const choice = ({ options, ...select }: ChoiceProps): Other =>
  control(SelectField, { ...select, children: <Options of={options} /> });

type MetadataProps = Pick<ComponentProps<typeof MetadataFields>, 'metadata' | 'hint'> & Partial<Named>;

/** The key-value pairs of a record. */
export const metadata = ({ name = 'metadata', ...props }: MetadataProps): Other => ({
  kind: 'other',
  names: [name],
  show: problems => <MetadataFields {...props} problem={problems[name]} />,
});

/** Returns the names of the fields that show what is wrong with them. */
export const namesOf = (fields: Fields): readonly string[] =>
  fields.flatMap(field => {
    if (!field || field.kind === 'check') return [];
    if (field.kind === 'row') return namesOf(field.of);
    return field.kind === 'other' ? field.names : field.name;
  });

interface FormFieldsProps {
  readonly of: Fields;
  readonly problems: Problems;
  /** What texts and checks begin with, by their names. */
  readonly values?: Readonly<Record<string, unknown>> | undefined;
}

/** The fields of a form, one below the other. */
export const FormFields = ({ of, ...rest }: FormFieldsProps) =>
  // Each stays in its place while others come and go.
  // eslint-disable-next-line react/no-array-index-key
  of.map((field, index) => <Fragment key={index}>{field && <FormField field={field} {...rest} />}</Fragment>);

type FormFieldProps = Omit<FormFieldsProps, 'of'> & { readonly field: Text | Check | Row | Other };

function FormField({ field, problems, values = {} }: FormFieldProps) {
  if (field.kind === 'other') return field.show(problems);
  if (field.kind === 'row')
    return (
      <div className="form-grid">
        <FormFields of={field.of} problems={problems} values={values} />
      </div>
    );
  const known = values[field.name];
  if (field.kind === 'check')
    return (
      <label className="check">
        <input type="checkbox" name={field.name} defaultChecked={field.defaultChecked ?? known === true} />
        {field.label}
      </label>
    );
  const first = typeof known === 'string' || typeof known === 'number' ? { defaultValue: known } : {};
  return <TextField {...first} {...field} problem={problems[field.name]} />;
}
