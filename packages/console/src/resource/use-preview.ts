import { useQuery } from '@tanstack/react-query';
import { useDebounced } from '#ui/debounced.ts';

const TYPING_MS = 300;
/** What is previewed may change; a plan change takes a preview for 15 minutes. */
const REFRESH_MS = 5 * 60_000;

interface PreviewOptions<Wanted, Preview> {
  readonly queryKey: readonly unknown[];
  /** Undefined while the form does not say it. */
  readonly wanted: Wanted | undefined;
  readonly read: (wanted: Wanted, signal: AbortSignal) => Promise<Preview>;
}

/** Previews what a form says once it has not changed for a moment, and again after a while. */
export function usePreview<Wanted extends object, Preview>({
  queryKey,
  wanted,
  read,
}: PreviewOptions<Wanted, Preview>) {
  const now = wanted && JSON.stringify(wanted);
  const text = useDebounced(now, TYPING_MS);
  const isCurrent = text !== undefined && text === now;
  const query = useQuery({
    queryKey: [...queryKey, text],
    queryFn: ({ signal }) => (wanted ? read(wanted, signal) : undefined),
    enabled: isCurrent,
    refetchInterval: ({ state }) => (state.error ? false : REFRESH_MS),
    staleTime: REFRESH_MS,
    gcTime: 0,
  });
  const { data, error, refetch, isRefetching } = isCurrent ? query : { ...query, data: undefined, error: null };
  return {
    data,
    error,
    refetch,
    /** Whether it is yet to come, or is read again and may differ from what is shown. */
    isPending: isRefetching || (wanted !== undefined && !data && !error),
  };
}
