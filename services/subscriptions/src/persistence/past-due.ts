/** Selects the invoices that are past due at a time: open, and tried to be collected, or with a due date that is past. */
export const pastDueAt = (now: Date) => ({
  status: 'open' as const,
  $or: [{ attempted: true }, { dueDate: { $lt: now } }],
});
