import { formatMoney } from '@billing/contracts/money-format';
import type { MemoryUse } from './process-memory.ts';

/** What a change of plan costs and gives; amounts are in the smallest unit of the currency. */
interface PreviewSummary {
  amountDue: number;
  currency: string;
  nextInvoice: { at: string; total: number } | null;
  entitlementChanges: readonly { feature: string; from: Value | null; to: Value | null }[];
}
type Value = string | number | boolean;

/** What the demo created. */
export interface DemoSummary {
  user: { email: string; password: string };
  /** Signs this user in once, on this machine. */
  signInUrl?: string | undefined;
  teamId: string;
  projectId: string;
  /** It has every scope. */
  apiKey: string;
  checkoutUrl: string;
  portalUrl: string;
  /** In the smallest unit of the currency. */
  mrr: number;
  currency: string;
  /** What the customer with the subscription may use: the value of each feature. */
  mayUse: Readonly<Record<string, Value>>;
  /** What a change to a larger plan costs this customer. */
  upgrade?: PreviewSummary | undefined;
}

export interface StartSummary {
  gatewayUrl: string;
  processorUrl: string | undefined;
  demo: DemoSummary | undefined;
  elapsedMs: number;
  memory: MemoryUse;
  logFolder: string;
}

const LABEL_WIDTH = 15;

/** Returns the text that `npm start` prints when the system is ready. */
export function renderStartSummary({
  gatewayUrl,
  processorUrl,
  demo,
  elapsedMs,
  memory,
  logFolder,
}: StartSummary): string {
  const rows: Array<readonly [string, string]> = [
    ['Console', demo?.signInUrl ? `${demo.signInUrl}  (signs you in, once)` : gatewayUrl],
    ['Gateway', gatewayUrl],
    ['API docs', `${gatewayUrl}/docs`],
  ];
  if (processorUrl !== undefined) rows.push(['Processor', `${processorUrl} (local stand-in, no real money)`]);
  if (demo !== undefined)
    rows.push(
      ['Demo sign-in', `${demo.user.email}  ${demo.user.password}`],
      ['Team, project', `${demo.teamId}  ${demo.projectId}`],
      ['API key', demo.apiKey],
      ['Checkout', demo.checkoutUrl],
      ['Portal', demo.portalUrl],
      ['MRR', formatMoney(demo.mrr, demo.currency, 'en')],
      ['Ada may use', inWords(demo.mayUse)],
    );
  if (demo?.upgrade !== undefined) rows.push(['Her upgrade', previewInWords(demo.upgrade)]);
  rows.push(
    ['Started in', `${(elapsedMs / 1000).toFixed(1)} s`],
    ['Memory', `${Math.round(memory.bytes / 1024 ** 2)} MB in ${memory.processes} processes`],
    ['Logs', logFolder],
  );
  const lines = rows.map(([label, value]) => `  ${label.padEnd(LABEL_WIDTH)}${value}`);
  return ['', 'Billing is running. Ctrl-C stops everything.', '', ...lines, ''].join('\n');
}

const inWords = (values: DemoSummary['mayUse']): string =>
  Object.entries(values)
    .map(([feature, value]) => `${feature}: ${value}`)
    .join(', ');

/** `$19.99 today, $49.99 from Jan 2, seats: 5 to 20` */
function previewInWords({ amountDue, currency, nextInvoice, entitlementChanges }: PreviewSummary): string {
  const money = (amount: number) => formatMoney(amount, currency, 'en');
  const day = (at: string) =>
    new Date(at).toLocaleDateString('en', { month: 'short', day: 'numeric', timeZone: 'UTC' });
  return [
    `${money(amountDue)} today`,
    ...(nextInvoice ? [`${money(nextInvoice.total)} from ${day(nextInvoice.at)}`] : []),
    ...entitlementChanges.map(({ feature, from, to }) => `${feature}: ${from ?? 'none'} to ${to ?? 'none'}`),
  ].join(', ');
}
