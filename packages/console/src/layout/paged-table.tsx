import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import type { List, PageOptions } from '@billing/client';
import { formatCount } from '#ui/amount.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/states.tsx';
import { DataTable } from './data-table.tsx';
import { useFilters } from './filters.tsx';
import type { ListTableProps } from './list-table.tsx';
import { Loading } from './loading.tsx';

const PAGE_SIZE = 50;
/** As far as an offset reaches. */
const MAX_OFFSET = 100_000;

interface PagedTableProps<Item> extends Omit<ListTableProps<Item>, 'list'> {
  readonly list: (page: PageOptions, signal: AbortSignal) => List<Item>;
}

/**
 * A list of any length that is shown by the page, for rows of any height. Where the page begins stands in the address: `skip`,
 * and beyond the reach of an offset `after`, a cursor.
 */
export function PagedTable<Item>({ label, queryKey, list, columns, rowKey, empty, refreshMs }: PagedTableProps<Item>) {
  const { text } = useFilters();
  const navigate = useNavigate();
  const { history } = useRouter();
  const asked = Number(text('skip'));
  const skip = Number.isSafeInteger(asked) && asked > 0 ? asked : 0;
  const after = text('after') || undefined;
  const position: PageOptions = after ? { cursor: after } : { offset: skip };
  const query = useQuery({
    queryKey: [...queryKey, 'page', skip, after],
    queryFn: ({ signal }) => list({ limit: PAGE_SIZE, ...position }, signal).page(),
    placeholderData: keepPreviousData,
    refetchInterval: refreshMs ?? false,
  });
  const { data } = query;
  if (!data) return <Loading query={query} flush />;
  const { items, total, totalIsExact, nextCursor } = data;
  if (items.length === 0 && skip === 0) return empty;

  const [before, next] = [Math.max(0, skip - PAGE_SIZE), skip + PAGE_SIZE];
  const turn = (to: number, cursor?: string | null) =>
    void navigate({
      to: '.',
      search: (known: object) => ({ ...known, skip: to || undefined, after: cursor ?? undefined }),
    });
  return (
    <section aria-label={label} aria-busy={query.isPlaceholderData}>
      {items.length === 0 ? (
        <EmptyState icon="info" title="The list ends before this page" />
      ) : (
        <DataTable rows={items} columns={columns} rowKey={rowKey} part={{ from: skip, total }} />
      )}
      {(skip > 0 || nextCursor) && (
        <nav className="pager" aria-label="Pages of the list">
          <Button
            small
            icon="left"
            disabled={skip === 0}
            // Beyond the reach of an offset only the page that led here knows its cursor.
            onClick={() => (before > MAX_OFFSET ? history.back() : turn(before))}
          >
            Previous
          </Button>
          <span className="num" role="status">
            {formatCount(skip + 1)} – {formatCount(skip + items.length)} of {formatCount(total)}
            {!totalIsExact && ' or more'}
          </span>
          <Button small disabled={!nextCursor} onClick={() => turn(next, next > MAX_OFFSET ? nextCursor : undefined)}>
            Next
          </Button>
        </nav>
      )}
    </section>
  );
}
