import type { CursorPage, List } from '@billing/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/states.tsx';
import { DataTable } from './data-table.tsx';
import { useFilters } from './filters.tsx';
import { firstFilled } from './first-filled.ts';
import type { Column } from './list-table.tsx';
import { Loading } from './loading.tsx';

const PAGE_SIZE = 50;

interface CursorTableProps<Item> {
  readonly label: string;
  readonly queryKey: readonly unknown[];
  readonly list: (
    page: { readonly limit: number; readonly cursor: string | undefined },
    signal: AbortSignal,
  ) => List<Item, CursorPage<Item>>;
  readonly columns: readonly Column<Item>[];
  readonly rowKey: (item: Item) => string;
  /** Shown when the list has nothing. */
  readonly empty: ReactNode;
  readonly refreshMs: number;
}

/** A list without a total that is read by cursor, newest first. Where an older page begins stands in the address as `after`. */
export function CursorTable<Item>(props: CursorTableProps<Item>) {
  const { label, queryKey, list, columns, rowKey, empty, refreshMs } = props;
  const after = useFilters().text('after') || undefined;
  const navigate = useNavigate();
  const query = useQuery({
    queryKey: [...queryKey, 'after', after],
    queryFn: ({ signal }) => firstFilled(list({ limit: PAGE_SIZE, cursor: after }, signal)),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs,
  });
  const { data } = query;
  if (!data) return <Loading query={query} flush />;
  const { items, nextCursor } = data;
  if (items.length === 0 && !after && !nextCursor) return empty;
  const turn = (cursor: string | undefined) =>
    void navigate({ to: '.', search: (known: object) => ({ ...known, after: cursor }) });
  return (
    <section aria-label={label} aria-busy={query.isPlaceholderData}>
      {items.length === 0 ? (
        <EmptyState icon="search" title="Nothing on this page">
          {nextCursor && 'There may be more among the older ones.'}
        </EmptyState>
      ) : (
        <DataTable rows={items} columns={columns} rowKey={rowKey} />
      )}
      {(after ?? nextCursor) && (
        <nav className="pager" aria-label="Pages of the list">
          <Button small icon="left" disabled={!after} onClick={() => turn(undefined)}>
            Newest
          </Button>
          <Button small disabled={!nextCursor} onClick={() => turn(nextCursor ?? undefined)}>
            Older
          </Button>
        </nav>
      )}
    </section>
  );
}
