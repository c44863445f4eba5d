import { formatMoney, type PriceMigrationFinding, type Sync, type SyncFinding } from '@billing/client';

const COLUMNS = ['same', 'missing', 'different', 'extra', 'conflict', 'skipped', 'applied'] as const;

/** Writes the counts of a sync as a table, a line for each type. */
export function countsTable({ types, counts }: Pick<Sync, 'types' | 'counts'>): string {
  const rows = types.map(type => [type, ...COLUMNS.map(column => String(counts[type]?.[column] ?? 0))]);
  return table([['', ...COLUMNS], ...rows]);
}

/** Writes findings as a table. */
export function findingsTable(findings: readonly SyncFinding[]): string {
  const rows = findings.map(({ outcome, type, name, belongsTo, processorId, id, fields, reason, applied }) => [
    outcome,
    type,
    name ?? belongsTo?.name ?? '',
    processorId ?? '',
    id ?? '',
    applied ? 'applied' : (reason ?? fields.map(({ field }) => field).join(', ')),
  ]);
  return table([['outcome', 'type', 'name', 'at the processor', 'here', 'why'], ...rows]);
}

/** Writes what a price migration does to subscriptions as a table. */
export function migrationTable(findings: readonly PriceMigrationFinding[]): string {
  const rows = findings.map(one => [
    one.outcome,
    one.subscriptionId,
    monthly(one.oldAmount, one.currency),
    monthly(one.newAmount, one.currency),
    one.effectiveAt?.slice(0, 10) ?? '',
    one.reason ?? one.error?.message ?? '',
  ]);
  return table([['outcome', 'subscription', 'a month', 'then', 'from', 'why'], ...rows]);
}

const monthly = (amount: string | null, currency: string): string =>
  amount === null ? '' : formatMoney(Math.round(Number(amount)), currency);

/** Says where the findings are that are not printed. */
export const more = ({ length }: readonly unknown[], total: number, path: string): string =>
  total > length ? `\n… and ${total - length} more: GET …/${path}/findings` : '';

/** Columns are as wide as their widest text. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)));
  return rows
    .map(row =>
      row
        .map((text, column) => text.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
