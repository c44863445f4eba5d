import type { MemoryUse } from './process-memory.ts';

/** What the demo leaves to look at. */
export interface DemoFacts {
  user: { email: string; password: string };
  apiKey: string;
  checkoutUrl: string;
  portalUrl: string;
  /** In minor units of the currency. */
  mrr: number;
  currency: string;
}

export interface ScreenFacts {
  gatewayUrl: string;
  processorUrl: string | undefined;
  demo: DemoFacts | undefined;
  elapsedMs: number;
  memory: MemoryUse;
  logFolder: string;
}

const LABEL_WIDTH = 15;

/** The one screen that `npm start` ends with. */
export function renderScreen({ gatewayUrl, processorUrl, demo, elapsedMs, memory, logFolder }: ScreenFacts): string {
  const rows: Array<readonly [string, string]> = [
    ['Gateway', gatewayUrl],
    ['API docs', `${gatewayUrl}/docs`],
  ];
  if (processorUrl !== undefined) rows.push(['Processor', `${processorUrl} (local stand-in, no real money)`]);
  if (demo !== undefined)
    rows.push(
      ['Demo sign-in', `${demo.user.email}  ${demo.user.password}`],
      ['API key', demo.apiKey],
      ['Checkout', demo.checkoutUrl],
      ['Portal', demo.portalUrl],
      ['MRR', formatMoney(demo.mrr, demo.currency)],
    );
  rows.push(
    ['Started in', `${(elapsedMs / 1000).toFixed(1)} s`],
    ['Memory', `${Math.round(memory.bytes / 1024 ** 2)} MB in ${memory.processes} processes`],
    ['Logs', logFolder],
  );
  const lines = rows.map(([label, value]) => `  ${label.padEnd(LABEL_WIDTH)}${value}`);
  return ['', 'Billing is running. Ctrl-C stops everything.', '', ...lines, ''].join('\n');
}

/** 2999 of `usd` as `$29.99`; the number of decimals is the currency's. */
export function formatMoney(minorUnits: number, currency: string): string {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const decimals = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(minorUnits / 10 ** decimals);
}
