import { useFilters } from './filters.tsx';

/** The order of a list, which stands in the address; newest first unless it says otherwise. */
export function useOrder() {
  const { text, set } = useFilters();
  const order = text('order') === 'oldest' ? 'oldest' : undefined;
  return { order, turn: () => set('order', order ? undefined : 'oldest') } as const;
}
