import type { List, Page } from '@billing/client';
import { keepPreviousData, useInfiniteQuery, useQueries, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect } from 'react';
import { useVisibleRows } from '#ui/use-visible-rows.ts';

/** Where the rows of a list come from. */
export interface ListSource<Item> {
  readonly queryKey: readonly unknown[];
  readonly list: (page: ListedPage, signal: AbortSignal) => List<Item>;
  /** How often the rows are loaded again, in milliseconds. */
  readonly refreshMs?: number;
}

/** A page of a list: the one after a cursor, or without one that after `offset` items. */
interface ListedPage {
  readonly limit: number;
  readonly offset: number;
  readonly cursor?: string | undefined;
}

const PAGE_SIZE = 100;
/** As far as an offset reaches; an inexact total is less, and as far as the offset of its list reaches. */
const MAX_OFFSET = 100_000;

function pageQuery<Item>({ queryKey, list, refreshMs = 30_000 }: ListSource<Item>, page: number) {
  return {
    queryKey: [...queryKey, 'page', page],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      list({ limit: PAGE_SIZE, offset: page * PAGE_SIZE }, signal).page(),
    refetchInterval: refreshMs,
  };
}

/** The first page of a list with its total. While other filters load, it is that of the filters before. */
export const useFirstPage = <Item>(source: ListSource<Item>) =>
  useQuery({ ...pageQuery(source, 0), placeholderData: keepPreviousData });

/**
 * Loads the rows of a list that are in the window. The window may jump as far as an offset reaches; the rows beyond follow by
 * cursor once the window comes to them.
 */
export function useListRows<Item>(source: ListSource<Item>, rowHeight: number) {
  const first = useFirstPage(source);
  const { total = 0, totalIsExact = true } = first.data ?? {};
  const reached = Math.min(total, MAX_OFFSET);
  const goesOn = !totalIsExact || total > reached;
  const rest = useRowsBeyond(source, reached);
  const beyond = goesOn ? rest.rows : [];
  const known = reached + beyond.length;
  const { ref, from, to } = useVisibleRows(known, rowHeight);

  const isAtEnd = goesOn && to >= known - PAGE_SIZE / 2;
  const { canLoad, load } = rest;
  useEffect(() => {
    if (isAtEnd && canLoad) load();
  }, [isAtEnd, canLoad, load]);

  const firstPage = Math.floor(Math.min(from, reached) / PAGE_SIZE);
  const pageCount = Math.max(1, Math.ceil(Math.min(to, reached) / PAGE_SIZE) - firstPage);
  const pages = useQueries({
    queries: Array.from({ length: pageCount }, (_, index) => pageQuery(source, firstPage + index)),
  });
  const itemAt = (index: number): Item | undefined => {
    if (index >= reached) return beyond[index - reached];
    const page = Math.floor(index / PAGE_SIZE);
    const loaded = pages[page - firstPage]?.data ?? (page === 0 ? first.data : undefined);
    return loaded?.items[index % PAGE_SIZE];
  };
  const failed = pages.find(({ error, data }) => error && !data);
  return {
    first,
    /** How many rows there are, as far as that is known. */
    known,
    /** Whether there are more. */
    isOpen: goesOn && !rest.isComplete,
    /** Why rows of the window, or those that follow, could not be loaded, and how to try that again. */
    failure: failed
      ? { error: failed.error, retry: () => pages.forEach(page => page.error && void page.refetch()) }
      : goesOn && rest.error
        ? { error: rest.error, retry: load }
        : null,
    ref,
    from,
    to: Math.min(to, known),
    itemAt,
  };
}

/** The rows after those that an offset reaches, as far as they are loaded. */
function useRowsBeyond<Item>({ queryKey, list }: ListSource<Item>, offset: number) {
  const start: ListedPage = { limit: PAGE_SIZE, offset };
  const { data, error, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery({
    queryKey: [...queryKey, 'beyond', offset],
    queryFn: ({ pageParam, signal }): Promise<Page<Item>> => list(pageParam, signal).page(),
    initialPageParam: start,
    getNextPageParam: ({ nextCursor }) => (nextCursor === null ? undefined : { ...start, cursor: nextCursor }),
    enabled: false,
    staleTime: Infinity,
  });
  const isComplete = data !== undefined && !hasNextPage;
  return {
    rows: data?.pages.flatMap(({ items }) => items) ?? [],
    isComplete,
    error,
    canLoad: !isComplete && !isFetching && !error,
    load: useCallback(() => void fetchNextPage(), [fetchNextPage]),
  };
}
