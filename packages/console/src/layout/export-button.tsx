import type { List } from '@billing/client';
import { useMutation } from '@tanstack/react-query';
import { formatCount } from '#ui/amount.ts';
import { Button } from '#ui/button.tsx';
import { saveCsv } from '#ui/csv.ts';
import { useToasts } from '#ui/toasts.tsx';
import { csvLines } from './csv-lines.ts';
import type { Column } from './list-table.tsx';

interface ExportButtonProps<Item> {
  readonly name: string;
  readonly columns: readonly Column<Item>[];
  readonly list: (page: { readonly limit: number; readonly offset: number }, signal: AbortSignal) => List<Item>;
}

const PAGE_SIZE = 100;

/** Saves the whole list, as it is filtered, as a CSV file. */
export function ExportButton<Item>({ name, columns, list }: ExportButtonProps<Item>) {
  const toasts = useToasts();
  const exported = columns.flatMap(({ title, csv }) => (csv ? [{ title, csv }] : []));
  const save = useMutation({
    mutationFn: async () => {
      const lines = await csvLines(list({ limit: PAGE_SIZE, offset: 0 }, new AbortController().signal), exported);
      saveCsv(name, lines);
      return lines.length - 1;
    },
    onSuccess: count =>
      toasts.done(`${formatCount(count)} ${count === 1 ? 'row is' : 'rows are'} saved as ${name}.csv.`),
    onError: error => toasts.failed('The file was not made.', error),
  });
  return (
    <Button icon="download" busy={save.isPending} onClick={() => save.mutate()}>
      Export
    </Button>
  );
}
