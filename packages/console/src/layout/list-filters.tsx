import { DateRangeFilter, useDateRange } from './date-range.tsx';
import { ChosenFilter, useFilters } from './filters.tsx';
import { useOrder } from './use-order.ts';

/** What every list of records takes from the address: days, the order, and one record by its id at Stripe. */
export function useListFilters() {
  const range = useDateRange();
  const { order } = useOrder();
  const processorId = useFilters().text('processorId') || undefined;
  const shown = { ...range, order, processorId };
  return { shown, isFiltered: Boolean(range.createdAfter ?? range.createdBefore ?? processorId) };
}

export const ListFilters = () => (
  <>
    <DateRangeFilter />
    <ChosenFilter name="processorId" />
  </>
);
