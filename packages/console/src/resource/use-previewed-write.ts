import type { WriteOptions } from '@billing/client';
import { isRefused } from '#api/failure.ts';
import { useWrite, type Write } from '#layout/use-write.ts';
import { useOnce } from './use-once.ts';
import { usePreview } from './use-preview.ts';

interface PreviewedWrite<Wanted, Cost, Preview, Sent, Output> extends Pick<
  Write<unknown, Output>,
  'stale' | 'done' | 'onDone'
> {
  /** That of the preview. */
  readonly queryKey: readonly unknown[];
  /** What the form says; undefined while it says nothing that can be done. */
  readonly wanted: Wanted | undefined;
  /** The part of it that says what it costs; undefined where there is no preview of it. */
  readonly costOf: (wanted: Wanted) => Cost | undefined;
  readonly read: (cost: Cost, signal: AbortSignal) => Promise<Preview>;
  /** Whether it is done for the previewed amount only, and so waits for the preview. */
  readonly isPinned?: boolean;
  /** Returns what is sent, with the amount of the preview, which is there unless it is not pinned. */
  readonly pin: (wanted: Wanted, preview: Preview | undefined) => Sent;
  readonly send: (sent: Sent, options: WriteOptions) => Promise<Output>;
}

interface Attempt<Sent> {
  /** What the form said. */
  readonly text: string | undefined;
  readonly sent: Sent;
}

/** The preview of what a form says, and what does it for the previewed amount; `made` is what came of it. */
export function usePreviewedWrite<Wanted extends object, Cost extends object, Preview, Sent, Output>({
  queryKey,
  wanted,
  costOf,
  read,
  isPinned = true,
  pin,
  send,
  ...rest
}: PreviewedWrite<Wanted, Cost, Preview, Sent, Output>) {
  const once = useOnce();
  const preview = usePreview({ queryKey, wanted: wanted && costOf(wanted), read });
  const make = useWrite({
    ...rest,
    write: async ({ sent }: Attempt<Sent>) => {
      try {
        return await once(JSON.stringify(sent), options => send(sent, options));
      } catch (error) {
        // What it costs may have changed.
        if (preview.data) void preview.refetch();
        throw error;
      }
    },
  });
  const text = JSON.stringify(wanted);
  const { variables: last } = make;
  // Something else was not refused.
  const error = last?.text === text ? make.error : null;
  const mutate = () => {
    // What it costs may have changed because it was done: as it was sent, it is the same.
    if (last && error && !isRefused(error)) make.mutate(last);
    else if (wanted && (preview.data || !isPinned)) make.mutate({ text, sent: pin(wanted, preview.data) });
  };
  return {
    preview,
    write: { isPending: make.isPending || (isPinned && preview.isPending), error, mutate },
    made: make.data,
  };
}
