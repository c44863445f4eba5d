import type { List } from '@billing/client';
import { useMutation } from '@tanstack/react-query';
import { DialogButton, useClose } from '#resource/dialog-button.tsx';
import { formatCount } from '#ui/amount.ts';
import { saveCsv } from '#ui/csv.ts';
import { Options, SelectField } from '#ui/field.tsx';
import { FormDialog } from '#ui/form-dialog.tsx';
import { textOf } from '#ui/form.tsx';
import { useToasts } from '#ui/toasts.tsx';
import { chooseCsv, chosenCsv, CSV_CHOICES, isCsvChoice } from './csv-choice.ts';
import { csvLines } from './csv-lines.ts';
import type { Column } from './list-table.tsx';

interface ExportProps<Item> {
  readonly name: string;
  readonly columns: readonly Column<Item>[];
  readonly list: (page: { readonly limit: number; readonly offset: number }, signal: AbortSignal) => List<Item>;
}

/** As many as one request for customers or other records by their ids takes. */
const PAGE_SIZE = 100;

/** Saves the whole list, as it is filtered, as a CSV file. */
export const ExportButton = <Item,>(exported: ExportProps<Item>) => (
  <DialogButton icon="download" dialog={<ExportDialog {...exported} />}>
    Export
  </DialogButton>
);

const NAMES = Object.fromEntries(Object.entries(CSV_CHOICES).map(([choice, { name }]) => [choice, name]));

function ExportDialog<Item>({ name, columns, list }: ExportProps<Item>) {
  const onClose = useClose();
  const toasts = useToasts();
  const exported = columns.flatMap(({ title, csv }) => (csv ? [{ title, csv }] : []));
  const save = useMutation({
    mutationFn: async (fields: FormData) => {
      const given = textOf(fields, 'format');
      const choice = isCsvChoice(given) ? given : chosenCsv();
      chooseCsv(choice);
      const file = `${name}.${CSV_CHOICES[choice].extension}`;
      const items = list({ limit: PAGE_SIZE, offset: 0 }, new AbortController().signal);
      const lines = await csvLines(items, exported, CSV_CHOICES[choice]);
      saveCsv(file, lines);
      return { file, count: lines.length - 1 };
    },
    onSuccess: ({ file, count }) => {
      toasts.done(`${formatCount(count)} ${count === 1 ? 'row is' : 'rows are'} saved as ${file}.`);
      onClose();
    },
  });
  return (
    <FormDialog title="Export the list" action="Save the file" write={save} onClose={onClose}>
      <SelectField
        label="Values are separated by"
        name="format"
        defaultValue={chosenCsv()}
        hint="As your spreadsheet expects it. What it would take for a formula, or change, such as 00123, begins with an apostrophe."
      >
        <Options of={NAMES} />
      </SelectField>
    </FormDialog>
  );
}
