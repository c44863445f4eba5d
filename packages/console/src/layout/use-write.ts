import { useMutation, useQueryClient, type QueryKey, type UseMutationResult } from '@tanstack/react-query';
import { useToasts } from '#ui/toasts.tsx';

export interface Write<Input, Output> {
  readonly write: (input: Input) => Promise<Output>;
  /** What the page shows of what it changes: queries, by the beginnings of their keys. They are loaded again, also after a failure. */
  readonly stale: readonly QueryKey[];
  /** What a toast says once it is done, if anything. */
  readonly done?: string | ((output: Output, input: Input) => string | undefined);
  /** What a toast says was not done, where no form shows the error. */
  readonly failed?: string;
  /** Runs once it is done and what it changed was loaded. */
  readonly onDone?: (output: Output, input: Input) => void;
}

/**
 * A change by the reader: what shows it is loaded again, what other pages have shown before is forgotten, and a toast says
 * what became of it.
 */
export function useWrite<Input = void, Output = unknown>({
  write,
  stale,
  done,
  failed,
  onDone,
}: Write<Input, Output>): UseMutationResult<Output, Error, Input> {
  const queryClient = useQueryClient();
  const toasts = useToasts();
  const reload = () => {
    // Other pages load what they need anew, so that none shows a list from before the change.
    queryClient.removeQueries({ type: 'inactive' });
    return Promise.all(stale.map(queryKey => queryClient.invalidateQueries({ queryKey })));
  };
  return useMutation({
    mutationFn: write,
    onSuccess: async (output, input) => {
      await reload();
      onDone?.(output, input);
      const text = typeof done === 'function' ? done(output, input) : done;
      if (text !== undefined) toasts.done(text);
    },
    onError: async error => {
      if (failed) toasts.failed(failed, error);
      await reload();
    },
  });
}
