import type { Finding, Limits } from '../finding.ts';

/** How far a clock is ahead of that of this machine, in milliseconds. */
export interface ClockReading {
  readonly name: string;
  readonly aheadMs: number;
}

/** Finds clocks that differ from most of the others; that of this machine is one of them. */
export function checkClocks(readings: readonly ClockReading[], { clockSeconds }: Limits): Finding[] {
  const all = [{ name: 'this machine', aheadMs: 0 }, ...readings];
  const sorted = all.map(({ aheadMs }) => aheadMs).toSorted((a, b) => a - b);
  const usual = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return all
    .filter(({ aheadMs }) => Math.abs(aheadMs - usual) > clockSeconds * 1_000)
    .map(({ name, aheadMs }) => {
      const seconds = Math.round(Math.abs(aheadMs - usual) / 1_000);
      return {
        check: 'clock-differs',
        subject: name,
        problem: `The clock of ${name} is ${seconds} s ${aheadMs > usual ? 'ahead of' : 'behind'} the others.`,
        action: 'Set it, and keep it right with NTP: identity tokens and signatures are valid for minutes.',
      };
    });
}
